//! Two sorted maps, side by side.

use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::iter;
use std::sync::Arc;

/// What one of two maps has at a path, and the other: each path once, in order. Takes time linear in both.
pub fn merge<'m, V>(
    one: &'m BTreeMap<Arc<str>, V>,
    other: &'m BTreeMap<Arc<str>, V>,
) -> impl Iterator<Item = (&'m Arc<str>, Option<&'m V>, Option<&'m V>)> {
    let (mut ones, mut others) = (one.iter().peekable(), other.iter().peekable());
    iter::from_fn(move || {
        let order = match (ones.peek(), others.peek()) {
            // Most paths are not only equal but the same, which is seen without reading them.
            (Some((path, _)), Some((same, _))) if Arc::ptr_eq(path, same) => Ordering::Equal,
            (Some((path, _)), Some((other, _))) => path.cmp(other),
            (Some(_), None) => Ordering::Less,
            (None, _) => Ordering::Greater,
        };
        let (one, other) = (ones.next_if(|_| order.is_le()), others.next_if(|_| order.is_ge()));
        let path = one.or(other)?.0;
        Some((path, one.map(|(_, value)| value), other.map(|(_, value)| value)))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_path_comes_once_and_in_order() {
        let map = |entries: &[(&str, i32)]| entries.iter().map(|&(path, value)| (Arc::from(path), value)).collect();
        let (one, other): (BTreeMap<Arc<str>, i32>, _) =
            (map(&[("a", 1), ("c", 3), ("d", 4)]), map(&[("b", 2), ("c", 9), ("e", 5)]));
        let merged: Vec<_> =
            merge(&one, &other).map(|(path, one, other)| (&**path, one.copied(), other.copied())).collect();
        let expected = [
            ("a", Some(1), None),
            ("b", None, Some(2)),
            ("c", Some(3), Some(9)),
            ("d", Some(4), None),
            ("e", None, Some(5)),
        ];
        assert_eq!(merged, expected);
        let empty = BTreeMap::new();
        assert_eq!(merge(&empty, &one).count(), 3);
        assert_eq!(merge(&one, &empty).count(), 3);
        assert_eq!(merge(&one, &one.clone()).count(), 3);
    }
}
