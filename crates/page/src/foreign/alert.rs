//! Reports alerts with wrong syntax, and suggests alerts in place of boxes of other tools.

use pulldown_cmark::{Event, Tag};

use super::prose::TextBlock;
use crate::Body;
use infralens_source::diag::{Diagnostic, codes};
use infralens_source::source::Source;

/// The kinds of alerts, each with the names that other tools use for it.
const KINDS: [(&str, &[&str]); 5] = [
    (
        "NOTE",
        &["note", "info", "abstract", "summary", "tldr", "example", "quote", "cite", "question", "faq", "seealso"],
    ),
    ("TIP", &["tip", "hint", "success", "check", "done", "help"]),
    ("IMPORTANT", &["important", "key"]),
    ("WARNING", &["warning", "warn", "attention"]),
    ("CAUTION", &["caution", "danger", "error", "failure", "fail", "missing", "bug"]),
];

/// Boxes that can be opened and closed.
const FOLDED: [&str; 4] = ["details", "spoiler", "collapse", "dropdown"];

/// What to write instead of a box that readers open.
pub const FOLDED_HELP: &str =
    "write `<details>`, `<summary>Title</summary>` and `</details>`, with blank lines around the text";

/// Returns the kind of alert that corresponds to a name of another tool.
pub fn kind(name: &str) -> Option<&'static str> {
    let name = name.to_lowercase();
    KINDS.iter().find(|(_, names)| names.contains(&name.as_str())).map(|(kind, _)| *kind)
}

/// Returns what to write instead of a box of another tool. `text` is the first line of the box after its opening delimiter,
/// and begins with the other tool's name for the box.
pub fn instead(text: &str) -> String {
    let text = text.trim_start_matches(|c: char| !c.is_alphanumeric());
    let name = text.split(|c: char| !(c.is_alphanumeric() || c == '_')).next().unwrap_or_default();
    let name = text.strip_prefix("callout-").unwrap_or(name);
    let name = name.split(|c: char| !c.is_alphanumeric()).next().unwrap_or_default();
    if FOLDED.contains(&name) {
        return FOLDED_HELP.into();
    }
    let Some(kind) = kind(name).or(name.is_empty().then_some("NOTE")) else {
        return "there is nothing like it here: write the text under a heading, or as an alert, `> [!NOTE]`".into();
    };
    format!("write `> [!{kind}]` on a line of its own, and the text below it, each line with `> ` before it")
}

/// Returns whether another tool has a box of this name.
pub fn is_box(name: &str) -> bool {
    kind(name).is_some() || name.starts_with("admoni") || FOLDED.contains(&name)
}

/// Reports alerts without a text: lines below them that do not begin with `> ` are not in them.
pub fn without_text(source: &Source, body: &Body, out: &mut Vec<Diagnostic>) {
    for ((start, span), (end, _)) in body.events.iter().zip(body.events.iter().skip(1)) {
        let (Event::Start(Tag::BlockQuote(Some(_))), Event::End(_)) = (start, end) else { continue };
        let diagnostic = source.diagnostic(codes::W0208, source.first_line(&span), "this alert has no text");
        out.push(
            diagnostic.help("write the text on the next lines, each with `> ` before it, and no blank line between"),
        );
    }
}

/// Reports lines that begin with `[!KIND]` but are not an alert.
pub fn check(source: &Source, block: &TextBlock, out: &mut Vec<Diagnostic>) {
    for (index, (at, line)) in block.lines().enumerate() {
        let Some((name, rest)) = line.strip_prefix("[!").and_then(|rest| rest.split_once(']')) else { continue };
        if name.is_empty() || !name.bytes().all(|byte| byte.is_ascii_alphabetic()) {
            continue;
        }
        let is_kind = KINDS.iter().any(|(kind, _)| kind.eq_ignore_ascii_case(name));
        let (message, help) = if is_kind {
            misplaced(&name.to_uppercase(), rest, block.in_quote, index == 0 && block.opens_quote)
        } else {
            let kind = kind(name).unwrap_or("NOTE");
            let known = "NOTE, TIP, IMPORTANT, WARNING and CAUTION";
            (format!("`[!{name}]` is not a kind of alert"), format!("write `> [!{kind}]`; the kinds are {known}"))
        };
        let span = at..at + "[!]".len() + name.len();
        out.push(source.diagnostic(codes::W0208, span, message).help(help));
    }
}

/// Returns the message and the help text for a line with a known kind that is not an alert.
fn misplaced(kind: &str, rest: &str, in_quote: bool, is_first: bool) -> (String, String) {
    let message = format!("`[!{kind}]` does not make an alert here");
    let help = if !in_quote {
        format!("write `> [!{kind}]`, and the text below it, each line with `> ` before it")
    } else if is_first && !rest.is_empty() {
        format!(
            "leave `> [!{kind}]` alone on its line, because an alert has no title; write the text below it, after `> `"
        )
    } else {
        format!("begin a quote with `> [!{kind}]`: a blank line before it, and nothing else on its line")
    };
    (message, help)
}
