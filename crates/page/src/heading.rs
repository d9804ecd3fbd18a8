//! Headings and their ids, which are derived from the text as on the large code hosts unless `{#id}` names one.

use std::collections::{BTreeMap, BTreeSet};

use pulldown_cmark::Tag;

use super::Events;
use infralens_source::diag::{Diagnostic, codes};
use infralens_source::source::{Source, Span, is_name_char};

/// A placeholder id for headings that cannot be known because an unclosed code block has swallowed them. The block is
/// reported; links to such headings are not.
pub const ANY_HEADING: &str = "";

#[derive(Debug, Clone)]
pub struct Heading {
    /// Its events, from `Start` to after `End`.
    pub events: Events,
    /// 1 to 6, as written.
    pub level: u8,
    /// The id that links use, unique on the page.
    pub id: String,
    /// The ids that it had before, which `{.was-old}` names: links to them lead here.
    pub was: Vec<String>,
    /// Its text without markup.
    pub text: String,
    /// On a translated page, the text of the heading that it translates: sections are recognized by it.
    pub of_source: Option<String>,
    /// Its span in the source, without the line end.
    pub span: Span,
    /// Whether it is a block of the page itself, not inside a quote, list or note.
    pub top_level: bool,
}

impl Heading {
    /// Returns the text up to a colon, by which sections are recognized.
    pub fn title(&self) -> &str {
        self.of_source.as_ref().unwrap_or(&self.text).split([':', '：']).next().unwrap_or_default().trim()
    }
}

/// Returns whether `id` has a form that the generator uses: lines (`L12`, `L3-L9`), excerpts, notes and markers (`E1`,
/// `E1-N2`), footnotes (`F1`), references (`R-key`), diagrams (`D1`), questions (`Q1`), terms (`T-name`) and their
/// definitions (`T1`), figures (`V1`, `V1-2`), calculators (`C-title`), the layout of every page and other parts of it (`I-name`). All begin with a capital letter, which
/// slugs never do, so a heading has the id that its text gives it.
pub fn is_generated(id: &str) -> bool {
    let number = id.strip_prefix(['L', 'E', 'F', 'D', 'Q', 'T', 'V']);
    number.is_some_and(|number| number.starts_with(|c: char| c.is_ascii_digit()))
        || ["R-", "T-", "C-", "I-"].iter().any(|prefix| id.starts_with(prefix))
}

/// What the braces at the end of a heading say, as in `{#new .was-old}`.
#[derive(Debug, Default)]
pub struct Braces {
    pub id: Option<String>,
    /// The ids that it had before.
    pub was: Vec<String>,
}

impl Braces {
    /// Reads what the parser has found in braces; `None` if they are text.
    pub fn read(tag: &Tag<'_>) -> Option<Self> {
        let Tag::Heading { id, classes, attrs, .. } = tag else { return None };
        let was = classes.iter().map(|class| class.strip_prefix("was-").filter(|was| !was.is_empty()));
        let was = was.map(|was| was.map(str::to_owned)).collect::<Option<Vec<_>>>()?;
        attrs.is_empty().then(|| Self { id: id.as_ref().map(ToString::to_string), was })
    }
}

/// Gives every heading its id. `written` is what the braces of each say.
pub fn assign_ids(headings: &mut [Heading], written: &mut [Braces], source: &Source) -> Vec<Diagnostic> {
    let mut diagnostics = Vec::new();
    let mut ids = Ids::default();
    let mut taken: BTreeMap<&str, Span> = BTreeMap::new();
    for (heading, Braces { id, .. }) in headings.iter_mut().zip(&*written) {
        let Some(id) = id else { continue };
        let place = source.place(heading.span.clone());
        if let Some(problem) = unusable(id) {
            diagnostics.push(Diagnostic::new(codes::E0205, place, problem));
        } else if let Some(first) = taken.get(id.as_str()) {
            let first = source.place(first.clone());
            let message = format!("two headings have the id `{id}`");
            let error = Diagnostic::new(codes::E0205, place, message).related(first, "the first");
            diagnostics.push(error.help("give one of them another id"));
        } else {
            taken.insert(id, heading.span.clone());
            ids.taken.insert(id.clone());
            heading.id.clone_from(id);
        }
    }
    for heading in headings.iter_mut().filter(|heading| heading.id.is_empty()) {
        heading.id = ids.give(slug(&heading.text), 1);
    }
    diagnostics.extend(keep_old_ids(headings, written, source));
    diagnostics
}

/// Gives headings the ids that they had before. One that another heading has, or had, cannot lead to both.
fn keep_old_ids(headings: &mut [Heading], written: &mut [Braces], source: &Source) -> Vec<Diagnostic> {
    let mut diagnostics = Vec::new();
    if written.iter().all(|braces| braces.was.is_empty()) {
        return diagnostics;
    }
    let ids = headings.iter().enumerate().map(|(index, heading)| (heading.id.clone(), index));
    let mut owners: BTreeMap<String, usize> = ids.collect();
    for index in 0..headings.len() {
        for was in std::mem::take(&mut written[index].was) {
            let report = |problem| source.diagnostic(codes::E0205, headings[index].span.clone(), problem);
            if let Some(problem) = unusable(&was) {
                diagnostics.push(report(problem));
                continue;
            }
            match owners.get(&was) {
                Some(&owner) if owner != index => {
                    let other = source.place(headings[owner].span.clone());
                    let message = format!("another heading has the id `{was}`, so links to it do not lead here");
                    let help = "remove it here: an old id leads to one heading";
                    diagnostics.push(report(message).related(other, "this one").help(help));
                }
                // Twice, or the id that it still has.
                Some(_) => {}
                None => {
                    owners.insert(was.clone(), index);
                    headings[index].was.push(was);
                }
            }
        }
    }
    diagnostics
}

/// Returns why an explicit id cannot be used, or `None` if it can.
fn unusable(id: &str) -> Option<String> {
    let allowed = |c: char| is_name_char(c) || matches!(c, '.' | ':');
    if is_generated(id) {
        return Some(format!("the id `{id}` is reserved for lines, notes and the layout of pages"));
    }
    let bad = id.chars().find(|&c| !allowed(c))?;
    Some(format!("the id `{id}` has a `{bad}`; ids are letters, digits, `-`, `_`, `.` and `:`"))
}

/// The ids that are already used on a page.
#[derive(Debug, Default)]
pub struct Ids {
    taken: BTreeSet<String>,
    /// For each id that was requested more than once, the next number to try: all lower ones are taken.
    next: BTreeMap<String, usize>,
}

impl Ids {
    /// Returns `id`, or if it is taken, `id` followed by the first free number from `first` on.
    pub fn give(&mut self, id: String, first: usize) -> String {
        if self.taken.insert(id.clone()) {
            return id;
        }
        let next = self.next.entry(id.clone()).or_insert(first);
        loop {
            let numbered = format!("{id}-{next}");
            *next += 1;
            if self.taken.insert(numbered.clone()) {
                return numbered;
            }
        }
    }
}

/// Returns the id for the text of a heading: lower case, with `-` for spaces, and only letters, digits, combining marks,
/// `-` and `_` kept.
pub fn slug(text: &str) -> String {
    let kept: String = text.trim().to_lowercase().replace(' ', "-").chars().filter(|&c| is_name_char(c)).collect();
    if kept.is_empty() { "section".into() } else { kept }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ids(texts: &[(&str, Option<&str>)]) -> (Vec<String>, Vec<String>) {
        let mut headings: Vec<Heading> = texts
            .iter()
            .map(|(text, _)| Heading {
                events: 0..0,
                level: 2,
                id: String::new(),
                was: Vec::new(),
                text: (*text).into(),
                of_source: None,
                span: 0..1,
                top_level: true,
            })
            .collect();
        let braces = |(_, id): &(_, Option<&str>)| Braces { id: id.map(String::from), was: Vec::new() };
        let mut written: Vec<Braces> = texts.iter().map(braces).collect();
        let diagnostics = assign_ids(&mut headings, &mut written, &Source::new("a.md", "x"));
        (headings.into_iter().map(|h| h.id).collect(), diagnostics.into_iter().map(|d| d.message).collect())
    }

    #[test]
    fn as_the_code_hosts_write_them() {
        let (ids, _) = ids(&[("What's new? (v2.0)", None), ("Größe & 大小", None), ("a  b", None), ("!!", None)]);
        assert_eq!(ids, ["whats-new-v20", "größe--大小", "a--b", "section"]);
    }

    #[test]
    fn only_repeated_ones_are_numbered() {
        let (found, _) = ids(&[("A", None), ("A", None), ("B", Some("a-1")), ("L3", None)]);
        assert_eq!(found, ["a", "a-2", "a-1", "l3"]);
        let words = ["Search", "Main", "Contents", "Course", "Top", "R-key", "I-main"];
        let (found, _) = ids(&words.map(|word| (word, None)));
        assert_eq!(found, words.map(str::to_lowercase));
    }

    #[test]
    fn ids_that_cannot_be_used() {
        let (_, problems) = ids(&[("A", Some("L12")), ("B", Some("x")), ("C", Some("x")), ("D", Some("a b"))]);
        assert_eq!(problems.len(), 3);
        assert!(problems[0].contains("is reserved"));
        assert_eq!(problems[1], "two headings have the id `x`");
        assert!(problems[2].contains("ids are letters"));
    }
}
