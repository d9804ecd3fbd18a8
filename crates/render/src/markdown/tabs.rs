//! Writes tabs: on the page itself as a group of `details`, of which browsers keep one open; elsewhere, as on a code host,
//! one below the other.

use std::collections::BTreeMap;

use super::super::raw_html::ElementStack;
use super::Writer;
use infralens_page::{Document, Events, Tabs};

/// A comment or a title of tabs, which the page shows in another form.
pub struct TabCut {
    pub events: Events,
    /// What it is.
    pub kind: TabCutKind,
}

/// What a [`TabCut`] is.
pub enum TabCutKind {
    /// The comment that begins tabs.
    Begin,
    /// The title of a tab: the number of the tabs on the page and that of the tab, both from 1.
    Title(usize, usize),
    /// The comment that ends tabs.
    End,
}

/// Returns the comments and titles of all tabs of a page, by their first events.
pub fn cuts(document: &Document) -> BTreeMap<usize, TabCut> {
    let cuts = document.body.tabs.iter().enumerate().flat_map(|(at, Tabs { open, titles, close })| {
        let kinds = (0..titles.len()).map(move |tab| TabCutKind::Title(at + 1, tab + 1));
        let ends = [(open, TabCutKind::Begin), (close, TabCutKind::End)];
        titles.iter().zip(kinds).chain(ends).map(|(events, kind)| TabCut { events: events.clone(), kind })
    });
    cuts.map(|cut| (cut.events.start, cut)).collect()
}

/// Returns the id of the content of a tab.
pub fn id(tabs: usize, tab: usize) -> String {
    format!("Tabs{tabs}-{tab}")
}

impl Writer<'_> {
    /// Writes the beginning, a title or the end of tabs; returns the index of the next event.
    pub(super) fn tab_cut(&mut self, cut: &TabCut) -> usize {
        if !matches!(cut.kind, TabCutKind::Begin | TabCutKind::Title(_, 1)) {
            let closers = self.leave();
            self.push(format!("{closers}</div>\n</details>\n"));
        }
        match cut.kind {
            TabCutKind::Begin => {
                self.raw(ElementStack::start_block);
                self.push("<div class=\"tabs\">\n");
            }
            TabCutKind::Title(tabs, tab) => {
                // A title is a button: neither its links nor its terms can be opened.
                self.no_link_depth += 2;
                let title = self.question(cut.events.start + 2..cut.events.end - 2);
                self.no_link_depth -= 2;
                let (open, id) = (if tab == 1 { " open" } else { "" }, id(tabs, tab));
                let head = format!("<details name=\"Tabs{tabs}\"{open}><summary>{title}</summary>");
                self.push(format!("{head}\n<div id=\"{id}\">\n"));
                self.enter("in this tab");
            }
            TabCutKind::End => self.push("</div>\n"),
        }
        cut.events.end
    }
}
