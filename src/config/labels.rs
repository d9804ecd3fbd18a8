//! The words of the interface, all in one place, in English; `labels:` in `site.yaml` replaces them.

mod counted;

use serde::Serialize;

pub use counted::Counted;

use crate::yaml::record;

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
        /// The switch for keys that do something by themselves.
        optional shortcuts: String = "Single-key shortcuts";
        /// What these keys do.
        optional shortcuts_about: String = "/ opens the search, j and k step through notes, 1 to 4 grade a card, u takes the grade back.";
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
        // Search.
        /// What can be searched, in the field while it is empty.
        optional search_hint: String = "Titles, text, notes and code";
        /// What to do, below an empty field.
        optional search_empty: String = "Type a few words, or a part of a name in the code";
        /// One page is found.
        optional search_one: String = "1 page";
        /// So many pages are found.
        optional search_count: Counted = "{n} pages";
        /// Nothing is found.
        optional search_none: String = "No page has these words";
        /// No page has all words.
        optional search_some: String = "No page has all of these words; these have some";
        /// Shows more of what was found.
        optional search_more: String = "More results";
        /// The pages whose words are nearest to an unknown address.
        optional search_near: String = "These pages have words of the address:";
        /// The index cannot be loaded.
        optional search_failed: String = "The search could not be loaded";
        /// What is found: pages outside of tracks.
        optional search_pages: String = "Pages";
        /// What was found, as a list.
        optional search_results: String = "Results";
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
        /// Saves the file.
        optional download: String = "Download";
        /// What a lab says of running its starter.
        optional optional_run: String = "Running it is optional";
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
        /// A lab's spoken explanation, as a prompt.
        optional spoken: String = "Say it out loud";
        /// Shows the answer.
        optional reveal: String = "Reveal the answer";
        // Progress and practice.
        /// The page of what is stored of a reader's progress.
        optional progress: String = "Your progress";
        /// What that page says first.
        optional progress_about: String = "What you have read and how your cards are scheduled is kept in this browser alone. Nothing is sent anywhere.";
        /// The same where no script runs.
        optional progress_without_script: String = "Keeping it takes a script, and none runs here. Every page can be read without one.";
        /// The button at a page's end; what it does is undone by the other one.
        optional mark_read: String = "Mark as read";
        /// The button on a page that is read.
        optional unmark_read: String = "Read ✓, undo";
        /// After the name of a page that is read, for screen readers.
        optional is_read: String = ", read";
        /// Over the page to begin with.
        optional start_here: String = "Start here";
        /// Leads to that page.
        optional start: String = "Start reading";
        /// Over the page that was read last.
        optional left_off: String = "Continue where you left off";
        /// Leads to that page.
        optional go_on: String = "Continue";
        /// Where on that page: a note and how many there are.
        optional at_note: String = ", at note {n} of {m}";
        /// Where on that page: a heading.
        optional at_heading: String = ", at “{h}”";
        /// Cards that are due.
        optional cards_due: Counted = "{n} cards due today";
        /// One card is due.
        optional card_due: String = "1 card due today";
        /// Over what a track's reader does next.
        optional next_for_you: String = "Next for you";
        /// A section, the lab after it, and their time.
        optional next_pair: String = "{a}, then {b}: {t} together";
        /// A page and its time.
        optional next_one: String = "{a}: {t}";
        /// Leads to a page that nothing was read before.
        optional start_with: String = "Start with {a}";
        /// Leads to the page that is next.
        optional continue_with: String = "Continue with {a}";
        /// A track that is read to its end.
        optional all_read: String = "All of it is read. Practice keeps it.";
        /// How much of a track is read: labs, the time that is left, and all of it.
        optional labs_read: String = "{n} of {m} labs, {left} left of {all}";
        /// The same of a track that has no labs.
        optional time_read: String = "{left} left of {all}";
        /// A track whose labs ask nothing.
        optional no_cards: String = "The labs of this track ask no questions yet.";
        /// Which card of how many.
        optional card_of: String = "Card {n} of {m} due today";
        /// Where a card comes from, after its lab.
        optional question_number: Counted = ", question {n}";
        /// Shows a card's answer.
        optional show_answer: String = "Show the answer";
        /// Beside that button.
        optional say_first: String = "Say your answer aloud first.";
        /// Over the grades.
        optional how_did_it_go: String = "How did it go?";
        /// A grade: forgotten.
        optional grade_again: String = "Again";
        /// A grade: known with effort.
        optional grade_hard: String = "Hard";
        /// A grade: known.
        optional grade_good: String = "Good";
        /// A grade: known at once.
        optional grade_easy: String = "Easy";
        /// Takes the last grade back.
        optional undo: String = "Undo";
        /// No card is due any more.
        optional practice_done: String = "Done for today";
        /// Cards that were forgotten come back on the same day.
        optional practice_again: Counted = "{n} more today: what you had forgotten comes back after ten minutes.";
        /// When the next cards are due.
        optional practice_next: String = "The next are due {when}: {n}.";
        /// Shows cards before they are due.
        optional practice_now: String = "Go on now";
        /// The table of dates.
        optional coming_back: String = "Coming back";
        /// A row of that table.
        optional due_today: String = "Today";
        /// A row of that table.
        optional due_tomorrow: String = "Tomorrow";
        /// A row of that table.
        optional due_week: String = "Within a week";
        /// A row of that table.
        optional due_later: String = "Later";
        /// A row of that table.
        optional not_seen: String = "Not yet seen";
        /// Over what can be done with cards.
        optional cards_yours: String = "Your cards are yours";
        /// How cards are kept.
        optional cards_kept: String = "They are scheduled with FSRS and kept in this browser.";
        /// Saves all progress to a file.
        optional export: String = "Export";
        /// Reads such a file.
        optional import: String = "Import";
        /// The cards as a file for Anki.
        optional to_anki: String = "To Anki";
        /// Deletes all progress.
        optional erase: String = "Erase";
        /// Asks before it is deleted.
        optional erase_sure: String = "Erase what you have read and all your cards? Only an export made before brings them back.";
        /// Does not delete it.
        optional keep: String = "Keep";
        /// It is deleted.
        optional erased: String = "All of it is erased.";
        /// A file was read: pages and cards.
        optional imported: String = "Imported. Pages: {n}, cards: {m}.";
        /// A file could not be read.
        optional import_broken: String = "Nothing was imported: this is no export, or it is damaged.";
        /// A file of another course.
        optional import_other: String = "Nothing was imported: this is the progress of another course, “{t}”.";
        /// A file or a store of a later version.
        optional import_newer: String = "Nothing was imported: a newer version of this site has written this file.";
        /// Nothing can be stored.
        optional store_forbidden: String = "This browser keeps nothing: your progress holds until you leave this page.";
        /// What is stored is of a later version.
        optional store_newer: String = "A newer version of this site has stored your progress. It is left as it is, and nothing is kept until you reload.";
        /// What is stored cannot be read.
        optional store_damaged: String = "What was stored could not be read. It is put aside in this browser, and your progress begins anew.";
        /// What is stored: pages that are read.
        optional pages_read: String = "Pages read";
        /// What is stored: cards.
        optional cards_practised: String = "Cards practised";
        /// What is stored: the page that was read last.
        optional last_read: String = "Read last";
        /// What is stored, in bytes.
        optional stored: String = "Stored";
        /// What can be stored, listed.
        optional what_is_kept: String = "What is kept";
        /// A spoken explanation's length, in seconds.
        optional spoken_seconds: Counted = "Say it aloud, about {n} seconds";
        /// A spoken explanation's length, in minutes.
        optional spoken_minutes: Counted = "Say it aloud, about {n} minutes";
        /// Opens an answer.
        optional show: String = "Reveal";
        /// Closes it.
        optional hide: String = "Hide";
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
        // For machines and print.
        /// Leads to the page that shows all of a track.
        optional print: String = "Print this track";
        /// What a printed page lists at its end: the links that lead out.
        optional links: String = "Links";
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
