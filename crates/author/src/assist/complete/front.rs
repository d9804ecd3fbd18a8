//! What can be written in front matter: keys with their schema, values, and the required keys as a snippet.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use infralens_page::Kind as PageKind;
use infralens_source::diag::codes;
use infralens_source::source::Span;
use infralens_source::yaml::{Field, Type};

use super::{Completion, Cursor, Kind};

/// What the keys of a map are.
enum Keys {
    Declared(Vec<Field>),
    /// Any, with values of one type.
    Any(Type),
}

impl Keys {
    fn of(ty: Type) -> Option<Self> {
        match ty {
            Type::Record(fields) | Type::TextOrRecord(_, fields) => Some(Self::Declared(fields.to_vec())),
            Type::Map(_, value) => Some(Self::Any(*value)),
            _ => None,
        }
    }

    /// Returns the type of a key's value.
    fn value(&self, key: &str) -> Option<Type> {
        match self {
            Self::Declared(fields) => Some(fields.iter().find(|field| field.name == key)?.ty),
            Self::Any(value) => Some(*value),
        }
    }

    /// Returns the keys of the map that a line, at the offset `line`, is indented in.
    fn at(self, text: &str, line: usize) -> Option<Self> {
        let indent_of = |line: &str| line.len() - line.trim_start().len();
        let mut indent = indent_of(text[line..].lines().next().unwrap_or_default());
        let mut parents = Vec::new();
        for above in text[..line].lines().rev().take_while(|above| above.trim_end() != "---") {
            if indent_of(above) < indent && !above.trim().is_empty() {
                indent = indent_of(above);
                parents.push(above.trim().split(':').next().unwrap_or_default());
            }
        }
        parents.iter().rev().try_fold(self, |keys, parent| Self::of(keys.value(parent)?))
    }
}

impl Keys {
    /// Returns the keys that are not there yet, those that must be there first.
    fn missing(self, span: &Span, is_there: impl Fn(&str) -> bool) -> Vec<Completion> {
        let Self::Declared(fields) = self else { return Vec::new() };
        let missing = fields.iter().filter(|field| !is_there(field.name));
        let proposals = missing.map(|field| {
            let insert = match field.ty {
                Type::Record(_) | Type::Map(..) => format!("{}:", field.name),
                Type::List(_) => format!("{}: []", field.name),
                _ => format!("{}: ", field.name),
            };
            let detail = if field.required { "required" } else { "" };
            Completion::new(Kind::Key, field.name, span).detail(detail).doc(field.description()).insert(insert)
        });
        let mut proposals: Vec<Completion> = proposals.collect();
        proposals.sort_by_key(|key| key.detail.is_empty());
        proposals
    }
}

/// Returns the keys that a line of front matter at the offset `line` can have: those of the record that it is indented in.
pub fn fields_at(text: &str, line: usize, fields: &[Field]) -> Vec<Field> {
    match Keys::Declared(fields.to_vec()).at(text, line) {
        Some(Keys::Declared(fields)) => fields,
        _ => Vec::new(),
    }
}

/// Writes the required keys of a record as a snippet, with places to fill that are numbered after `place`.
pub(super) fn write_required(fields: &[Field], indent: usize, place: &mut usize, out: &mut String) {
    for field in fields.iter().filter(|field| field.required) {
        out.extend([" ".repeat(indent).as_str(), field.name, ":"]);
        if let Type::Record(inner) = field.ty {
            out.push('\n');
            write_required(inner, indent + 2, place, out);
            continue;
        }
        *place += 1;
        let value = format!("${{{place}:TODO}}");
        let is_list = matches!(field.ty, Type::List(_));
        out.extend(if is_list { [" [", &value, "]\n"] } else { [" ", &value, "\n"] });
    }
}

impl Cursor<'_> {
    pub(super) fn in_front_matter(&self) -> Vec<Completion> {
        let fields = self.placement.kind.fields();
        self.in_keys(|| Some(Keys::Declared(fields.clone()))).unwrap_or_default()
    }

    /// Returns what a YAML file of a type can have.
    pub(super) fn in_yaml(&self, ty: Type) -> Vec<Completion> {
        self.in_keys(|| Keys::of(ty)).unwrap_or_default()
    }

    fn in_keys(&self, root: impl Fn() -> Option<Keys>) -> Option<Vec<Completion>> {
        let text = self.source.text();
        let written = self.before.trim_start();
        if let Some((key, value)) = written.split_once(':') {
            let ty = root()?.at(text, self.line_start)?.value(key.trim())?;
            // A record may be written in one line, `{ file: a.py, type: Script }`.
            let Some((before, entry)) = value.rsplit_once(['{', ',']).filter(|_| Keys::of(ty).is_some()) else {
                return Some(self.values(key.trim(), ty, value));
            };
            let keys = Keys::of(ty)?;
            let Some((key, value)) = entry.split_once(':') else {
                let entry = entry.trim_start();
                return Some(keys.missing(&self.typed(entry.len()), |name| before.contains(&format!("{name}:"))));
            };
            return Some(self.values(key.trim(), keys.value(key.trim())?, value));
        }
        if let Some(item) = written.strip_prefix("- ") {
            let mut above = text[..self.line_start].split_inclusive('\n').rev().scan(self.line_start, |at, line| {
                *at -= line.len();
                Some((*at, line.trim()))
            });
            let (at, line) = above.find(|(_, line)| !line.starts_with('-') && !line.is_empty())?;
            let key = line.strip_suffix(':')?;
            return Some(self.values(key, root()?.at(text, at)?.value(key)?, item));
        }
        if !written.chars().all(|c| c.is_alphanumeric() || c == '_') {
            return None;
        }
        let indent = &self.before[..self.before.len() - written.len()];
        // The lines of the same record, up to one that is indented less.
        let is_within = |line: &&str| line.trim().is_empty() || line.starts_with(indent) && line.trim_end() != "---";
        let above = text[..self.line_start].lines().rev().take_while(is_within);
        let own = above.chain(text[self.line_start..].lines().take_while(is_within));
        let own: Vec<&str> = own.filter_map(|line| line.get(indent.len()..)).collect();
        let is_there =
            |name: &str| own.iter().any(|line| line.strip_prefix(name).is_some_and(|rest| rest.starts_with(':')));
        Some(root()?.at(text, self.line_start)?.missing(&self.typed(written.len()), is_there))
    }

    /// Returns the values of a key of front matter. `written` is what follows the colon.
    fn values(&self, key: &str, ty: Type, written: &str) -> Vec<Completion> {
        let start = written.rfind(['[', ',', ' ']).map_or(0, |at| at + 1);
        let span = self.typed(written.len() - start);
        let value = |name: &str| Completion::new(Kind::Value, name, &span);
        match (key, ty) {
            ("allow", _) => codes::LINTS.iter().map(|lint| value(lint.id).detail(lint.title).doc(lint.text)).collect(),
            ("reading", _) => self.keys(&span, ""),
            ("handbook" | "after", _) => self.pages_of_track(&span, key == "handbook"),
            ("file", _) => self.own_files().into_iter().map(|name| Completion::new(Kind::File, name, &span)).collect(),
            ("template", _) => {
                let templates = self.cx.project.below("templates");
                templates.map(|(path, _)| Completion::new(Kind::File, &path["templates/".len()..], &span)).collect()
            }
            ("group" | "type", _) => self.values_of_labs(key, written.trim_start()),
            (_, Type::OneOf(choices)) => {
                choices.iter().map(|choice| value(choice.name).doc(choice.description())).collect()
            }
            (_, Type::Bool) => vec![value("true"), value("false")],
            _ => Vec::new(),
        }
    }

    /// Returns the values that labs have for a key, the most frequent first. They may be of several words.
    fn values_of_labs(&self, key: &str, written: &str) -> Vec<Completion> {
        let labs = self.site.sources().filter(|page| page.subject.document.source.path() != self.source.path());
        let labs = labs.filter_map(|page| page.subject.document.front.lab.as_ref());
        let values = labs.filter_map(|lab| if key == "group" { lab.group.as_ref() } else { Some(&lab.starter.kind) });
        let mut uses: BTreeMap<&str, usize> = BTreeMap::new();
        values.filter(|value| !value.is_empty()).for_each(|value| *uses.entry(&value.value).or_default() += 1);
        let mut uses: Vec<(&str, usize)> = uses.into_iter().collect();
        uses.sort_by_key(|(_, count)| Reverse(*count));
        let span = self.typed(written.len());
        uses.into_iter().map(|(value, _)| Completion::new(Kind::Value, value, &span)).collect()
    }

    /// Returns the sections of the page's track, and the labs unless only sections can be meant.
    fn pages_of_track(&self, span: &Span, only_sections: bool) -> Vec<Completion> {
        let Some(track) = self.placement.track.as_ref() else { return Vec::new() };
        let course = self.cx.course;
        let Some(track) = course.tracks.iter().position(|known| known.name == *track) else { return Vec::new() };
        let labs = course.members(track, PageKind::Lab).filter(|_| !only_sections);
        let pages = course.members(track, PageKind::Section).chain(labs).filter(|page| self.may_require(*page));
        let pages = pages.map(|page| &course.pages[page]);
        // What the list has already.
        let listed = |name: &str| self.before.split(['[', ',', ' ', ']']).any(|one| one == name);
        let pages = pages.filter(|page| self.source.text()[span.clone()] == *page.name() || !listed(page.name()));
        pages.map(|page| Completion::new(Kind::Value, page.name(), span).detail(page.title())).collect()
    }
}
