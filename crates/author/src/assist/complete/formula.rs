//! What can be written in a formula: names of values and records, fields of a record, and places in code.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value as Json;

use super::super::outline::piece_lines;
use super::{Completion, Cursor, Kind, PageKind, Placement};
use infralens_course::course::starter;
use infralens_page::value_block::{CALC, is_values};
use infralens_source::selector::FileRef;
use infralens_source::source::Span;
use infralens_starter::number::number_between;
use infralens_units::HOLE;

/// How many values, fields and indices may lead to a record.
const MAX_STEPS: usize = 50;

impl<'a> Cursor<'a> {
    /// Returns what a formula can have, if the cursor is in one. Its block need not have an end yet.
    pub(super) fn in_formula(&self) -> Option<Vec<Completion>> {
        let block = self.open_block()?;
        let (_, formula) = self.before.split_once('=')?;
        if let Some((head, written)) = formula.rsplit_once('"').filter(|_| formula.matches('"').count() % 2 == 1) {
            let head = head.trim_end();
            return Some(if head.ends_with("record(") {
                self.records(Kind::Value, &self.typed(written.len()), str::to_owned)
            } else if head.ends_with("code(") {
                self.code_path(written, true)
            } else if let Some((file, ",")) = head.rsplit_once("code(\"").and_then(|(_, file)| file.split_once('"')) {
                self.patterns(file, &self.typed(written.len()))
            } else if let Some(path) = head.strip_suffix('[') {
                self.fields(block, path, &self.typed(written.len()))
            } else {
                Vec::new()
            });
        }
        if self.before.contains('#') {
            return None;
        }
        let (before, name) = last_name(formula);
        if let Some(path) = before.strip_suffix('.') {
            let mut fields = self.fields(block, path, &self.typed(name.len()));
            fields.retain(|field| is_name(&field.label));
            if !fields.is_empty() {
                return Some(fields);
            }
        }
        let (_, name) = split_last(formula, |c| c.is_alphanumeric() || matches!(c, '_' | '.'));
        Some(self.names(block, &self.typed(name.len())))
    }

    /// Returns the lines, up to the cursor, of the block of values that it is in.
    fn open_block(&self) -> Option<&'a str> {
        let text = &self.source.text()[..self.offset];
        let comment = text.rfind("<!--").map(|at| &text[at + "<!--".len()..]);
        if let Some(comment) = comment.filter(|text| !text.contains("-->") && is_values(text.trim_start())) {
            return Some(comment);
        }
        let starts_fence = |line: &&str| line.trim_start().starts_with(['`', '~']);
        let fence = self.is_in_fence().then(|| text[..self.line_start].lines().rev().find(starts_fence)).flatten()?;
        let word = fence.trim_start().trim_start_matches(['`', '~']).split(' ').next();
        let start = text.rfind(fence).filter(|_| word.map(str::trim) == Some(CALC))? + fence.len();
        Some(&text[start..])
    }

    /// Returns the names of values: those of the page, also those that are not planned yet, and those of other pages.
    fn names(&self, block: &str, span: &Span) -> Vec<Completion> {
        let value = |name: &str| Completion::new(Kind::Value, name, span);
        let planned = self.values_here();
        let is_new = |name: &str| !planned.iter().any(|value| value.name == name);
        let formulas: BTreeMap<&str, &str> =
            planned.iter().map(|one| (&*one.name, &*one.formula)).chain(declared(block)).collect();
        // A value cannot be computed from itself.
        let own = self.before.split('=').next().unwrap_or_default().trim();
        let may_use = |name: &str| !leads_to(&formulas, name, own);
        let written = declared(block).filter(|(name, _)| is_new(name) && may_use(name));
        let written = written.map(|(name, formula)| value(name).detail(formula));
        let planned = planned.iter().filter(|one| may_use(&one.name));
        let planned = planned.map(|one| value(&one.name).detail(&*one.printed).doc(&*one.about));
        let records = self.records(Kind::Value, span, |name| format!("record(\"{name}\")"));
        let others = self.site.sources().filter(|other| {
            let is_named = matches!(other.subject.document.placement.kind, PageKind::Lab | PageKind::Section);
            is_named && other.subject.page.is_some_and(|page| self.may_require(page))
        });
        let others = others.flat_map(|other| {
            let document = other.subject.document;
            let values = self.cx.values_of(document).map_or(&[][..], |values| &values.values);
            let Placement { name, track, .. } = &document.placement;
            let track = track.as_ref().filter(|track| Some(*track) != self.placement.track.as_ref());
            let page = track.map_or_else(|| name.to_string(), |track| format!("{track}/{name}"));
            values.iter().map(move |one| (format!("{page}.{}", one.name), &one.printed))
        });
        let others = others.map(|(name, printed)| value(&name).detail(printed.as_str()));
        planned.chain(written).chain(records).chain(others).collect()
    }

    /// Returns the lines of a piece of code that have a number, each with `{}` in its place.
    fn patterns(&self, file: &str, span: &Span) -> Vec<Completion> {
        let (file, _) = FileRef::parse(file, 0);
        let path = starter::named(self.main_file(), &file.path).ok();
        let Some(listing) = path.and_then(|path| self.listing(&path)) else { return Vec::new() };
        let lines = piece_lines(&listing, &file);
        let mut found = Vec::new();
        for line in &lines {
            // The formula's own text has no quotation marks.
            let text = listing.line(*line).split('"').next().unwrap_or_default().trim();
            let is_digit = |c: char| c.is_ascii_digit();
            let starts = text.char_indices().filter(|(at, c)| is_digit(*c) && !text[..*at].ends_with(is_of_number));
            for (start, _) in starts {
                let end = text[start..].find(|c| !is_of_number(c)).map_or(text.len(), |end| start + end);
                let around = (&text[..start], &text[end..]);
                if !around.0.is_empty() && number_between(around, &listing, lines.iter().copied()).is_ok() {
                    let pattern = format!("{}{HOLE}{}", around.0, around.1);
                    found.push(Completion::new(Kind::Code, pattern, span).detail(&text[start..end]));
                }
            }
        }
        found
    }

    /// Returns the fields of what a path in a formula leads to, if that is a record or a part of one.
    fn fields(&self, block: &str, path: &str, span: &Span) -> Vec<Completion> {
        let Some(Json::Object(fields)) = self.data(block, path, MAX_STEPS) else { return Vec::new() };
        let field = |(name, value): (&String, &Json)| Completion::new(Kind::Key, name, span).detail(shown(value));
        fields.iter().map(field).collect()
    }

    /// Returns what a path at the end of a formula leads to, such as `record("x").rows[0]`, or `x` that is declared as this.
    fn data(&self, block: &str, path: &str, steps: usize) -> Option<&'a Json> {
        let (steps, path) = (steps.checked_sub(1)?, path.trim_end());
        if let Some((path, key)) = path.strip_suffix(']').and_then(|path| path.rsplit_once('[')) {
            let data = self.data(block, path, steps)?;
            let quoted = key.strip_prefix('"').and_then(|key| key.strip_suffix('"'));
            return quoted.map_or_else(|| data.get(key.parse::<usize>().ok()?), |key| data.get(key));
        }
        if let Some((_, name)) = path.strip_suffix(')').and_then(|call| call.rsplit_once("record(")) {
            return self.record(name.trim().trim_matches('"'));
        }
        let (before, name) = last_name(path);
        if let Some(before) = before.strip_suffix('.') {
            return self.data(block, before, steps)?.get(name);
        }
        let planned = self.values_here().iter().find(|value| value.name == name);
        let written = || declared(block).find(|(declared, _)| *declared == name).map(|(_, formula)| formula);
        self.data(block, planned.map(|value| value.formula.as_str()).or_else(written)?, steps)
    }

    fn record(&self, name: &str) -> Option<&'a Json> {
        let own = || Some((self.own_folder()?, name));
        let (folder, name) = match name.rsplit_once('/') {
            Some((folder, name)) => (format!("code/{folder}"), name),
            None => own()?,
        };
        self.site.records().get(&folder, name).map(|output| &**output)
    }
}

/// Returns the names that the lines of a block declare, with their formulas.
pub(super) fn declared(block: &str) -> impl Iterator<Item = (&str, &str)> {
    let declarations = block.lines().filter_map(|line| line.split_once('='));
    let declarations =
        declarations.map(|(name, formula)| (name.trim(), formula.split(" #").next().unwrap_or_default()));
    declarations
        .map(|(name, formula)| (name, formula.trim()))
        .filter(|(name, formula)| is_name(name) && !formula.is_empty())
}

/// Whether the formula of a value uses another value of the page, directly or through others, or is that value.
fn leads_to(formulas: &BTreeMap<&str, &str>, from: &str, to: &str) -> bool {
    let (mut seen, mut open) = (BTreeSet::from([from]), vec![from]);
    while let Some(name) = open.pop().filter(|_| !seen.contains(to)) {
        let words = formulas
            .get(name)
            .into_iter()
            .flat_map(|formula| formula.split(|c: char| !(c.is_alphanumeric() || c == '_')));
        open.extend(words.filter(|word| (*word == to || formulas.contains_key(word)) && seen.insert(word)));
    }
    seen.contains(to)
}

fn is_of_number(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '_' | '.')
}

fn is_name(text: &str) -> bool {
    !text.is_empty() && last_name(text).0.is_empty()
}

/// Splits the name off the end of a text.
fn last_name(text: &str) -> (&str, &str) {
    split_last(text, |c| c.is_alphanumeric() || c == '_')
}

fn split_last(text: &str, is_part: impl Fn(char) -> bool) -> (&str, &str) {
    text.split_at(text.trim_end_matches(is_part).len())
}

/// Returns a part of a record in few words.
fn shown(value: &Json) -> String {
    match value {
        Json::Object(fields) => format!("{} fields", fields.len()),
        Json::Array(items) => format!("list of {}", items.len()),
        value => value.to_string(),
    }
}
