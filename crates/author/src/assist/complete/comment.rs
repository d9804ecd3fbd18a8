//! What can be written in a comment that has a meaning: values and parts of a page, and markers of regions in a starter.

use std::collections::BTreeSet;

use super::{Completion, Cursor, Kind};
use infralens_page::comment_names;
use infralens_source::selector::Selector;

impl Cursor<'_> {
    /// Returns what a comment can be that has a meaning: values, generated parts, and the two ends of examples and tabs.
    pub(super) fn comments(&self, written: &str) -> Vec<Completion> {
        if written.contains("--") {
            return Vec::new();
        }
        // An editor that writes pairs has written the end already.
        let rest = self.source.text()[self.offset..].lines().next().unwrap_or_default();
        let end = self.offset + if rest.trim_start().starts_with("-->") { rest.trim_end().len() } else { 0 };
        let span = self.line_start..end;
        let values = "<!-- values\n${1:name} = ${2:80 GB}  # ${3:what it is}\n-->";
        let values = Completion::new(Kind::Snippet, "<!-- values", &span).snippet(values);
        let comment = |name: &str| format!("<!-- {name} -->");
        let above = &self.source.text()[..self.line_start];
        let names = comment_names().filter_map(|name| {
            let (begin, written) = (name.trim_start_matches('/'), comment(name));
            let end = comment(&format!("/{begin}"));
            if begin != name {
                let is_open = above.matches(&comment(begin)).count() > above.matches(&written).count();
                return is_open.then(|| Completion::new(Kind::Value, &*written, &span));
            }
            let one = Completion::new(Kind::Value, &*written, &span);
            let is_pair = comment_names().any(|other| other.strip_prefix('/') == Some(begin));
            Some(if is_pair { one.snippet(format!("{written}\n\n${{1:Text.}}\n\n{end}")) } else { one })
        });
        std::iter::once(values).chain(names).collect()
    }

    /// Returns the regions that pages ask of a starter and that it does not have, where a marker is written.
    pub(super) fn in_starter(&self) -> Vec<Completion> {
        let path = self.source.path();
        let Some((written, is_end)) = (self.before.rsplit_once("ANCHOR: ").map(|(_, name)| (name, false)))
            .or_else(|| self.before.rsplit_once("ANCHOR_END: ").map(|(_, name)| (name, true)))
        else {
            return Vec::new();
        };
        let lines = || self.source.text().lines().map(str::trim_end);
        let has = |marker: &str, name: &str| {
            lines()
                .filter(|line| *line != self.before.trim_end())
                .any(|line| line.ends_with(&format!("{marker}: {name}")))
        };
        let asked = self.site.sources().flat_map(|page| {
            let excerpts = page.subject.document.body.excerpts.iter().map(|excerpt| &excerpt.file);
            let files = excerpts.chain(page.subject.document.body.pieces().map(|piece| &piece.file));
            let of_file = files.filter(|file| page.subject.named(&file.path).is_ok_and(|named| *named == **path));
            of_file.flat_map(|file| &file.selectors).map(|(selector, _)| selector.clone()).collect::<Vec<_>>()
        });
        let asked =
            asked.filter(|selector| matches!(selector, Selector::Region(_))).map(|selector| selector.to_string());
        let opened = lines().filter_map(|line| line.rsplit_once("ANCHOR: ")).map(|(_, name)| name.to_owned());
        let names: BTreeSet<String> = if is_end { opened.collect() } else { asked.collect() };
        let missing = names.iter().filter(|name| !has(if is_end { "ANCHOR_END" } else { "ANCHOR" }, name));
        missing.map(|name| Completion::new(Kind::Code, name, &self.typed(written.len()))).collect()
    }
}
