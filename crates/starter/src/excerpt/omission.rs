//! Omissions that an author wrote into the pin of an excerpt, such as `# ...`: which lines of the file each stands for.

use std::ops::Range;

use super::{OMISSION, Row, SelectedRows, common_indent, own_indent};
use crate::language::comment_styles;
use crate::listing::{Lines, Listing};

/// The maximum number of pairs of a line of the file and a line of the pin that are compared.
const MAX_PAIRS: usize = 1 << 20;

/// Returns whether a line of a pin stands for lines that are left out, unless the file `path` has that very line.
pub fn is_omission(path: &str, line: &str) -> bool {
    if !line.contains(['…', '⋯']) && !line.contains("...") {
        return false;
    }
    let line = line.trim();
    let of_comment = |(open, close): &(&str, &str)| line.strip_prefix(open)?.strip_suffix(close).map(str::trim);
    match line {
        OMISSION | "…" => true,
        // In Python and YAML, this is code.
        "..." => !["py", "pyi", "pyw", "yaml", "yml"].iter().any(|known| path.ends_with(&format!(".{known}"))),
        _ => comment_styles(path).iter().filter_map(of_comment).any(|text| matches!(text, "..." | "…")),
    }
}

/// Returns whether a line of a pin stands for lines that are left out of these lines of the file.
pub(super) fn is_left_out(path: &str, line: &str, lines: &[&str]) -> bool {
    is_omission(path, line) && (line.trim() == OMISSION || lines.iter().all(|known| known.trim() != line.trim()))
}

impl SelectedRows {
    /// Leaves out what the omissions of a pin stand for: one or more lines of one piece, as few as let the rest match. If the
    /// rest does not match, an omission stands for the lines between its neighbors, if these still are in the excerpt.
    pub fn omitting(self, listing: &Listing, pin: &str) -> Self {
        let path = listing.language_path();
        // Few pins have any.
        if !pin.lines().any(|line| is_omission(path, line)) {
            return self;
        }
        // Without indentation; `None` for a separator of two pieces.
        let rows = self.rows.iter().map(|row| row.line().map(|line| listing.line(line).trim()));
        let rows: Vec<Option<&str>> = rows.collect();
        let pinned: Vec<PinLine<'_>> = pin_lines(path, pin, &rows).collect();
        let separators = rows.iter().filter(|row| row.is_none()).count();
        let marks = || pinned.iter().filter(|line| line.is_omission);
        if marks().count() == separators && marks().all(|line| line.text.trim() == OMISSION) {
            return self;
        }
        let omitted = matching(&rows, &pinned).unwrap_or_else(|| between_neighbors(&rows, &pinned));
        if omitted.is_empty() { self } else { self.without(listing, &omitted) }
    }

    /// Replaces rows by omissions.
    fn without(self, listing: &Listing, omitted: &[(Range<usize>, String)]) -> Self {
        let line = |row: &Row| row.line();
        let (mut rows, mut written) = (Vec::new(), Vec::new());
        let mut at = 0;
        for (range, text) in omitted {
            rows.extend_from_slice(&self.rows[at..range.start]);
            let inside = &self.rows[range.clone()];
            // Between two lines that are shown, the markers of regions count, too.
            let first = rows.last().and_then(line).map(|above| above + 1).or_else(|| line(inside.first()?));
            let end = self.rows.get(range.end).and_then(line).or_else(|| Some(line(inside.last()?)? + 1));
            written.push((rows.len(), text.clone()));
            rows.push(Row::Omitted(end.unwrap_or_default().saturating_sub(first.unwrap_or_default())));
            at = range.end;
        }
        rows.extend_from_slice(&self.rows[at..]);
        let indent = common_indent(rows.iter().filter_map(line).map(|line| listing.line(line)));
        Self { rows, indent, written }
    }

    /// Returns the lines of the file, from 0, that each omission stands for, with its row.
    pub fn omissions(&self) -> Vec<(usize, Lines)> {
        let first = self.rows.iter().position(|row| matches!(row, Row::Line(_)));
        let before = |row: &Row| if let Row::Omitted(count) = row { *count } else { 0 };
        let above: usize = self.rows.iter().take(first.unwrap_or_default()).map(before).sum();
        let start = first.and_then(|row| self.line_number(row)).map_or(0, |number| number - 1);
        let mut next = start.saturating_sub(above);
        let mut found = Vec::new();
        for (row, shown) in self.rows.iter().enumerate() {
            match *shown {
                Row::Line(line) => next = line + 1,
                Row::Omitted(count) => {
                    found.push((row, next..next + count));
                    next += count;
                }
            }
        }
        found
    }
}

/// A line of a pin that is not blank.
struct PinLine<'p> {
    /// Without the common indentation of the pin.
    text: &'p str,
    is_omission: bool,
}

fn pin_lines<'p>(path: &str, pin: &'p str, rows: &[Option<&str>]) -> impl Iterator<Item = PinLine<'p>> {
    let known: Vec<&str> = rows.iter().copied().flatten().collect();
    let lines = || pin.lines().map(str::trim_end).filter(|line| !line.is_empty());
    let indent = common_indent(lines().filter(|line| !is_left_out(path, line, &known)));
    lines().map(move |line| {
        let text = &line[own_indent(line).min(indent)..];
        PinLine { text, is_omission: is_left_out(path, text, &known) }
    })
}

/// Returns the rows that each omission stands for so that all others equal the pin, and how it is written; `None` if there
/// is no such way.
fn matching(rows: &[Option<&str>], pin: &[PinLine<'_>]) -> Option<Vec<(Range<usize>, String)>> {
    let (height, width) = (rows.len() + 1, pin.len() + 1);
    if height.saturating_mul(width) > MAX_PAIRS {
        return None;
    }
    let is_same = |row: usize, line: usize| match rows[row] {
        Some(text) => !pin[line].is_omission && text == pin[line].text.trim(),
        None => pin[line].text.trim() == OMISSION,
    };
    let is_blank = |row: usize| rows[row].is_some_and(str::is_empty);
    // Whether the rows from one on match the lines of the pin from one on; and the same if an omission has begun.
    let mut rest = vec![[false; 2]; height * width];
    rest[height * width - 1] = [true, false];
    for row in (0..height).rev() {
        for line in (0..width).rev() {
            let mut now = rest[row * width + line];
            if row < rows.len() {
                let below = rest[(row + 1) * width + line];
                now[0] |= is_blank(row) && below[0];
                if line < pin.len() {
                    let next = rest[(row + 1) * width + line + 1];
                    now[0] |= is_same(row, line) && next[0];
                    // An omission takes a row, and may then end or go on.
                    now[1] = pin[line].is_omission && rows[row].is_some() && (next[0] || below[1]);
                }
            }
            now[0] |= now[1];
            rest[row * width + line] = now;
        }
    }
    if !rest[0][0] {
        return None;
    }
    let (mut row, mut line, mut omitted) = (0, 0, Vec::new());
    while row < rows.len() {
        if line < pin.len() && is_same(row, line) && rest[(row + 1) * width + line + 1][0] {
            (row, line) = (row + 1, line + 1);
        } else if is_blank(row) && rest[(row + 1) * width + line][0] {
            row += 1;
        } else {
            let start = row;
            row += 1;
            while !rest[row * width + line + 1][0] {
                row += 1;
            }
            omitted.push((start..row, pin[line].text.to_owned()));
            line += 1;
        }
    }
    Some(omitted)
}

/// Returns the rows between the lines of the pin that are directly above and below each omission, where each of the two is
/// one row, so that it is certain which lines are meant.
fn between_neighbors(rows: &[Option<&str>], pin: &[PinLine<'_>]) -> Vec<(Range<usize>, String)> {
    let only = |line: Option<&PinLine<'_>>| {
        let text = line.filter(|line| !line.is_omission)?.text.trim();
        let mut found = (0..rows.len()).filter(|&row| rows[row] == Some(text));
        found.next().filter(|_| found.next().is_none())
    };
    let mut omitted: Vec<(Range<usize>, String)> = Vec::new();
    for (at, mark) in pin.iter().enumerate().filter(|(_, line)| line.is_omission) {
        let above = at.checked_sub(1).map_or(Some(0), |above| Some(only(pin.get(above))? + 1));
        let below = if at + 1 == pin.len() { Some(rows.len()) } else { only(pin.get(at + 1)) };
        let Some((above, below)) = above.zip(below).filter(|(above, below)| above < below) else { continue };
        let is_free = omitted.last().is_none_or(|(last, _)| last.end < above);
        if is_free && rows[above..below].iter().all(Option::is_some) {
            omitted.push((above..below, mark.text.to_owned()));
        }
    }
    omitted
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::super::Pin;
    use super::*;
    use infralens_source::source::Source;

    const FILE: &str = "def f(x):\n    a = 1\n    b = 2\n\n    c = 3\n    return x\n\n\ndef g():\n    return x\n";

    /// The rows of some lines of [`FILE`] for a pin, and whether the pin equals them.
    fn rows(path: &str, text: &str, ranges: &[Lines], pin: &str) -> (String, bool) {
        let (listing, _) = Listing::new(&Arc::new(Source::new(path, text)));
        let shown = SelectedRows::new(&listing, ranges.to_vec()).omitting(&listing, pin);
        let view = shown.view(&listing);
        let text = shown.rows.iter().map(|row| match row {
            Row::Line(line) => (line + 1).to_string(),
            Row::Omitted(count) => format!("({count})"),
        });
        let text = text.collect::<Vec<_>>().join(" ");
        (text, Pin::is_equal(path, pin, &view.lines()))
    }

    #[test]
    fn an_omission_stands_for_as_few_lines_as_let_the_rest_match() {
        let of_f = |pin: &str| rows("a.py", FILE, &[0..6], pin);
        for (pin, shown) in [
            ("def f(x):\n    # ...\n    return x\n", "1 (4) 6"),
            ("def f(x):\n    a = 1\n    …\n    return x\n", "1 2 (3) 6"),
            ("def f(x):\n    a = 1\n⋯\n    c = 3\n    return x\n", "1 2 (1) 4 5 6"),
            ("def f(x):\n    # …\n", "1 (5)"),
            ("# ...\n    c = 3\n    return x\n", "(3) 4 5 6"),
        ] {
            assert_eq!(of_f(pin), (shown.to_owned(), true), "{pin}");
        }
        let ranges = [0..6, 8..10];
        let pin = "def f(x):\n    # ...\n    return x\n⋯\ndef g():\n    return x\n";
        assert_eq!(rows("a.py", FILE, &ranges, pin), ("1 (4) 6 (2) 9 10".to_owned(), true));
        let c = "f() {\n  a;\n  b;\n}\n";
        assert_eq!(rows("a.c", c, &[0..4], "f() {\n  ...\n}\n"), ("1 (2) 4".to_owned(), true));
        assert_eq!(rows("a.c", c, &[0..4], "f() {\n  // ...\n  b;\n}\n"), ("1 (1) 3 4".to_owned(), true));
        assert_eq!(rows("a.c", c, &[0..4], "f() {\n  a;\n  b;\n  /* … */\n}\n"), ("1 2 3 4".to_owned(), false));
    }

    #[test]
    fn a_line_of_the_file_is_code() {
        let stub = "class A:\n    # ...\n    ...\n";
        assert_eq!(rows("a.py", stub, &[0..3], stub), ("1 2 3".to_owned(), true));
        assert!(!is_omission("a.py", "...") && is_omission("a.py", "  # ... ") && !is_omission("a.py", "# etc. ..."));
    }

    #[test]
    fn an_omission_stays_while_its_neighbors_do() {
        let changed = FILE.replace("def f(x)", "def f(x, y)");
        let pin = "def f(x):\n    a = 1\n    # ...\n    return x\n";
        assert_eq!(rows("a.py", &changed, &[0..6], pin), ("1 2 (3) 6".to_owned(), false));
        let changed = changed.replace("a = 1", "a = 0");
        assert_eq!(rows("a.py", &changed, &[0..6], pin), ("1 2 3 4 5 6".to_owned(), false));
    }
}
