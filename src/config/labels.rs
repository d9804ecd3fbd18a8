//! Declares the English labels of the interface, which `labels:` in `site.yaml` can replace.

mod counted;

use serde::Serialize;

pub use counted::Counted;

use crate::yaml::record;

record! {
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
        /// Leads to the page's file in the repository.
        optional edit_this_page: String = "Edit this page";
        /// Closes what is open over the page, such as the search.
        optional close: String = "Close";

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
        /// What these shortcuts do.
        optional shortcuts_about: String = "/ opens the search, j and k step through notes, 1 to 4 grade a card, u undoes the grade.";
        // A track's path.
        /// The diagram of a track: its sections and labs, and their prerequisites.
        optional path: String = "The path";
        /// Explains how to read that diagram.
        optional path_about: String = "Each stop is a handbook section and the lab that practices it. An arrow leads from a prerequisite to what requires it; if it would cross another, the prerequisite's number is in its place.";
        /// Opens the same path as a list.
        optional path_words: String = "The path in words";
        /// In the diagram: a page that has been read.
        optional path_read: String = "read";
        /// In the diagram: the page to read next.
        optional path_next: String = "next for you";
        /// In the diagram: a page after that one.
        optional path_ahead: String = "ahead";
        /// In the diagram: the line from a prerequisite that has been read.
        optional path_met: String = "prerequisite already read";
        // Search.
        /// In the empty search field: what can be searched.
        optional search_hint: String = "Titles, text, notes and code";
        /// Below the empty search field: what to type.
        optional search_empty: String = "Type a few words, or part of a name in the code";
        /// The search found one page.
        optional search_one: String = "1 page";
        /// The search found `{n}` pages.
        optional search_count: Counted = "{n} pages";
        /// The search found nothing.
        optional search_none: String = "No page contains these words";
        /// No page contains all words.
        optional search_some: String = "No page contains all of these words; these contain some";
        /// Shows more results.
        optional search_more: String = "More results";
        /// On the page for unknown addresses: pages that contain words of the address.
        optional search_near: String = "These pages match words in the address:";
        /// The index cannot be loaded.
        optional search_failed: String = "The search could not be loaded";
        /// Heads the results that are outside of all tracks.
        optional search_pages: String = "Pages";
        /// Names the list of results.
        optional search_results: String = "Results";
        // A lab's facts.
        /// A duration in minutes.
        optional minutes: Counted = "{n} minutes";
        /// A duration in hours.
        optional hours: Counted = "{n} h";
        /// The minutes after hours.
        optional min: Counted = "{n} min";
        /// A duration of one minute.
        optional minute: String = "1 minute";
        /// Comes before the day on which a page was last checked.
        optional checked: String = "Last checked";
        /// Comes before a lab's outcome, which completes the sentence.
        optional outcome: String = "After this lab, you can";
        /// Heads the prerequisites of a page.
        optional needs: String = "Prerequisites";
        /// Heads the pages of which this one is a prerequisite.
        optional needed_by: String = "Required by";
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
        /// Heads the labs that explain a starter file.
        optional explained_in: String = "Explained in";
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
        /// Unfolds a long excerpt.
        optional show_all_lines: Counted = "Show all {n} lines";
        /// What the keys `j` and `k` do.
        optional step_notes: String = "step through the notes";
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
        optional spoken: String = "Say it out loud";
        /// Shows the answer.
        optional reveal: String = "Reveal the answer";
        // Progress and practice.
        /// The page on which readers see their stored progress.
        optional progress: String = "Your progress";
        /// The first paragraph of that page.
        optional progress_about: String = "The pages that you have read and the schedule of your cards are stored only in this browser. Nothing is sent anywhere.";
        /// That paragraph where no script runs.
        optional progress_without_script: String = "Storing progress requires JavaScript, which does not run here. Every page can be read without it.";
        /// The button at the end of a page that has not been read.
        optional mark_read: String = "Mark as read";
        /// The button at the end of a page that has been read.
        optional unmark_read: String = "Read ✓, undo";
        /// After the name of a page that has been read, for screen readers.
        optional is_read: String = ", read";
        /// Heads the first page to read.
        optional start_here: String = "Start here";
        /// Leads to that page.
        optional start: String = "Start reading";
        /// Heads the page that was read last.
        optional left_off: String = "Continue where you left off";
        /// Leads to that page.
        optional go_on: String = "Continue";
        /// The position on that page: a note and how many there are.
        optional at_note: String = ", at note {n} of {m}";
        /// The position on that page: a heading.
        optional at_heading: String = ", at “{h}”";
        /// Cards that are due.
        optional cards_due: Counted = "{n} cards due today";
        /// One card is due.
        optional card_due: String = "1 card due today";
        /// Heads what to read next in a track.
        optional next_for_you: String = "Next for you";
        /// A section, the lab after it, and the time for both.
        optional next_pair: String = "{a}, then {b}: {t} together";
        /// A page and its time.
        optional next_one: String = "{a}: {t}";
        /// Leads to the first page of a track.
        optional start_with: String = "Start with {a}";
        /// Leads to the page that is next.
        optional continue_with: String = "Continue with {a}";
        /// On a track of which every page has been read.
        optional all_read: String = "You have read all of it. Practice keeps it fresh.";
        /// How much of a track has been read: labs, the time that is left, and the total.
        optional labs_read: String = "Labs read: {n} of {m}, {left} left of {all}";
        /// The same for a track without labs.
        optional time_read: String = "{left} left of {all}";
        /// On the practice page of a track whose labs have no questions.
        optional no_cards: String = "The labs of this track have no questions yet.";
        /// The number of a card and how many are due.
        optional card_of: String = "Card {n} of {m} due today";
        /// Where a card comes from, after its lab.
        optional question_number: Counted = ", question {n}";
        /// Shows a card's answer.
        optional show_answer: String = "Show the answer";
        /// Next to that button.
        optional say_first: String = "Say your answer aloud first.";
        /// Heads the grades.
        optional how_did_it_go: String = "How did it go?";
        /// A grade: forgotten.
        optional grade_again: String = "Again";
        /// A grade: known with effort.
        optional grade_hard: String = "Hard";
        /// A grade: known.
        optional grade_good: String = "Good";
        /// A grade: known at once.
        optional grade_easy: String = "Easy";
        /// Undoes the last grade.
        optional undo: String = "Undo";
        /// No card is due anymore.
        optional practice_done: String = "Done for today";
        /// Cards that were forgotten come back on the same day.
        optional practice_again: Counted = "{n} more today: cards that you forgot come back after ten minutes.";
        /// When the next cards are due.
        optional practice_next: String = "Next cards due {when}: {n}.";
        /// Shows cards before they are due.
        optional practice_now: String = "Continue now";
        /// Heads the table of due dates.
        optional coming_back: String = "Upcoming reviews";
        /// A row of that table.
        optional due_today: String = "Today";
        /// A row of that table.
        optional due_tomorrow: String = "Tomorrow";
        /// A row of that table.
        optional due_week: String = "Within a week";
        /// A row of that table.
        optional due_later: String = "Later";
        /// A row of that table.
        optional not_seen: String = "Not seen yet";
        /// Heads what readers can do with their cards.
        optional cards_yours: String = "Manage your cards";
        /// How cards are scheduled and stored.
        optional cards_kept: String = "Cards are scheduled with FSRS and stored in this browser.";
        /// Saves all progress to a file.
        optional export: String = "Export";
        /// Reads such a file.
        optional import: String = "Import";
        /// The cards as a file for Anki.
        optional to_anki: String = "Export to Anki";
        /// Deletes all progress.
        optional erase: String = "Erase";
        /// Asks for confirmation before that.
        optional erase_sure: String = "Erase your progress and all your cards? Only an earlier export can restore them.";
        /// Cancels it.
        optional keep: String = "Keep";
        /// Confirms that progress has been deleted.
        optional erased: String = "Everything has been erased.";
        /// Confirms an import: how many pages and cards.
        optional imported: String = "Imported. Pages: {n}, cards: {m}.";
        /// The file to import could not be read.
        optional import_broken: String = "Nothing was imported: this file is not an export, or it is damaged.";
        /// The file to import comes from another course.
        optional import_other: String = "Nothing was imported: this is the progress of another course, “{t}”.";
        /// The file to import comes from a later version of the site.
        optional import_newer: String = "Nothing was imported: this file comes from a newer version of this site.";
        /// The browser does not allow storage.
        optional store_forbidden: String = "This browser stores nothing: your progress lasts until you leave this page.";
        /// The stored progress comes from a later version of the site.
        optional store_newer: String = "Your progress was stored by a newer version of this site. It is left unchanged, and nothing is stored until you reload.";
        /// The stored progress cannot be read.
        optional store_damaged: String = "Your stored progress could not be read. It has been set aside in this browser, and your progress starts over.";
        /// In the table of what is stored: pages that have been read.
        optional pages_read: String = "Pages read";
        /// In that table: cards.
        optional cards_practised: String = "Cards practiced";
        /// In that table: the page that was read last.
        optional last_read: String = "Last read";
        /// In that table: the size in bytes.
        optional stored: String = "Stored";
        /// Heads that table.
        optional what_is_kept: String = "What is stored";
        /// A spoken explanation's length, in seconds.
        optional spoken_seconds: Counted = "Say it aloud, about {n} seconds";
        /// A spoken explanation's length, in minutes.
        optional spoken_minutes: Counted = "Say it aloud, about {n} minutes";
        /// Opens an answer.
        optional show: String = "Reveal";
        /// Closes an answer.
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
        /// Leads to the page that shows a whole track.
        optional print: String = "Print this track";
        /// Heads the list of external links at the end of a printed page.
        optional links: String = "Links";
        /// The title of the page for unknown addresses.
        optional page_not_found: String = "Page not found";
        /// The text of that page.
        optional page_not_found_text: String = "There is no page at this address. One of these may be what you were looking for:";
        /// The title of a redirect page.
        optional moved: String = "This page has moved";
        /// The text of that page, before the link.
        optional moved_to: String = "Its new address is";
    }
}
