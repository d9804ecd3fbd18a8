//! Declares the English labels of the interface, which `labels:` in `site.yaml` can replace.

mod counted;
mod practice;

use std::collections::BTreeSet;

use serde::Serialize;

pub use counted::Counted;
use infralens_source::yaml::{Decoder, Entry, Node};

use practice::with_practice_labels;

with_practice_labels! {
    /// The labels of the interface.
    #[derive(Serialize)]
    pub struct Labels {
        // The course.
        /// The home page.
        optional home: String = "Home";
        /// Names the left column, which lists the course.
        optional course: String = "Course";
        /// A track.
        optional track: String = "Track";
        /// The tracks.
        optional tracks: String = "Tracks";
        /// What a track is about.
        optional overview: String = "Overview";
        /// A track's handbook.
        optional handbook: String = "Handbook";
        /// A section of a handbook.
        optional section: String = "Section";
        /// A track's labs page.
        optional labs: String = "Labs";
        /// A lab; comes before its number.
        optional lab: String = "Lab";
        /// A track's practice page.
        optional practice: String = "Practice";
        /// The page of references.
        optional references: String = "References";
        /// The page of terms.
        optional glossary: String = "Glossary";
        /// The page of calculators.
        optional calculators: String = "Calculators";
        /// Heads the list of a page's figures and where each comes from.
        optional figures: String = "Figures on this page";
        /// A column of that list.
        optional figure: String = "Figure";
        /// A column of that list.
        optional figure_from: String = "Where it comes from";
        /// A column of that list: links to the sentences that print the figure.
        optional figure_places: String = "In the text";
        /// Before the name of a record, which has the output of the lab's program.
        optional recorded: String = "recorded output";
        /// Sets the inputs of a calculator back.
        optional calculator_reset: String = "Reset";
        /// Copies a link to a calculator as it is set.
        optional calculator_copy: String = "Copy link";
        /// Says that the link is copied.
        optional calculator_copied: String = "Copied";
        /// Names the settings of a calculator that can be chosen.
        optional calculator_presets: String = "Presets";
        /// A calculator with a bar: what it adds is within the limit by `{rest}`.
        optional calculator_within: String = "Yes, with {rest} to spare";
        /// It adds `{total}`, which exceeds the limit by `{over}`.
        optional calculator_beyond: String = "No, that is {over} too much";
        /// The sum `{total}` and the limit.
        optional calculator_of: String = "{total} of {limit}";
        /// The largest part of the sum.
        optional calculator_largest: String = "Largest part: {part}, {value}";
        /// Before the sum.
        optional calculator_total: String = "Together";
        /// Heads the changes of one input after which the sum is within the limit.
        optional calculator_changes: String = "What would make it fit";
        /// Says that there are none.
        optional calculator_unchanged: String = "No single change of a choice makes it fit.";
        /// Makes such a change.
        optional calculator_try: String = "Try";
        /// The choice of a group of presets while the inputs are as in none of them.
        optional calculator_other: String = "other";
        /// Opens the inputs and results that are not listed above.
        optional calculator_more: String = "All numbers";
        /// Leads from the page of calculators to the page that explains the calculator at its top: `{page}`.
        optional calculator_source: String = "Computed in this page, not measured. The formulas are explained in {page}.";
        /// What a page wanted to load is gone, or differs from what the page knows: the site has been published again.
        optional newer: String = "There is a newer version of this site; reload the page to see it";
        /// Heads the list of the other calculators.
        optional calculators_all: String = "All calculators";
        /// Says in words what the chart of a calculator shows: `{result}` goes from `{from}` to `{to}`, as `{input}` goes
        /// from `{low}` to `{high}`.
        optional calculator_chart: String = "{result} goes from {from} at {input} = {low} to {to} at {input} = {high}";
        /// Marks a page that is only published with `--drafts`.
        optional draft: String = "Draft";
        // Navigation.
        /// The first link of a page, for readers who use the keyboard.
        optional skip_to_content: String = "Skip to content";
        /// Names the breadcrumb, from the home page to this one.
        optional breadcrumb: String = "You are here";
        /// Opens the left column on a narrow screen.
        optional menu: String = "Menu";
        /// The headings of this page.
        optional on_this_page: String = "On this page";
        /// Leads to the next page.
        optional next: String = "Next";
        /// Leads to the previous page.
        optional previous: String = "Previous";
        /// The order in which a track is read.
        optional reading_order: String = "Reading order";
        /// In the left column of a long track: leads to the pages before those that it lists.
        optional earlier_pages: Counted = "{n} earlier pages";
        /// The same for the pages after them.
        optional later_pages: Counted = "{n} later pages";
        /// Heads the list of pages at the end of every page.
        optional on_this_site: String = "On this site";
        /// Leads to the page's file in the repository.
        optional edit_this_page: String = "Edit this page";
        /// Closes what is open over the page, such as the search.
        optional close: String = "Close";

        // The home page.
        /// Leads from the home page's excerpt to the lab that explains its file.
        optional read_this_lab: Counted = "Read lab {n}";
        /// Steps to the note before.
        optional previous_note: String = "Previous note";
        /// Steps to the next note.
        optional next_note: String = "Next note";
        /// Which of the notes is chosen.
        optional note_of: String = "{n} of {m}";
        /// Heads the tracks of one lab, below those of several.
        optional then_one_lab: String = "Then, one lab each";
        /// The pages of another track that a track requires.
        optional after_track: String = "after {track}: {pages}";
        /// Comes before the authors of the course.
        optional author: String = "Written by";
        /// Comes before the license of the course.
        optional license: String = "License";
        /// Comes before the address of the repository.
        optional repository: String = "Repository";

        /// Opens the search.
        optional search: String = "Search";
        /// Changes between light and dark.
        optional theme: String = "Colors";
        /// The colors that the reader's system asks for.
        optional theme_system: String = "match system";
        /// Dark on light.
        optional theme_light: String = "light";
        /// Light on dark.
        optional theme_dark: String = "dark";
        /// The switch for shortcuts of a single key.
        optional shortcuts: String = "Single-key shortcuts";
        /// Heads the list of shortcuts.
        optional shortcuts_title: String = "Keyboard shortcuts";
        /// `/` and Ctrl+K.
        optional shortcut_search: String = "Search";
        /// `j` and `k`.
        optional shortcut_notes: String = "Next and previous note";
        /// The arrow keys.
        optional shortcut_lines: String = "Select lines in a listing that has the focus; with Shift, more of them";
        /// Enter.
        optional shortcut_note: String = "Go to the note on the selected line";
        /// The space bar.
        optional shortcut_answer: String = "Show the answer of a card";
        /// `1` to `4`.
        optional shortcut_grade: String = "Grade the card";
        /// `u`.
        optional shortcut_undo: String = "Undo the last grade";
        /// Escape.
        optional shortcut_close: String = "Close, or let go of a note";
        /// `?`.
        optional shortcut_help: String = "Show this list";
        // What a key does, next to the key.
        /// The arrow keys go through a list.
        optional key_move: String = "move";
        /// Enter opens what is chosen.
        optional key_open: String = "open";
        /// Escape closes.
        optional key_close: String = "close";
        // A track's reading map.
        /// Heads the sections of a row: what is read before its lab.
        optional map_first: String = "Read first";
        /// Leads from the small map to the reading map; `{s}` is "14 sections".
        optional map_all: String = "All {s} and their labs, in reading order";
        /// Heads the labs.
        optional map_lab: String = "Then the lab";
        /// Heads the minutes.
        optional map_time: String = "Time";
        /// Heads the prerequisites of a row.
        optional map_needs: String = "Needs";
        /// Heads what the reader has done with a row.
        optional map_state: String = "State";
        /// The state of a row that has been read.
        optional map_read: String = "Read";
        /// The state of the row to read next.
        optional map_next: String = "Next";
        /// Comes before the ways through a track, some of which suit a reader better than others.
        optional map_ways: String = "Way through";
        /// The way through a track that leaves nothing out.
        optional map_everything: String = "Everything";
        /// Heads the prerequisites of a track with one lab that are in another track.
        optional map_assumes: String = "It assumes, from {track}";
        /// A section without a number that prepares for one with a number.
        optional primer: String = "primer";
        /// Leads to a section's text from the page of its lab.
        optional read_first: String = "Read first";
        /// Comes before a primer, below the section that requires it.
        optional read_before: String = "New to this? Before that,";
        /// Heads the summary of the section `{name}` next to its lab.
        optional in_short: String = "{name} in short";
        /// A lab, on the pages of another track: "Transformer lab 10".
        optional lab_in_track: String = "{track} lab {n}";
        /// Leads from a row of the curriculum to its lab.
        optional open_lab: Counted = "Open lab {n}";
        /// How many sections a track has.
        optional sections_counted: Counted = "{n} sections";
        /// A track has one section.
        optional section_counted: String = "1 section";
        // The glossary.
        /// Names the field that filters the terms.
        optional filter_terms: String = "Filter the terms";
        /// One term is left.
        optional filter_one: String = "1 term";
        /// `{n}` terms are left.
        optional filter_count: Counted = "{n} terms";
        /// No term is left.
        optional filter_none: String = "No term has these words";
        // Search.
        /// At the end of pages, where no scripts run.
        optional search_unscripted: String = "The search needs JavaScript.";
        /// In the empty search field: what can be searched.
        optional search_hint: String = "Titles, text, notes and code";
        /// Below the empty search field: what to type.
        optional search_empty: String = "Type a few words, or part of a name in the code";
        /// The search found one result.
        optional search_one: String = "1 result";
        /// The search found `{n}` results.
        optional search_count: Counted = "{n} results";
        /// The search found nothing.
        optional search_none: String = "No page contains these words";
        /// No page contains all words.
        optional search_some: String = "No page contains all of these words; these contain some";
        /// Shows more results.
        optional search_more: String = "More results";
        /// Names the choice of what is shown: everything, labs, notes and so on.
        optional search_narrow: String = "Show";
        /// Shows results of every kind.
        optional search_all: String = "All";
        /// The query has `{n}` results, and none of the kind that is shown.
        optional search_narrowed: Counted = "Nothing of this kind; {n} results in all";
        /// Shows only notes.
        optional search_notes: String = "Notes";
        /// On the page for unknown addresses: pages that contain words of the address.
        optional search_near: String = "These pages match words in the address:";
        /// The index cannot be loaded.
        optional search_failed: String = "The search could not be loaded";
        /// Heads the results that are outside of all tracks.
        optional search_pages: String = "Pages";
        /// The kind of such a result.
        optional search_page: String = "Page";
        /// A result that is a term of the glossary.
        optional search_term: String = "Term";
        /// A result that is a reference.
        optional search_reference: String = "Reference";
        /// A result that is code.
        optional search_code: String = "Code";
        /// A result that is a calculator, and a word that finds calculators.
        optional search_calculator: String = "Calculator";
        /// A section with a table, and a word that finds such sections.
        optional search_table: String = "Table";
        /// A section with a drawing or a picture, and a word that finds such sections.
        optional search_figure: String = "Figure";
        /// Heads the queries that this browser remembers.
        optional search_recent: String = "Recent searches";
        /// What was typed has no letter or digit.
        optional search_signs: String = "These signs alone cannot be searched for; type a word, a number or a whole operator";
        /// Nothing contains the word `{a}`; the results contain `{b}`, which is spelled similarly.
        optional search_similar: String = "No page contains “{a}”; these contain “{b}”";
        /// Names the list of results.
        optional search_results: String = "Results";
        // A lab's facts.
        /// A duration in minutes.
        optional minutes: Counted = "{n} minutes";
        /// A duration in hours.
        optional hours: Counted = "{n}\u{a0}h";
        /// The minutes after hours.
        optional min: Counted = "{n}\u{a0}min";
        /// A duration of one minute.
        optional minute: String = "1 minute";
        /// Comes before the day on which a page was last checked.
        optional checked: String = "Last checked";
        /// Comes before a lab's outcome, which completes the sentence.
        optional outcome: String = "After this lab, you can";
        /// Heads the prerequisites of a page.
        optional needs: String = "Prerequisites";
        /// Heads the pages of which this one is a prerequisite.
        optional needed_by: String = "Leads to";
        /// Heads the labs that practice a section.
        optional practised_by: String = "Practiced in";
        /// Heads the pages that mention a term.
        optional mentioned_in: String = "Mentioned in";
        /// Heads the pages that cite a reference.
        optional cited_by: String = "Cited by";
        // Code.
        /// A lab's starter file.
        optional starter: String = "Starter";
        /// A lab's starter files.
        optional starter_files: String = "Starter files";
        /// The folder of a lab's starter.
        optional starter_folder: String = "Starter folder";
        /// A note on code; comes before its number.
        optional note: String = "Note";
        /// The notes on code.
        optional notes: String = "Notes";
        /// Comes before a line number.
        optional line: String = "Line";
        /// Comes before a range of lines.
        optional lines: String = "Lines";
        /// Marks lines that an excerpt leaves out.
        optional omitted_lines: Counted = "{n} lines";
        /// Marks one such line.
        optional omitted_line: String = "1 line";
        /// Says how many lines of an excerpt have changed since another piece of code.
        optional lines_changed: Counted = "{n} lines changed";
        /// Says that one line has changed.
        optional line_changed: String = "1 line changed";
        /// Says how many lines the other piece does not have.
        optional lines_new: Counted = "{n} new lines";
        /// Says that there is one such line.
        optional line_new: String = "1 new line";
        /// Says how many lines only the other piece has.
        optional lines_gone: Counted = "{n} lines gone";
        /// Says that there is one such line.
        optional line_gone: String = "1 line gone";
        /// Follows these numbers; `{n}` is the name of the other piece.
        optional since: Counted = "since {n}";
        /// Names the lines of the other piece.
        optional since_lines: Counted = "lines {n}";
        /// Names its only line.
        optional since_line: Counted = "line {n}";
        /// Folds the lines that have not changed, and shows those of the other piece.
        optional only_changes: String = "Only changes";
        /// For screen readers, before a line that has changed.
        optional word_changed: String = "changed";
        /// For screen readers, before a line that is new.
        optional word_new: String = "added";
        /// For screen readers, before a line of the other piece.
        optional word_gone: String = "removed";
        /// Below a listing without the markers of its regions: why its line numbers skip.
        optional skipped_markers: String = "Numbers skip lines that only mark regions.";
        /// Heads the pages that have notes on the lines of a starter file.
        optional explained_in: String = "Explained in";
        /// On the page of a Markdown starter: names the switch between its notes and its source.
        optional beside_it: String = "Beside it";
        /// Shows the notes next to a Markdown starter.
        optional notes_counted: Counted = "{n} notes";
        /// The same if there is one.
        optional note_counted: String = "1 note";
        /// Shows the source next to a Markdown starter.
        optional source: String = "Source";
        /// Shows nothing next to it.
        optional nothing: String = "Nothing";
        /// Leads from a row of a Markdown starter to its source.
        optional source_of_line: Counted = "source of line {n}";
        /// Leads back.
        optional line_as_shown: Counted = "line {n} as shown";
        /// Copies a Markdown starter.
        optional copy_markdown: String = "Copy Markdown";
        /// Prints a Markdown starter.
        optional print_page: String = "Print";
        /// Heads the files of a starter folder.
        optional files: String = "Files";
        /// Saves the file.
        optional download: String = "Download";
        /// On a lab: whether its starter has to be run.
        optional optional_run: String = "Running it is optional";
        /// Leads from an excerpt to its file.
        optional open_starter: String = "Open starter";
        /// Copies the code.
        optional copy: String = "Copy";
        /// Copies a link to the chosen lines.
        optional copy_link: String = "Copy link";
        /// Confirms that it has been copied.
        optional copied: String = "Copied";
        /// Says that the browser has not allowed it.
        optional not_copied: String = "Not copied";
        /// Unfolds a long excerpt.
        optional show_all_lines: Counted = "Show all {n} lines";
        /// What the keys `j` and `k` do.
        optional step_notes: String = "step through the notes";
        /// Hides the notes of an excerpt, so that readers can first explain the code themselves.
        optional hide_notes: String = "Hide notes";
        /// Shows them again.
        optional show_notes: String = "Show notes";
        /// Describes a marker in the code, after its number.
        optional note_on_line: Counted = "note on line {n}";
        // Alerts, footnotes, pictures.
        /// A `[!NOTE]` alert.
        optional alert_note: String = "Note";
        /// A `[!TIP]` alert.
        optional alert_tip: String = "Tip";
        /// A `[!IMPORTANT]` alert.
        optional alert_important: String = "Important";
        /// A `[!WARNING]` alert.
        optional alert_warning: String = "Warning";
        /// A `[!CAUTION]` alert.
        optional alert_caution: String = "Caution";
        /// A task in a list that is done.
        optional task_done: String = "Done";
        /// A task in a list that is not done.
        optional task_open: String = "Not done";
        /// The footnotes of a page.
        optional footnotes: String = "Footnotes";
        /// Leads from a footnote or a note back to its place.
        optional back_to_text: String = "Back to the text";
        /// The link next to a heading.
        optional heading_link: String = "Link to this heading";
        // Further reading.
        /// The reading list of a page that is not a lab.
        optional further_reading: String = "Further reading";
        /// Heads a group of the reading list.
        optional reading_official: String = "Official documentation";
        /// Heads a group of the reading list.
        optional reading_paper: String = "Papers";
        /// Heads a group of the reading list.
        optional reading_practical: String = "Practical guides";
        /// Heads a group of the reading list.
        optional reading_blog: String = "Blog posts";
        /// A reference's kind.
        optional kind_official: String = "official";
        /// A reference's kind.
        optional kind_paper: String = "paper";
        /// A reference's kind.
        optional kind_practical: String = "practical";
        /// A reference's kind.
        optional kind_blog: String = "blog";
        /// A lab's spoken explanation, as a prompt.
        optional spoken: String = "Explain out loud";
        /// Shows the answer.
        optional reveal: String = "Reveal the answer";
        // Tables.
        /// Heads the curriculum.
        optional labs_counted: Counted = "{n} code-reading labs";
        /// Heads a curriculum of one lab.
        optional lab_counted: String = "1 code-reading lab";
        /// The table of starters.
        optional starters: String = "Starters";
        /// A column of the curriculum and of the starters.
        optional column_lab: String = "Lab";
        /// A column of the curriculum.
        optional column_topic: String = "Topic";
        /// A column of the curriculum.
        optional column_focus: String = "Concept focus";
        /// A column of the curriculum.
        optional column_reads: String = "What you read";
        /// A column of the curriculum.
        optional column_outcome: String = "What you should be able to explain";
        /// A column of the curriculum.
        optional column_open: String = "Open";
        /// A column of the curriculum.
        optional column_starter: String = "Starter";
        /// A column of the starters.
        optional column_type: String = "Starter type";
        /// A column of the starters.
        optional column_file: String = "Main file";
        /// A column of the starters.
        optional column_angle: String = "Reading angle";
    }
}

impl Labels {
    /// Reports labels in `entries` of `site.yaml` whose placeholders, such as `{n}`, are not those of the English label: a
    /// reader would see what stands for a number, or miss it.
    pub(super) fn check_placeholders(&self, entries: &[Entry], decoder: &mut Decoder<'_>) {
        let texts = |labels: &Self| serde_json::to_value(labels).unwrap_or_default();
        let (english, own) = (texts(&Self::default()), texts(self));
        let labels = entries.iter().filter(|(key, _)| key.value == "labels");
        for (key, tree) in
            labels.flat_map(|(_, tree)| if let Node::Map(labels) = &*tree.value { &labels[..] } else { &[] })
        {
            let [wanted, found] =
                [&english, &own].map(|texts| placeholders(texts[&*key.value].as_str().unwrap_or_default()));
            if !wanted.is_empty() && wanted != found {
                let wanted: Vec<String> = wanted.into_iter().map(|name| format!("`{{{name}}}`")).collect();
                let message =
                    format!("`labels.{}` must contain {} and no other placeholder", key.value, wanted.join(", "));
                let label = format!("the English label is \"{}\"", english[&*key.value].as_str().unwrap_or_default());
                decoder.reject(&tree.span, |_| message.clone(), &label, None);
            }
        }
    }
}

/// Returns the names of the placeholders of a label: `n` for `{n}`.
fn placeholders(label: &str) -> BTreeSet<&str> {
    let names = label.split('{').skip(1).filter_map(|rest| Some(rest.split_once('}')?.0));
    names.filter(|name| !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_lowercase())).collect()
}
