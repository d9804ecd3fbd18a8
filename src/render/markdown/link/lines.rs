//! Links to lines by number. They lead to other code when lines are added above, and nothing tells, unless the link's title
//! says what the first of the lines reads.

use crate::code::Listing;
use crate::code::excerpt::words;
use crate::code::listing::Lines;
use crate::code::region::markers;
use crate::course::link::line_anchor;
use crate::diag::{Diagnostic, Place, codes};
use crate::source::{Source, Span};

/// The longest line that is proposed as a title, in characters.
const LONGEST_TITLE: usize = 72;

/// What is said of a link at `span` of a page to these lines; nothing where its title is code of the first of them.
pub(super) fn drifts(
    page: &Source,
    span: &Span,
    listing: &Listing,
    lines: &Lines,
    own_title: Option<&str>,
) -> Option<Diagnostic> {
    let (title, anchor) = (own_title.unwrap_or_default().trim(), line_anchor(lines));
    let first = lines.clone().find(|&line| !listing.is_marker(line)).unwrap_or(lines.start);
    if !title.is_empty() && words(listing.line(first), title).next().is_some() {
        return None;
    }
    let path = listing.source().path();
    let message = if title.is_empty() {
        format!("this link counts lines of `{path}`, which move unseen when code is added above them")
    } else {
        format!("line {} of `{path}` does not read as the title of this link", first + 1)
    };
    let said = Diagnostic::new(codes::W0307, Place::new(page.path(), span.clone()), message);
    let now = if title.is_empty() { None } else { listing.locate(&[title]) };
    let said = match now {
        Some(now) => said.help(format!("it is at `#{}` now", line_anchor(&now.lines))),
        None => said,
    };
    let (above, below) = markers(path, "name");
    let said = match listing.covering_selector(lines) {
        Some((holder, true)) => {
            said.help(format!("write `#{holder}` in place of `#{anchor}`: it names these lines, and moves with them"))
        }
        Some((holder, false)) => said.help(format!(
            "link to `#{holder}`, which holds these lines, or put `{above}` and `{below}` round them and link to `#name`"
        )),
        None => said.help(format!("put `{above}` and `{below}` round these lines, and link to `#name`")),
    };
    Some(match own_title.and_then(|_| as_title(listing.line(first).trim())) {
        Some(title) => said.help(format!("or give the link the first line as its title: `#{anchor} {title}`")),
        None => said,
    })
}

/// A line of code as the title of a link, if Markdown reads it so.
fn as_title(line: &str) -> Option<String> {
    let is_plain = !line.is_empty() && line.chars().count() <= LONGEST_TITLE && !line.contains(['\\', '&', '`']);
    let quotes = [('"', '"'), ('\'', '\''), ('(', ')')];
    let (open, close) = quotes.into_iter().find(|&(open, close)| is_plain && !line.contains([open, close]))?;
    Some(format!("{open}{line}{close}"))
}
