//! What can be written in front matter: keys with their schema, values, and the required keys as a snippet.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use infralens_page::{Kind as PageKind, front_matter};
use infralens_source::diag::codes;
use infralens_source::source::Span;
use infralens_source::yaml::{Field, Type};

use super::{Completion, Cursor, Kind};

/// Returns the keys that a line of front matter at the offset `line` can have: those of the record that it is indented in.
pub fn fields_at(text: &str, line: usize, fields: &[Field]) -> Vec<Field> {
    let indent_of = |line: &str| line.len() - line.trim_start().len();
    let current = text[line..].lines().next().unwrap_or_default();
    let mut indent = indent_of(current);
    let mut parents = Vec::new();
    for above in text[..line].lines().rev().take_while(|above| above.trim_end() != "---") {
        if indent_of(above) < indent && !above.trim().is_empty() {
            indent = indent_of(above);
            parents.push(above.trim().split(':').next().unwrap_or_default());
        }
    }
    let mut fields = fields.to_vec();
    for parent in parents.iter().rev() {
        let field = fields.iter().find(|field| field.name == *parent);
        fields = match field.map(|field| field.ty) {
            Some(Type::Record(fields)) => fields.to_vec(),
            _ => Vec::new(),
        };
    }
    fields
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
        let here = fields_at(self.source.text(), self.line_start, &fields);
        let written = self.before.trim_start();
        if let Some((key, value)) = written.split_once(':') {
            let Some(field) = here.iter().find(|field| field.name == key.trim()) else { return Vec::new() };
            // A record may be written in one line, `{ file: a.py, type: Script }`.
            if let (Type::Record(fields), Some((_, entry))) = (field.ty, value.rsplit_once(['{', ','])) {
                let (key, value) = entry.split_once(':').unwrap_or_default();
                let field = fields.iter().find(|field| field.name == key.trim());
                return field.map_or_else(Vec::new, |field| self.values(field, value));
            }
            return self.values(field, value);
        }
        if let Some(item) = written.strip_prefix("- ") {
            let above = self.source.text()[..self.line_start].lines().rev();
            let key = above.map(str::trim).find(|line| !line.starts_with('-') && !line.is_empty());
            let key = key.and_then(|line| line.strip_suffix(':')).unwrap_or_default();
            let Some(field) = fields.iter().find(|field| field.name == key) else { return Vec::new() };
            return self.values(field, item);
        }
        if !written.chars().all(|c| c.is_alphanumeric() || c == '_') {
            return Vec::new();
        }
        let indent = self.before.len() - written.len();
        let span = self.typed(written.len());
        let is_there = |name: &str| {
            let text = self.source.text();
            let front = &text[..front_matter::split(self.source).1.max(self.line_start)];
            let key = format!("{}{name}:", " ".repeat(indent));
            front.lines().any(|line| line.starts_with(&key))
        };
        let missing = here.iter().filter(|field| !is_there(field.name));
        let proposals = missing.map(|field| {
            let insert = match field.ty {
                Type::Record(_) | Type::Map(..) => format!("{}:", field.name),
                Type::List(_) => format!("{}: []", field.name),
                _ => format!("{}: ", field.name),
            };
            let detail = if field.required { "required" } else { "" };
            Completion::new(Kind::Key, field.name, &span).detail(detail).doc(field.description()).insert(insert)
        });
        let mut proposals: Vec<Completion> = proposals.collect();
        proposals.sort_by_key(|key| key.detail.is_empty());
        proposals
    }

    /// Returns the values of a key of front matter. `written` is what follows the colon.
    fn values(&self, field: &Field, written: &str) -> Vec<Completion> {
        let start = written.rfind(['[', ',', ' ']).map_or(0, |at| at + 1);
        let span = self.typed(written.len() - start);
        let value = |name: &str| Completion::new(Kind::Value, name, &span);
        match (field.name, field.ty) {
            ("allow", _) => codes::LINTS.iter().map(|lint| value(lint.id).detail(lint.title).doc(lint.text)).collect(),
            ("reading", _) => self.keys(&span, ""),
            ("handbook" | "after", _) => self.pages_of_track(&span, field.name == "handbook"),
            ("file", _) => self.own_files().into_iter().map(|name| Completion::new(Kind::File, name, &span)).collect(),
            ("template", _) => {
                let templates = self.cx.project.below("templates");
                templates.map(|(path, _)| Completion::new(Kind::File, &path["templates/".len()..], &span)).collect()
            }
            ("group" | "type", _) => self.values_of_labs(field.name, written.trim_start()),
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
        let pages = course.members(track, PageKind::Section).chain(labs).map(|page| &course.pages[page]);
        let pages =
            pages.filter(|page| page.summary.as_ref().is_none_or(|summary| summary.path != *self.source.path()));
        pages.map(|page| Completion::new(Kind::Value, page.name(), span).detail(page.title())).collect()
    }
}
