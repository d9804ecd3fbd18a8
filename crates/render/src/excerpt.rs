//! An excerpt → HTML: a `figure` with a `pre`, whose lines have ids and markers. Its notes are the `ol` that follows.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use super::bind::BoundNote;
use super::changes::Changes;
use super::code::{self, Marker, Overlay, Tag};
use super::escape;
use super::lit::Lit;
use super::note_layout::{Breadth, NoteLayout};
use super::omission::Omissions;
use infralens_course::config::Config;
use infralens_course::course::starter::RECORD;
use infralens_page::Excerpt;
use infralens_source::put;
use infralens_source::url;
use infralens_starter::excerpt::{Occurrence, Row, ViewRow};
use infralens_starter::listing::Lines;
use infralens_starter::notebook::Cell;
use infralens_starter::{Listing, SelectedRows};

/// An excerpt of a page with its file, its rows and its bound notes.
#[derive(Debug)]
pub struct BoundExcerpt<'a> {
    pub excerpt: &'a Excerpt,
    pub listing: &'a Listing,
    pub shown: &'a SelectedRows,
    pub bound: &'a [BoundNote],
    pub lit: &'a Lit,
    /// The excerpt of the page that shows the piece which this one is compared with: its number, and its caption.
    pub compared: Option<(usize, Option<&'a str>)>,
    /// Its number on the page, from 1.
    pub number: usize,
    /// Whether it is the excerpt that a home page begins with, which has buttons to step through its notes.
    pub is_lens: bool,
    /// A prefix of its ids; empty except where several pages are on one.
    pub prefix: String,
    /// The attributes that name the language of its caption, where that is not the language of the page.
    pub lang: String,
}

impl BoundExcerpt<'_> {
    pub fn id(&self) -> String {
        format!("{}E{}", self.prefix, self.number)
    }

    /// Returns the id of a note, whose index starts at 0.
    pub fn note_id(&self, note: usize) -> String {
        format!("{}-N{}", self.id(), note + 1)
    }

    /// Returns the id of the code that a note explains: that of the token in its first line, because a browser then scrolls
    /// a wide listing sideways, too; without one, that of the line.
    pub fn code_id(&self, note: usize) -> Option<String> {
        let first = self.lines(note).first()?.start;
        Some(if self.leads_to_token(note) {
            self.token_id(note)
        } else {
            format!("{}-{}", self.id(), self.listing.line_id(first))
        })
    }

    fn token_id(&self, note: usize) -> String {
        format!("{}-T{}", self.id(), note + 1)
    }

    fn first_row(&self, note: usize) -> Option<usize> {
        self.bound.get(note)?.rows.first().map(|rows| rows.start)
    }

    fn leads_to_token(&self, note: usize) -> bool {
        let first = self.first_row(note);
        self.bound
            .get(note)
            .is_some_and(|bound| bound.tokens.iter().any(|token| Some(token.row) == first && !token.columns.is_empty()))
    }

    /// Returns the line number, from 1, to which an anchor of a note is bound.
    pub fn anchor_line(&self, note: usize, event: usize) -> Option<usize> {
        let anchors = &self.bound.get(note)?.anchors;
        let index = anchors.binary_search_by_key(&event, |&(anchor, _)| anchor).ok()?;
        self.shown.line_number(anchors[index].1)
    }

    /// Returns the lines of the file, from 0, that a note covers.
    pub fn lines(&self, note: usize) -> Vec<Lines> {
        let rows = self.bound.get(note).map_or(&[][..], |bound| &bound.rows);
        let lines = |rows: Range<usize>| {
            let mut numbers = rows.filter_map(|row| self.shown.line_number(row));
            let first = numbers.next()?;
            let last = numbers.next_back().unwrap_or(first);
            Some(first - 1..last)
        };
        let parts = rows.iter().flat_map(|rows| {
            // What the author left out is in no note's range.
            let left_out = self.shown.written.iter().map(|(row, _)| *row).filter(|row| rows.contains(row));
            let starts = std::iter::once(rows.start).chain(left_out.clone().map(|row| row + 1));
            starts.zip(left_out.chain([rows.end])).map(|(start, end)| start..end)
        });
        parts.filter_map(lines).collect()
    }

    /// Returns the code that a note is bound to: lines of the file, from 0, and bytes of their text.
    pub fn tokens(&self, note: usize) -> Vec<(usize, Range<usize>)> {
        let found = self.bound.get(note).map_or(&[][..], |bound| &bound.tokens);
        found
            .iter()
            .filter_map(|found| match self.shown.rows[found.row] {
                Row::Line(line) => {
                    let cut = self.shown.cut(self.listing, line);
                    Some((line, found.columns.start + cut..found.columns.end + cut))
                }
                Row::Omitted(_) => None,
            })
            .collect()
    }

    /// Returns the layout of its notes, of these lengths in letters, next to the code. A comparison folds the code in a way of
    /// its own.
    pub fn layout(&self, lengths: &[usize]) -> NoteLayout {
        let layout = NoteLayout::new(self.shown.rows.len(), self.bound, lengths);
        if self.lit.since.is_some() { layout } else { layout.folded(self.bound) }
    }

    /// Returns how much room its lines need.
    pub fn breadth(&self) -> Breadth {
        Breadth::of(self.shown.view(self.listing).rows.iter().map(|row| match row {
            ViewRow::Line(line) => line.text,
            ViewRow::Omitted(_) => "",
        }))
    }

    /// Writes the figure. `file` is the link to the starter's page, and of a record the command that printed it, `since` that to the piece which the excerpt is compared
    /// with, `output` what its cells recorded, `layout` comes from [`Self::layout`].
    pub fn figure(&self, config: &Config, file: &str, since: &str, output: &str, layout: &NoteLayout) -> String {
        let (changes, omissions) = (Changes::new(self), Omissions::new(self));
        let view = self.shown.view(self.listing);
        let overlays = self.overlays(&view);
        let mut ids: BTreeMap<usize, BTreeMap<usize, String>> = BTreeMap::new();
        for note in (0..self.bound.len()).filter(|&note| self.leads_to_token(note)) {
            ids.entry(self.first_row(note).unwrap_or_default()).or_default().insert(note + 1, self.token_id(note));
        }
        let mut out = String::with_capacity(view.rows.len() * 160);
        let numbers = if self.excerpt.numbers { "" } else { " data-numbers=\"false\"" };
        let (mut rows, id) = (layout.figure_classes(), self.id());
        rows.push_str(&self.row_classes([0..usize::MAX]).concat());
        let label = if self.lang.is_empty() || self.excerpt.caption.is_none() {
            format!("aria-label=\"{}\"", escape::attribute(&self.label(config)))
        } else {
            // The caption says what its language is; an attribute cannot.
            format!("aria-labelledby=\"{id}-C\"")
        };
        // What a report of a mistake names.
        let from = config.takes_reports().then(|| escape::attribute(&self.listing.identity()));
        let from = from.map(|from| format!(" data-from=\"{from}\"")).unwrap_or_default();
        put!(out, "<figure class=\"excerpt{rows}\" id=\"{id}\" {label}{numbers}{from}>\n");
        self.head(&mut out, config, file);
        if let Some(changes) = &changes {
            changes.head(&mut out, &config.labels, since);
        }
        out.push_str("<pre class=\"listing\" tabindex=\"0\" translate=\"no\"><code>");
        for (row, line) in view.rows.iter().enumerate() {
            layout.write_part_tags(&mut out, row);
            if let Some(changes) = &changes {
                changes.above(&mut out, config, row);
            }
            match line {
                ViewRow::Omitted(count) => omissions.write(&mut out, config, file, row, *count),
                ViewRow::Line(line) => {
                    let (prefix, classes) = (format!("{id}-"), self.line_classes(changes.as_ref(), row));
                    code::open_line(&mut out, &prefix, self.listing, line.line, &classes);
                    code::push_markers(&mut out, layout, row, |note| self.marker(config, note, line.line));
                    if let Some(changes) = &changes {
                        changes.sign(&mut out, &config.labels, row);
                    }
                    let over = overlays.get(&row).map_or(&[][..], Vec::as_slice);
                    code::push_line_with_ids(&mut out, line.text, &line.tokens, over, ids.entry(row).or_default());
                    code::close_line(&mut out);
                }
            }
        }
        if let Some(changes) = &changes {
            changes.above(&mut out, config, view.rows.len());
        }
        layout.write_part_tags(&mut out, view.rows.len());
        out.push_str("</code></pre>\n");
        out.push_str(output);
        self.foot(&mut out, config, layout);
        out.push_str("</figure>\n");
        out
    }

    /// Returns the name of the file or the record.
    pub fn name(&self) -> &str {
        let name = url::file_name(self.listing.source().path());
        name.strip_prefix(RECORD).unwrap_or(name)
    }

    /// Returns whether it shows a record, which has no page of its own.
    pub fn is_record(&self) -> bool {
        url::file_name(self.listing.source().path()).starts_with(RECORD)
    }

    /// Returns the label of the figure: its caption, else its file and lines.
    fn label(&self, config: &Config) -> String {
        match (&self.excerpt.caption, self.shown.bounds()) {
            (Some(caption), _) => caption.clone(),
            (None, Some((first, last))) => {
                format!("{}, {}", self.name(), lines_label(config, self.listing, &(first - 1..last)))
            }
            (None, None) => self.name().to_owned(),
        }
    }

    fn head(&self, out: &mut String, config: &Config, file: &str) {
        let labels = &config.labels;
        let (head, open) = if self.is_record() {
            (format!("<code class=\"file\" translate=\"no\">{}</code>", escape::text(file)), String::new())
        } else {
            let (file, name) = (escape::attribute(file), escape::file_name(self.name()));
            let open = format!("<a href=\"{file}\">{}</a> ", escape::text(&labels.open_starter));
            (format!("<a class=\"file\" href=\"{file}\">{name}</a>"), open)
        };
        put!(out, "<figcaption>{head}");
        if let Some((first, last)) = self.shown.bounds() {
            let lines = lines_label(config, self.listing, &(first - 1..last));
            put!(out, " <span class=\"lines\">{}</span>", escape::text(&lines));
        }
        if self.is_lens {
            self.stepper(out, config);
        }
        let hide_notes = if self.bound.is_empty() {
            String::new()
        } else {
            format!("<button class=\"hide-notes\" type=\"button\">{}</button> ", escape::text(&labels.hide_notes))
        };
        put!(
            out,
            " <span class=\"actions\">{hide_notes}{open}<button class=\"copy\" type=\"button\">{}</button></span></figcaption>\n",
            escape::text(&labels.copy)
        );
    }

    /// Returns the classes of a line besides `line`, each after a space.
    fn line_classes(&self, changes: Option<&Changes<'_>>, row: usize) -> String {
        let is_lit = self.lit.rows.contains(&row) || changes.is_some_and(|changes| changes.is_lit(row));
        let is_folded = changes.is_some_and(|changes| changes.is_folded(row));
        let begins = row > 0 && self.shown.line_number(row).is_some_and(|line| self.listing.begins_cell(line - 1));
        let gap = self.skips_markers(row);
        let classes = [(" gap", gap), (" cell", begins), (" lit", is_lit), (" same", is_folded)];
        classes.into_iter().filter(|(_, has)| *has).map(|(class, _)| class).collect()
    }

    /// Writes the buttons that step through the notes, and which note is chosen: at first the one in the middle, so that
    /// both buttons lead to a note. Only scripts give them a meaning.
    fn stepper(&self, out: &mut String, config: &Config) {
        let labels = &config.labels;
        let count = self.bound.iter().filter(|bound| !bound.rows.is_empty()).count();
        let button = |name: &str, class: &str| {
            let name = escape::attribute(name);
            format!("<button class=\"step {class}\" type=\"button\" aria-label=\"{name}\"></button>")
        };
        let at = labels.note_of.replace("{n}", &count.div_ceil(2).to_string()).replace("{m}", &count.to_string());
        put!(
            out,
            " <span class=\"stepper\">{} <span role=\"status\" data-words=\"{}\">{}</span> {} <kbd aria-hidden=\"true\">j</kbd> \
             <kbd aria-hidden=\"true\">k</kbd></span>",
            button(&labels.previous_note, "back"),
            escape::attribute(&labels.note_of),
            escape::text(&at),
            button(&labels.next_note, "on"),
        );
    }

    /// Returns whether markers between a row and the line above it are hidden.
    fn skips_markers(&self, row: usize) -> bool {
        let rows = row.checked_sub(1).and_then(|above| self.shown.rows.get(above..=row));
        let is_in_cell = |line: &usize, above: &usize| self.listing.number(*line) > line - above;
        matches!(rows, Some([Row::Line(above), Row::Line(line)]) if above + 1 < *line && is_in_cell(line, above))
    }

    /// Writes what follows the code: the button that unfolds it, its caption, why line numbers skip, the keyboard
    /// shortcuts.
    fn foot(&self, out: &mut String, config: &Config, layout: &NoteLayout) {
        let labels = &config.labels;
        if layout.is_folded() {
            let all = escape::text(&labels.show_all_lines.with(self.shown.rows.len()));
            put!(out, "<button class=\"unfold\" type=\"button\">{all}</button>\n");
        }
        let skips = self.excerpt.numbers && (0..self.shown.rows.len()).any(|row| self.skips_markers(row));
        if self.excerpt.caption.is_none() && self.bound.is_empty() && !skips {
            return;
        }
        out.push_str("<div class=\"under\">");
        if let Some(caption) = &self.excerpt.caption {
            let lang = &self.lang;
            let id = if lang.is_empty() { String::new() } else { format!(" id=\"{}-C\"", self.id()) };
            put!(out, "<p class=\"caption\"{id}{lang}>{}</p>", escape::text(caption));
        }
        if skips {
            put!(out, "<p class=\"skips\">{}</p>", escape::text(&labels.skipped_markers));
        }
        if !self.bound.is_empty() {
            let keys = escape::text(&labels.step_notes);
            put!(out, "<p class=\"keys\"><kbd>j</kbd> <kbd>k</kbd> {keys}</p>");
        }
        out.push_str("</div>\n");
    }

    fn marker(&self, config: &Config, note: usize, line: usize) -> Marker {
        let label = marker_label(config, note + 1, self.listing.number(line));
        Marker { note: self.note_id(note), number: note + 1, label }
    }

    fn overlays(&self, view: &infralens_starter::View<'_>) -> BTreeMap<usize, Vec<Overlay>> {
        let mut overlays: BTreeMap<usize, Vec<Overlay>> = BTreeMap::new();
        let mut add = |found: Occurrence, tag| {
            overlays.entry(found.row).or_default().push(Overlay { columns: found.columns, tag });
        };
        for (note, bound) in self.bound.iter().enumerate() {
            for found in &bound.tokens {
                add(found.clone(), Tag::Bound(note + 1));
            }
        }
        let mut known = BTreeSet::new();
        for (term, _) in self.excerpt.marks.iter().filter(|(term, _)| known.insert(term)) {
            for found in view.all(term) {
                add(found, Tag::Mark);
            }
        }
        for (&row, line) in self.lit.since.iter().flat_map(|since| &since.comparison.lines) {
            for columns in line.words.iter().filter(|_| line.is_changed) {
                add(Occurrence { row, columns: columns.clone() }, Tag::Changed);
            }
        }
        overlays
    }
}

/// Formats a number of lines: "1 line", "14 lines".
pub fn line_count(config: &Config, count: usize) -> String {
    config.labels.omitted_lines.with(count)
}

/// Formats lines (from 0): "Lines 3–9", in a notebook "Cell load, Lines 3–9".
pub fn lines_label(config: &Config, listing: &Listing, lines: &Lines) -> String {
    let (first, last) = (lines.start, lines.end.max(lines.start + 1) - 1);
    let cell = |line: usize| listing.cell_of(line).map_or_else(String::new, |cell| cell_label(config, cell) + ", ");
    let one = |line: usize| format!("{}{} {}", cell(line), config.labels.line, listing.number(line));
    if first == last {
        one(first)
    } else if cell(first) == cell(last) {
        let (from, to) = (listing.number(first), listing.number(last));
        format!("{}{} {from}–{to}", cell(first), config.labels.lines)
    } else {
        format!("{} – {}", one(first), one(last))
    }
}

/// Returns the label of a cell of a notebook: "Cell load".
pub fn cell_label(config: &Config, cell: &Cell) -> String {
    format!("{} {}", config.labels.cell, cell.name)
}

/// Returns the label of a note's marker: "1, note on line 57". It starts with the visible text.
pub fn marker_label(config: &Config, number: usize, line: usize) -> String {
    format!("{number}, {}", config.labels.note_on_line.with(line))
}

/// Returns the label of the link from a note to its lines: "1, line 57".
pub fn note_link_label(config: &Config, listing: &Listing, number: usize, lines: &Lines) -> String {
    format!("{number}, {}", lines_label(config, listing, lines))
}

/// Formats ranges of lines, given from 0, for the script, which counts from 1: `63-64 70-70`.
pub fn line_ranges(lines: &[Lines]) -> String {
    lines.iter().map(|lines| format!("{}-{}", lines.start + 1, lines.end)).collect::<Vec<_>>().join(" ")
}
