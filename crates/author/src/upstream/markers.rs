//! Puts the region markers of an author into a later state of the file that was marked: a merge of markers, never of code.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use infralens_source::selector::Selector;
use infralens_source::source::{Source, Span, edited};
use infralens_starter::compare::MAX_DIFFERENT;
use infralens_starter::excerpt::dedent;
use infralens_starter::listing::Lines;
use infralens_starter::locate::Similarity;
use infralens_starter::{Listing, lcs};
use similar::TextDiff;

/// The number of letters and digits that a line must have to tell where it is: less is in many places.
const FEWEST_LETTERS: usize = 8;

/// A region that the author has marked in a file of another project.
pub(super) struct Marked<'l> {
    pub name: &'l str,
    /// Its lines in the file of the project, from 0.
    pub lines: Lines,
    /// The lines of its two markers.
    marks: [&'l str; 2],
}

/// Finds the regions that `own`, the author's file, has and `old`, the project's file, has not.
///
/// # Errors
///
/// Returns the difference if there is any but the markers of regions. White space at the ends of lines does not count.
pub(super) fn marked<'l>(own: &'l Listing, old: &Listing) -> Result<Vec<Marked<'l>>, String> {
    let is_equal =
        |line: usize, at: usize| at < old.line_count() && own.line(line).trim_end() == old.line(at).trim_end();
    let (mut at, mut before, mut marks) = (0, Vec::with_capacity(own.line_count() + 1), BTreeSet::new());
    for line in 0..own.line_count() {
        before.push(at);
        if own.is_marker(line) && !is_equal(line, at) {
            marks.insert(line);
            continue;
        }
        // A marker of the project may have been removed here.
        at = (at..old.line_count()).find(|&at| is_equal(line, at) || !old.is_marker(at)).unwrap_or(at);
        if !is_equal(line, at) {
            return Err(difference(own, old, |line| own.is_marker(line) && !old.has_line(own.line(line))));
        }
        at += 1;
    }
    before.push(at);
    let regions = own.regions().iter().map(|region| (region, [region.lines.start - 1, region.lines.end]));
    let regions: Vec<_> = regions.filter(|(_, ends)| ends.iter().all(|line| marks.contains(line))).collect();
    if 2 * regions.len() != marks.len() || (at..old.line_count()).any(|at| !old.is_marker(at)) {
        let ends: BTreeSet<usize> = regions.iter().flat_map(|(_, ends)| *ends).collect();
        return Err(difference(own, old, |line| ends.contains(&line)));
    }
    let regions = regions.into_iter().map(|(region, ends)| Marked {
        name: &region.name,
        lines: before[region.lines.start]..before[region.lines.end],
        marks: ends.map(|line| own.line(line)),
    });
    Ok(regions.collect())
}

/// Returns how the author's file differs, without the lines that are left out.
fn difference(own: &Listing, old: &Listing, is_left_out: impl Fn(usize) -> bool) -> String {
    let text = |listing: &Listing, is_left_out: &dyn Fn(usize) -> bool| -> String {
        let lines = (0..listing.line_count()).filter(|&line| !is_left_out(line));
        lines.flat_map(|line| [listing.line(line).trim_end(), "\n"]).collect()
    };
    let [old, own] = [text(old, &|_| false), text(own, &is_left_out)];
    TextDiff::from_lines(&old, &own).unified_diff().context_radius(1).to_string()
}

/// Returns the text of `new`, the project's later file, with the markers of the regions that have a place in it, and the
/// regions that have none.
pub(super) fn merge<'m, 'l>(marked: &'m [Marked<'l>], old: &Listing, new: &Listing) -> (String, Vec<&'m Marked<'l>>) {
    let pairs = pairs(old, new);
    let (mut placed, mut lost) = (Vec::new(), Vec::new());
    for region in marked {
        match place(&region.lines, old, new, &pairs) {
            Some(lines) => placed.push((region, lines)),
            None => lost.push(region),
        }
    }
    // Markers may meet others, such as the project's own, so that they mark something else.
    loop {
        let text = with_markers(new, &placed);
        let merged = Listing::new(&Arc::new(Source::new(Arc::clone(new.source().path()), text.as_str()))).0;
        let is_marked = |(region, lines): &(&Marked<'_>, Lines)| {
            let found = merged.select(&Selector::Region(region.name.to_owned()));
            found.is_ok_and(|found| code(&merged, &found) == code(new, lines))
        };
        let (right, wrong): (Vec<_>, Vec<_>) = placed.into_iter().partition(is_marked);
        if wrong.is_empty() {
            return (text, lost);
        }
        placed = right;
        lost.extend(wrong.into_iter().map(|(region, _)| region));
    }
}

/// Returns the lines that are not markers.
fn code<'l>(listing: &'l Listing, lines: &Lines) -> Vec<&'l str> {
    lines.clone().filter(|&line| !listing.is_marker(line)).map(|line| listing.line(line)).collect()
}

/// Returns the lines that both files have, in the same order: the line of the new file by that of the old one; none if the
/// files differ too much.
fn pairs(old: &Listing, new: &Listing) -> BTreeMap<usize, usize> {
    let [old, new] = [old, new]
        .map(|listing| (0..listing.line_count()).map(|line| listing.line(line).trim_end()).collect::<Vec<_>>());
    lcs::pairs(&old, &new, MAX_DIFFERENT).unwrap_or_default().into_iter().collect()
}

/// Finds the place of some lines of the old file in the new one: the definition that they are, or the same lines; else where
/// most of them still are, by their order or next to each other; else what is now between the lines above and below.
fn place(lines: &Lines, old: &Listing, new: &Listing, pairs: &BTreeMap<usize, usize>) -> Option<Lines> {
    let located = new.locate(&dedent(&code(old, lines)));
    let (most, same): (Vec<_>, Vec<_>) =
        located.into_iter().partition(|located| located.similarity == Similarity::Most);
    let holder = old.covering_selector(lines).filter(|(holder, _)| matches!(holder, Selector::Symbol(_)));
    let held_by = holder.as_ref().map(|(holder, _)| new.select(holder).ok());
    let named = || holder.as_ref().filter(|(_, is_all)| *is_all).and_then(|_| held_by.clone().flatten());
    let is_inside = |found: &Lines| match &held_by {
        None => true,
        Some(holder) => holder.as_ref().is_some_and(|of| of.start <= found.start && found.end <= of.end),
    };
    let by_order = by_order(lines, pairs, [old.line_count(), new.line_count()])
        .filter(|found| is_inside(found) || is_between(lines, found, old, pairs))
        .filter(|found| defines(old, lines).is_none_or(|name| has_definition(new, found, name)));
    let kept = pairs.range(lines.clone()).count();
    let mostly = by_order.clone().filter(|_| 2 * kept >= lines.len());
    let same = same.into_iter().next().map(|located| located.lines);
    let most = most.into_iter().next().map(|located| located.lines);
    named().or(same).or(mostly).or(most).or(by_order)
}

/// Returns the lines of the new file between the lines that both files have: those at the ends of `lines`, or next to them.
fn by_order(lines: &Lines, pairs: &BTreeMap<usize, usize>, counts: [usize; 2]) -> Option<Lines> {
    let above = || lines.start.checked_sub(1).map_or(Some(0), |above| Some(pairs.get(&above)? + 1));
    let below = || if lines.end == counts[0] { Some(counts[1]) } else { pairs.get(&lines.end).copied() };
    let start = pairs.get(&lines.start).copied().or_else(above)?;
    let end = lines.end.checked_sub(1).and_then(|last| Some(pairs.get(&last)? + 1)).or_else(below)?;
    (start < end).then_some(start..end)
}

/// Returns whether the lines directly above and below, which must have words, are the same in both files.
fn is_between(lines: &Lines, found: &Lines, old: &Listing, pairs: &BTreeMap<usize, usize>) -> bool {
    let has_words = |line: &usize| old.line(*line).chars().filter(|c| c.is_alphanumeric()).count() >= FEWEST_LETTERS;
    let above = lines.start.checked_sub(1).filter(has_words).and_then(|above| pairs.get(&above));
    let below = Some(lines.end).filter(has_words).and_then(|below| pairs.get(&below));
    above.is_some_and(|above| above + 1 == found.start) && below == Some(&found.end)
}

/// Returns the first name that some lines define.
fn defines<'l>(listing: &'l Listing, lines: &Lines) -> Option<&'l str> {
    listing.symbols().iter().find(|symbol| lines.contains(&symbol.line)).map(|symbol| symbol.name.as_str())
}

fn has_definition(listing: &Listing, lines: &Lines, name: &str) -> bool {
    listing.symbols().iter().any(|symbol| symbol.name == name && lines.contains(&symbol.line))
}

/// Returns the text of a file with markers around regions. Where several are at one place, regions that end come before
/// those that begin, so that regions that were inside each other still are.
pub(super) fn with_markers(new: &Listing, placed: &[(&Marked<'_>, Lines)]) -> String {
    let text = new.source().text();
    let end = if text.contains("\r\n") { "\r\n" } else { "\n" };
    let ends = placed.iter().rev().map(|(region, lines)| ((lines.end, 0, usize::MAX - lines.start), region.marks[1]));
    let starts = placed.iter().map(|(region, lines)| ((lines.start, 1, usize::MAX - lines.end), region.marks[0]));
    let mut marks: Vec<_> = ends.chain(starts).collect();
    marks.sort_by_key(|(order, _)| *order);
    let edits = marks.into_iter().map(|((line, ..), mark)| {
        let is_last = line >= new.line_count();
        let at = if is_last { text.len() } else { new.source().line_span(line).start };
        let before = if is_last && !text.ends_with('\n') { end } else { "" };
        (at..at, if before.is_empty() { format!("{mark}{end}") } else { format!("{before}{mark}") })
    });
    edited(text, edits.collect::<Vec<(Span, String)>>())
}

#[cfg(test)]
mod tests {
    use super::*;

    const OLD: &str = "import math\n\n\ndef load(x):\n    y = x * 2\n    z = y + 1\n    return z\n\n\ndef store(x):\n    return math.sqrt(x)\n\n\nEPS = 1e-5\n";
    const OWN: &str = "import math\n\n\n# ANCHOR: all\ndef load(x):\n    #region two\n    y = x * 2\n    z = y + 1\n    #endregion\n    return z\n# ANCHOR_END: all\n\n\ndef store(x):\n    # ANCHOR: root\n    return math.sqrt(x)\n    # ANCHOR_END: root\n\n\n# ANCHOR: eps\nEPS = 1e-5\n# ANCHOR_END: eps";

    fn listing(text: &str) -> Listing {
        Listing::new(&Arc::new(Source::new("code/l/a.py", text))).0
    }

    /// The later file with the markers, and the regions that are lost.
    fn merged(own: &str, new: &str) -> (String, Vec<String>) {
        let [own, old, new] = [own, OLD, new].map(listing);
        let marked = marked(&own, &old).unwrap_or_else(|difference| panic!("{difference}"));
        let (text, lost) = merge(&marked, &old, &new);
        (text, lost.iter().map(|region| region.name.to_owned()).collect())
    }

    #[test]
    fn markers_follow_their_code() {
        let none: Vec<String> = Vec::new();
        assert_eq!(merged(OWN, OLD), (format!("{OWN}\n"), none.clone()));
        for (from, to) in [
            // More lines above and inside, other lines, another place.
            ("import math\n", "import math\nimport sys\n"),
            ("    z = y + 1\n", "    y = abs(y)\n    z = y + 1\n"),
            ("    return z\n", "    return z\n    print(z)\n"),
            ("    y = x * 2\n", "    y = x * 3\n"),
            ("return math.sqrt(x)", "return math.sqrt(abs(x))"),
            ("EPS = 1e-5", "EPS = 1e-6"),
        ] {
            let (text, lost) = merged(OWN, &OLD.replace(from, to));
            assert_eq!((text, lost), (format!("{}\n", OWN.replace(from, to)), none.clone()), "{from:?}");
        }
        let moved = format!("EPS = 1e-5\n{}", OLD.replace("\n\n\nEPS = 1e-5", ""));
        let wanted = OWN.replace("\n\n\n# ANCHOR: eps\nEPS = 1e-5\n# ANCHOR_END: eps", "\n");
        assert_eq!(
            merged(OWN, &moved),
            (format!("# ANCHOR: eps\nEPS = 1e-5\n# ANCHOR_END: eps\n{wanted}"), none.clone())
        );
        let windows = OLD.replace('\n', "\r\n");
        assert_eq!(merged(OWN, &windows), (format!("{OWN}\n").replace('\n', "\r\n"), none));
    }

    #[test]
    fn a_changed_line_is_found_between_the_same_lines() {
        let body =
            "    total = prefix(x)\n    # ANCHOR: a\n    y = 1\n    # ANCHOR_END: a\n    return combine(total, y)\n";
        let placed = |new: &str| {
            let own = listing(&format!("def one(x):\n{body}"));
            let [old, new] = [own.source().text(), new].map(|text| {
                let lines = text.split_inclusive('\n').filter(|line| !line.contains("ANCHOR"));
                listing(&lines.collect::<String>())
            });
            let marked = marked(&own, &old).expect("only markers");
            merge(&marked, &old, &new).0
        };
        for new in [format!("def one(x):\n{body}"), format!("def other(x):\n{body}")] {
            let new = new.replace("y = 1", "y = 2");
            assert_eq!(placed(&new), new);
        }
        let elsewhere = "def other(x):\n    total = prefix(x)\n    y = 2\n    return total\n";
        assert_eq!(placed(elsewhere), elsewhere);
    }

    #[test]
    fn a_region_without_its_code_is_lost() {
        let (text, lost) =
            merged(OWN, &OLD.replace("def store(x):\n    return math.sqrt(x)", "def other(x):\n    return 0"));
        assert_eq!(lost, ["root"]);
        assert!(text.contains("def other(x):\n    return 0\n") && !text.contains("root"), "{text}");
        let (_, lost) = merged(OWN, "EPS = 1e-5\n");
        assert_eq!(lost, ["all", "two", "root"]);
        // The project has a region of this name itself.
        let theirs = OLD.replace("import math\n", "# ANCHOR: eps\nimport math\n# ANCHOR_END: eps\n");
        assert_eq!(merged(OWN, &theirs).1, ["eps"]);
    }

    #[test]
    fn other_edits_are_shown() {
        let difference = |own: &str| marked(&listing(own), &listing(OLD)).err().unwrap_or_default();
        assert_eq!(difference(OWN), "");
        assert_eq!(difference(&OWN.replace("x * 2\n", "x * 2 \t\n")), "", "white space at the end");
        assert_eq!(
            difference(&OWN.replace("x * 2\n", "x * 4\n")),
            "@@ -4,3 +4,3 @@\n def load(x):\n-    y = x * 2\n+    y = x * 4\n     z = y + 1\n"
        );
        assert_eq!(difference(&format!("{OLD}x = 1\n")), "@@ -14 +14,2 @@\n EPS = 1e-5\n+x = 1\n");
        assert_eq!(difference(&OLD.replace("\nEPS = 1e-5", "")), "@@ -13,2 +13 @@\n \n-EPS = 1e-5\n");
        // A marker without a name, or without its other half, is no region.
        assert_eq!(difference(&format!("{OLD}# ANCHOR: x\n")), "@@ -14 +14,2 @@\n EPS = 1e-5\n+# ANCHOR: x\n");
    }
}
