//! Finds a token in a [`View`], and the row that closes what another row opens. The words of a view are indexed once, so
//! that many notes under one excerpt cost no more than the excerpt and the notes.

use std::cell::{OnceCell, RefCell};
use std::collections::BTreeMap;
use std::ops::Range;
use std::rc::Rc;

use super::{View, ViewLine, ViewRow, is_word};
use crate::code::highlight::Class;

/// Where a token stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Found {
    /// The row.
    pub row: usize,
    /// The bytes of the row's text.
    pub columns: Range<usize>,
}

/// What has been found out about a view.
#[derive(Debug, Default)]
pub(super) struct Index<'a> {
    /// The places of each word: rows and the byte in the row's text.
    words: OnceCell<BTreeMap<&'a str, Vec<(usize, usize)>>>,
    /// The lines that are shown, each with its row.
    lines: OnceCell<Vec<(usize, usize)>>,
    comments: OnceCell<Vec<bool>>,
    closings: OnceCell<Vec<usize>>,
    places: RefCell<BTreeMap<String, Rc<Places>>>,
}

/// The places of one token.
#[derive(Debug, Default)]
struct Places {
    /// From top to bottom.
    all: Vec<Found>,
    /// The same, as indices of `all`: lines of code come before lines that are only comment.
    ranked: Vec<usize>,
}

impl<'a> View<'a> {
    /// Where `token` stands, its `nth` occurrence (from 1): lines of code come before lines that are only comment.
    #[must_use]
    pub fn find(&self, token: &str, nth: usize) -> Option<Found> {
        let places = self.places(token);
        let &at = places.ranked.get(nth.checked_sub(1)?)?;
        places.all.get(at).cloned()
    }

    /// Where `token` stands for the `nth` time at or after `row`, in code or comment.
    #[must_use]
    pub fn find_from(&self, token: &str, nth: usize, row: usize) -> Option<Found> {
        let places = self.places(token);
        let above = places.all.partition_point(|found| found.row < row);
        places.all.get(above + nth.checked_sub(1)?).cloned()
    }

    /// How often `token` stands here.
    #[must_use]
    pub fn count(&self, token: &str) -> usize {
        self.places(token).all.len()
    }

    /// Every place of `token`, from top to bottom.
    #[must_use]
    pub fn all(&self, token: &str) -> Vec<Found> {
        self.places(token).all.clone()
    }

    /// The identifiers here, sorted, for "did you mean".
    pub fn identifiers(&self) -> impl Iterator<Item = &'a str> + '_ {
        self.words().keys().copied()
    }

    /// The row where what `row` leaves open is closed: round and square brackets, and braces in Python, JSON and YAML.
    /// Brackets in strings and comments do not count. At most the last row before an omission or the end.
    #[must_use]
    pub fn closing_row(&self, row: usize) -> usize {
        self.index.closings.get_or_init(|| closings(&self.rows, self.braces)).get(row).copied().unwrap_or(row)
    }

    /// The rows from one line of the file to another, from 0, if both are shown and nothing between them is left out.
    #[must_use]
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

    /// Finds a token with no letter, digit or `_` directly before or after it.
    fn search(&self, token: &str) -> Places {
        let words = self.words();
        let lines = words_of(token).map(|(at, word)| (at, words.get(word).map_or(&[][..], Vec::as_slice)));
        // Each word of the token is a word of its line: only where the rarest one stands can the token stand.
        let all = match lines.min_by_key(|(_, places)| places.len()) {
            Some((at, places)) => self.around(token, at, places),
            None => self.everywhere(token),
        };
        let comments = self.comments();
        let (comment, code): (Vec<usize>, Vec<usize>) = (0..all.len()).partition(|&at| comments[all[at].row]);
        Places { all, ranked: code.into_iter().chain(comment).collect() }
    }

    /// The places of a token of which a word, that stands at its byte `at`, stands at these places.
    fn around(&self, token: &str, at: usize, places: &[(usize, usize)]) -> Vec<Found> {
        let mut found: Vec<Found> = Vec::new();
        for &(row, column) in places {
            let (ViewRow::Line(line), Some(start)) = (&self.rows[row], column.checked_sub(at)) else { continue };
            let columns = start..start + token.len();
            let is_free = found.last().is_none_or(|last| last.row < row || last.columns.end <= start);
            if is_free && line.text.get(columns.clone()) == Some(token) && stands_alone(line.text, &columns) {
                found.push(Found { row, columns });
            }
        }
        found
    }

    /// The places of a token without words.
    fn everywhere(&self, token: &str) -> Vec<Found> {
        let lines = self.rows.iter().enumerate().filter_map(|(row, line)| match line {
            ViewRow::Line(line) if !token.is_empty() => Some((row, line.text)),
            _ => None,
        });
        let matches = lines.flat_map(|(row, text)| {
            let ranges = text.match_indices(token).map(|(at, found)| at..at + found.len());
            ranges.filter(|columns| stands_alone(text, columns)).map(move |columns| Found { row, columns })
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

/// For each row, the row where what it leaves open is closed.
fn closings(rows: &[ViewRow<'_>], braces: bool) -> Vec<usize> {
    let mut closings: Vec<usize> = (0..rows.len()).collect();
    // What is open: the sign that closes it, and the row that opened it; and the rows that are not closed so far.
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
            '(' => open.push((')', row)),
            '[' => open.push((']', row)),
            '{' if braces => open.push(('}', row)),
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

/// The brackets of a line outside of strings and comments.
fn brackets<'l>(line: &'l ViewLine<'_>) -> impl Iterator<Item = char> + 'l {
    let code = line.runs().filter(|(_, class)| !matches!(class, Class::Comment | Class::String));
    code.flat_map(|(text, _)| text.chars()).filter(|sign| matches!(sign, '(' | ')' | '[' | ']' | '{' | '}'))
}

/// Whether no letter, digit or `_` stands directly before or after a range of a line.
fn stands_alone(text: &str, columns: &Range<usize>) -> bool {
    let before = text[..columns.start].chars().next_back();
    let after = text[columns.end..].chars().next();
    !before.is_some_and(is_word) && !after.is_some_and(is_word)
}

/// The words of a text, each with the byte where it begins.
fn words_of(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut at = 0;
    std::iter::from_fn(move || {
        let start = at + text[at..].find(is_word)?;
        at = text[start..].find(|c| !is_word(c)).map_or(text.len(), |len| start + len);
        Some((start, &text[start..at]))
    })
}
