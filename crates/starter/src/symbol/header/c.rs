//! Finds the definitions of C, C++ and CUDA, and in all languages functions by the parentheses after their names.

use super::{Dialect, Header, Name, PartKind};
use crate::language::has;

/// Words before a parenthesis that are not the name of a function.
const NO_FUNCTION: &str = "if for while switch catch return sizeof do else decltype noexcept alignas alignof requires throw \
     explicit typeof __typeof__ asm __asm__ static_assert _Static_assert _Alignas __attribute__ __attribute __declspec \
     __launch_bounds__ __cluster_dims__ __block_size__ __maxnreg__ __align__ void int char float double bool long short \
     unsigned signed auto const constexpr";
/// Words that begin a statement or a declaration that is not a function's.
const NO_DECLARATION: &str = "using typedef return goto static_assert _Static_assert delete throw co_return case";
/// The maximum length of a macro in bytes, because a word is examined again for each token after it.
const LONGEST_MACRO: usize = 128;

impl Header<'_> {
    fn is_c(&self) -> bool {
        self.dialect == Dialect::C
    }

    /// Returns the part of paths that `namespace` or `extern "C"` adds.
    pub(super) fn namespace(&self) -> Option<Name> {
        if !self.is_c() || self.at(0) == "extern" && self.is(1, PartKind::Literal) && self.parts.len() == 2 {
            return self.is_c().then(Name::default);
        }
        let keyword = (0..3).find(|&index| self.at(index) == "namespace")?;
        let words = (keyword + 1..self.parts.len()).filter(|&index| self.is(index, PartKind::Word));
        let words: Vec<_> = words.map(|index| self.at(index)).filter(|word| *word != "inline").collect();
        Some(Name { qualifier: words.join("::"), ..Name::default() })
    }

    /// Returns whether the header is an access label, or a macro that a blank line or a comment separates from `next`.
    pub(super) fn is_label_or_macro(&self, gap: &str, next: &str) -> bool {
        let (count, first) = (self.parts.len(), self.at(0));
        let is_label = count == 2 && self.at(1) == ":" && has("public private protected", first);
        let is_alone = count == 1 || count == 2 && self.is(1, PartKind::Round);
        let is_apart = || gap.matches('\n').count() > 1 || !gap.trim().is_empty();
        is_label || is_alone && next != "{" && is_macro(first) && is_apart()
    }

    /// Returns the name, which may be empty, of the class, struct, union or enum whose keyword is before `index`.
    pub(super) fn class_name(&self, mut index: usize) -> Option<Name> {
        let mut name = None;
        while index < self.parts.len() && !has(": final", self.at(index)) {
            let is_attribute = has(NO_FUNCTION, self.at(index)) || is_macro(self.at(index));
            match self.parts[index].kind {
                PartKind::Word if is_attribute && self.is(index + 1, PartKind::Round) => index += 1,
                PartKind::Word if has("class struct", self.at(index)) => {}
                PartKind::Word => name = Some(index),
                PartKind::Angle | PartKind::Square => {}
                PartKind::Mark if self.at(index) == "::" => {}
                // A function that returns one, or a variable.
                _ => return None,
            }
            index += 1;
        }
        Some(name.map(|index| self.qualified(index, index + 1).0).unwrap_or_default())
    }

    /// Returns the names between the `}` of a type definition and its `;`.
    pub(super) fn type_names(&self) -> Vec<Name> {
        let Some(braces) = (1..self.parts.len()).find(|&index| self.is(index, PartKind::Curly)) else {
            return Vec::new();
        };
        let ends = (braces + 1..self.parts.len()).filter(|&index| matches!(self.at(index + 1), "" | ","));
        ends.filter(|&index| self.at(index) != self.at(braces - 1)).filter_map(|index| self.word(index)).collect()
    }

    /// Returns the function that the header declares but does not define. In C, unlike a call, it has a type before its name.
    pub(super) fn prototype(&self) -> Option<Name> {
        let is_function = self.value.is_none() || has("0 default delete", self.last());
        let is_statement = has(NO_DECLARATION, self.at(0)) || self.at(0) == "template" && !self.is(1, PartKind::Angle);
        let (name, start) = self.function().filter(|_| is_function && !is_statement)?;
        if !self.is_c() {
            return Some(name);
        }
        let is_destructor = name.text.starts_with('~');
        let is_after_type = !self.is(start.wrapping_sub(1), PartKind::Mark) || has("* & >", self.at(start - 1));
        let arguments = (start..self.parts.len()).find(|&index| self.is(index, PartKind::Round))?;
        let first = self.text[self.parts[arguments].start + 1..].trim_start();
        let is_call = first.starts_with(|c: char| c.is_ascii_digit() || c == '"' || c == '\'');
        (is_after_type && (start > 0 || is_destructor) && !is_call).then_some(name)
    }

    /// Returns the function with its parameters in parentheses, and the part at which its qualified name begins.
    pub(super) fn function(&self) -> Option<(Name, usize)> {
        let end = if self.is_c() { self.colon } else { self.value }.unwrap_or(self.parts.len());
        if let Some(operator) = self.operator {
            return self.operator(operator);
        }
        // The best candidate, and how likely it is.
        let mut best: Option<(Name, usize, u8)> = None;
        let mut index = 0;
        while index < end && self.at(index) != "->" {
            if self.at(index) == "@" {
                index += 2;
                while self.at(index) == "." {
                    index += 2;
                }
                index += usize::from(self.is(index, PartKind::Round));
                continue;
            }
            let is_pair = self.is_c() && self.is(index, PartKind::Round) && self.is(index + 1, PartKind::Round);
            if let Some(name) = is_pair.then(|| self.pointed(index)).flatten() {
                return Some((name, index));
            }
            if let Some((name, start)) = self.called(index) {
                let is_macro = is_macro(&name.text);
                let is_after_type = start > 0 && !self.is(start - 1, PartKind::Round);
                let likely = 2 * u8::from(!is_macro) + u8::from(is_after_type);
                if best.as_ref().is_none_or(|(_, _, known)| likely > *known || likely == 1 && *known == 1) {
                    best = Some((name, start, likely));
                }
            }
            index += 1;
        }
        best.map(|(name, start, _)| (name, start))
    }

    /// Returns the name directly before the parentheses at `index`, and the part at which it begins.
    fn called(&self, index: usize) -> Option<(Name, usize)> {
        let before = index.checked_sub(1).filter(|_| self.is(index, PartKind::Round))?;
        let is_between = self.is(before, PartKind::Angle) || self.at(before) == "?";
        let word = before.checked_sub(usize::from(is_between))?;
        let is_name = self.is(word, PartKind::Word) && !(self.is_c() && has(NO_FUNCTION, self.at(word)));
        is_name.then(|| {
            let is_destructor = word > 0 && self.at(word - 1) == "~";
            self.qualified(word - usize::from(is_destructor), word + 1)
        })
    }

    /// Returns the name from part `first` up to `end`, in C++ with template arguments that follow, and the part at which
    /// its qualifier begins.
    fn qualified(&self, first: usize, end: usize) -> (Name, usize) {
        let mut start = first;
        while start > 0 && self.at(start - 1) == "::" {
            start -= 1;
            let word = start.checked_sub(if self.is(start.wrapping_sub(1), PartKind::Angle) { 2 } else { 1 });
            let Some(word) = word.filter(|&word| self.is(word, PartKind::Word)) else { break };
            start = word;
        }
        let has_arguments = self.is_c() && self.is(end, PartKind::Angle);
        let qualifier = self.spelled(start, first).trim_end_matches("::").to_owned();
        let text = self.spelled(first, end + usize::from(has_arguments));
        (Name { qualifier, text, at: self.parts[first].start..self.parts[end - 1].end }, start)
    }

    /// Returns the operator whose keyword is at `index`.
    fn operator(&self, index: usize) -> Option<(Name, usize)> {
        let is_call = self.is(index + 1, PartKind::Round) && self.is(index + 2, PartKind::Round);
        let first = index + 1 + usize::from(is_call);
        let end =
            (first..self.parts.len()).find(|&end| self.is(end, PartKind::Round)).filter(|end| *end > index + 1)?;
        Some(self.qualified(index, end))
    }

    /// Returns the function in the parentheses at `index` that returns a function pointer: `f` of `int (*f(int a))(int)`.
    fn pointed(&self, index: usize) -> Option<Name> {
        let part = self.parts[index];
        let inside = self.text[part.start + 1..part.end].trim_start();
        let name = inside.strip_prefix(['*', '&', '^'])?.trim_start_matches(['*', '&', ' ']);
        let length = name.find(|c: char| !(c.is_alphanumeric() || c == '_')).filter(|length| *length > 0)?;
        let start = part.end - name.len();
        name[length..].starts_with('(').then(|| Name::plain(self.text, start..start + length))
    }
}

/// Returns whether a word is written like a macro, in capital letters.
fn is_macro(word: &str) -> bool {
    let is_upper = |byte: u8| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_';
    let is_short = (2..=LONGEST_MACRO).contains(&word.len());
    is_short && word.bytes().all(is_upper) && word.bytes().any(|byte| byte.is_ascii_uppercase())
}
