//! Checks links to line numbers. They lead to other code when lines are added above, unnoticed unless the link's title
//! is the text of the first line.

use crate::code::Listing;
use crate::code::excerpt::words;
use crate::code::listing::Lines;
use crate::code::region::markers;
use crate::course::link::line_anchor;
use crate::diag::{Diagnostic, Place, codes};
use crate::source::{Source, Span};

/// The maximum length, in characters, of a line that is suggested as a title.
const LONGEST_TITLE: usize = 72;

/// Reports a link at `span` of a page to some lines; `None` if its title is code of the first of them.
pub(super) fn check_line_link(
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
        format!("this link uses line numbers of `{path}`, which silently change when code is added above")
    } else {
        format!("line {} of `{path}` does not match the title of this link", first + 1)
    };
    let diagnostic = Diagnostic::new(codes::W0307, Place::new(page.path(), span.clone()), message);
    let now = if title.is_empty() { None } else { listing.locate(&[title]) };
    let diagnostic = match now {
        Some(now) => diagnostic.help(format!("it is at `#{}` now", line_anchor(&now.lines))),
        None => diagnostic,
    };
    let (above, below) = markers(path, "name");
    let diagnostic = match listing.holder(lines) {
        Some((holder, true)) => {
            diagnostic.help(format!("write `#{holder}` instead of `#{anchor}`: it names these lines and moves with them"))
        }
        Some((holder, false)) => diagnostic.help(format!(
            "link to `#{holder}`, which contains these lines, or put `{above}` and `{below}` around them and link to `#name`"
        )),
        None => diagnostic.help(format!("put `{above}` and `{below}` around these lines, and link to `#name`")),
    };
    Some(match own_title.and_then(|_| as_title(listing.line(first).trim())) {
        Some(title) => diagnostic.help(format!("or give the link the first line as its title: `#{anchor} {title}`")),
        None => diagnostic,
    })
}

/// Quotes a line of code as the title of a link; `None` if Markdown would read it differently.
fn as_title(line: &str) -> Option<String> {
    let is_plain = !line.is_empty() && line.chars().count() <= LONGEST_TITLE && !line.contains(['\\', '&', '`']);
    let quotes = [('"', '"'), ('\'', '\''), ('(', ')')];
    let (open, close) = quotes.into_iter().find(|&(open, close)| is_plain && !line.contains([open, close]))?;
    Some(format!("{open}{line}{close}"))
}
