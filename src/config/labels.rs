//! The words of the interface, all in one place, in English; `labels:` in `site.yaml` replaces them.

use serde::Serialize;

use crate::yaml::{form, record};

record! {
    /// The words of the interface.
    #[derive(Serialize)]
    pub struct Labels {
        // The course.
        /// The home page.
        optional home: String = "Home";
        /// The course as a whole: the left column.
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
        /// A lab; stands before its number.
        optional lab: String = "Lab";
        /// A track's practice page.
        optional practice: String = "Practice";
        /// The page of references.
        optional references: String = "References";
        /// The page of terms.
        optional glossary: String = "Glossary";
        /// Marks a page that is only published with `--drafts`.
        optional draft: String = "Draft";

        // Finding one's way.
        /// The link before all others.
        optional skip_to_content: String = "Skip to content";
        /// The way from the home page to this one.
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
        /// Leads to the page's file in the repository.
        optional edit_this_page: String = "Edit this page";
        /// Closes what lies over the page.
        optional close: String = "Close";

        /// Opens the search.
        optional search: String = "Search";
        /// Changes between light and dark.
        optional theme: String = "Colours";
        /// The colours that the reader's system asks for.
        optional theme_system: String = "as the system";
        /// Dark on light.
        optional theme_light: String = "light";
        /// Light on dark.
        optional theme_dark: String = "dark";

        // A track's path.
        /// The picture of the path.
        optional path: String = "The path";
        /// Says how the picture is read.
        optional path_about: String = "Each stop is a handbook section and the lab that practises it. A line leads from what is needed to what needs it.";
        /// Opens the list that says the same.
        optional path_words: String = "The path in words";
        /// What the picture shows of a page that has been read.
        optional path_read: String = "read";
        /// What the picture shows of the page to be read next.
        optional path_next: String = "next for you";
        /// What the picture shows of other pages.
        optional path_ahead: String = "ahead";
        /// What the picture shows of a need of which the page has been read.
        optional path_met: String = "need already met";

        // A lab's facts.
        /// How long something takes.
        optional minutes: Counted = "{n} minutes";
        /// How long something takes that takes hours.
        optional hours: Counted = "{n} h";
        /// The minutes beside hours.
        optional min: Counted = "{n} min";
        /// It takes one minute.
        optional minute: String = "1 minute";
        /// Stands before a page's date.
        optional checked: String = "Last checked";
        /// Stands before a lab's outcome.
        optional outcome: String = "What you will be able to explain";
        /// What comes before this page.
        optional needs: String = "Needs";
        /// What this page comes before.
        optional needed_by: String = "Needed by";
        /// The labs that practise a section.
        optional practised_by: String = "Practised by";
        /// The pages that mention a term.
        optional mentioned_in: String = "Mentioned in";
        /// The pages that cite a reference.
        optional cited_by: String = "Cited by";

        // Code.
        /// A lab's starter file.
        optional starter: String = "Starter";
        /// A lab's starter files.
        optional starter_files: String = "Starter files";
        /// The folder of a lab's starter.
        optional starter_folder: String = "Starter folder";
        /// A note on code; stands before its number.
        optional note: String = "Note";
        /// The notes on code.
        optional notes: String = "Notes";
        /// Stands before a line number.
        optional line: String = "Line";
        /// Stands before a range of lines.
        optional lines: String = "Lines";
        /// The mark of lines that an excerpt leaves out.
        optional omitted_lines: Counted = "{n} lines";
        /// The mark of one such line.
        optional omitted_line: String = "1 line";
        /// The labs that explain a starter file.
        optional explained_in: String = "Explained in";
        /// The files of a starter folder.
        optional files: String = "Files";
        /// The file as it is.
        optional raw: String = "Raw";
        /// Saves the file.
        optional download: String = "Download";
        /// How to run a starter.
        optional run: String = "Run";
        /// What a lab says of running its starter.
        optional optional_run: String = "Running it is optional";

        // The lens.
        /// Leads from an excerpt to its file.
        optional open_starter: String = "Open starter";
        /// Copies the code.
        optional copy: String = "Copy";
        /// Copies a link to the chosen lines.
        optional copy_link: String = "Copy link";
        /// Says that it has been copied.
        optional copied: String = "Copied";
        /// Unfolds a long excerpt.
        optional show_all_lines: Counted = "Show all {n} lines";
        /// What the keys `j` and `k` do.
        optional step_notes: String = "step through the notes";
        /// What a marker in the code leads to, after its number.
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
        /// The link beside a heading.
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

        // Practice.
        /// Questions to ask oneself.
        optional questions: String = "Questions";
        /// A lab's spoken explanation, as a prompt.
        optional spoken: String = "Say it out loud";
        /// Shows the answer.
        optional reveal: String = "Reveal the answer";
        /// The page is marked as read.
        optional read: String = "Read";

        // Tables.
        /// Heads the curriculum.
        optional labs_counted: Counted = "{n} code-reading labs";
        /// Heads a curriculum of one lab.
        optional lab_counted: String = "1 code-reading lab";
        /// The curriculum table.
        optional curriculum: String = "Curriculum";
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

        // Pages that are not there.
        /// The title of the page for unknown addresses.
        optional page_not_found: String = "Page not found";
        /// What that page says.
        optional page_not_found_text: String = "There is no page at this address. One of these may be what you were looking for:";
        /// The title of a page that leads on.
        optional moved: String = "This page has moved";
        /// What that page says, before the link.
        optional moved_to: String = "Its new address is";
    }
}

form! {
    /// Words about a number, which stands for `{n}`.
    pub struct Counted = "text that holds `{n}`", admit_counted;
}

fn admit_counted(text: &str) -> Result<String, &'static str> {
    if text.contains("{n}") { Ok(text.to_owned()) } else { Err("there is no `{n}` in it") }
}

impl Counted {
    /// The words with the number in them.
    #[must_use]
    pub fn with(&self, number: usize) -> String {
        self.replace("{n}", &number.to_string())
    }
}
