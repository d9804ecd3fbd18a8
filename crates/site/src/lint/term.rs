//! Terms that a translation does not call what the translated glossary calls them.

use std::collections::BTreeSet;

use infralens_page::{Document, Glossary, Translation};
use infralens_source::diag::{Diagnostic, codes};

/// Checks a translation of `page` against the glossary of the course, and that of the language, which has the same terms.
pub fn terms(translation: &Translation, page: &Document, own: &Glossary, other: &Glossary, out: &mut Vec<Diagnostic>) {
    if own.terms.len() != other.terms.len() {
        return;
    }
    for unit in &translation.units {
        let Some([words, of_page]) = translation.words(unit, page) else { continue };
        let words = words.to_lowercase();
        let used: BTreeSet<usize> = own.mentions(&of_page).into_iter().map(|(_, term)| term).collect();
        for (term, named) in used.into_iter().map(|at| (&own.terms[at], &other.terms[at])) {
            let mut names = named.names.iter().chain(&term.names);
            if names.any(|name| words.contains(&name.to_lowercase())) {
                continue;
            }
            let (Some(span), Some(name)) = (translation.span_of(unit), term.names.first()) else { continue };
            let names = named.names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(" or ");
            let message = format!("`{name}` is not called {names} here, as in the glossary");
            let place = translation.source.first_line(&span);
            let help = "use this name, or add the other one to the glossary, in a line of its own below it";
            out.push(translation.source.diagnostic(codes::TERM, place, message).help(help).hint());
        }
    }
}
