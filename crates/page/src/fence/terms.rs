//! Splits the value of an attribute such as `mark="f(a, b), x"` into its terms.

use infralens_source::selector::{Selector, parse_lines};
use infralens_source::source::Span;

/// What a term of `light=` names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Light {
    /// Lines by their numbers.
    Lines(Selector),
    /// Every line that has this text.
    Text(String),
}

/// The spans and messages of errors.
type Errors = Vec<(Span, String)>;

/// Splits the value of `light="L12-L14, text"`, which is at offset `at`. Also returns the spans and messages of errors.
pub(super) fn lights(value: &str, at: usize) -> (Vec<(Light, Span)>, Errors) {
    let (mut lights, mut errors) = (Vec::new(), Vec::new());
    for (term, span) in terms(value, at) {
        let is_cell = term.starts_with("cell:");
        match parse_lines(&term).or_else(|| is_cell.then(|| Selector::parse(&term))) {
            Some(Ok(selector)) if selector.is_by_lines() => lights.push((Light::Lines(selector), span)),
            Some(Err(message)) => errors.push((span, message)),
            Some(Ok(_)) | None => lights.push((Light::Text(term), span)),
        }
    }
    (lights, errors)
}

/// Splits the value of `mark="a, b"`, which is at offset `at`, into terms with their spans.
pub(super) fn terms(value: &str, at: usize) -> Vec<(String, Span)> {
    let mut start = 0;
    let mut terms = Vec::new();
    for end in separators(value).into_iter().chain([value.len()]) {
        let part = &value[start..end];
        let lead = part.len() - part.trim_start().len();
        let term = part.trim();
        if !term.is_empty() {
            let begin = at + start + lead;
            terms.push((term.to_string(), begin..begin + term.len()));
        }
        start = end + 1;
    }
    terms
}

/// Returns the offsets of the commas that are not inside brackets or quotation marks. One without its partner is text.
fn separators(value: &str) -> Vec<usize> {
    // For each open bracket, its kind and the number of separators before it; and how many of each kind are open.
    let (mut open, mut open_of_kind): (Vec<(usize, usize)>, [usize; 3]) = (Vec::new(), [0; 3]);
    let mut commas: Vec<usize> = Vec::new();
    let mut quoted_to = 0;
    for (at, c) in value.char_indices().filter(|(_, c)| c.is_ascii_punctuation()) {
        if at < quoted_to {
            continue;
        }
        if matches!(c, '"' | '\'') {
            quoted_to = value[at + 1..].find(c).map_or(at, |len| at + 1 + len + 1);
        } else if c == ',' {
            commas.push(at);
        } else if let Some(kind) = "([{".find(c) {
            open.push((kind, commas.len()));
            open_of_kind[kind] += 1;
        } else if let Some(kind) = ")]}".find(c).filter(|&kind| open_of_kind[kind] > 0) {
            // Brackets that were opened in between and are not closed are text.
            while let Some((opened, before)) = open.pop() {
                open_of_kind[opened] -= 1;
                if opened == kind {
                    commas.truncate(before);
                    break;
                }
            }
        }
    }
    commas
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn terms_have_spans() {
        assert_eq!(terms("a,  bc", 10), [("a".to_string(), 10..11), ("bc".to_string(), 14..16)]);
        assert_eq!(terms("é, f(a, b)", 10), [("é".to_string(), 10..12), ("f(a, b)".to_string(), 14..21)]);
    }

    #[test]
    fn lights_are_numbers_or_texts() {
        let (found, errors) = lights("L12, L3-L5, L3-7, L, f(L1, L2), Llama, L9-L3, L0", 5);
        let lines = |first, last| Light::Lines(Selector::Lines(first, last));
        let text = |text: &str| Light::Text(text.into());
        let wanted = [lines(12, 12), lines(3, 5), lines(3, 7), text("L"), text("f(L1, L2)"), text("Llama")];
        assert_eq!(found.iter().map(|(light, _)| light.clone()).collect::<Vec<_>>(), wanted);
        assert_eq!(found[1].1, 10..15);
        assert_eq!(errors.iter().map(|(span, _)| span.clone()).collect::<Vec<_>>(), [44..49, 51..53]);
    }

    #[test]
    fn commas_in_brackets_and_quotes_separate_no_terms() {
        for (value, wanted) in [
            ("f(a, b)", "f(a, b)"),
            ("x[i, j], {k, l}, m", "x[i, j]|{k, l}|m"),
            ("f(g(a, b), [c, d]), e", "f(g(a, b), [c, d])|e"),
            ("\"a, b\", 'c, d', e", "\"a, b\"|'c, d'|e"),
            ("f('(', a), b", "f('(', a)|b"),
            ("')', a", "')'|a"),
            ("don't, b", "don't|b"),
            ("f(a, b", "f(a|b"),
            ("a), b", "a)|b"),
            ("(a, [b, c), d", "(a, [b, c)|d"),
            ("(a, b], c", "(a|b]|c"),
            ("[a(, b], c", "[a(, b]|c"),
            (", a,, b ,", "a|b"),
            ("", ""),
        ] {
            let found: Vec<String> = terms(value, 0).into_iter().map(|(term, _)| term).collect();
            assert_eq!(found.join("|"), wanted, "{value}");
        }
        let (open, closed) = ("([{".repeat(50_000), ")]}".repeat(50_000));
        assert_eq!(terms(&format!("{open},{closed}"), 0).len(), 1);
        assert_eq!(terms(&format!("{},{}", "(".repeat(100_000), "]".repeat(100_000)), 0).len(), 2);
    }
}
