//! Rewrites the blocks of MkDocs: admonitions, details and tabs, whose content is indented or between lines of slashes.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use super::Kind;
use super::edits::Text;
use super::icon::braces_and_icons;
use super::include::Left;
use infralens_page::alert_kind;
use infralens_source::source::edited;

/// The columns by which the content of a block is indented.
const INDENT: usize = 4;

/// The line that ends a box of mdBook.
const DIV_END: &str = "</div>";

/// A line, and the line of the book that it comes from.
type Line = (String, usize);

/// Rewrites the boxes of mdBook: `<div class="warning">`, and the code blocks that the preprocessor `admonish` reads.
pub fn warnings(text: &Text) -> Text {
    let lines = lines(text);
    // The lines that end boxes, in order: by the end tag, or the backticks, that they consist of.
    let mut ends: BTreeMap<&str, VecDeque<usize>> = BTreeMap::new();
    for (at, (line, _)) in lines.iter().enumerate() {
        let line = line.trim_end();
        if line == DIV_END || line.len() > 2 && line.bytes().all(|byte| byte == b'`') {
            ends.entry(line).or_default().push_back(at);
        }
    }
    let (mut new, mut at, mut fence) = (Vec::new(), 0, None);
    while let Some((line, origin)) = lines.get(at) {
        let content = line.trim_start_matches('`');
        let ticks = &line[..line.len() - content.len()];
        let is_warning = line.trim_end() == "<div class=\"warning\">";
        let words = content.strip_prefix("admonish").filter(|_| ticks.len() > 2);
        let ends = if is_warning { ends.get_mut(DIV_END) } else { words.and_then(|_| ends.get_mut(ticks)) };
        let end = ends.filter(|_| fence.is_none()).and_then(|ends| {
            while ends.front().is_some_and(|&end| end < at) {
                ends.pop_front();
            }
            ends.front().copied()
        });
        if let Some(end) = end {
            let words = words.unwrap_or("warning");
            let title = words.split_once("title=").map_or(words, |(_, title)| title).split('"').nth(1);
            let kind = words.split_whitespace().next().filter(|kind| !kind.contains(['=', '"'])).unwrap_or("note");
            let mark = if words.contains("collapsible=true") { "???" } else { "!!!" };
            let inside = lines[at + 1..end].to_vec();
            new.extend(block(&Head { indent: 0, mark, kind, title }, inside, *origin));
            at = end + 1;
        } else {
            fence = fence_after(fence, line);
            new.push((line.clone(), *origin));
            at += 1;
        }
    }
    Text::from_lines(new.into_iter())
}

fn lines(text: &Text) -> Vec<Line> {
    text.lines().map(|(line, origin)| (line.to_owned(), origin)).collect()
}

/// Rewrites a page. Also returns what is not taken over, each with its line of the book.
pub fn rewrite(text: &Text) -> (Text, Left) {
    let mut left = Vec::new();
    let lines = blocks(&lines(text), false, &mut left);
    (Text::from_lines(lines.into_iter()), left)
}

/// The first line of a block.
struct Head<'l> {
    /// The spaces before it.
    indent: usize,
    /// `!!!`, `???`, `???+`, `===`, or slashes.
    mark: &'l str,
    /// The first word after the mark; empty for a tab.
    kind: &'l str,
    /// The text in quotes, or after a vertical bar.
    title: Option<&'l str>,
}

impl Head<'_> {
    fn is_tab(&self) -> bool {
        self.mark == "===" || self.mark.starts_with('/') && self.kind == "tab"
    }
}

fn head(line: &str) -> Option<Head<'_>> {
    let content = line.trim_start_matches([' ', '\t']);
    if let Some(found) = slashes(content) {
        return Some(Head { indent: indent(line), ..found });
    }
    let mark = ["!!!", "???+", "???", "==="].into_iter().find(|mark| content.starts_with(mark))?;
    let rest = content[mark.len()..].trim_start_matches(['!', '+']).trim();
    // A class may be before the kind, as in `???- note`.
    let rest = rest.strip_prefix("- ").unwrap_or(rest);
    let quote = rest.find('"').unwrap_or(rest.len());
    let title = rest[quote..].strip_prefix('"').and_then(|title| title.strip_suffix('"')).map(str::trim);
    let kind = rest[..quote].split_whitespace().next().unwrap_or_default();
    let is_head = match mark {
        "===" => kind.is_empty() && title.is_some(),
        _ => {
            !kind.is_empty()
                && kind.chars().all(|c| c.is_alphanumeric() || c == '-')
                && (title.is_some() || quote == rest.len())
        }
    };
    is_head.then_some(Head { indent: indent(line), mark, kind, title })
}

/// Reads `/// kind | Title`.
fn slashes(content: &str) -> Option<Head<'_>> {
    let rest = content.trim_start_matches('/');
    let mark = &content[..content.len() - rest.len()];
    let (kind, title) = match rest.split_once('|') {
        Some((kind, title)) => (kind.trim(), Some(title.trim())),
        None => (rest.trim(), None),
    };
    let is_kind = !kind.is_empty() && kind.chars().all(|c| c.is_alphanumeric() || matches!(c, '-' | '_'));
    (mark.len() > 2 && is_kind).then_some(Head { indent: 0, mark, kind, title })
}

/// Rewrites the blocks in `lines`, which may be in a tab. `left` receives what is not taken over.
fn blocks(lines: &[Line], in_tab: bool, left: &mut Left) -> Vec<Line> {
    let mut new = Vec::new();
    let (mut at, mut fence) = (0, None);
    // The column of an element whose content is a line of text, where indents do not mean code.
    let mut span: Option<usize> = None;
    while let Some((line, origin)) = lines.get(at) {
        span = span.filter(|column| line.trim().is_empty() || indent(line) > *column);
        let found = head(line).filter(|_| fence.is_none()).and_then(|head| Some((content_of(lines, at, &head)?, head)));
        let Some((Content { inside, options, mut end }, head)) = found else {
            if let Some(name) = reference(line).filter(|_| fence.is_none()) {
                // Its options are indented below it.
                let below = |(line, _): &&Line| !line.trim().is_empty() && indent(line) >= INDENT;
                at += 1 + lines[at + 1..].iter().take_while(below).count();
                left.push((*origin, (Kind::Reference, format!("`{name}`"))));
                new.extend([(format!("`{name}`"), *origin), (String::new(), *origin)]);
                continue;
            }
            let tag = markdown_tag(line).filter(|_| fence.is_none());
            fence = fence_after(fence, line);
            // A blank line ends the HTML, so that what follows is Markdown.
            let blank = tag.is_some().then(|| (String::new(), *origin));
            let columns = span.map_or(0, |column| indent(line).saturating_sub(column));
            let text = if columns > 0 { without_indent(line, columns) } else { line.clone() };
            span = span.or_else(|| tag.is_some().then(|| indent(line)).filter(|_| line.contains("markdown=\"span\"")));
            new.extend([(tag.unwrap_or(text), *origin)].into_iter().chain(blank));
            at += 1;
            continue;
        };
        let inside = blocks(&inside, in_tab || head.is_tab(), left);
        let block = if head.is_tab() {
            let mut tabs = vec![(title_of(&head), *origin, inside)];
            while let Some((next, content)) = next_tab(lines, end, &head) {
                let (line, origin) = &lines[next];
                let title = self::head(line).map(|head| title_of(&head)).unwrap_or_default();
                tabs.push((title, *origin, blocks(&content.inside, true, left)));
                end = content.end;
            }
            tab_group(tabs, in_tab, left)
        } else if head.mark.starts_with('/') {
            between_slashes(&head, inside, &options, *origin, left)
        } else {
            block(&head, inside, *origin)
        };
        new.extend(block.into_iter().map(|(line, origin)| {
            (if line.is_empty() { line } else { format!("{}{line}", " ".repeat(head.indent)) }, origin)
        }));
        at = end;
    }
    new
}

/// Returns what a line documents with the syntax of mkdocstrings, `::: module.name`.
fn reference(line: &str) -> Option<&str> {
    let name = line.strip_prefix("::: ")?.trim();
    let is_name = !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || "._-".contains(c));
    is_name.then_some(name)
}

/// Returns a line that opens an element whose content is Markdown, such as `<div markdown>`, without this attribute.
fn markdown_tag(line: &str) -> Option<String> {
    let (before, rest) = line.split_once(" markdown").filter(|(before, _)| before.trim_start().starts_with('<'))?;
    let after = rest
        .strip_prefix('=')
        .map_or(Some(rest), |value| value.trim_start_matches('"').split_once('"').map(|(_, rest)| rest))?;
    (after.starts_with([' ', '>']) && after.ends_with('>')).then(|| format!("{before}{after}"))
}

/// The character and the length of a fence.
pub type Fence = (char, usize);

/// Returns the fence that is open after a line, from that before it.
pub fn fence_after(fence: Option<Fence>, line: &str) -> Option<Fence> {
    let content = line.trim_start_matches([' ', '\t', '>']);
    let Some(mark) = content.chars().next().filter(|mark| matches!(mark, '`' | '~')) else { return fence };
    let info = content.trim_start_matches(mark);
    let run = content.len() - info.len();
    match fence {
        Some((open, length)) if mark == open && run >= length && info.trim().is_empty() => None,
        None if run >= 3 && (mark == '~' || !info.contains('`')) => Some((mark, run)),
        _ => fence,
    }
}

/// What a block contains.
struct Content {
    /// The lines without their indent.
    inside: Vec<Line>,
    /// Its options: `key: value`.
    options: Vec<String>,
    /// The index of the line after the block.
    end: usize,
}

/// Returns the content of the block whose first line is at `at`; `None` for one between slashes that has no end.
fn content_of(lines: &[Line], at: usize, head: &Head<'_>) -> Option<Content> {
    let first = at + 1;
    let has_indent = |(line, _): &Line| !line.trim().is_empty() && indent(line) >= head.indent + INDENT;
    if head.mark.starts_with('/') {
        let is_end = |(line, _): &Line| line.trim() == head.mark && indent(line) < head.indent + INDENT;
        let end = first + lines[first..].iter().position(is_end)?;
        let options = lines[first..end].iter().take_while(|line| has_indent(line)).count();
        let inside = lines[first + options..end].iter();
        return Some(Content {
            inside: inside.map(|(line, origin)| (without_indent(line, head.indent), *origin)).collect(),
            options: lines[first..first + options].iter().map(|(line, _)| line.trim().to_owned()).collect(),
            end: end + 1,
        });
    }
    let is_inside = |line: &&Line| line.0.trim().is_empty() || has_indent(line);
    let mut end = first + lines[first..].iter().take_while(is_inside).count();
    while lines[first..end].last().is_some_and(|(line, _)| line.trim().is_empty()) {
        end -= 1;
    }
    let inside = lines[first..end].iter();
    let inside = inside.map(|(line, origin)| (without_indent(line, head.indent + INDENT), *origin)).collect();
    Some(Content { inside, options: Vec::new(), end })
}

/// Returns the next tab of a group and the index of its first line, if only blank lines are before it.
fn next_tab(lines: &[Line], from: usize, group: &Head<'_>) -> Option<(usize, Content)> {
    let at = from + lines[from..].iter().take_while(|(line, _)| line.trim().is_empty()).count();
    let (line, _) = lines.get(at).filter(|(line, _)| !line.trim_start().starts_with("===!"))?;
    let head = head(line).filter(|head| head.is_tab() && head.mark == group.mark && head.indent == group.indent)?;
    let content = content_of(lines, at, &head)?;
    (!content.options.iter().any(|option| is_set(option, "new"))).then_some((at, content))
}

/// Whether an option of a block is on: `open: true`.
fn is_set(option: &str, name: &str) -> bool {
    option.split_once(':').is_some_and(|(key, value)| key == name && value.trim().eq_ignore_ascii_case("true"))
}

/// Returns a block between slashes.
fn between_slashes(
    head: &Head<'_>,
    inside: Vec<Line>,
    options: &[String],
    origin: usize,
    left: &mut Left,
) -> Vec<Line> {
    let kind = options.iter().find_map(|option| option.strip_prefix("type:")).map_or(head.kind, str::trim);
    match head.kind {
        "details" => {
            let mark = if options.iter().any(|option| is_set(option, "open")) { "???+" } else { "???" };
            block(&Head { mark, kind, ..*head }, inside, origin)
        }
        "html" => {
            let element = format!("`/// html | {}`", head.title.unwrap_or_default());
            left.push((origin, (Kind::Attribute, element)));
            inside
        }
        // The words of a caption are a paragraph below what they belong to.
        "caption" | "figure-caption" | "table-caption" => inside,
        "define" => definitions(inside),
        _ => block(
            &Head { mark: "!!!", kind: if head.kind == "admonition" { kind } else { head.kind }, ..*head },
            inside,
            origin,
        ),
    }
}

/// Writes a list of definitions: paragraphs are terms, and the items below them are what they mean.
fn definitions(inside: Vec<Line>) -> Vec<Line> {
    let mut new: Vec<Line> = Vec::new();
    for (line, origin) in inside {
        if let Some(meaning) = line.strip_prefix("- ") {
            if new.last().is_some_and(|(above, _)| above.is_empty()) {
                new.pop();
            }
            new.push((format!(": {meaning}"), origin));
        } else {
            new.push((line, origin));
        }
    }
    new.push((String::new(), new.last().map_or(1, |(_, origin)| *origin)));
    new
}

/// Returns the title of a tab without its icons.
fn title_of(head: &Head<'_>) -> String {
    let title = head.title.unwrap_or_default();
    let icons = braces_and_icons(title, 0..title.len()).into_iter();
    let title = edited(title, icons.map(|range| (range, String::new())).collect());
    let title = title.trim();
    if title.is_empty() { "Tab".to_owned() } else { title.to_owned() }
}

/// Returns whether some lines can be the content of a tab: there are any, no paragraph is a title, and all fences are closed.
fn can_be_in_tab(inside: &[Line]) -> bool {
    let is_title = |line: &str| line.starts_with("**") && line.ends_with("**");
    let fence = inside.iter().fold(None, |fence, (line, _)| fence_after(fence, line));
    let lines = || inside.iter().map(|(line, _)| line.trim());
    fence.is_none() && lines().any(|line| !line.is_empty()) && !lines().any(is_title)
}

/// Returns a group of tabs: title, line and content of each. Tabs that cannot be tabs here are paragraphs below each other.
fn tab_group(tabs: Vec<(String, usize, Vec<Line>)>, in_tab: bool, left: &mut Left) -> Vec<Line> {
    let titles: BTreeSet<&str> = tabs.iter().map(|(title, ..)| title.as_str()).collect();
    let is_group = !in_tab
        && tabs.len() > 1
        && titles.len() == tabs.len()
        && tabs.iter().all(|(.., inside)| can_be_in_tab(inside));
    let last = tabs.last().map_or(1, |(_, origin, _)| *origin);
    let comment = |text: &str, origin: usize| {
        if is_group { vec![(text.to_owned(), origin), (String::new(), origin)] } else { Vec::new() }
    };
    let mut new = comment("<!-- tabs -->", tabs.first().map_or(1, |(_, origin, _)| *origin));
    // Outside of a group, a colon keeps the paragraph from being the title of a tab.
    let colon = if is_group { "" } else { ":" };
    for (title, origin, inside) in tabs {
        left.extend((!is_group).then(|| (origin, (Kind::Tab, String::new()))));
        new.extend([(format!("**{title}**{colon}"), origin), (String::new(), origin)]);
        new.extend(inside);
        new.push((String::new(), origin));
    }
    new.extend(comment("<!-- /tabs -->", last));
    new
}

/// Returns the column at which the content of a line begins: a tab leads to the next multiple of four.
pub fn indent(line: &str) -> usize {
    line.chars().take_while(|c| matches!(c, ' ' | '\t')).fold(0, column_after)
}

fn column_after(column: usize, c: char) -> usize {
    if c == '\t' { (column / INDENT + 1) * INDENT } else { column + 1 }
}

/// Returns a line without its first columns, which are blank. Tabs become spaces, because they would be narrower in a quote.
fn without_indent(line: &str, columns: usize) -> String {
    " ".repeat(indent(line).saturating_sub(columns)) + line.trim_start_matches([' ', '\t'])
}

/// Returns a block as an alert or as `<details>`.
fn block(head: &Head<'_>, inside: Vec<Line>, origin: usize) -> Vec<Line> {
    let line = |text: &str| (text.to_owned(), origin);
    let title = head.title.map_or_else(|| infralens_course::course::folder_title(head.kind), str::to_owned);
    match head.mark {
        "!!!" => {
            let kind = alert_kind(head.kind).unwrap_or("NOTE");
            let mut quoted = vec![line(&format!("> [!{kind}]"))];
            // A kind that is not the alert's own keeps its name.
            let is_named = head.title.map_or(!kind.eq_ignore_ascii_case(head.kind), |title| !title.is_empty());
            if is_named {
                quoted.extend([line(&format!("> **{title}**")), line(">")]);
            }
            let inside = inside.into_iter().skip_while(|(text, _)| text.trim().is_empty());
            quoted.extend(inside.map(|(text, origin)| (format!("> {text}").trim_end().to_owned(), origin)));
            // The next block must not become part of the quote.
            quoted.push(line(""));
            quoted
        }
        mark => {
            let open = if mark == "???+" { "<details open>" } else { "<details>" };
            // Markdown is not read within a tag.
            let title = title.replace('&', "&amp;").replace('<', "&lt;");
            let parts: Vec<&str> = title.split('`').collect();
            let code =
                |(at, part): (usize, &&str)| if at % 2 == 1 { format!("<code>{part}</code>") } else { (*part).into() };
            let title = if parts.len() % 2 == 1 { parts.iter().enumerate().map(code).collect() } else { title };
            let before = [line(open), line(&format!("<summary>{title}</summary>")), line("")];
            before.into_iter().chain(inside).chain([line(""), line("</details>"), line("")]).collect()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rewritten(text: &str) -> String {
        rewrite(&Text::new(text.to_owned())).0.text
    }

    #[test]
    fn admonitions_become_alerts_and_details() {
        let text = "!!! tip \"Read *this*\"\n\n    One.\n\n    ```py\n    !!! note\n    ```\n\n??? question \"The `a` question\"\n    Two.\n\nEnd\n";
        let expected = "> [!TIP]\n> **Read *this***\n>\n> One.\n>\n> ```py\n> !!! note\n> ```\n\n\n<details>\n<summary>The <code>a</code> question</summary>\n\nTwo.\n\n</details>\n\n\nEnd\n";
        assert_eq!(rewritten(text), expected);
    }

    #[test]
    fn boxes_of_mdbook_become_alerts() {
        let text = "<div class=\"warning\">\n\nHot.\n</div>\n\n````admonish tip title=\"Read *it*\"\n```sh\nls\n```\n````\n```admonish\nx\n```\n```sh\n```\n";
        let expected = "> [!WARNING]\n> Hot.\n\n\n> [!TIP]\n> **Read *it***\n>\n> ```sh\n> ls\n> ```\n\n> [!NOTE]\n> x\n\n```sh\n```\n";
        assert_eq!(warnings(&Text::new(text.to_owned())).text, expected);
    }

    #[test]
    fn markdown_in_html_is_apart_from_it() {
        let text = "<figure markdown=\"span\">\n    ![x](a.svg)\n    <figcaption>X</figcaption>\n</figure>\n<div class=\"a\" markdown>\n<p> markdown</p>\n";
        let expected =
            "<figure>\n\n![x](a.svg)\n<figcaption>X</figcaption>\n</figure>\n<div class=\"a\">\n\n<p> markdown</p>\n";
        assert_eq!(rewritten(text), expected);
    }

    #[test]
    fn tabs_become_tabs() {
        let text = "- item\n\n    === \":octicons-a-24: A `b`\"\n\n        One\n\n    === \"C\"\n\n        Two\n";
        let expected = "- item\n\n    <!-- tabs -->\n\n    **A `b`**\n\n\n    One\n\n    **C**\n\n\n    Two\n\n    <!-- /tabs -->\n\n";
        assert_eq!(rewritten(text), expected);
        assert_eq!(rewrite(&Text::new(text.to_owned())).1, []);
    }

    #[test]
    fn what_cannot_be_tabs_is_below_each_other() {
        let text = "=== \"A\"\n\n    === \"B\"\n\n        One\n\n===! \"C\"\n\n    Two\n";
        assert_eq!(rewritten(text), "**A**:\n\n\n**B**:\n\n\nOne\n\n\n\n**C**:\n\n\nTwo\n\n");
        let left = rewrite(&Text::new(text.to_owned())).1;
        assert_eq!(left, [3, 1, 7].map(|line| (line, (Kind::Tab, String::new()))));
    }

    #[test]
    fn forms_without_a_space_are_read() {
        let text = "!!!tip \"No space\"\n\n    Text.\n\n???- note \"A minus\"\n\n    Text.\n\n!!! note \"Spaces at the end \"\n\n    Text.\n";
        let expected = "> [!TIP]\n> **No space**\n>\n> Text.\n\n\n<details>\n<summary>A minus</summary>\n\n\nText.\n\n</details>\n\n\n> [!NOTE]\n> **Spaces at the end**\n>\n> Text.\n\n";
        assert_eq!(rewritten(text), expected);
    }

    #[test]
    fn blocks_between_slashes_are_read() {
        let text = "/// tip | Read\n    attrs: {id: x}\n\nOne.\n\n//// details\n    open: true\n    type: warning\nTwo.\n////\n///\n\n\
            /// tab | A\n1\n///\n\n/// tab | B\n2\n///\n\n/// html | div.c\n*x*\n///\n\n/// define\nTerm\n\n- Meaning\n///\n\n/// note\nno end\n";
        let expected = "> [!TIP]\n> **Read**\n>\n> One.\n>\n> <details open>\n> <summary>Warning</summary>\n>\n> Two.\n>\n> </details>\n>\n\n\n\
            <!-- tabs -->\n\n**A**\n\n1\n\n**B**\n\n2\n\n<!-- /tabs -->\n\n\n*x*\n\nTerm\n: Meaning\n\n\n/// note\nno end\n";
        assert_eq!(rewritten(text), expected);
        assert_eq!(rewrite(&Text::new(text.to_owned())).1, [(21, (Kind::Attribute, "`/// html | div.c`".to_owned()))]);
    }
}
