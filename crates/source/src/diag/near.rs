//! Finds the name that was meant by a misspelled one.

use std::borrow::Cow;

/// The longest name, in bytes, that [`nearest`] compares.
const NAME_LIMIT: usize = 160;
/// The maximum number of names that [`nearest`] compares, because a course may have many unknown names, too.
const NAMES_LIMIT: usize = 100;
/// The maximum number of names whose lengths [`nearest`] checks.
const LOOKS_LIMIT: usize = 20_000;

/// A name that is similar to one that was written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Near<'a> {
    pub name: Cow<'a, str>,
    /// Whether nothing else can have been meant: no other name is as near, only a letter or two differ, and no digit does,
    /// because numbers that differ in a digit are different numbers.
    pub is_sure: bool,
}

impl<'a> Near<'a> {
    /// Returns a similar name about which nobody can be sure.
    pub fn unsure(name: impl Into<Cow<'a, str>>) -> Self {
        Self { name: name.into(), is_sure: false }
    }

    /// Returns the same finding with the name as it is written in a text, such as with a `#` before it.
    pub fn written<'b>(&self, write: impl FnOnce(&str) -> String) -> Near<'b> {
        Near { name: write(&self.name).into(), is_sure: self.is_sure }
    }

    pub fn into_owned(self) -> Near<'static> {
        Near { name: self.name.into_owned().into(), ..self }
    }
}

/// Returns the candidate most similar to `name`, if one is similar enough to be what was meant.
///
/// Names are similar if their Damerau–Levenshtein distance, without regard to case, is at most a third of the longer
/// name's characters and they have a character in common. Names longer than [`NAME_LIMIT`] bytes are not compared, because that would take long. Of the names
/// whose lengths are close enough, the first [`NAMES_LIMIT`] are compared.
pub fn nearest<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    search(name, candidates).map(|(near, _)| near)
}

/// Returns what [`nearest`] finds, with whether it must be what was meant.
pub fn similar<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<Near<'a>> {
    search(name, candidates).map(|(near, is_sure)| Near { name: near.into(), is_sure })
}

fn search<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<(&'a str, bool)> {
    if name.len() > NAME_LIMIT {
        return None;
    }
    let wanted = name.to_lowercase();
    let length = wanted.chars().count();
    // The distance is at least the difference of the lengths.
    let limit = |other: usize| length.max(other).max(3) / 3;
    let (mut seen, mut compared) = (0, 0);
    let found = candidates.into_iter().take(LOOKS_LIMIT).inspect(|_| seen += 1);
    let found = found.filter(|candidate| candidate.len() <= NAME_LIMIT).map(|name| (name.chars().count(), name));
    let found = found.filter(|(other, _)| length.abs_diff(*other) <= limit(*other)).take(NAMES_LIMIT);
    let distances = found.inspect(|_| compared += 1).filter_map(|(other, name)| {
        let distance = strsim::damerau_levenshtein(&wanted, &name.to_lowercase());
        // Two single letters have nothing in common.
        (distance <= limit(other) && (distance == 0 || distance < length.max(other))).then_some((distance, name))
    });
    let distances: Vec<(usize, &str)> = distances.collect();
    let &(distance, near) = distances.iter().min()?;
    let is_tied = distances.iter().any(|&(other, name)| other == distance && name != near);
    let is_complete = seen < LOOKS_LIMIT && compared < NAMES_LIMIT;
    let is_sure = is_complete && !is_tied && distance <= (length / 4).clamp(1, 2) && length > 2;
    let is_sure = is_sure && digits(name).eq(digits(near));
    Some((near, is_sure))
}

fn digits(name: &str) -> impl Iterator<Item = char> {
    name.chars().filter(|c| c.is_numeric())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_most_similar_name_is_found() {
        assert_eq!(nearest("atention", ["attention", "tension"]), Some("attention"));
        assert_eq!(nearest("titel", ["title", "file"]), Some("title"));
        assert_eq!(nearest("x", ["transformer"]), None);
        assert_eq!(nearest("x", ["a"]), None);
        assert_eq!(nearest("x", ["X", "xs"]), Some("X"));
    }

    #[test]
    fn a_name_is_sure_if_nothing_else_can_be_meant() {
        let is_sure = |name, known: &[&'static str]| similar(name, known.iter().copied()).map(|near| near.is_sure);
        assert_eq!(is_sure("titel", &["title", "file"]), Some(true));
        assert_eq!(is_sure("atention", &["attention", "tension"]), Some(true));
        assert_eq!(is_sure("attn_x", &["attn_k", "attn_v"]), Some(false), "two are as near");
        assert_eq!(is_sure("lab-02", &["lab-03"]), Some(false), "another number");
        assert_eq!(is_sure("refernces", &["preferences"]), Some(true));
        assert_eq!(is_sure("tle", &["title"]), None);
    }
}
