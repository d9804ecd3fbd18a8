//! The query of a URL, as forms write it.

use std::collections::BTreeMap;

use crate::course::url::decoded;

/// Names and values; of one that stands twice, the first. What is not UTF-8 gets replacement characters.
pub(super) fn parse(query: &str) -> BTreeMap<String, String> {
    let mut values = BTreeMap::new();
    for pair in query.split('&').filter(|pair| !pair.is_empty()) {
        let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
        values.entry(plain(name)).or_insert_with(|| plain(value));
    }
    values
}

fn plain(text: &str) -> String {
    String::from_utf8_lossy(&decoded(&text.replace('+', " "))).into_owned()
}

#[cfg(test)]
mod tests {
    use super::parse;

    #[test]
    fn pairs_are_decoded() {
        let values = parse("path=%2Fa%2520b%2F&tag=1f&&x&tag=2&s=a+b%2B%zz&%C3%BC=%ff");
        let wanted = [("path", "/a%20b/"), ("s", "a b+%zz"), ("tag", "1f"), ("x", ""), ("ü", "\u{fffd}")];
        assert_eq!(values.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect::<Vec<_>>(), wanted);
        assert!(parse("").is_empty());
    }
}
