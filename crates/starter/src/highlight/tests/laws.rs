//! What holds for every text in every language.

use super::samples;
use crate::highlight::grammar::grammar;
use crate::highlight::pattern::{Guard, Operation, Pattern, Position};
use crate::highlight::{Class, Highlighted, LONGEST_LINE, Token, by_token, highlight};
use onig::Region;
use std::collections::BTreeSet;

/// Texts made of the samples by cutting and splicing, the same on every run.
pub fn variations(text: &str, count: usize) -> Vec<String> {
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    let mut random = move |below: usize| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        usize::try_from(state % u64::try_from(below.max(1)).unwrap()).unwrap()
    };
    let odd: Vec<char> = "\"'`\\/*#$%{}()[]<>|&:;=,.!?@~^+- \t\u{e9}\u{4e16}\u{2028}\r0a_\n".chars().collect();
    let mut vary = |_| {
        let mut chars: Vec<char> = text.chars().collect();
        for _ in 0..=random(6) {
            let at = random(chars.len());
            match random(3) {
                0 => chars.insert(at, odd[random(odd.len())]),
                1 => drop(chars.drain(at..(at + random(9)).min(chars.len()))),
                _ => chars.truncate(at.max(10).min(chars.len())),
            }
        }
        chars.into_iter().collect()
    };
    (0..count).map(&mut vary).collect()
}

#[track_caller]
fn assert_covers(text: &str, highlighted: &Highlighted) {
    assert_eq!(highlighted.ends.len(), text.lines().count());
    for (index, line) in text.lines().enumerate() {
        let tokens = highlighted.line(index);
        assert_eq!(tokens.iter().map(|token| token.len as usize).sum::<usize>(), line.len(), "{line:?}");
        assert!(tokens.iter().all(|token| token.len > 0));
        assert!(tokens.windows(2).all(|pair| pair[0].class != pair[1].class), "{tokens:?} could be merged");
        let mut at = 0;
        assert!(tokens.iter().all(|token| {
            at += token.len as usize;
            line.is_char_boundary(at)
        }));
    }
}

#[test]
fn tokens_cover_every_line_exactly() {
    let plain = [
        "", "\n", "\n\n\n", "a", "\r\n\r\n", "\r", "\t\tx\t", "\u{e9}\u{4e16}\u{1f600}", "\"", "'''", "/*", "`",
        "\u{0}",
    ];
    for (language, sample) in samples::ALL {
        let language = by_token(language);
        assert!(language.is_some());
        for text in plain.iter().map(ToString::to_string).chain(variations(sample, 60)) {
            assert_covers(&text, &highlight(language, &text));
            assert_covers(&text, &highlight(None, &text));
        }
    }
}

#[test]
fn line_ends_do_not_count() {
    for (language, sample) in samples::ALL {
        let language = by_token(language);
        let unix = highlight(language, sample);
        assert_eq!(highlight(language, &sample.replace('\n', "\r\n")), unix);
        assert_eq!(highlight(language, sample.trim_end_matches('\n')), unix);
    }
}

#[test]
fn without_a_language_all_is_plain() {
    let highlighted = highlight(None, "def f():\n\n    pass");
    let plain = |len| vec![Token { len, class: Class::Text }];
    assert_eq!([0, 1, 2, 3].map(|line| highlighted.line(line).to_vec()), [plain(8), vec![], plain(8), vec![]]);
    assert_eq!((highlighted.ends.len(), highlight(None, "").ends.len()), (3, 0));
}

#[test]
fn a_long_line_is_plain_and_disturbs_nothing() {
    let long = format!("x = \"{}\"", "a".repeat(LONGEST_LINE));
    let text = format!("\"\"\"doc\n{long}\nstill\"\"\"\ndef f(): pass\n");
    let highlighted = highlight(by_token("python"), &text);
    assert_eq!(highlighted.line(1), [Token { len: u32::try_from(long.len()).unwrap(), class: Class::Text }]);
    assert_eq!(highlighted.line(2), [Token { len: 8, class: Class::String }]);
    assert_eq!(highlighted.line(3)[0], Token { len: 3, class: Class::Keyword });
    let longest = format!("\"{}\"", "a".repeat(LONGEST_LINE - 2));
    assert_eq!(highlight(by_token("python"), &longest).line(0)[0].class, Class::String);
}

/// A regular expression that goes back on its steps without end would not come back from one of these.
#[test]
fn no_line_takes_for_ever() {
    for unit in
        ["`", "~", "[", "a::", "| a ", "\\", "_a", "a ", "(a, ", "<a", "{\"a\":", "$(", "/*", "a.b(", "*a", "f\"{"]
    {
        let text = unit.repeat(1200 / unit.len());
        for (language, _) in samples::ALL {
            assert_covers(&text, &highlight(by_token(language), &text));
        }
    }
}

#[test]
fn the_table_reads_to_its_end() {
    let grammar = grammar();
    assert!(grammar.languages.len() > 150);
    for number in 0..grammar.context_count() {
        assert!(grammar.context(u32::try_from(number).unwrap()).is_some(), "context {number}");
    }
}

/// Tries every pattern of some languages everywhere: what matches must have been worth trying.
#[test]
fn a_guard_never_refuses_a_match() {
    let mut region = Region::with_capacity(8);
    for (language, sample) in samples::ALL {
        let lines: BTreeSet<&str> =
            sample.split_inclusive('\n').chain([" \t  x", "A_B(", "\n", "é ß", "x ++ y <<< z"]).collect();
        for pattern in reachable(language) {
            for line in &lines {
                refused(pattern, line, &mut region);
            }
        }
    }
}

#[track_caller]
fn refused(pattern: &'static Pattern, line: &str, region: &mut Region) {
    let Guard { needs, run, .. } = pattern.guard;
    let mut earlier = BTreeSet::new();
    for at in (0..=line.len()).filter(|&at| line.is_char_boundary(at)) {
        if pattern.end(line, at, at, region).is_none() {
            continue;
        }
        earlier.insert(at);
        let source = pattern.source;
        assert!(pattern.guard.allows(Position::of(line.as_bytes(), at)), "{source:?} matches {line:?} at {at}");
        let after = line.bytes().skip(at).filter(u8::is_ascii).fold(0_u128, |set, byte| set | 1 << byte);
        assert_eq!(needs & !after, 0, "{source:?} matches {line:?} at {at} without what it needs");
        if let Some(before) = at.checked_sub(1).map(|before| line.as_bytes()[before]).filter(u8::is_ascii) {
            let covered = run >> before & 1 == 0 || earlier.contains(&(at - 1));
            assert!(covered, "{source:?} matches {line:?} at {at}, but not one character before");
        }
    }
}

/// The patterns that a file of a language can come to, breadth first, up to a bound.
fn reachable(language: &str) -> Vec<&'static Pattern> {
    let entry = by_token(language).unwrap().definition().unwrap().entry;
    let (mut numbers, mut seen, mut patterns) = (vec![entry], BTreeSet::from([entry]), Vec::new());
    while let Some(number) = numbers.pop().filter(|_| patterns.len() < 1500) {
        let Some(context) = grammar().context(number) else {
            continue;
        };
        let mut next: Vec<u32> = context.includes().chain([context.prototype]).collect();
        for pattern in context.patterns() {
            patterns.push(pattern);
            if let Operation::Push(targets) | Operation::Set(targets) = &pattern.operation {
                next.extend(targets);
            }
        }
        numbers.extend(next.into_iter().filter(|number| seen.insert(*number)));
    }
    patterns
}

#[test]
fn every_class_but_text_and_prose_has_a_short_name_of_its_own() {
    let names: BTreeSet<&str> = Class::ALL.iter().filter_map(|class| class.css()).collect();
    assert_eq!(names.len(), Class::ALL.len() - 2);
    assert_eq!((Class::Text.css(), Class::Prose.css()), (None, None));
    for (code, class) in Class::ALL.into_iter().enumerate() {
        assert_eq!(class as usize, code);
    }
}
