//! The branches of `#if`. Only one branch of each is compiled, and those of the same condition agree: where a `#ifdef X` has
//! opened a brace, a `#ifndef X` below it has to be skipped.

use std::collections::HashMap;

/// The open `#if`s, and what is known of conditions.
#[derive(Debug, Default)]
pub(super) struct Branches {
    open: Vec<Branch>,
    /// Whether conditions hold, of those on which the braces of the text depend.
    known: HashMap<String, bool>,
    /// The number of braces that the branch which is skipped may not close.
    floor: usize,
    /// The number of `}` to ignore, because an earlier branch has closed their braces.
    surplus: usize,
}

/// An open `#if`, `#else` or `#elif`.
#[derive(Debug)]
#[expect(clippy::struct_excessive_bools, reason = "each is a fact of its own about the branches of one `#if`")]
struct Branch {
    /// The condition, and what it has to be for the first branch; empty after an `#elif`.
    condition: String,
    wanted: bool,
    /// Whether it is known that the first branch is compiled.
    is_first: Option<bool>,
    is_skipped: bool,
    has_else: bool,
    /// Whether a branch closes other braces than it opens.
    is_uneven: bool,
    /// The number of braces that were open before it.
    before: usize,
    /// The floor around it.
    floor: usize,
}

impl Branches {
    /// Begins with `#if`, `#ifdef` or `#ifndef`, where this number of braces is open.
    pub fn begin(&mut self, word: &str, condition: &str, braces: usize) {
        let (condition, wanted) = normal(word, condition);
        let is_first = self.known.get(&condition).map(|&known| known == wanted);
        let is_skipped = is_first == Some(false);
        let floor = self.floor;
        self.floor = if is_skipped { braces } else { floor };
        let (has_else, is_uneven) = (false, false);
        let branch = Branch { condition, wanted, is_first, is_skipped, has_else, is_uneven, before: braces, floor };
        self.open.push(branch);
    }

    /// Goes on with `#else` or `#elif`. Returns how many braces stay open: those that were opened in the branch before are
    /// dropped, if that is not the one that counts, and those that it has closed will be closed again.
    pub fn next(&mut self, is_else: bool, braces: usize) -> usize {
        let Some(branch) = self.open.last_mut() else { return braces };
        branch.has_else |= is_else;
        branch.is_uneven |= braces != branch.before;
        if !is_else {
            branch.condition.clear();
        }
        let Some(is_first) = branch.is_first else {
            self.surplus = branch.before.saturating_sub(braces);
            return branch.before;
        };
        let open = if branch.is_skipped { self.floor } else { braces };
        branch.is_skipped = is_first;
        self.floor = if is_first { open } else { branch.floor };
        open
    }

    /// Ends with `#endif`. Returns how many braces stay open.
    pub fn end(&mut self, braces: usize) -> usize {
        self.surplus = 0;
        let Some(branch) = self.open.pop() else { return braces };
        let floor = std::mem::replace(&mut self.floor, branch.floor);
        if branch.is_skipped {
            return floor;
        }
        // Of two branches, the second one counts.
        if branch.is_first.is_none() && (branch.is_uneven || braces != branch.before) && !branch.condition.is_empty() {
            self.known.insert(branch.condition, branch.wanted != branch.has_else);
        }
        braces
    }

    /// Returns whether a `}` ends nothing here, where this number of braces is open.
    pub fn skips_end(&mut self, braces: usize) -> bool {
        let is_surplus = self.surplus > 0;
        self.surplus -= usize::from(is_surplus);
        is_surplus || self.floor > 0 && braces <= self.floor
    }
}

/// Returns a condition without its negation, and whether it has none.
fn normal(word: &str, condition: &str) -> (String, bool) {
    let code = condition.split("/*").next().and_then(|code| code.split("//").next()).unwrap_or_default();
    let spelled: String = code.chars().filter(|c| !c.is_whitespace() && !matches!(c, '(' | ')')).collect();
    match word {
        "if" => {
            let is_single = !spelled.contains(['&', '|', '=', '<', '>', '?', '+']);
            match spelled.strip_prefix('!').filter(|_| is_single) {
                Some(rest) => (rest.to_owned(), false),
                None => (spelled, true),
            }
        }
        _ => (format!("defined{spelled}"), word == "ifdef"),
    }
}
