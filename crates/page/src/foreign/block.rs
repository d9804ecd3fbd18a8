//! Checks code blocks without `file=`: the words after the language, misspelled diagram languages, and includes.

use pulldown_cmark::{CodeBlockKind, Event, Tag};

use super::{alert, attribute, forms, quoted};
use crate::look::{Item, Look, OpeningLine};
use crate::value_block::{CALC, VALUES};
use crate::{Body, fence};
use infralens_source::diag::{Diagnostic, codes, nearest, similar};
use infralens_source::source::{Source, Span, lines_from};
use infralens_starter::highlight;

/// Languages in which template syntax is part of the code.
const TEMPLATES: [&str; 12] =
    ["md", "markdown", "mdx", "html", "jinja", "jinja2", "tera", "liquid", "handlebars", "hbs", "django", "vue"];
/// Languages of blocks that are shown as something else than code: as diagrams and calculators.
const DRAWN: [&str; 3] = ["mermaid", "pikchr", CALC];

/// Reports syntax that has no effect on the code blocks of a page.
pub fn check(source: &Source, body: &Body, out: &mut Vec<Diagnostic>) {
    let is_excerpt = |index: usize| body.excerpts.binary_search_by_key(&index, |excerpt| excerpt.fence.start).is_ok();
    let is_calculator = |index: usize| body.values.binary_search_by_key(&index, |block| block.events.start).is_ok();
    for (index, (event, span)) in body.events.iter().enumerate() {
        if !matches!(event, Event::Start(Tag::CodeBlock(CodeBlockKind::Fenced(_))))
            || is_excerpt(index)
            || is_calculator(index)
        {
            continue;
        }
        let head = fence::head(source, &span);
        let info = OpeningLine::parse(&source.text()[head.clone()]);
        let texts = body.events.range(index + 1..body.end_of(index));
        let lines = texts.map(|(event, _)| if let Event::Text(text) = event { text.lines().count() } else { 0 });
        let lines = lines.sum();
        out.extend(
            (curly(source, &head))
                .or_else(|| unquoted(source, &head, &info))
                .or_else(|| language(source, &span, &head, &info))
                .or_else(|| file_name(source, &head, &info, lines == 0 && fence::closing(source, &span).is_some()))
                .or_else(|| attributes(source, &head, &info)),
        );
        out.extend(marks(source, &head, lines));
        if info.language == "mermaid" {
            out.extend(without_effect(source, &(head.end..span.end)));
        }
        out.extend(code(source, &(head.end..span.end), &info.language));
    }
}

/// Reports syntax of another tool in the place of the language, and misspelled diagram languages.
fn language(source: &Source, block: &Span, head: &Span, info: &OpeningLine) -> Option<Diagnostic> {
    let first = match info.items.first() {
        Some((_, Item::Braces(inner))) if info.language.is_empty() => Some(inner.as_str()),
        _ => None,
    };
    let name = first.unwrap_or(&info.language);
    let name = name.split([' ', ',']).next().unwrap_or_default();
    let help = match name.trim_start_matches('.') {
        "math" | "katex" => "write the formula between `$$` and `$$`".to_owned(),
        "admonish" | "admonition" => alert::instead(source.text()[head.clone()].split(name).nth(1).unwrap_or_default()),
        name if name.strip_prefix("ad-").is_some_and(alert::is_box) => alert::instead(&name[3..]),
        name if first.is_some() && alert::is_box(name) => alert::instead(name),
        "literalinclude" | "include" if first.is_some() => forms::INCLUDE.to_owned(),
        "mermaid" | "pikchr" if first.is_some() || info.items.iter().any(|(_, item)| !is_caption(item)) => {
            format!("write `{name}` alone after the backticks, or with `caption=\"…\"`")
        }
        "code-block" | "code-cell" | "code" | "sourcecode" if first.is_some() => directive(source, block, head, info),
        name if first.is_some() && name.starts_with(|c: char| c.is_ascii_alphabetic()) => {
            format!("write the language alone, as in ```` ```{name} ````; nothing is run when a page is built")
        }
        VALUES => {
            let message = "`values` is no language; a comment declares values";
            let help = "write `<!-- values`, the lines below it, and `-->`; or ```` ```calc ```` for a calculator";
            return Some(source.diagnostic(codes::W0208, head.clone(), message).help(help));
        }
        name => return misspelled(source, head, name),
    };
    let what = source.text()[head.clone()].trim_start_matches(['`', '~']).trim();
    Some(
        source
            .diagnostic(codes::W0208, head.clone(), format!("`{what}` is syntax of other tools and has no effect here"))
            .help(help),
    )
}

/// Reports the misspelled name of a language: a warning if a drawing or a calculator is lost, a hint if colors are.
fn misspelled(source: &Source, head: &Span, name: &str) -> Option<Diagnostic> {
    let meant = if name.eq_ignore_ascii_case("calculator") { CALC } else { name };
    let drawn = similar(meant, DRAWN).filter(|near| near.name != name && highlight::by_token(name).is_none());
    if drawn.is_some() {
        let message = format!("`{name}` is not a language that is drawn or computed");
        return Some(source.diagnostic(codes::W0208, head.clone(), message).instead(source, name, drawn));
    }
    let near = highlight::nearest_token(name).filter(|_| !DRAWN.contains(&name))?.written(str::to_lowercase);
    let message = format!("`{name}` is no language that is known here, so the code has no colors");
    Some(source.diagnostic(codes::W0208, head.clone(), message).instead(source, name, Some(near)).hint())
}

/// Returns whether an item of an opening line is the caption of a drawing.
fn is_caption(item: &Item) -> bool {
    matches!(item, Item::Attribute(name, true) if name == "caption" || name == "title")
}

/// Returns what to write instead of a directive of `MyST` for code: its argument is the language, and options follow on the
/// next lines.
fn directive(source: &Source, block: &Span, head: &Span, info: &OpeningLine) -> String {
    let argument = info.items.get(1).map_or("", |(range, _)| &source.text()[head.clone()][range.clone()]);
    // A kernel of Jupyter: `ipython3`.
    let kernel = argument.strip_prefix('i').unwrap_or(argument).trim_end_matches(|c: char| c.is_ascii_digit());
    let known = |name: &&str| highlight::by_token(name).is_some();
    let language = [argument, kernel].into_iter().find(known).unwrap_or(argument);
    let lines = source.text()[head.end..block.end].lines().skip(1).map(|line| fence::content(line).1);
    let options: Vec<&str> = lines.take_while(|line| line.starts_with(':')).collect();
    let option =
        |name: &str| options.iter().find_map(|line| line.strip_prefix(':')?.strip_prefix(name)?.strip_prefix(':'));
    let marks = option("emphasize-lines").map(|marks| format!(" {{{}}}", marks.replace(' ', "")));
    let title = option("caption").map(|title| format!(" title=\"{}\"", title.trim()));
    let rest = marks.unwrap_or_default() + &title.unwrap_or_default();
    let help = match language {
        "" => "write the language alone, as in ```` ```python ````".to_owned(),
        _ => format!("write ```` ```{language}{rest} ````"),
    };
    if options.is_empty() { help } else { help + ", and remove the lines that begin with `:`" }
}

/// Reports curly quotes around a value.
fn curly(source: &Source, head: &Span) -> Option<Diagnostic> {
    let line = &source.text()[head.clone()];
    let found = line.match_indices('=').find_map(|(at, _)| fence::curly(line, at + 1))?;
    let span = head.start + found.start..head.start + found.end;
    Some(source.diagnostic(codes::W0208, span, fence::CURLY).help(fence::CURLY_HELP))
}

/// Reports a title of several words without quotes, of which the first alone is shown.
fn unquoted(source: &Source, head: &Span, info: &OpeningLine) -> Option<Diagnostic> {
    let line = &source.text()[head.clone()];
    let (first, (range, item)) = info.items.iter().enumerate().find(|(_, (_, item))| is_caption(item))?;
    let Item::Attribute(key, _) = item else { return None };
    let value = &line[range.start + key.len() + 1..range.end];
    let is_word = |item: &&(Span, Item)| matches!(item.1, Item::Attribute(_, false));
    let last = info.items[first + 1..].iter().take_while(is_word).last()?;
    (!value.starts_with(['"', '\'', '{', '['])).then(|| {
        let (start, end) = (head.start + range.start, head.start + last.0.end);
        let text = &source.text()[start + key.len() + 1..end];
        let help = format!("write `{key}=\"{text}\"`");
        source.diagnostic(codes::W0208, start..end, "a text with spaces needs quotes").help(help)
    })
}

/// Reports a code block that names a file as other tools do, and a block without code, which shows an empty box.
fn file_name(source: &Source, head: &Span, info: &OpeningLine, is_empty: bool) -> Option<Diagnostic> {
    // A misspelled `file` is reported as an error elsewhere.
    let is_excerpt = |item: &Item| match item {
        Item::Attribute(name, true) => name.is_empty() || nearest(name, ["file"]).is_some(),
        Item::Attribute(name, false) => name.starts_with('#'),
        _ => false,
    };
    if DRAWN.contains(&info.language.as_str()) || info.items.iter().any(|(_, item)| is_excerpt(item)) {
        return None;
    }
    let line = &source.text()[head.clone()];
    let is_path = |text: &str| {
        let name = text.rsplit('/').next().unwrap_or_default();
        let stem = name.rsplit_once('.').filter(|(stem, end)| !stem.is_empty() && !end.is_empty());
        stem.is_some() && !text.contains(|c: char| c.is_whitespace() || matches!(c, '"' | '\'' | '`' | '='))
    };
    let named = info.items.iter().find_map(|(range, item)| {
        let text = &line[range.clone()];
        let path = match item {
            Item::Attribute(_, false) => text,
            Item::Attribute(_, true) => text.split_once('=')?.1.trim_matches(['"', '\'']),
            _ => return None,
        };
        is_path(path).then_some((item, range, path))
    });
    match named {
        Some((_, _, path)) if is_empty => {
            let message = format!("this code block is empty; naming `{path}` in it does not show that file");
            let help = format!("write `file={path}` to show code of a file");
            Some(source.diagnostic(codes::W0208, head.clone(), message).help(help))
        }
        Some((Item::Attribute(_, false), range, path)) => {
            let span = head.start + range.start..head.start + range.end;
            let message = format!("`{path}` has no effect on this code block");
            let help = format!("write `title=\"{path}\"` for a title, or `file={path}` to show code of that file");
            Some(source.diagnostic(codes::W0208, span, message).help(help))
        }
        None if is_empty => {
            let help = "write the code below this line, or `file=PATH#SELECTOR` to show code of a file";
            Some(source.diagnostic(codes::W0208, head.clone(), "this code block is empty").help(help))
        }
        _ => None,
    }
}

/// Reports attributes that have an effect only in other tools, or on excerpts.
fn attributes(source: &Source, head: &Span, info: &OpeningLine) -> Option<Diagnostic> {
    let (mut spans, mut help): (Vec<Span>, Vec<&str>) = (Vec::new(), Vec::new());
    let line = &source.text()[head.clone()];
    for (range, item) in info.items.iter().filter(|(range, item)| !Look::has_effect(item, &line[range.clone()])) {
        let message = match item {
            // A misspelled `file` is reported as an error elsewhere.
            Item::Attribute(name, true) if name.is_empty() || nearest(name, ["file"]).is_some() => None,
            Item::Attribute(name, has_value) => attribute::on_block(name, *has_value),
            Item::Braces(inner) => Some(attribute::in_braces(inner)),
            Item::Title => attribute::on_block("title", true),
        };
        let Some(message) = message else { continue };
        spans.push(head.start + range.start..head.start + range.end);
        if !help.contains(&message) {
            help.push(message);
        }
    }
    let names: Vec<String> = spans.iter().map(|span| format!("`{}`", quoted(source, span))).collect();
    let span = spans.first()?.start..spans.last()?.end;
    let verb = if names.len() == 1 { "has" } else { "have" };
    let message = format!("{} {verb} no effect on this code block", listed(&names));
    Some(help.into_iter().fold(source.diagnostic(codes::W0208, span, message), Diagnostic::help))
}

/// Reports marks for lines that the code does not have.
fn marks(source: &Source, head: &Span, lines: usize) -> Option<Diagnostic> {
    let look = Look::read(&source.text()[head.clone()]);
    let wrong = look.marks.into_iter().find(|(_, marked, _)| *marked.end() > lines)?;
    let (span, marked, _) = wrong;
    let message = format!("line {} is marked, but this code has {lines}", marked.end());
    let span = head.start + span.start..head.start + span.end;
    Some(source.diagnostic(codes::E0206, span, message).help("lines of a code block are counted from 1"))
}

/// Joins names as "a", "a and b" or "a, b and c".
fn listed(names: &[String]) -> String {
    match names {
        [] => String::new(),
        [one] => one.clone(),
        [rest @ .., last] => format!("{} and {last}", rest.join(", ")),
    }
}

/// Reports the first line of code that is an include or an annotation of another tool.
fn code(source: &Source, within: &Span, language: &str) -> Option<Diagnostic> {
    if TEMPLATES.contains(&language) {
        return None;
    }
    let mut lines = Vec::new();
    for (at, line) in lines_from(&source.text()[within.clone()], within.start) {
        let (start, trimmed) = fence::content(line);
        let is_fence = trimmed.len() >= 3 && trimmed.bytes().all(|byte| byte == b'`' || byte == b'~');
        lines.extend((!trimmed.is_empty() && !is_fence).then_some((at + start, trimmed)));
    }
    let is_alone = lines.len() == 1;
    // In plain text, a form is an example unless it is the only line.
    let is_about_itself = highlight::is_plain(language) && !is_alone;
    let mut lines = lines.into_iter().filter(|_| !is_about_itself);
    lines.find_map(|(start, line)| {
        let span = start..start + line.len();
        let shown = quoted(source, &span);
        if let Some(what) = forms::include(line) {
            let message = format!("`{shown}` is {what} and is shown as plain text");
            return Some(source.diagnostic(codes::W0208, span, message).help(forms::INCLUDE));
        }
        if let Some(Annotation { mark, .. }) = annotation(line) {
            let message = "this is an annotation of MkDocs Material and is shown as plain text";
            let help = "notes are the numbered list below an excerpt, a fence with `file=`; each begins with the code that it explains";
            return Some(source.diagnostic( codes::W0208, start + mark.start..start + mark.end, message).help(help));
        }
        marks_lines(line).then(|| {
            let message = format!("`{shown}` marks lines in other tools and is shown as plain text");
            let help = "write the numbers of the lines in braces after the language, as in ```` ```python {2,4-6} ````";
            source.diagnostic( codes::W0208, span, message).help(help)
        })
    })
}

/// Reports what a Mermaid diagram says that is read and not drawn: settings, icons, and Markdown in its texts.
fn without_effect(source: &Source, within: &Span) -> Option<Diagnostic> {
    const PARTS: [(&str, &str, &str); 5] = [
        ("%%{", "}%%", "a setting"),
        ("config:", "", "a setting"),
        ("fa:fa-", "", "an icon"),
        ("**", "**", "Markdown"),
        ("__", "__", "Markdown"),
    ];
    let text = &source.text()[within.clone()];
    let (at, end, what) = PARTS.iter().find_map(|(open, close, what)| {
        let at = text.find(open)?;
        let line = text[at..].lines().next().unwrap_or_default();
        let is_line =
            *open != "config:" || fence::content(text[..at].rsplit('\n').next().unwrap_or_default()).1.is_empty();
        let inner = line[open.len()..].find(close).filter(|inner| close.is_empty() || *inner > 0)?;
        let word = || line.find(|c: char| !(c.is_alphanumeric() || matches!(c, ':' | '-'))).unwrap_or(line.len());
        let len = if close.is_empty() { word() } else { open.len() + inner + close.len() };
        is_line.then_some((at, at + len, *what))
    })?;
    let span = within.start + at..within.start + end;
    let message = format!("`{}` is {what} and has no effect on this drawing", quoted(source, &span));
    let help = "drawings have the colors and the font of the site, and their texts are plain";
    Some(source.diagnostic(codes::W0208, span, message).help(help).hint())
}

/// Returns whether a line is a comment by which other tools mark lines: `// highlight-next-line`, `# [!code focus]`.
fn marks_lines(line: &str) -> bool {
    let text = line.trim_start_matches(['/', '#', '-', ';', '%', '*', '<', '!', '{']).trim_start();
    let word = text.split(|c: char| !(c.is_ascii_alphabetic() || c == '-')).next().unwrap_or_default();
    text.len() < line.len() && matches!(word, "highlight-next-line" | "highlight-start" | "highlight-end")
        || line.contains("[!code ") && line.trim_end_matches(['*', '/', '-', '>', ' ']).ends_with(']')
}

/// An annotation of `MkDocs` Material in a line of code: `# (1)!`.
pub struct Annotation {
    /// Where the comment begins that contains it.
    pub comment: usize,
    /// Its range in the line, without the sign of the comment.
    pub mark: Span,
    pub number: usize,
}

pub fn annotation(line: &str) -> Option<Annotation> {
    let line = line.trim_end().trim_end_matches("*/").trim_end_matches("-->").trim_end();
    let open = line.strip_suffix(")!")?.rfind('(')?;
    let number = line[open + 1..line.len() - 2].parse().ok().filter(|number| (1..1000).contains(number))?;
    let before = line[..open].trim_end();
    let sign = ["#", "//", "--", ";", "%", "/*", "<!--"].iter().find(|sign| before.ends_with(**sign))?;
    Some(Annotation { comment: before.len() - sign.len(), mark: open..line.len(), number })
}
