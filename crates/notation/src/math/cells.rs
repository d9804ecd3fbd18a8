//! Checks that the translated tables have the cells that the source separates.
//!
//! math-core drops a `&` or `\\` that is in a group, follows `\color` or `\displaystyle`, or is the argument of a
//! command, and a `\\` outside a table. Two cells or lines would be joined unnoticed.

use std::ops::Range;

use resvg::usvg::roxmltree::Node;

use super::Display;
use super::writer::is_side_cell;

/// A `&`, or a `\\`.
struct Separator {
    at: Range<usize>,
    is_row: bool,
    /// Whether it is directly in an environment, not in a group there.
    is_top_level: bool,
}

/// Returns the first separator of `source` that is probably missing in `root`, and a message.
pub(super) fn lost_separator(source: &str, root: Node) -> Option<(Range<usize>, &'static str)> {
    let separators = separators(source);
    let count = |name| root.descendants().filter(|node| node.has_tag_name(name)).count();
    let cells = root
        .descendants()
        .filter(|node| node.has_tag_name("mtd") && !is_side_cell(*node) && !is_rule_cell(*node))
        .count();
    let (rows, tables) = (count("mtr"), count("mtable"));
    let (row_ends, cell_ends): (Vec<&Separator>, Vec<&Separator>) =
        separators.iter().partition(|separator| separator.is_row);
    let suspects = if row_ends.len() > rows - tables.min(rows) {
        row_ends
    } else if cell_ends.len() > cells - rows.min(cells) {
        cell_ends
    } else {
        return None;
    };
    let first = suspects.iter().find(|separator| !separator.is_top_level).or(suspects.first())?;
    let message = if tables == 0 {
        "`\\\\` breaks lines only in an environment, as in `\\begin{gathered} a \\\\ b \\end{gathered}`"
    } else {
        "this separates no cells: it is in a group, or part of the argument of a command such as `\\color`"
    };
    Some((first.at.clone(), message))
}

/// Returns whether `cell` is one that math-core adds to draw a double rule.
fn is_rule_cell(cell: Node) -> bool {
    cell.attribute("style").is_some_and(|style| style.contains("padding-left: 0.1em"))
}

fn separators(source: &str) -> Vec<Separator> {
    let mut found = Vec::new();
    let (mut depth, mut is_comment) = (0_usize, false);
    // For each open environment, the number of groups around it.
    let mut environments: Vec<usize> = Vec::new();
    for (at, token) in tokens(source) {
        is_comment = token == "%" || is_comment && !token.ends_with('\n');
        let is_top_level = environments.last() == Some(&depth);
        match token {
            _ if is_comment => {}
            "&" | "\\\\" | "\\newline" => {
                found.push(Separator { at: at..at + token.len(), is_row: token != "&", is_top_level });
            }
            "\\begin" => environments.push(depth),
            "\\end" => depth = environments.pop().unwrap_or(depth),
            "{" | "\\left" => depth += 1,
            "}" | "\\right" => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    found
}

/// Returns a formula with what math-core drops, written as it reads it: lines of a formula on a line of its own, as rows of
/// `gathered`; and a cell from `\displaystyle` on, as a group. `None` if it has neither.
pub(super) fn regrouped(source: &str, display: Display) -> Option<String> {
    let mut out = String::with_capacity(source.len() + 40);
    // For each open group and environment, whether a group begins at a style in it; the first is the formula.
    let mut open = vec![false];
    let (mut is_changed, mut has_lines) = (false, false);
    for (_, token) in tokens(source) {
        let is_end = matches!(token, "&" | "}" | "\\\\" | "\\right" | "\\end");
        if is_end && open.last_mut().is_some_and(std::mem::take) {
            out.push('}');
        }
        match token {
            "{" | "\\begin" | "\\left" => open.push(false),
            "}" | "\\end" | "\\right" if open.len() > 1 => _ = open.pop(),
            "\\\\" => has_lines |= open.len() == 1,
            "\\displaystyle" | "\\textstyle" | "\\scriptstyle" if open.len() > 1 => {
                let is_styled = open.last_mut().is_some_and(|last| std::mem::replace(last, true));
                out.push_str(if is_styled { "" } else { "{" });
                is_changed = true;
            }
            _ => {}
        }
        out.push_str(token);
    }
    match (has_lines && display == Display::Block, is_changed) {
        (true, _) => Some(format!("\\begin{{gathered}}{out}\\end{{gathered}}")),
        (false, true) => Some(out),
        (false, false) => None,
    }
}

/// Splits a formula into its commands and its other characters, each with its offset.
fn tokens(source: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut at = 0;
    std::iter::from_fn(move || {
        let (start, rest) = (at, &source[at..]);
        let length = |text: &str| text.chars().next().map_or(0, char::len_utf8);
        at += match rest.strip_prefix('\\') {
            Some(name) => {
                let letters = name.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(name.len());
                1 + if letters > 0 { letters } else { length(name) }
            }
            None => length(rest),
        };
        (start < at).then(|| (start, &source[start..at]))
    })
}

/// Returns `source` with row spacing, as in `\\[4pt]`, replaced by spaces, because browsers do not support it.
pub(super) fn without_row_space(source: &str) -> String {
    let mut out = String::with_capacity(source.len());
    for (at, token) in tokens(source) {
        // What has been replaced is as long as before.
        if at < out.len() {
            continue;
        }
        out.push_str(token);
        let space = source[out.len()..].strip_prefix('[').and_then(|text| text.split_once(']'));
        let space = space.filter(|(text, _)| token == "\\\\" && is_length(text));
        out.extend(space.map(|(text, _)| " ".repeat(text.len() + 2)));
    }
    out
}

fn is_length(text: &str) -> bool {
    let digits = text.trim_end_matches(|c: char| c.is_ascii_lowercase() || c == ' ');
    let unit = text[digits.len()..].trim();
    matches!(unit, "em" | "ex" | "pt" | "px" | "mm" | "cm" | "in" | "pc" | "mu") && digits.trim().parse::<f64>().is_ok()
}
