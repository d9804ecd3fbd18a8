//! Writes a report, in three formats.

use super::{Change, Kind, Line, Place, Report, Sign, Size};
use infralens_source::diag::hidden;
use infralens_source::diag::quantity;
use infralens_source::put;
use infralens_source::source::shortened;

/// The maximum number of lines of a difference that people are shown.
const MOST_LINES: usize = 24;
/// The maximum length in bytes of a line that people are shown.
const LONGEST: usize = 600;
/// The digits of a hash of a commit that people are shown.
const HASH: usize = 10;
/// The maximum length in characters of a report in Markdown, which is that of a comment on the large code hosts.
const COMMENT: usize = 65_000;

/// The parts of a report for people: a heading, and the changes below it.
fn parts(report: &Report) -> impl Iterator<Item = (&'static str, Vec<&Change>)> {
    Kind::TITLES.into_iter().filter_map(|(kind, title)| {
        let changes: Vec<&Change> = report.changes.iter().filter(|change| change.kind == kind).collect();
        (!changes.is_empty()).then_some((title, changes))
    })
}

pub(crate) fn summary(report: &Report) -> String {
    let (base, head) = (short(&report.base), short(&report.head));
    let pages = report.changes.iter().filter_map(|change| Some(&change.page.as_ref()?.url));
    let pages = pages.collect::<std::collections::BTreeSet<_>>().len();
    match report.changes.len() {
        0 => format!("{base} → {head}: nothing that readers see has changed"),
        count if pages == 0 => format!("{base} → {head}: {}", quantity(count, "change")),
        count => format!("{base} → {head}: {} on {}", quantity(count, "change"), quantity(pages, "page")),
    }
}

/// Returns the name of a version, without most of the digits of a full hash of a commit.
pub(crate) fn short(name: &str) -> &str {
    let is_hash = name.len() == 40 && name.bytes().all(|byte| byte.is_ascii_hexdigit());
    if is_hash { &name[..HASH] } else { name }
}

fn size([old, new]: [Size; 2]) -> String {
    let by = i128::from(new.bytes) - i128::from(old.bytes);
    let files = if old.files == new.files {
        quantity(new.files, "file")
    } else {
        format!("{} → {}", old.files, quantity(new.files, "file"))
    };
    format!("size of the site: {} → {} bytes ({by:+}), {files}", old.bytes, new.bytes)
}

/// Returns a text of the course on one line, of bounded length, without characters that a terminal obeys.
fn line(text: &str) -> String {
    let clean = |c: char| {
        if c.is_whitespace() {
            ' '
        } else if hidden::is_unprintable(c) {
            '\u{fffd}'
        } else {
            c
        }
    };
    shortened(text, LONGEST).chars().map(clean).collect()
}

fn place(place: &Place) -> String {
    format!("{}:{}{}", line(&place.file), place.line, if place.in_base { " (before)" } else { "" })
}

fn sign(line: &Line) -> char {
    match line.sign {
        Sign::Same => ' ',
        Sign::Old => '-',
        Sign::New => '+',
    }
}

/// Returns the lines of a difference that people are shown, and how many are left out.
fn shown(change: &Change) -> (&[Line], usize) {
    let count = change.lines.len().min(MOST_LINES);
    (&change.lines[..count], change.lines.len() - count)
}

/// Writes a report for a terminal.
pub fn human(report: &Report) -> String {
    let mut out = summary(report) + "\n";
    for (title, changes) in parts(report) {
        put!(out, "\n{title} ({})\n", changes.len());
        let mut page = None;
        for change in changes {
            if page != Some(&change.page) {
                page = Some(&change.page);
                if let Some(of) = &change.page {
                    put!(out, "\n  {} ({})\n", line(&of.title), line(&of.url));
                }
            }
            let at = change.place.as_ref().map(|at| place(at) + ": ").unwrap_or_default();
            put!(out, "  {at}{}\n", line(&change.what));
            let (lines, left) = shown(change);
            for shown in lines {
                put!(out, "    {} {}\n", sign(shown), line(&shown.text));
            }
            if left > 0 {
                put!(out, "    … {}\n", quantity(left, "more line"));
            }
            for quote in &change.quotes {
                put!(out, "    {} ({}): {}\n", quote.label, place(&quote.place), line(&quote.text));
            }
            if let Some(help) = &change.help {
                put!(out, "    help: {}\n", line(help));
            }
        }
    }
    if let Some(sizes) = report.size.filter(|_| !report.changes.is_empty()) {
        put!(out, "\n{}\n", size(sizes));
    }
    out
}

/// Writes a report as Markdown for a comment of a code host. What does not fit is counted.
pub fn markdown(report: &Report) -> String {
    let mut out = format!("**{}**\n", escaped(&summary(report)));
    let end = report.size.filter(|_| !report.changes.is_empty()).map(|sizes| format!("\n{}\n", escaped(&size(sizes))));
    let end = end.unwrap_or_default();
    // Room for the sentence that counts what is left out.
    let room = COMMENT - end.chars().count() - 100;
    let mut length = out.chars().count();
    let mut left = 0;
    for (title, changes) in parts(report) {
        let mut heading = format!("\n### {title} ({})\n", changes.len());
        for change in changes {
            let text = std::mem::take(&mut heading) + &item(change);
            let count = text.chars().count();
            if left > 0 || length + count > room {
                left += 1;
                continue;
            }
            length += count;
            out.push_str(&text);
        }
    }
    if left > 0 {
        put!(out, "\n… and {} that {} not fit here\n", quantity(left, "change"), if left == 1 { "does" } else { "do" });
    }
    out + &end
}

fn item(change: &Change) -> String {
    let page = change.page.as_ref().map(|page| format!("**{}**: ", escaped(&line(&page.title)))).unwrap_or_default();
    let at = change.place.as_ref().map(|at| format!(" ({})", code(&place(at)))).unwrap_or_default();
    let mut out = format!("\n- {page}{}{at}\n", with_code(&line(&change.what)));
    let (lines, left) = shown(change);
    if !lines.is_empty() {
        let texts: Vec<String> = lines.iter().map(|shown| format!("{} {}", sign(shown), line(&shown.text))).collect();
        // Longer than any run of backticks in it.
        let longest = texts.iter().flat_map(|text| text.split(|c| c != '`')).map(str::len).max().unwrap_or_default();
        let fence = "`".repeat(longest.max(2) + 1);
        put!(out, "\n  {fence}diff\n");
        for text in texts {
            put!(out, "  {text}\n");
        }
        if left > 0 {
            put!(out, "    … {}\n", quantity(left, "more line"));
        }
        put!(out, "  {fence}\n");
    }
    for quote in &change.quotes {
        put!(out, "\n  > {} ({}): {}\n", quote.label, code(&place(&quote.place)), with_code(&line(&quote.text)));
    }
    if let Some(help) = &change.help {
        put!(out, "\n  {}\n", with_code(&line(help)));
    }
    out
}

/// Writes text of the course in Markdown: it names nobody, makes no link and no markup, but its code spans stay.
fn with_code(text: &str) -> String {
    let mut parts = text.split('`').peekable();
    let mut out = String::new();
    let mut is_code = false;
    while let Some(part) = parts.next() {
        match (is_code, parts.peek()) {
            (true, Some(_)) if !part.is_empty() => out.push_str(&code(part)),
            _ => out.push_str(&escaped(part)),
        }
        is_code = !is_code;
    }
    out
}

fn code(text: &str) -> String {
    format!("`{}`", text.replace('`', "'"))
}

fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 8);
    for c in text.chars() {
        match c {
            '<' => out.push_str("&lt;"),
            '&' => out.push_str("&amp;"),
            // A mention would send a message to somebody, a number link an issue.
            '@' | '#' => out.extend([c, '\u{2060}']),
            '\\' | '`' | '*' | '_' | '[' | ']' | '|' | '~' | '$' => out.extend(['\\', c]),
            _ => out.push(c),
        }
    }
    // An address would become a link.
    out.replace("://", ":\u{2060}//").replace("www.", "www\u{2060}.")
}

/// Writes a report as one JSON object. Its keys are a public format; `version` changes if they do.
///
/// # Errors
///
/// Fails only if there is not enough memory.
pub fn json(report: &Report) -> serde_json::Result<String> {
    Ok(serde_json::to_string_pretty(report)? + "\n")
}
