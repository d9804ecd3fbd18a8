//! Rewrites the blocks of MkDocs whose content is indented: admonitions, details and tabs.

use super::edits::Text;

/// A line, and the line of the book that it comes from.
type Line = (String, usize);

/// Rewrites a page. Also returns the lines, of the book, at which tabs begin.
pub fn rewrite(text: &Text) -> (Text, Vec<usize>) {
    let mut offset = 0;
    let mut lines: Vec<Line> = Vec::new();
    for line in text.text.lines() {
        lines.push((line.to_owned(), text.line(offset)));
        offset += line.len() + 1;
    }
    let mut tabs = Vec::new();
    let lines = blocks(&lines, &mut tabs);
    (Text::from_lines(lines.into_iter()), tabs)
}

/// The first line of a block.
struct Head<'l> {
    /// The spaces before it.
    indent: usize,
    /// `!!!`, `???`, `???+` or `===`.
    mark: &'l str,
    /// The first word after the mark; empty for a tab.
    kind: &'l str,
    /// The text in quotes.
    title: Option<&'l str>,
}

fn head(line: &str) -> Option<Head<'_>> {
    let content = line.trim_start_matches(' ');
    let mark = ["!!!", "???+", "???", "==="].into_iter().find(|mark| content.starts_with(mark))?;
    let rest = content[mark.len()..].trim_start_matches(['!', '+']);
    let rest = rest.strip_prefix(' ')?.trim();
    let quote = rest.find('"').unwrap_or(rest.len());
    let title = rest[quote..].strip_prefix('"').and_then(|title| title.strip_suffix('"'));
    let kind = rest[..quote].split_whitespace().next().unwrap_or_default();
    let is_head = match mark {
        "===" => kind.is_empty() && title.is_some(),
        _ => {
            !kind.is_empty()
                && kind.chars().all(|c| c.is_alphanumeric() || c == '-')
                && (title.is_some() || quote == rest.len())
        }
    };
    is_head.then_some(Head { indent: line.len() - content.len(), mark, kind, title })
}

fn blocks(lines: &[Line], tabs: &mut Vec<usize>) -> Vec<Line> {
    let mut new = Vec::new();
    let (mut at, mut fence) = (0, None);
    while let Some((line, origin)) = lines.get(at) {
        let content = line.trim_start_matches([' ', '>']);
        let run = content.len() - content.trim_start_matches(['`', '~']).len();
        let found = head(line).filter(|_| fence.is_none());
        let Some(head) = found else {
            match fence {
                Some(open) if run >= open && content[run..].trim().is_empty() => fence = None,
                None if run >= 3 && !content[run..].contains('`') => fence = Some(run),
                _ => {}
            }
            new.push((line.clone(), *origin));
            at += 1;
            continue;
        };
        let is_inside = |(line, _): &Line| line.trim().is_empty() || spaces(line) >= head.indent + 4;
        let mut end = at + 1 + lines[at + 1..].iter().take_while(|line| is_inside(line)).count();
        while lines[at + 1..end].last().is_some_and(|(line, _)| line.trim().is_empty()) {
            end -= 1;
        }
        let inside: Vec<Line> = lines[at + 1..end]
            .iter()
            .map(|(line, origin)| (line.get(head.indent + 4..).unwrap_or_default().to_owned(), *origin))
            .collect();
        let inside = blocks(&inside, tabs);
        if head.mark == "===" {
            tabs.push(*origin);
        }
        new.extend(block(&head, inside, *origin).into_iter().map(|(line, origin)| {
            (if line.is_empty() { line } else { format!("{}{line}", " ".repeat(head.indent)) }, origin)
        }));
        at = end;
    }
    new
}

fn spaces(line: &str) -> usize {
    line.len() - line.trim_start_matches(' ').len()
}

/// Returns a block as an alert, as `<details>`, or as text below the title of a tab.
fn block(head: &Head<'_>, inside: Vec<Line>, origin: usize) -> Vec<Line> {
    let line = |text: &str| (text.to_owned(), origin);
    let title = head.title.map_or_else(|| crate::course::folder_title(head.kind), str::to_owned);
    match head.mark {
        "===" => [line(&format!("**{title}**")), line("")].into_iter().chain(inside).chain([line("")]).collect(),
        "!!!" => {
            let kind = match head.kind {
                "tip" | "hint" | "success" | "check" | "done" => "TIP",
                "important" => "IMPORTANT",
                "warning" | "attention" => "WARNING",
                "danger" | "error" | "failure" | "fail" | "missing" | "bug" | "caution" => "CAUTION",
                _ => "NOTE",
            };
            let mut quoted = vec![line(&format!("> [!{kind}]"))];
            if head.title.is_some_and(|title| !title.is_empty()) {
                quoted.extend([line(&format!("> **{title}**")), line(">")]);
            }
            quoted.extend(inside.into_iter().map(|(text, origin)| (format!("> {text}").trim_end().to_owned(), origin)));
            // The next block must not become part of the quote.
            quoted.push(line(""));
            quoted
        }
        mark => {
            let open = if mark == "???+" { "<details open>" } else { "<details>" };
            let title = title.replace('&', "&amp;").replace('<', "&lt;");
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
        let text = "!!! tip \"Read *this*\"\n\n    One.\n\n    ```py\n    !!! note\n    ```\n\n??? question\n    Two.\n\nEnd\n";
        let expected = "> [!TIP]\n> **Read *this***\n>\n>\n> One.\n>\n> ```py\n> !!! note\n> ```\n\n\n<details>\n<summary>Question</summary>\n\nTwo.\n\n</details>\n\n\nEnd\n";
        assert_eq!(rewritten(text), expected);
    }

    #[test]
    fn tabs_follow_one_another() {
        let text = "- item\n\n    === \"A `b`\"\n\n        One\n\n    === \"C\"\n\n        Two\n";
        let expected = "- item\n\n    **A `b`**\n\n\n    One\n\n\n    **C**\n\n\n    Two\n\n";
        assert_eq!(rewritten(text), expected);
        assert_eq!(rewrite(&Text::new(text.to_owned())).1, [3, 7]);
    }
}
