//! Finds a token in a [`View`], and the row that closes the brackets of another row. The words of a view are indexed once,
//! so that the time is linear in the excerpt and its notes.

use std::cell::{OnceCell, RefCell};
use std::collections::BTreeMap;
use std::ops::Range;
use std::rc::Rc;

use super::{View, ViewLine, ViewRow, is_separate, is_word};

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Occurrence {
    pub row: usize,
    /// The byte range in the text of the row.
    pub columns: Range<usize>,
}

/// Lookup tables of a view, which are computed on demand.
#[derive(Debug, Default)]
pub(super) struct Index<'a> {
    /// The occurrences of each word: rows, and bytes in the text of the row.
    words: OnceCell<BTreeMap<&'a str, Vec<(usize, usize)>>>,
    /// The lines of the file that are shown, each with its row.
    lines: OnceCell<Vec<(usize, usize)>>,
    comments: OnceCell<Vec<bool>>,
    closings: OnceCell<Vec<usize>>,
    places: RefCell<BTreeMap<String, Rc<Places>>>,
}

/// The occurrences of one token.
#[derive(Debug, Default)]
struct Places {
    /// All occurrences, from top to bottom.
    all: Vec<Occurrence>,
    /// Indices into `all`, those in lines of code before those in comment lines.
    ranked: Vec<usize>,
}

impl<'a> View<'a> {
    /// Finds the `nth` occurrence of `token`, from 1. Lines of code come before comment lines.
    pub fn find(&self, token: &str, nth: usize) -> Option<Occurrence> {
        let places = self.places(token);
        let &at = places.ranked.get(nth.checked_sub(1)?)?;
        places.all.get(at).cloned()
    }

    /// Finds the `nth` occurrence of `token` in or after `row`, in code or comments.
    pub fn find_from(&self, token: &str, nth: usize, row: usize) -> Option<Occurrence> {
        let places = self.places(token);
        let above = places.all.partition_point(|found| found.row < row);
        places.all.get(above + nth.checked_sub(1)?).cloned()
    }

    /// Returns the number of occurrences of `token`.
    pub fn count(&self, token: &str) -> usize {
        self.places(token).all.len()
    }

    /// Returns all occurrences of `token`, from top to bottom.
    pub fn all(&self, token: &str) -> Vec<Occurrence> {
        self.places(token).all.clone()
    }

    /// Returns the identifiers, sorted, for "did you mean".
    pub fn identifiers(&self) -> impl Iterator<Item = &'a str> + '_ {
        self.words().keys().copied()
    }

    /// Returns the row that closes the brackets that `row` leaves open: round and square brackets, and braces in Python,
    /// JSON and YAML. Brackets in strings, comments and text do not count. The result is at most the last row before an omission
    /// or the end.
    pub fn closing_row(&self, row: usize) -> usize {
        self.index.closings.get_or_init(|| closings(&self.rows, self.brackets)).get(row).copied().unwrap_or(row)
    }

    /// Returns the rows from one line of the file to another, from 0, if these and all lines between them are shown.
    pub fn rows_of(&self, first: usize, last: usize) -> Option<Range<usize>> {
        let lines = self.index.lines.get_or_init(|| {
            let line = |(row, shown): (usize, &ViewRow<'_>)| match shown {
                ViewRow::Line(line) => Some((line.line, row)),
                ViewRow::Omitted(_) => None,
            };
            self.rows.iter().enumerate().filter_map(line).collect()
        });
        let at = |line: usize| lines.binary_search_by_key(&line, |&(line, _)| line).ok();
        let (from, to) = (at(first)?, at(last)?);
        let rows = lines[from].1..lines[to].1 + 1;
        (rows.len() == to - from + 1).then_some(rows)
    }

    fn words(&self) -> &BTreeMap<&'a str, Vec<(usize, usize)>> {
        self.index.words.get_or_init(|| {
            let mut words: BTreeMap<&str, Vec<(usize, usize)>> = BTreeMap::new();
            for (row, line) in self.rows.iter().enumerate() {
                let ViewRow::Line(line) = line else { continue };
                for (at, word) in words_of(line.text) {
                    words.entry(word).or_default().push((row, at));
                }
            }
            words
        })
    }

    fn places(&self, token: &str) -> Rc<Places> {
        if let Some(known) = self.index.places.borrow().get(token) {
            return Rc::clone(known);
        }
        let places = Rc::new(self.search(token));
        self.index.places.borrow_mut().insert(token.to_owned(), Rc::clone(&places));
        places
    }

    /// Finds a token where it cuts no word in two.
    fn search(&self, token: &str) -> Places {
        let words = self.words();
        let lines = words_of(token).map(|(at, word)| (at, words.get(word).map_or(&[][..], Vec::as_slice)));
        // Each word of the token is a word of its line, so the token can only be where its rarest word is.
        let all = match lines.min_by_key(|(_, places)| places.len()) {
            Some((at, places)) => self.around(token, at, places),
            None => self.everywhere(token),
        };
        let comments = self.comments();
        let (comment, code): (Vec<usize>, Vec<usize>) = (0..all.len()).partition(|&at| comments[all[at].row]);
        Places { all, ranked: code.into_iter().chain(comment).collect() }
    }

    /// Finds the occurrences of a token around the occurrences `places` of one of its words, which is at its byte `at`.
    fn around(&self, token: &str, at: usize, places: &[(usize, usize)]) -> Vec<Occurrence> {
        let mut found: Vec<Occurrence> = Vec::new();
        for &(row, column) in places {
            let (ViewRow::Line(line), Some(start)) = (&self.rows[row], column.checked_sub(at)) else { continue };
            let columns = start..start + token.len();
            let is_free = found.last().is_none_or(|last| last.row < row || last.columns.end <= start);
            if is_free && line.text.get(columns.clone()) == Some(token) && is_separate(line.text, &columns) {
                found.push(Occurrence { row, columns });
            }
        }
        found
    }

    /// Finds the occurrences of a token that contains no words.
    fn everywhere(&self, token: &str) -> Vec<Occurrence> {
        let lines = self.rows.iter().enumerate().filter_map(|(row, line)| match line {
            ViewRow::Line(line) if !token.is_empty() => Some((row, line.text)),
            _ => None,
        });
        let matches = lines.flat_map(|(row, text)| {
            let ranges = text.match_indices(token).map(|(at, found)| at..at + found.len());
            ranges.filter(|columns| is_separate(text, columns)).map(move |columns| Occurrence { row, columns })
        });
        matches.collect()
    }

    fn comments(&self) -> &[bool] {
        self.index.comments.get_or_init(|| {
            let is_comment = |row: &ViewRow<'_>| matches!(row, ViewRow::Line(line) if line.is_comment());
            self.rows.iter().map(is_comment).collect()
        })
    }
}

/// Returns for each row the row that closes the brackets that it leaves open.
fn closings(rows: &[ViewRow<'_>], joining: &str) -> Vec<usize> {
    let mut closings: Vec<usize> = (0..rows.len()).collect();
    // For each open bracket, the sign that closes it and its row; and the rows whose result is not known yet.
    let mut open: Vec<(char, usize)> = Vec::new();
    let mut waiting: Vec<usize> = Vec::new();
    for (row, line) in rows.iter().enumerate() {
        let ViewRow::Line(line) = line else {
            open.clear();
            for above in waiting.drain(..) {
                closings[above] = row - 1;
            }
            continue;
        };
        brackets(line).for_each(|sign| match sign {
            '(' if joining.contains(sign) => open.push((')', row)),
            '[' if joining.contains(sign) => open.push((']', row)),
            '{' if joining.contains(sign) => open.push(('}', row)),
            _ => {
                open.pop_if(|(closing, _)| *closing == sign);
            }
        });
        waiting.push(row);
        let still_open = open.last().map(|&(_, row)| row);
        while let Some(above) = waiting.pop_if(|above| still_open.is_none_or(|open| open < *above)) {
            closings[above] = row;
        }
    }
    for above in waiting {
        closings[above] = rows.len() - 1;
    }
    closings
}

/// Returns the brackets of a line outside of strings, comments and text.
fn brackets<'l>(line: &'l ViewLine<'_>) -> impl Iterator<Item = char> + 'l {
    let code = line.runs().filter(|(_, class)| class.is_code());
    code.flat_map(|(text, _)| text.chars()).filter(|sign| matches!(sign, '(' | ')' | '[' | ']' | '{' | '}'))
}

/// Returns the words of a text, each with its offset.
pub fn words_of(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut at = 0;
    std::iter::from_fn(move || {
        let start = at + text[at..].find(is_word)?;
        at = text[start..].find(|c| !is_word(c)).map_or(text.len(), |len| start + len);
        Some((start, &text[start..at]))
    })
}

#[cfg(test)]
mod tests {
    use crate::excerpt::Pin;

    /// Checks that the brackets of the first line are closed on a line, both from 1.
    #[track_caller]
    fn check(path: &str, text: &str, closed: usize) {
        assert_eq!(Pin::new(path, text).view(&[]).closing_row(0) + 1, closed, "{path}:\n{text}");
    }

    #[test]
    fn brackets_that_are_code() {
        check("a.py", "f(a,\n  {1: '(',\n   2})\ng()\n", 3);
        check("a.js", "f(`(${a(\n  1)}`,\n  /[(]/)\ng()\n", 3);
        check("a.jsx", "const a = (\n  <p>\n    see (1\n  </p>\n)\ng()\n", 5);
    }

    #[test]
    fn brackets_that_are_not_code() {
        for (path, line) in [
            ("a.py", r#"level = re.compile(r"^\((\d+)")"#),
            ("a.py", r"level = re.compile(rb'\[(?P<a>[(])\{')"),
            ("a.py", r#"print(f"({a}[{b:(>4}", "\x28(", '%(a)s(')"#),
            ("a.js", r"x = y.match(/\((\d+)\[/)"),
            ("a.ts", r"if (x) /[(]\(/.test(y)"),
            ("a.rs", r##"x = f('(', b'[', r#"(["#, "\u{28}({}[")"##),
            ("a.c", r#"x = f('(', '\'', "\(", "%d(")"#),
            ("a.go", r"x := regexp.MustCompile(`\((\d+`)"),
            ("A.java", r#"x = Pattern.compile("\\((\\d+");"#),
            ("a.sh", r#"grep \( "(" '[' $'\'('"#),
            ("a.rb", r"x = /\((\d+)/"),
            ("a.jsx", "const a = <p>see (1 and [2 {b(1)}</p>"),
            ("a.tsx", "const a = <p>see (1 and [2 {b(1)}</p>"),
            ("a.html", "<p class=\"a\">see (1 and [2 &lpar;"),
            ("a.md", "see (1 and [2"),
            ("a.s", "\tmovl $1, %eax # see (1"),
            ("a.S", "\tmov x0, #1 @ see (1 and ["),
            ("a.asm", "\tmov eax, 1 ; see (1 and ["),
            ("a.asm", "\tmov eax, 1 // see (1 and ["),
            ("a.nasm", "\tmov eax, 1 # see (1 and ["),
            ("Dockerfile", "RUN echo \"(\" && echo '['"),
            ("Dockerfile", "RUN echo \\( # (1"),
            ("gpu.Dockerfile", "RUN echo \"(\" \\"),
            ("Dockerfile", "# see (1"),
            ("Dockerfile", "LABEL a=\"(\""),
            ("Dockerfile", "ENV A=\"(\" B='['"),
            ("a.yaml", "a: \"(\" # ["),
        ] {
            check(path, &format!("{line}\nsecond\nthird\n"), 1);
        }
    }
}
