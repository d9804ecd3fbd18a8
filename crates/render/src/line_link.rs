//! Links into code: the lines that they lead to, and whether the title of a link to line numbers is still the text of the
//! first of them. Without such a title, the link leads to other code when lines are added above, and nothing reveals it.

use std::sync::Arc;

use infralens_page::link_title;
use infralens_source::diag::{Diagnostic, Fix, Near, codes};
use infralens_source::selector::Selector;
use infralens_source::source::{Source, Span};
use infralens_starter::Listing;
use infralens_starter::listing::Lines;
use infralens_starter::region::markers;

/// The maximum length, in characters, of a line that becomes a title. Longer ones are in generated files.
const LONGEST_TITLE: usize = 1_000;
/// The maximum length, in characters, of a title that a message shows.
const LONGEST_SHOWN: usize = 72;

/// The maximum number of lines without a letter or digit above the line of a title.
const LONGEST_GAP: usize = 1_000;
/// The maximum number of such lines that a link whose code has moved is taken to begin with.
const LONGEST_HEAD: usize = 3;

/// A link to line numbers whose title is missing, or is not the text of its line.
#[derive(Debug, Clone)]
pub struct LinkDrift {
    /// The page, as it was read.
    pub page: Arc<Source>,
    pub span: Span,
    pub change: LinkChange,
    pub diagnostic: Diagnostic,
}

/// How a link to line numbers is brought up to date.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LinkChange {
    /// It has no title: this is the text of its line.
    Fill(String),
    /// The text of its title is elsewhere: these are the lines, as in `L3-L5`.
    Move(String),
    /// The text of its title is nowhere, or only the author knows which place is meant: this is the text of its line.
    Replace(String),
}

/// A link into a starter file.
#[derive(Debug, Clone, Copy)]
pub struct CodeLink<'a> {
    pub page: &'a Arc<Source>,
    pub span: &'a Span,
    /// The file that it leads to.
    pub listing: &'a Listing,
    /// The part of the file.
    pub selector: &'a Selector,
    /// The title; `None` for raw HTML, which is not compared.
    pub title: Option<&'a str>,
}

impl CodeLink<'_> {
    /// Returns the lines that the link leads to, and what is to be changed. Reports lines, regions and symbols that do not
    /// exist, and line numbers that nothing confirms.
    pub fn check(self, diagnostics: &mut Vec<Diagnostic>) -> (Option<Lines>, Option<LinkDrift>) {
        let path = self.listing.source().path();
        let error = match self.listing.select(self.selector) {
            // Markers are never shown, so there is no line to link to.
            Ok(lines) if lines.clone().all(|line| self.listing.is_marker(line)) => {
                self.report(codes::E0407, format!("these lines of `{path}` are only region markers"))
            }
            Ok(lines) => {
                let drift = self.compare(&lines, diagnostics);
                return (Some(lines), drift);
            }
            // Unbalanced markers have been reported.
            Err(_) if self.listing.is_doubtful(self.selector) => return (None, None),
            Err(error) => {
                let mut report = error.diagnostic(self.page, codes::E0407, self.span, self.selector);
                report.help.truncate(1);
                report
            }
        };
        let moved = self.moved().map(LinkChange::Move);
        let diagnostic = self.advise(error, moved.as_ref());
        diagnostics.push(diagnostic.clone());
        (None, moved.map(|change| self.drift(change, diagnostic)))
    }

    fn report(&self, code: infralens_source::diag::Code, message: String) -> Diagnostic {
        self.page.diagnostic(code, self.span.clone(), message)
    }

    fn drift(&self, change: LinkChange, diagnostic: Diagnostic) -> LinkDrift {
        LinkDrift { page: Arc::clone(self.page), span: self.span.clone(), change, diagnostic }
    }

    /// Compares the title of a link to line numbers with their text.
    fn compare(&self, lines: &Lines, diagnostics: &mut Vec<Diagnostic>) -> Option<LinkDrift> {
        if !self.selector.is_by_lines() {
            return None;
        }
        let (path, title) = (self.listing.source().path(), self.title.unwrap_or_default().trim());
        let line = title_line(self.listing, lines.start);
        let text = self.listing.line(line).trim();
        if title == text && !title.is_empty() {
            return None;
        }
        let message = if title.is_empty() {
            format!("this link uses line numbers of `{path}`, which silently change when code is added above")
        } else {
            format!("{} of `{path}` does not match the title of this link", self.listing.line_name(line))
        };
        let can_be_title = self.title.is_some() && !text.is_empty() && text.chars().count() <= LONGEST_TITLE;
        let text = can_be_title.then(|| text.to_owned());
        let change = if title.is_empty() {
            text.map(LinkChange::Fill)
        } else {
            self.moved().map(LinkChange::Move).or_else(|| text.map(LinkChange::Replace))
        };
        let diagnostic = self.advise(self.report(codes::W0307, message), change.as_ref());
        let diagnostic = self.advise_name(diagnostic, lines);
        diagnostics.push(diagnostic.clone());
        Some(self.drift(change?, diagnostic))
    }

    /// Adds what `sync` does about the link.
    fn advise(&self, diagnostic: Diagnostic, change: Option<&LinkChange>) -> Diagnostic {
        let shown = |text: &str| {
            let quoted = Some(link_title::quoted(text, false, false)).filter(|_| text.chars().count() <= LONGEST_SHOWN);
            quoted.filter(|quoted| !quoted.contains('`')).map_or_else(String::new, |quoted| format!(": `{quoted}`"))
        };
        let help = match change {
            None => return diagnostic,
            Some(LinkChange::Fill(text)) => {
                format!("`infralens sync` gives it the text of the line as its title{}", shown(text))
            }
            Some(LinkChange::Move(anchor)) => {
                format!("the line of its title is at `#{anchor}` now: `infralens sync` moves the link")
            }
            Some(LinkChange::Replace(text)) => {
                let place = format!("{}:{}", self.page.path(), self.page.position(self.span.start).line);
                format!(
                    "correct the numbers, or take over the line with `infralens sync --accept {place}`{}",
                    shown(text)
                )
            }
        };
        diagnostic.help(help)
    }

    /// Adds the names that could replace the line numbers.
    fn advise_name(&self, diagnostic: Diagnostic, lines: &Lines) -> Diagnostic {
        let (above, below) = markers(self.listing.language_path(), "name");
        let help = match self.listing.covering_selector(lines) {
            Some((holder, true)) => format!(
                "or write `#{holder}` instead of `#{}`: it names these lines and moves with them",
                self.listing.selector_of_lines(lines)
            ),
            Some((holder, false)) => format!(
                "or link to `#{holder}`, which contains these lines, or put `{above}` and `{below}` around them and link to `#name`"
            ),
            None => format!("or put `{above}` and `{below}` around these lines, and link to `#name`"),
        };
        let near = match self.listing.covering_selector(lines) {
            Some((holder, true)) => Some(Near::unsure(format!("#{holder}"))),
            _ => None,
        };
        let fix = near.and_then(|near| Fix::in_link(self.page, self.span, &format!("#{}", self.selector), &near));
        let diagnostic = diagnostic.fix(fix);
        let is_first = diagnostic.help.is_empty();
        let help = if is_first { help.trim_start_matches("or ").to_owned() } else { help };
        diagnostic.help(help)
    }

    /// Returns where the lines of the link are now, if their title is at one place, or nearest at one place.
    fn moved(&self) -> Option<String> {
        let (first, last) = self.listing.numbered_lines(self.selector)?;
        let title = self.title.unwrap_or_default().trim();
        let length = last - first;
        let starts =
            self.listing.lines_with_text(title, first - 1).filter_map(|line| start_of(self.listing, line, length));
        let mut starts: Vec<(usize, usize)> = starts.map(|start| (start.abs_diff(first - 1), start)).collect();
        starts.sort_unstable();
        let &(distance, start) = starts.first()?;
        let is_tied = starts.get(1).is_some_and(|(other, _)| *other == distance);
        if is_tied { None } else { self.listing.one_selector_of_lines(&(start..start + length + 1)) }
    }
}

/// Returns the line whose text is the title of a link to lines from `first` on: that line, or the next with a letter or digit.
fn title_line(listing: &Listing, first: usize) -> usize {
    let has_word = |line: &usize| !listing.is_marker(*line) && listing.line(*line).contains(char::is_alphanumeric);
    (first..listing.line_count()).take(LONGEST_GAP).find(has_word).unwrap_or(first)
}

/// Returns the first line of a link whose title is the text of `line`, and whose last line is `length` lines below its first;
/// `None` if the file does not have so many lines. The lines directly above `line` may belong to the link if they have no
/// letter or digit: as many as are needed so that the link neither begins nor ends with an empty line.
fn start_of(listing: &Listing, line: usize, length: usize) -> Option<usize> {
    if title_line(listing, line) != line {
        return None;
    }
    let is_blank = |line: usize| listing.line(line).trim().is_empty();
    let starts = (line.saturating_sub(length.min(LONGEST_HEAD))..=line).rev();
    let starts = starts.take_while(|&start| title_line(listing, start) == line);
    let fitting = starts.filter(|start| start + length < listing.line_count());
    fitting.min_by_key(|&start| usize::from(is_blank(start)) + usize::from(is_blank(start + length)))
}
