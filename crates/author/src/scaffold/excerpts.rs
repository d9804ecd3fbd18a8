//! Generates the excerpts of a new lab as Markdown: one per region, or else one per symbol, or else the beginning of the
//! file. Each has its pin, and notes that are bound to names that the code defines.

use std::collections::BTreeSet;
use std::fmt::Write;

use super::templates::prompt;
use infralens_source::selector::{FileRef, Selector};
use infralens_starter::excerpt::{SelectedRows, View, ViewRow};
use infralens_starter::highlight::{self, Class};
use infralens_starter::{Listing, symbol::Symbol};

/// The number of lines shown of a file without regions and symbols; a file with no more is shown as a whole.
const MAX_WHOLE_FILE: usize = 30;
/// The length, in lines, beyond which the members of a symbol are shown instead of the symbol.
const MAX_SYMBOL_LINES: usize = 60;
/// The maximum number of symbols shown.
const MAX_SYMBOLS: usize = 12;
/// The maximum number of symbols examined.
const MAX_SYMBOLS_EXAMINED: usize = 200;
/// The number of rows of an excerpt that are searched for names.
const MAX_ROWS_SEARCHED: usize = 200;
/// The maximum number of notes per excerpt.
const MAX_NOTES: usize = 3;

/// The excerpts of a file as Markdown.
pub(super) struct Excerpts {
    /// The fences and their notes.
    pub text: String,
    /// The definitions that no excerpt shows, each as its name in backticks and its line.
    pub left_out: Vec<String>,
}

/// Generates the excerpts of a file, with notes to be completed. `file_ref` is the path to write after `file=`, empty for the
/// lab's main file. `whole_file_ref` is used when the whole file fits into one excerpt, because `file=` must then name the
/// file; it is `None` if its name cannot be written in a fence.
pub(super) fn excerpts_of(listing: &Listing, file_ref: &str, whole_file_ref: Option<&str>) -> Excerpts {
    let mut pieces: Vec<Selector> = regions(listing).collect();
    let mut left_out = Vec::new();
    if pieces.is_empty() {
        (pieces, left_out) = symbols(listing);
    }
    let lines = listing.line_count();
    let shown: Vec<String> = match whole_file_ref {
        _ if !pieces.is_empty() => pieces.iter().filter_map(|piece| excerpt(listing, file_ref, Some(piece))).collect(),
        Some(name) if lines <= MAX_WHOLE_FILE => excerpt(listing, name, None).into_iter().collect(),
        _ => excerpt(listing, file_ref, Some(&Selector::Lines(1, lines.min(MAX_WHOLE_FILE)))).into_iter().collect(),
    };
    let mut text = shown.join("\n");
    if let (false, Some(prompt)) = (left_out.is_empty(), prompt("code: more symbols")) {
        let _ = write!(text, "\n{prompt}\n");
    }
    Excerpts { text, left_out }
}

/// Whether the file has regions.
pub(super) fn has_regions(listing: &Listing) -> bool {
    regions(listing).next().is_some()
}

fn regions(listing: &Listing) -> impl Iterator<Item = Selector> {
    listing.regions().iter().map(|region| Selector::Region(region.name.clone()))
}

/// Returns selectors for the top-level symbols, or for the members of long ones: of the first that a fence can name. Also
/// returns the others, each as its name and its line; none if no symbol can be named.
fn symbols(listing: &Listing) -> (Vec<Selector>, Vec<String>) {
    let parts = outline(listing.symbols()).flat_map(|(symbol, members)| {
        let is_long = symbol.lines.len() > MAX_SYMBOL_LINES && !members.is_empty();
        let whole = (!is_long).then_some(symbol);
        let members = if is_long { members } else { &[] };
        whole.into_iter().chain(outline(members).map(|(member, _)| member))
    });
    let (mut named, mut left_out): (Vec<Selector>, Vec<String>) = (Vec::new(), Vec::new());
    for (examined, symbol) in parts.enumerate() {
        let has_room = examined < MAX_SYMBOLS_EXAMINED && named.len() < MAX_SYMBOLS;
        match has_room.then(|| by_name(listing, symbol)).flatten() {
            Some(selector) if named.last() == Some(&selector) => {}
            Some(selector) => named.push(selector),
            None => left_out.push(format!("`{}` (line {})", symbol.path, symbol.line + 1)),
        }
    }
    if named.is_empty() {
        left_out.clear();
    }
    (named, left_out)
}

/// Iterates over the top-level symbols, each with its members. `symbols` must be in source order.
fn outline(symbols: &[Symbol]) -> impl Iterator<Item = (&Symbol, &[Symbol])> {
    let mut rest = symbols;
    std::iter::from_fn(move || {
        let (symbol, after) = rest.split_first()?;
        let inside = after.iter().take_while(|member| member.lines.end <= symbol.lines.end).count();
        let (members, after) = after.split_at(inside);
        rest = after;
        Some((symbol, members))
    })
}

/// Returns a selector that selects exactly this symbol, if it can be written in a fence.
fn by_name(listing: &Listing, symbol: &Symbol) -> Option<Selector> {
    listing.selector_of(symbol).filter(|selector| {
        let text = format!("#{selector}");
        let (read, _) = FileRef::parse(&text, 0);
        let reads_back = matches!(&read.selectors[..], [(only, _)] if only == selector);
        reads_back && !text.contains(|c: char| c.is_whitespace() || matches!(c, '`' | '~' | '"' | '\'' | '\\' | '&'))
    })
}

/// Generates a fence and its notes; `None` if all of the lines are blank.
fn excerpt(listing: &Listing, file_ref: &str, piece: Option<&Selector>) -> Option<String> {
    let lines = piece.map_or(Some(0..listing.line_count()), |selector| listing.select(selector).ok())?;
    let shown = SelectedRows::new(listing, vec![lines]);
    let view = shown.view(listing);
    let code = view.lines();
    if code.iter().all(|line| line.is_empty()) {
        return None;
    }
    Some(fence(listing, &code, file_ref, piece) + &notes_text(listing, &view, piece, shown.bounds()?))
}

/// Generates the fence with its pin.
fn fence(listing: &Listing, code: &[&str], file_ref: &str, piece: Option<&Selector>) -> String {
    let selector_suffix = piece.map_or_else(String::new, |selector| format!("#{selector}"));
    // Markdown treats a lone carriage return as a line end, so a fence cannot contain such code.
    let pin = if code.iter().any(|line| line.contains('\r')) { String::new() } else { code.join("\n") + "\n" };
    let fence = "`".repeat(longest_run(&pin).max(2) + 1);
    format!("{fence}{} file={file_ref}{selector_suffix}\n{pin}{fence}\n\n", language(listing))
}

/// Generates the notes of an excerpt of the lines from `first` to `last`: on names, or else one on all of its lines.
fn notes_text(listing: &Listing, view: &View<'_>, piece: Option<&Selector>, (first, last): (usize, usize)) -> String {
    let notes = notes(listing, view);
    if notes.is_empty() {
        let selector = match piece {
            Some(named @ (Selector::Region(_) | Selector::Symbol(_))) => named.clone(),
            _ => Selector::Lines(first, last),
        };
        return format!("1. [These lines](#{selector}) — {}\n", prompt("note: lines").unwrap_or_default());
    }
    let mut text = String::new();
    for (number, (token, prompt_name)) in notes.iter().enumerate() {
        let _ = writeln!(text, "{}. `{token}` — {}", number + 1, prompt(prompt_name).unwrap_or_default());
    }
    text
}

fn longest_run(text: &str) -> usize {
    text.split(|c| c != '`').map(str::len).max().unwrap_or(0)
}

/// Returns the name of the language for the fence, as code hosts know it.
fn language(listing: &Listing) -> String {
    let path = listing.source().path();
    let name = path.rsplit('/').next().unwrap_or(path);
    let Some((_, extension)) = name.rsplit_once('.') else {
        let by_path = highlight::by_path(path, listing.line(0));
        let words = ["bash", "python", "makefile", "dockerfile"];
        let known = words.into_iter().find(|word| by_path.is_some() && highlight::by_token(word) == by_path);
        return known.unwrap_or("text").to_owned();
    };
    match extension.to_lowercase().as_str() {
        "py" | "pyi" => "python".into(),
        "cu" | "cuh" => "cuda".into(),
        "rs" => "rust".into(),
        "yml" => "yaml".into(),
        "md" => "markdown".into(),
        word if word.chars().all(char::is_alphanumeric) => word.to_owned(),
        _ => "text".into(),
    }
}

/// Chooses the names to bind notes to, each with the name of its prompt: names defined in the excerpt, spread evenly, or
/// else the first name used. Names of one or two letters are chosen only if there are no others.
fn notes(listing: &Listing, view: &View<'_>) -> Vec<(String, &'static str)> {
    let symbols: BTreeSet<(usize, &str)> =
        listing.symbols().iter().map(|symbol| (symbol.line, symbol.name.as_str())).collect();
    let rows = (0..view.rows.len().min(MAX_ROWS_SEARCHED)).filter_map(|row| candidate(&symbols, view, row));
    let (used, defined): (Vec<Candidate>, _) =
        rows.filter(|candidate| binds(view, candidate)).partition(|candidate| candidate.kind == NameKind::Used);
    let (short, long): (Vec<Candidate>, _) = defined.into_iter().partition(Candidate::is_short);
    let (names, most) = match (long.is_empty(), short.is_empty()) {
        (false, _) => (long, MAX_NOTES),
        (true, false) => (short, MAX_NOTES),
        (true, true) => (used, 1),
    };
    let count = names.len().min(most);
    let spread = (0..count).map(|nth| nth * (names.len() - 1) / (count - 1).max(1));
    spread.map(|index| (names[index].token.clone(), names[index].kind.prompt())).collect()
}

/// The role of a name in its line, in order of preference.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum NameKind {
    /// The definition of a function, a class or another symbol.
    Symbol,
    /// A key of data.
    Key,
    /// A variable that is assigned a value.
    Value,
    /// Any other use.
    Used,
}

impl NameKind {
    fn prompt(self) -> &'static str {
        match self {
            Self::Symbol => "note: definition",
            Self::Key => "note: key",
            Self::Value => "note: value",
            Self::Used => "note: used",
        }
    }
}

/// A name that a note could be bound to.
#[derive(Debug)]
struct Candidate {
    row: usize,
    token: String,
    kind: NameKind,
}

impl Candidate {
    fn is_short(&self) -> bool {
        self.token.chars().count() < 3
    }
}

/// Returns the most useful name in a row.
fn candidate(symbols: &BTreeSet<(usize, &str)>, view: &View<'_>, row: usize) -> Option<Candidate> {
    let ViewRow::Line(line) = &view.rows[row] else { return None };
    if line.is_comment() {
        return None;
    }
    let mut best: Option<Candidate> = None;
    let mut at = 0;
    for (run, class) in line.runs() {
        let start = at;
        at += run.len();
        if !matches!(class, Class::Text | Class::Function | Class::Type | Class::Key) {
            continue;
        }
        for (offset, word) in words(run, class) {
            let end = start + offset + word.len();
            let kind = match class {
                _ if symbols.contains(&(line.line, word)) => NameKind::Symbol,
                Class::Key => NameKind::Key,
                _ if is_set(&line.text[..start + offset], &line.text[end..]) => NameKind::Value,
                _ => NameKind::Used,
            };
            let length = word.chars().count();
            let goes_before = |best: &Candidate| {
                kind < best.kind || kind == NameKind::Used && kind == best.kind && length > best.token.chars().count()
            };
            if (kind != NameKind::Used || length > 2) && best.as_ref().is_none_or(goes_before) {
                best = Some(Candidate { row, token: word.to_owned(), kind });
            }
        }
    }
    best
}

/// Iterates over the identifiers of a run with their offsets; keys of data may contain `-` and `.`.
fn words(run: &str, class: Class) -> impl Iterator<Item = (usize, &str)> {
    let ends = move |c: char| !(c.is_alphanumeric() || c == '_' || class == Class::Key && matches!(c, '-' | '.'));
    let mut at = 0;
    let pieces = run.split_inclusive(ends).map(move |piece| {
        let start = at;
        at += piece.len();
        let word = piece.trim_start_matches(['-', '.']);
        (start + piece.len() - word.len(), word.trim_end_matches(|c| ends(c) || matches!(c, '-' | '.')))
    });
    pieces.filter(|(_, word)| word.contains(char::is_alphabetic) && !word.starts_with(|c: char| c.is_ascii_digit()))
}

/// Whether a name is given a value here: not within brackets, and an assignment follows.
fn is_set(before: &str, after: &str) -> bool {
    if before.contains(['(', '[', '{']) {
        return false;
    }
    let after = after.trim_start();
    let after = match after.strip_prefix(':') {
        // There may be a type between the name and the value.
        Some(rest) if !rest.starts_with(['=', ':']) => rest.find('=').map_or("", |at| &rest[at..]),
        Some(rest) => rest,
        None => after.strip_prefix(['+', '-', '*', '/', '%', '|', '&', '^']).unwrap_or(after),
    };
    after.strip_prefix('=').is_some_and(|rest| !rest.starts_with(['=', '>', '~']))
}

/// Whether a note that begins with the name binds to its row.
fn binds(view: &View<'_>, candidate: &Candidate) -> bool {
    view.find(&candidate.token, 1).is_some_and(|found| found.row == candidate.row)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use infralens_source::source::Source;

    fn shown(path: &str, text: &str) -> Vec<String> {
        let (listing, _) = Listing::new(&Arc::new(Source::new(path, text)));
        let proposed = excerpts_of(&listing, "", None).text;
        let heads = proposed.lines().filter(|line| line.starts_with("```") && line.contains("file="));
        heads.map(|line| line.split_once("file=").map_or("", |(_, file)| file).to_owned()).collect()
    }

    #[test]
    fn assignments_are_recognized() {
        for (before, after) in
            [("", " = 1"), ("self.", "=1"), ("int ", " += 2;"), ("", ": int = 3"), ("let ", ": u8 = 4;"), ("", " := 5")]
        {
            assert!(is_set(before, after), "{before}x{after}");
        }
        for (before, after) in
            [("", " == 1"), ("f(", "=1)"), ("", " => 2"), ("", ": int"), ("", "::y = 3"), ("", "(a) = 4"), ("", "")]
        {
            assert!(!is_set(before, after), "{before}x{after}");
        }
    }

    #[test]
    fn names_of_a_run_have_their_offsets() {
        assert_eq!(words(" a.b_1 + 2x é", Class::Text).collect::<Vec<_>>(), [(1, "a"), (3, "b_1"), (12, "é")]);
        assert_eq!(words("\"batch-size\":", Class::Key).collect::<Vec<_>>(), [(1, "batch-size")]);
        assert_eq!(words("- --name-", Class::Key).collect::<Vec<_>>(), [(4, "name")]);
    }

    #[test]
    fn a_long_class_is_shown_by_its_members() {
        let body = "        x = 1\n".repeat(MAX_SYMBOL_LINES);
        let text = format!(
            "class A:\n    def one(self):\n{body}\n    def two(self):\n        y = 2\n\n\ndef two():\n    z = 3\n"
        );
        assert_eq!(shown("a.py", &text), ["#fn:one", "#fn:A.two", "#fn:.two"]);
    }

    #[test]
    fn symbols_with_the_same_name_are_numbered() {
        assert_eq!(
            shown("a.cpp", "int f(int);\nint g() { return 1; }\nint h(int a) {}\nint h(long a) {}\n"),
            ["#fn:f", "#fn:g", "#fn:h(1)", "#fn:h(2)"]
        );
        assert_eq!(shown("a.txt", &"line\n".repeat(90)), ["#L1-L30"]);
    }

    #[test]
    fn what_no_excerpt_shows_is_left_out() {
        let left_out = |path: &str, text: &str| {
            let (listing, _) = Listing::new(&Arc::new(Source::new(path, text)));
            excerpts_of(&listing, "", None).left_out
        };
        assert_eq!(left_out("a.cpp", "void f(int a) {}\nvoid f(long a) {}\n"), [""; 0]);
        assert_eq!(left_out("a.cpp", "void f() {}\nstruct A { operator unsigned long() { return 1; } };\n"), [""; 0]);
        let many = (0..14).fold(String::new(), |text, n| text + &format!("def f{n}():\n    return {n}\n\n\n"));
        assert_eq!(left_out("a.py", &many), ["`f12` (line 49)", "`f13` (line 53)"]);
        assert_eq!(left_out("a.py", &format!("# ANCHOR: a\nx = 1\n# ANCHOR_END: a\n{many}")), [""; 0]);
    }
}
