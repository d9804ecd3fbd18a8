//! Declares the labels of progress, practice, machines and print, which make up a third of [`super::Labels`].

/// Declares [`super::Labels`]: the labels given by the caller, followed by those below. `record!` needs all fields in one
/// place, so this macro joins the two files.
macro_rules! with_practice_labels {
    ($(# $attribute:tt)* pub struct $Name:ident { $($labels:tt)* }) => { infralens_source::yaml::record! {
        $(# $attribute)* pub struct $Name { $($labels)*
        // For machines and print.
        /// Leads to the page that shows a whole track.
        optional print: String = "Print this track";
        /// The same for the pages of a folder outside of the tracks.
        optional print_pages: String = "Print these pages";
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
        // Progress and practice.
        /// The page on which readers see their stored progress.
        optional progress: String = "Your progress";
        /// The first paragraph of that page.
        optional progress_about: String = "The pages that you have read, the schedule of your cards and your recent searches are stored only in this browser. Nothing is sent anywhere.";
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
        /// The same, on a page on which something else goes on, too.
        optional go_on_reading: String = "Continue reading";
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
        /// On a track of which every page has been read.
        optional all_read: String = "You have read all of it. Practice keeps it fresh.";
        /// At the end of a lab: leads to its questions, `{n}` of them, which take `{t}` minutes.
        optional take_questions: String = "Answer {n} questions, about {t} minutes";
        /// The same for one question.
        optional take_question: String = "Answer 1 question, about 1 minute";
        /// How much of a track has been read: labs, the time that is left, and the total.
        optional labs_read: String = "Labs read: {n} of {m}, {left} left";
        /// The same for a track without labs.
        optional time_read: String = "{left} left";
        /// On the practice page of a track whose labs have no questions.
        optional no_cards: String = "The labs of this track have no questions yet.";
        /// On the practice page of a track of which its reader has read nothing: above the card that can be tried there.
        optional card_to_try: String = "A card to try. Nothing is kept of it.";
        /// What its grade would mean; `{when}` is like "in 3 days".
        optional card_tried: String = "You would see it again {when}.";
        /// Heads the labs of a track with their cards.
        optional cards_by_lab: String = "Cards by lab";
        /// In that table: how many cards a lab has.
        optional cards_of_lab: String = "Cards";
        /// In that table: the ways to the cards of a lab.
        optional cards_begin: String = "To begin";
        /// In that table: the link to a lab that has not been read.
        optional read_lab: String = "Read the lab";
        /// In that table: the button that asks a lab's cards now.
        optional ask_cards_now: String = "ask its cards now";
        /// The number of a card and how many are in this session.
        optional card_of: String = "Card {n} of {m}";
        /// After that: how many of them were practiced before and are due.
        optional cards_seen: Counted = "{n} due";
        /// After that: how many of them are new.
        optional cards_fresh: Counted = "{n} new";
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
        /// The end of a session while forgotten cards are still to come back.
        optional practice_pause: String = "Done for now";
        /// Nothing is due, and no lab has been read whose questions are new.
        optional practice_empty: String = "New cards come from the labs that you have read.";
        /// Cards that were forgotten come back on the same day.
        optional practice_again: Counted = "{n} more today: cards that you forgot come back after ten minutes.";
        /// When the next cards are due.
        optional practice_next: String = "The next review is {when}. Cards: {n}.";
        /// Shows cards before they are due.
        optional practice_now: String = "Repeat them now";
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
        /// A row of that table: cards of labs that have been read, or of the lab that is practiced.
        optional cards_new: String = "New, from what you have read";
        /// A row of that table.
        optional not_seen: String = "In labs that you have not read";
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
        }
    } };
}

pub(super) use with_practice_labels;
