//! Reports footnotes, links and emphasis that do not work: an end is missing, or the two parts are apart.

use std::collections::{BTreeMap, BTreeSet};

use pulldown_cmark::{Event, Tag};

use super::prose::{MASK, TextBlock};
use super::quoted;
use crate::{Body, Link, contains, fence};
use infralens_source::diag::{Diagnostic, Edit, Fix, codes, similar};
use infralens_source::source::script::{is_punctuation, is_unspaced, is_wide};
use infralens_source::source::{Source, Span, lines_from};

/// The longest label that is considered, in bytes.
const LONGEST: usize = 100;
/// The maximum number of footnotes for which a similar name is suggested, because each is compared with each.
const COMPARED: usize = 100;

fn warning(source: &Source, span: Span, message: impl Into<String>, help: impl Into<String>) -> Diagnostic {
    source.diagnostic(codes::W0209, span, message).help(help)
}

/// Returns the beginning of a text, as much of it as is considered.
fn beginning(text: &str) -> &str {
    &text[..text.floor_char_boundary(LONGEST)]
}

/// Reports footnotes that are undefined, defined twice or unused, links with wrong syntax, and undefined link references.
pub fn check(source: &Source, body: &Body, blocks: &[TextBlock], unresolved: &[Span], out: &mut Vec<Diagnostic>) {
    let labels: BTreeSet<&str> = body.footnotes.iter().map(|(label, _)| label.as_str()).collect();
    let (mut is_split, mut is_display) = (false, false);
    for block in blocks {
        if block.text.contains('[') {
            undefined(source, block, &labels, out);
            let ends = block.text.match_indices("](");
            out.extend(ends.filter_map(|(at, _)| spaced(source, block, at).or_else(|| unclosed(source, block, at))));
            out.extend(block.text.match_indices("] (").filter_map(|(at, _)| apart(source, block, at)));
        }
        if !block.text.bytes().any(|byte| matches!(byte, b'*' | b'~' | b'_' | b'`' | b'$')) {
            is_split = false;
            continue;
        }
        let unended = unended(source, block);
        // The other half of what a definition has split is not reported again.
        let split = split(source, block);
        if unended.is_empty() && !std::mem::replace(&mut is_split, split.is_some()) {
            out.extend(split.or_else(|| marks(source, block)).or_else(|| loose(source, block)));
            out.extend(open_formula(source, block).or_else(|| uneven_formula(source, block)));
        }
        // The other end below a blank line is not reported again.
        if let Some(open) = open_display(source, block).filter(|_| {
            is_display = !is_display;
            is_display
        }) {
            out.push(open);
        }
        out.extend(unended);
    }
    footnotes(source, body, out);
    repeated(source, body, out);
    out.extend(body.links.iter().filter_map(|link| nowhere(source, link)));
    out.extend(unresolved.iter().filter_map(|span| link(source, span)));
}

/// Reports definitions of a label that is defined before, which Markdown ignores.
fn repeated(source: &Source, body: &Body, out: &mut Vec<Diagnostic>) {
    let label = |line: &str| {
        let (label, rest) = line.strip_prefix('[')?.split_once("]:")?;
        (!label.starts_with('^') && !rest.trim().is_empty()).then(|| label.trim().to_lowercase())
    };
    let labelled = body.definitions.iter().filter_map(|known| {
        let text = &source.text()[known.span.clone()];
        Some((label(text.lines().next()?)?, known.span.clone()))
    });
    let first: BTreeMap<String, Span> = labelled.collect();
    let Some(start) = first.values().map(|span| span.start).min() else { return };
    let other = body.spans_of(|event| {
        matches!(event, Event::Start(Tag::CodeBlock(_) | Tag::HtmlBlock | Tag::Paragraph | Tag::Heading { .. }))
    });
    let first_line = source.line_span(source.line(start)).start;
    for (at, line) in lines_from(&source.text()[first_line..], first_line) {
        let (skip, text) = fence::content(line);
        let begin = at + skip;
        let Some(known) = label(text).and_then(|label| first.get(&label)) else { continue };
        if known.start < begin && !contains(&other, begin) {
            let span = begin..begin + text.len();
            let message = format!("`{}` is defined before, so this definition has no effect", quoted(source, &span));
            let help = "remove one of the two, or give it another label";
            out.push(warning(source, span, message, help).related(source.place(known.clone()), "the first"));
        }
    }
}

/// Reports `[^name]` in text for which there is no footnote.
fn undefined(source: &Source, block: &TextBlock, labels: &BTreeSet<&str>, out: &mut Vec<Diagnostic>) {
    for (at, open) in block.text.match_indices("[^") {
        let Some((label, _)) = beginning(&block.text[at + open.len()..]).split_once(']') else { continue };
        let is_label =
            !label.is_empty() && !label.contains(|c: char| c.is_whitespace() || matches!(c, '[' | '\0' | '\\'));
        if !is_label || block.text[..at].ends_with('\\') {
            continue;
        }
        let span = block.span(&(at..at + open.len() + label.len() + 1));
        let diagnostic = source.diagnostic(codes::W0209, span, format!("the footnote `{label}` is not defined"));
        let near = similar(label, labels.iter().copied().filter(|_| labels.len() <= COMPARED));
        out.push(match near {
            Some(near) => {
                let written = format!("[^{label}]");
                diagnostic.instead(source, &written, Some(near.written(|near| format!("[^{near}]"))))
            }
            None => diagnostic
                .help(format!("write its text on a line of its own: `[^{label}]: …`; for brackets, write `\\[`")),
        });
    }
}

/// Reports `[text](my file.md)`, which is not a link because of the space. `at` is the end of the link text.
fn spaced(source: &Source, block: &TextBlock, at: usize) -> Option<Diagnostic> {
    let open = opening(block, at)?;
    let address = beginning(&block.text[at + 2..]).split_once(')')?.0;
    let file = address.split(['"', '\'']).next().unwrap_or_default().trim();
    let is_file = file.contains(['.', '/', '#']) && file.contains(' ') && !file.contains([',', '\n', '\0', '(']);
    let span = block.span(&(open..at + 2 + address.len() + 1));
    is_file.then(|| {
        let message = format!("`{}` is not a link: its address has a space", quoted(source, &span));
        let edit = block.span(&(at + 2..at + 2 + file.len()));
        warning(source, span, message, format!("write the address in angle brackets: `(<{file}>)`"))
            .fix(address.starts_with(file).then(|| Fix::write(source, edit, &format!("<{file}>"))))
    })
}

/// Reports `[text](page.md` without its closing parenthesis. `at` is the end of the link text.
fn unclosed(source: &Source, block: &TextBlock, at: usize) -> Option<Diagnostic> {
    let open = opening(block, at).filter(|open| open + 1 < at)?;
    let rest = beginning(&block.text[at + 2..]);
    let address = rest.split(|c: char| c.is_whitespace() || c == MASK).next().unwrap_or_default();
    let span = block.span(&(open..at + 2 + address.len()));
    (address.len() < LONGEST && is_address(address) && !address.contains(['(', ')'])).then(|| {
        let message = format!("`{}` is not a link: its parenthesis is not closed", quoted(source, &span));
        let fix = Fix::write(source, block.span(&(at + 1..at + 2 + address.len())), &format!("({address})"));
        warning(source, span, message, format!("write `({address})`; for brackets, write `\\[`")).fix(fix)
    })
}

/// Reports `[text] (page.md)`, which is not a link because of the space. `at` is the end of the link text.
fn apart(source: &Source, block: &TextBlock, at: usize) -> Option<Diagnostic> {
    let open = opening(block, at)?;
    let address = beginning(&block.text[at + 3..]).split_once(')')?.0;
    // An empty text counts as one, too.
    let is_number = block.text[open + 1..at].bytes().all(|byte| byte.is_ascii_digit());
    let span = block.span(&(open..at + 3 + address.len() + 1));
    (is_address(address) && !is_number).then(|| {
        let message = format!("`{}` is not a link: there is a space before its address", quoted(source, &span));
        let fix = Fix::new("remove the space", vec![Edit::new(source, block.span(&(at + 1..at + 2)), "")]);
        warning(source, span, message, "remove the space; for brackets, write `\\[`").fix(fix)
    })
}

/// Returns where the bracket of a link text opens; `None` if the text is long, or looks like an array index.
fn opening(block: &TextBlock, at: usize) -> Option<usize> {
    let from = block.text.floor_char_boundary(at.saturating_sub(LONGEST));
    let open = from + block.text[from..at].rfind('[')?;
    let is_index = block.text[..open].ends_with(|c: char| c.is_alphanumeric() || matches!(c, '_' | ')' | ']' | '\\'));
    (!is_index).then_some(open)
}

/// Returns whether a text can only be meant as the address of a page, a file or a site.
fn is_address(text: &str) -> bool {
    let path = text.split('#').next().unwrap_or_default();
    let is_file = path.contains('/') || [".md", ".html", ".png", ".svg"].iter().any(|end| path.ends_with(end));
    !text.contains(|c: char| c.is_whitespace() || c == MASK)
        && (is_file || text.starts_with("code:") || path.is_empty() && text.len() > 1)
}

/// Reports `[text]()`, which has no address and would lead to its own page.
fn nowhere(source: &Source, link: &Link) -> Option<Diagnostic> {
    let text = source.text().get(link.span.clone())?;
    (link.target.trim().is_empty() && text.ends_with(')')).then(|| {
        let message = format!("`{}` has no address", quoted(source, &link.span));
        warning(source, link.span.clone(), message, "write where it leads, as in `[text](page.md)`")
    })
}

/// The marks of emphasis, each with what it makes and how the character itself is written.
const EMPHASIS: [(&str, &str, &str); 4] = [
    ("**", "bold text", "`\\*\\*`"),
    ("~~", "struck out text", "`\\~\\~`"),
    ("*", "emphasis", "`\\*`"),
    ("_", "emphasis", "`\\_`"),
];

/// Returns the places of a mark that stand alone, each with the characters before and after it.
fn places<'t>(text: &'t str, mark: &'t str) -> impl Iterator<Item = (usize, Option<char>, Option<char>)> + 't {
    text.match_indices(mark).filter_map(move |(at, _)| {
        let (before, after) = (text[..at].chars().next_back(), text[at + mark.len()..].chars().next());
        let is_same = |c: Option<char>| c.is_some_and(|c| mark.starts_with(c) || c == '\\');
        (!is_same(before) && !is_same(after)).then_some((at, before, after))
    })
}

/// Returns whether a mark of emphasis begins it: no word is before it, and a word or an opening quotation mark after it.
fn begins(before: Option<char>, after: Option<char>) -> bool {
    let is_apart = before.is_none_or(|c| c.is_whitespace() || is_unspaced(c) || is_wide(c));
    is_apart && after.is_some_and(|c| c.is_alphabetic() || is_wide(c) || matches!(c, '"' | '“' | '‘'))
}

/// Reports each mark that does not end emphasis, as in `**Note:**The`: between punctuation and a letter, it begins emphasis.
fn unended(source: &Source, block: &TextBlock) -> Vec<Diagnostic> {
    let mut found = Vec::new();
    for (mark, what, _) in EMPHASIS {
        let mut is_begun = false;
        for (at, before, after) in places(&block.text, mark) {
            let is_after_punctuation = before.is_some_and(|c| !c.is_alphanumeric() && !c.is_whitespace());
            if is_begun && is_after_punctuation && after.is_some_and(char::is_alphanumeric) {
                let message =
                    format!("this `{mark}` does not end the {what}, because it is between punctuation and a letter");
                // Only between words that have spaces around them.
                let help = match mark {
                    "_" if after.is_some_and(is_unspaced) => "write `*` at both ends",
                    _ => "put a space after it, or move the punctuation behind it",
                };
                found.push(warning(source, block.span(&(at..at + mark.len())), message, help));
            }
            let is_loose = mark == "**" && after.is_some_and(|c| !c.is_whitespace());
            is_begun = is_loose || begins(before, after);
        }
    }
    found
}

/// Reports a mark whose other end is in the next line, because that begins with `: ` and so makes a definition.
fn split(source: &Source, block: &TextBlock) -> Option<Diagnostic> {
    let end = block.start + block.text.len();
    let below = &source.text()[end..];
    let line = below.trim_start_matches(|c: char| c.is_whitespace() || c == '>');
    let is_next = below[..below.len() - line.len()].matches('\n').count() == 1;
    let definition = line.strip_prefix(": ").filter(|_| is_next)?.lines().next().unwrap_or_default();
    let is_word = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
    let has_text = |c: Option<char>| c.is_some_and(|c| !c.is_whitespace());
    // The last one in the term begins something, and the first one in the definition ends it.
    let is_split = |mark: &str| {
        let ends = places(&block.text, mark).last().zip(places(definition, mark).next());
        let is_odd = places(&block.text, mark).count() % 2 == 1;
        ends.is_some_and(|((_, before, after), (_, last, next))| {
            is_odd && !is_word(before) && has_text(after) && has_text(last) && !is_word(next)
        })
    };
    let marks = EMPHASIS.map(|(mark, what, _)| (mark, what)).into_iter().chain([("`", "code")]);
    let mut split = marks.filter(|(mark, _)| is_split(mark));
    let (_, what) = split.next()?;
    let at = end + below.len() - line.len();
    let message =
        format!("this line is read as a definition, because it begins with `: `, so the {what} above has no end");
    let help = format!("put the {what} on one line; for a colon at the beginning of a line, write `\\:`");
    Some(warning(source, at..at + 1, message, help))
}

/// Reports marks of emphasis and backticks that stayed text because the other end is missing in the block.
fn marks(source: &Source, block: &TextBlock) -> Option<Diagnostic> {
    let text = &block.text;
    let is_word = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
    // If a `|` of a table has split the code, the dropped cell is reported instead.
    let is_row = source.text()[..block.start].rsplit('\n').next().is_some_and(|before| before.contains('|'));
    let is_lost = |mark: &str, (at, before, after): (usize, Option<char>, Option<char>)| match mark {
        "`" => !is_row && is_word(before) != is_word(after),
        "**" => is_word(before) != is_word(after) || begins(before, after),
        _ => begins(before, after) && is_prose(&text[at + mark.len()..]),
    };
    let found = EMPHASIS.into_iter().chain([("`", "code", "`` \\` ``")]).find_map(|sign| {
        let mut places = places(text, sign.0).filter(|&place| is_lost(sign.0, place));
        let (at, ..) = places.next()?;
        // Several of these characters are a notation, as in `*a, *b`.
        (sign.0.len() > 1 || sign.0 == "`" || places.next().is_none()).then_some((at, sign))
    });
    let (at, (mark, what, escaped)) = found?;
    let name = if mark == "`" { "backtick".to_owned() } else { format!("`{mark}`") };
    let message = format!("this {name} is shown as plain text, because the {what} has no other end");
    let help =
        format!("put another {name} where the {what} begins or ends; to show the character itself, write {escaped}");
    Some(warning(source, block.span(&(at..at + mark.len())), message, help))
}

/// Reports bold text with spaces inside its marks, as in `** words **`. A power has a name or a number on both sides.
fn loose(source: &Source, block: &TextBlock) -> Option<Diagnostic> {
    let is_blank = |c: Option<char>| c.is_none_or(char::is_whitespace);
    let mut found = places(&block.text, "**").filter(|(_, before, after)| is_blank(*before) && is_blank(*after));
    let ((from, ..), (to, ..)) = (found.next()?, found.next()?);
    let inner = block.text[from + 2..to].trim();
    let is_words = inner.chars().all(|c| c.is_alphabetic() || c == ' ' || is_punctuation(c) && !is_of_code(c));
    (is_words && inner.chars().count() > 2 && to - from < LONGEST).then(|| {
        let message = format!("`** {inner} **` is shown as plain text, because of the spaces inside its marks");
        let help = format!("write `**{inner}**`; to show the characters themselves, write `\\*\\*`");
        let span = block.span(&(from..to + 2));
        let fix = Fix::write(source, span.clone(), &format!("**{inner}**"));
        warning(source, span, message, help).fix(fix)
    })
}

/// Reports a `$` that begins a formula and has no other end. Names of shells, as in `$HOME`, and prices are none.
fn open_formula(source: &Source, block: &TextBlock) -> Option<Diagnostic> {
    let mut places = places(&block.text, "$");
    let (at, before, _) = places.next()?;
    let word = block.text[at + 1..].split([' ', '\n', '\t', MASK]).next().unwrap_or_default();
    let mut parts = word.split('_');
    let has_index = parts.next().is_some_and(|base| base.chars().count() == 1 && base.chars().all(char::is_alphabetic))
        && parts.next().is_some_and(|index| index.starts_with('{') || index.chars().count() == 1);
    let has_command = word.split('\\').skip(1).any(|rest| rest.starts_with(|c: char| c.is_ascii_alphabetic()));
    let is_formula = word.contains('^') || has_index || has_command;
    (is_formula && places.next().is_none() && !before.is_some_and(char::is_alphanumeric)).then(|| {
        let message = "this `$` is shown as plain text, because the formula has no other end";
        let help = "put another `$` where the formula ends; to show the character itself, write `\\$`";
        warning(source, block.span(&(at..at + 1)), message, help)
    })
}

/// Reports a `$$` that has no other end in its block, or one with code before it.
fn open_display(source: &Source, block: &TextBlock) -> Option<Diagnostic> {
    let mut places = places(&block.text, "$$");
    let (at, ..) = places.next()?;
    let span = block.span(&(at..at + 2));
    match places.next() {
        None => {
            let message = "this `$$` is shown as plain text, because the formula has no other end in this paragraph";
            let help = "put another `$$` where the formula ends, without a blank line in between; to show the characters \
                        themselves, write `\\$\\$`";
            Some(warning(source, span, message, help))
        }
        Some((end, ..)) => block.text[at + 2..end].contains(MASK).then(|| {
            let message = "`$$` does not open a formula here, because code is before the next `$$`";
            let help = "write `‘` for a backtick in a formula; for dollar signs, write `\\$\\$`";
            source.diagnostic(codes::E0203, span, message).help(help)
        }),
    }
}

/// Reports a `$` directly next to a formula: one of its ends has two, and the other has one.
fn uneven_formula(source: &Source, block: &TextBlock) -> Option<Diagnostic> {
    let (text, masked) = (source.text(), |c: Option<char>| c == Some(MASK));
    let mut places = places(&block.text, "$");
    let (at, ..) = places.find(|(at, before, after)| {
        let span = block.span(&(*at..at + 1));
        masked(*before) && text[..span.start].ends_with('$') || masked(*after) && text[span.end..].starts_with('$')
    })?;
    let message = "this `$` is shown as plain text, because the formula next to it has one at each end";
    let help =
        "write `$…$` for a formula in a line, and `$$…$$` for one by itself; to show the character itself, write `\\$`";
    Some(warning(source, block.span(&(at..at + 1)), message, help))
}

/// Returns whether a text begins with words, and not with a name or a pattern such as `_start`, `*args` and `*p`.
fn is_prose(text: &str) -> bool {
    const NAMES: [&str; 2] = ["args", "kwargs"];
    let mut words = beginning(text).split([' ', '\n', '\t']);
    let word = words.next().unwrap_or_default();
    let is_plain = word.chars().all(|c| c.is_alphanumeric() || is_punctuation(c) && !is_of_code(c));
    let name = word.trim_end_matches(is_punctuation);
    is_plain
        && (name.chars().count() > 2 || name.contains(is_unspaced))
        && !NAMES.contains(&name)
        && (words.next().is_some() || word.contains(is_unspaced))
}

/// Returns whether a character in a word shows that it is code.
fn is_of_code(c: char) -> bool {
    "_*~/\\=<>[](){}&|$@#%^+".contains(c)
}

/// Reports footnotes that the page does not show.
fn footnotes(source: &Source, body: &Body, out: &mut Vec<Diagnostic>) {
    let used = body.used_footnotes();
    let mut seen: BTreeSet<&str> = BTreeSet::new();
    for (key, events) in &body.footnotes {
        let is_first = seen.insert(key);
        let start = body.events.span(events.start - 1).start;
        let end = source.text()[start..].find("]:").map_or(start, |close| start + close + 2);
        let label = source.text()[start..end].trim_start_matches("[^").trim_end_matches("]:");
        if !is_first {
            let message = format!("the footnote `{label}` is already defined, so this text is not shown");
            out.push(warning(source, start..end, message, "give it another name, or merge the two texts"));
        } else if !used.contains(key) {
            let message = format!("nothing refers to the footnote `{label}`, so its text is not shown");
            let help = format!("write `[^{label}]` where it belongs, or remove it");
            out.push(warning(source, start..end, message, help));
        }
    }
}

/// Reports `[text][label]` without a definition, unless it is an index such as `a[i][j]`.
fn link(source: &Source, span: &Span) -> Option<Diagnostic> {
    // The span of `[text][]` covers only the first pair of brackets.
    let rest = &source.text()[span.end..];
    let span = &(span.start..span.end + if rest.starts_with("[]") { 2 } else { 0 });
    let text = &source.text()[span.clone()];
    let joins = |c: char| c.is_alphanumeric() || matches!(c, '_' | ')' | ']' | '`' | '\\');
    let (shown, label) = text.strip_suffix(']')?.rsplit_once('[')?;
    let shown = shown.trim_end().trim_start_matches('!').trim_start_matches('[').trim_end_matches(']');
    let name = if label.is_empty() { shown } else { label };
    let is_index = |part: &str| part.trim().len() <= 1 || part.trim().bytes().all(|byte| byte.is_ascii_digit());
    let is_text = name.contains(char::is_alphanumeric) && !shown.trim().is_empty();
    if source.text()[..span.start].ends_with(joins) || !is_text || is_index(shown) && is_index(label) {
        return None;
    }
    let (name, quoted) = (name.trim(), quoted(source, span));
    let message = format!("`{quoted}` is not a link: the reference `{name}` is not defined");
    let help =
        format!("write `[{name}]: page.md` on a line of its own, or `[text](page.md)`; for brackets, write `\\[`");
    Some(warning(source, span.clone(), message, help))
}
