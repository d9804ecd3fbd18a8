//! Declares the labels of the interface in English. Each file in `labels/` has those of another language that comes with the
//! program, each below the English text that it translates. `labels:` in `site.yaml` replaces any of them.

mod built_in;
pub use built_in::is_traditional;
mod counted;
mod date;

use std::collections::BTreeSet;

use serde::Serialize;

use super::Language;
use counted::Rules;
pub use counted::{Counted, Numbered};
pub use date::{DatePattern, Months};
use infralens_source::source::Source;
use infralens_source::yaml::{Decoder, Entry, Node, Record};

/// Declares [`Labels`]: for each label its name, the English text, and what it is for. In `name(n)` a number replaces
/// `{n}`; `name(count)` also has a form for one, before `|`, if that differs.
macro_rules! labels {
    ($( $name:ident $(($kind:ident))? = $text:literal $(| $other:literal)?, $doc:literal; )*) => {
        infralens_source::yaml::record! {
            /// The labels of the interface.
            #[derive(Serialize)]
            pub struct Labels {
                $(
                    #[doc = $doc]
                    optional $name: labels!(@type [$($kind)?]) => labels!(@value [$($kind)?] $text $($other)?);
                )*
            }
        }

        impl Labels {
            /// Returns the names of all labels with their texts; of one that counts, that for other numbers.
            fn texts(&self) -> impl Iterator<Item = (&'static str, &str)> {
                [$( (stringify!($name), &*self.$name) ),*].into_iter()
            }

            /// Returns the labels that count.
            fn counted(&self) -> impl Iterator<Item = (&'static str, &Counted)> {
                [$( labels!(@counted [$($kind)?] (stringify!($name), &self.$name)) ),*].into_iter().flatten()
            }

            /// Makes the labels that count choose their forms by the rules of a language.
            fn set_rules(&mut self, rules: &Rules) {
                $( labels!(@set [$($kind)?] self.$name, rules); )*
            }
        }
    };
    (@type []) => { String };
    (@type [n]) => { Numbered };
    (@type [count]) => { Counted };
    (@type [date]) => { DatePattern };
    (@type [months]) => { Months };
    (@value [count] $($text:literal)+) => { Counted::english(&[$($text),+]) };
    (@value [$($kind:ident)?] $text:literal) => { $text.into() };
    (@counted [count] $label:expr) => { Some($label) };
    (@counted [$($kind:ident)?] $label:expr) => { None };
    (@set [count] $label:expr, $rules:ident) => { $label.set_rules($rules) };
    (@set [$($kind:ident)?] $label:expr, $rules:ident) => {};
}

labels! {
    // The course.
    home = "Home", "The home page.";
    course = "Course", "Names the left column, which lists the course.";
    track = "Track", "A track.";
    tracks = "Tracks", "The tracks.";
    overview = "Overview", "What a track is about.";
    handbook = "Handbook", "A track's handbook.";
    section = "Section", "A section of a handbook.";
    labs = "Labs", "A track's labs page.";
    lab = "Lab", "A lab; comes before its number.";
    practice = "Practice", "A track's practice page.";
    references = "References", "The page of references.";
    glossary = "Glossary", "The page of terms.";
    calculators = "Calculators", "The page of calculators.";
    figures = "Figures on this page", "Heads the list of a page's figures and where each comes from.";
    figure = "Figure", "A column of that list.";
    figure_from = "Where it comes from", "A column of that list.";
    figure_places = "In the text", "A column of that list: links to the sentences that print the figure.";
    recorded = "recorded output", "Before the name of a record, which has the output of the lab's program.";
    calculator_reset = "Reset", "Sets the inputs of a calculator back.";
    calculator_copy = "Copy link", "Copies a link to a calculator as it is set.";
    calculator_copied = "Copied", "Says that the link is copied.";
    calculator_presets = "Presets", "Names the settings of a calculator that can be chosen.";
    calculator_within = "Yes, with {rest} to spare",
        "A calculator with a bar: what it adds is within the limit by `{rest}`.";
    calculator_beyond = "No, that is {over} too much", "It adds `{total}`, which exceeds the limit by `{over}`.";
    calculator_of = "{total} of {limit}", "The sum `{total}` and the limit.";
    calculator_largest = "Largest part: {part}, {value}", "The largest part of the sum.";
    calculator_total = "Together", "Before the sum.";
    calculator_changes = "What would make it fit",
        "Heads the changes of one input after which the sum is within the limit.";
    calculator_unchanged = "No single change of a choice makes it fit.", "Says that there are none.";
    calculator_try = "Try", "Makes such a change.";
    calculator_other = "other", "The choice of a group of presets while the inputs are as in none of them.";
    calculator_more = "All numbers", "Opens the inputs and results that are not listed above.";
    calculator_source = "Computed in this page, not measured. The formulas are explained in {page}.",
        "Leads from the page of calculators to the page that explains the calculator at its top: `{page}`.";
    newer = "There is a newer version of this site; reload the page to see it",
        "What a page wanted to load is gone, or differs from what the page knows: the site has been published again.";
    calculators_all = "All calculators", "Heads the list of the other calculators.";
    calculator_chart = "{result} goes from {from} at {input} = {low} to {to} at {input} = {high}",
        "Says in words what the chart of a calculator shows: `{result}` goes from `{from}` to `{to}`, as `{input}` goes from `{low}` to `{high}`.";
    draft = "Draft", "Marks a page that is only published with `--drafts`.";
    // Navigation.
    skip_to_content = "Skip to content", "The first link of a page, for readers who use the keyboard.";
    breadcrumb = "You are here", "Names the breadcrumb, from the home page to this one.";
    menu = "Menu", "Opens the left column on a narrow screen.";
    on_this_page = "On this page", "The headings of this page.";
    next = "Next", "Leads to the next page.";
    previous = "Previous", "Leads to the previous page.";
    reading_order = "Reading order", "The order in which a track is read.";
    earlier_pages(count) = "{n} earlier page" | "{n} earlier pages",
        "In the left column of a long track: leads to the pages before those that it lists.";
    later_pages(count) = "{n} later page" | "{n} later pages", "The same for the pages after them.";
    on_this_site = "On this site", "Heads the list of pages at the end of every page.";
    edit_this_page = "Edit this page", "Leads to the page's file in the repository.";
    report_mistake = "Report a mistake", "Leads to a form for a mistake on the page, or at a note or heading.";
    languages = "Languages", "Names the list of the languages that a page exists in.";
    original_changed = "The original has changed", "Unfolds the current original of a translation that was made from an earlier one.";
    close = "Close", "Closes what is open over the page, such as the search.";
    colon = ":", "Comes after a label, before what it names; a space follows.";
    // The home page.
    read_this_lab(n) = "Read lab {n}", "Leads from the home page's excerpt to the lab that explains its file.";
    previous_note = "Previous note", "Steps to the note before.";
    next_note = "Next note", "Steps to the next note.";
    note_of = "{n} of {m}", "Which of the notes is chosen.";
    then_one_lab = "Then, one lab each", "Heads the tracks of one lab, below those of several.";
    after_track = "after {track}: {pages}", "The pages of another track that a track requires.";
    author = "Written by", "Comes before the authors of the course.";
    license = "License", "Comes before the license of the course.";
    repository = "Repository", "Comes before the address of the repository.";
    search = "Search", "Opens the search.";
    theme = "Colors", "Changes between light and dark.";
    theme_system = "match system", "The colors that the reader's system asks for.";
    theme_light = "light", "Dark on light.";
    theme_dark = "dark", "Light on dark.";
    shortcuts = "Single-key shortcuts", "The switch for shortcuts of a single key.";
    shortcuts_title = "Keyboard shortcuts", "Heads the list of shortcuts.";
    shortcut_search = "Search", "`/` and Ctrl+K.";
    shortcut_notes = "Next and previous note", "`j` and `k`.";
    shortcut_lines = "Select lines in a listing that has the focus; with Shift, more of them", "The arrow keys.";
    shortcut_note = "Go to the note on the selected line", "Enter.";
    shortcut_answer = "Show the answer of a card", "The space bar.";
    shortcut_grade = "Grade the card", "`1` to `4`.";
    shortcut_undo = "Undo the last grade", "`u`.";
    shortcut_close = "Close, or let go of a note", "Escape.";
    shortcut_help = "Show this list", "`?`.";
    // What a key does, next to the key.
    key_move = "move", "The arrow keys go through a list.";
    key_open = "open", "Enter opens what is chosen.";
    key_close = "close", "Escape closes.";
    // A track's reading map.
    map_first = "Read first", "Heads the sections of a row: what is read before its lab.";
    map_all = "All {s} and their labs, in reading order",
        "Leads from the small map to the reading map; `{s}` is \"14 sections\".";
    map_lab = "Then the lab", "Heads the labs.";
    map_time = "Time", "Heads the minutes.";
    map_needs = "Needs", "Heads the prerequisites of a row.";
    map_state = "State", "Heads what the reader has done with a row.";
    map_read = "Read", "The state of a row that has been read.";
    map_next = "Next", "The state of the row to read next.";
    map_ways = "Way through", "Comes before the ways through a track, some of which suit a reader better than others.";
    map_everything = "Everything", "The way through a track that leaves nothing out.";
    map_assumes = "It assumes, from {track}",
        "Heads the prerequisites of a track with one lab that are in another track.";
    primer = "primer", "A section without a number that prepares for one with a number.";
    read_first = "Read first", "Leads to a section's text from the page of its lab.";
    read_before = "New to this? Before that,", "Comes before a primer, below the section that requires it.";
    in_short = "{name} in short", "Heads the summary of the section `{name}` next to its lab.";
    lab_in_track = "{track} lab {n}", "A lab, on the pages of another track: \"Transformer lab 10\".";
    open_lab(n) = "Open lab {n}", "Leads from a row of the curriculum to its lab.";
    sections_counted(count) = "{n} section" | "{n} sections", "How many sections a track has.";
    // The glossary.
    filter_terms = "Filter the terms", "Names the field that filters the terms.";
    filter_count(count) = "{n} term" | "{n} terms", "`{n}` terms are left.";
    filter_none = "No term has these words", "No term is left.";
    // Search.
    search_unscripted = "The search needs JavaScript.", "At the end of pages, where no scripts run.";
    search_hint = "Titles, text, notes and code", "In the empty search field: what can be searched.";
    search_empty = "Type a few words, or part of a name in the code", "Below the empty search field: what to type.";
    search_count(count) = "{n} result" | "{n} results", "The search found `{n}` results.";
    search_none = "No page contains these words", "The search found nothing.";
    search_some = "No page contains all of these words; these contain some", "No page contains all words.";
    search_more = "More results", "Shows more results.";
    search_narrow = "Show", "Names the choice of what is shown: everything, labs, notes and so on.";
    search_all = "All", "Shows results of every kind.";
    search_narrowed(count) = "Nothing of this kind; {n} result in all" | "Nothing of this kind; {n} results in all",
        "The query has `{n}` results, and none of the kind that is shown.";
    search_notes = "Notes", "Shows only notes.";
    search_near = "These pages match words in the address:",
        "On the page for unknown addresses: pages that contain words of the address.";
    search_failed = "The search could not be loaded", "The index cannot be loaded.";
    search_pages = "Pages", "Heads the results that are outside of all tracks.";
    search_page = "Page", "The kind of such a result.";
    search_term = "Term", "A result that is a term of the glossary.";
    search_reference = "Reference", "A result that is a reference.";
    search_code = "Code", "A result that is code.";
    search_calculator = "Calculator", "A result that is a calculator, and a word that finds calculators.";
    search_table = "Table", "A section with a table, and a word that finds such sections.";
    search_figure = "Figure", "A section with a drawing or a picture, and a word that finds such sections.";
    search_recent = "Recent searches", "Heads the queries that this browser remembers.";
    search_signs = "These signs alone cannot be searched for; type a word, a number or a whole operator",
        "What was typed has no letter or digit.";
    search_similar = "No page contains “{a}”; these contain “{b}”",
        "Nothing contains the word `{a}`; the results contain `{b}`, which is spelled similarly.";
    search_results = "Results", "Names the list of results.";
    // A lab's facts.
    minutes(count) = "{n} minute" | "{n} minutes", "A duration in minutes.";
    hours(n) = "{n}\u{a0}h", "A duration in hours.";
    min(n) = "{n}\u{a0}min", "The minutes after hours.";
    date(date) = "{y}-{mm}-{dd}",
        "How a date is written: `{y}`, `{m}` and `{d}` are its numbers, `{mm}` and `{dd}` have two digits, and `{month}` is a name.";
    months(months) = "January, February, March, April, May, June, July, August, September, October, November, December",
        "The names of the months, with commas between them.";
    checked = "Last checked", "Comes before the day on which a page was last checked.";
    outcome = "After this lab, you can", "Comes before a lab's outcome, which completes the sentence.";
    needs = "Prerequisites", "Heads the prerequisites of a page.";
    needed_by = "Leads to", "Heads the pages of which this one is a prerequisite.";
    practised_by = "Practiced in", "Heads the labs that practice a section.";
    mentioned_in = "Mentioned in", "Heads the pages that mention a term.";
    cited_by = "Cited by", "Heads the pages that cite a reference.";
    // Code.
    starter = "Starter", "A lab's starter file.";
    starter_files = "Starter files", "A lab's starter files.";
    starter_folder = "Starter folder", "The folder of a lab's starter.";
    note = "Note", "A note on code; comes before its number.";
    notes = "Notes", "The notes on code.";
    line = "Line", "Comes before a line number.";
    lines = "Lines", "Comes before a range of lines.";
    cell = "Cell", "Comes before the name of a notebook's cell.";
    omitted_lines(count) = "{n} line" | "{n} lines", "Marks lines that an excerpt leaves out.";
    lines_changed(count) = "{n} line changed" | "{n} lines changed",
        "Says how many lines of an excerpt have changed since another piece of code.";
    lines_new(count) = "{n} new line" | "{n} new lines", "Says how many lines the other piece does not have.";
    lines_gone(count) = "{n} line gone" | "{n} lines gone", "Says how many lines only the other piece has.";
    since(n) = "since {n}", "Follows these numbers; `{n}` is the name of the other piece.";
    since_lines(n) = "lines {n}", "Names the lines of the other piece.";
    since_line(n) = "line {n}", "Names its only line.";
    only_changes = "Only changes", "Folds the lines that have not changed, and shows those of the other piece.";
    word_changed = "changed", "For screen readers, before a line that has changed.";
    word_new = "added", "For screen readers, before a line that is new.";
    word_gone = "removed", "For screen readers, before a line of the other piece.";
    skipped_markers = "Numbers skip lines that only mark regions.",
        "Below a listing without the markers of its regions: why its line numbers skip.";
    explained_in = "Explained in", "Heads the pages that have notes on the lines of a starter file.";
    beside_it = "Beside it", "On the page of a Markdown starter: names the switch between its notes and its source.";
    notes_counted(count) = "{n} note" | "{n} notes", "Shows the notes next to a Markdown starter.";
    source = "Source", "Shows the source next to a Markdown starter.";
    nothing = "Nothing", "Shows nothing next to it.";
    source_of_line(n) = "source of line {n}", "Leads from a row of a Markdown starter to its source.";
    line_as_shown(n) = "line {n} as shown", "Leads back.";
    copy_markdown = "Copy Markdown", "Copies a Markdown starter.";
    print_page = "Print", "Prints a Markdown starter.";
    files = "Files", "Heads the files of a starter folder.";
    download = "Download", "Saves the file.";
    optional_run = "Running it is optional", "On a lab: whether its starter has to be run.";
    open_starter = "Open starter", "Leads from an excerpt to its file.";
    copy = "Copy", "Copies the code.";
    copy_link = "Copy link", "Copies a link to the chosen lines.";
    copied = "Copied", "Confirms that it has been copied.";
    not_copied = "Not copied", "Says that the browser has not allowed it.";
    show_all_lines(count) = "Show all {n} lines", "Unfolds a long excerpt.";
    step_notes = "step through the notes", "What the keys `j` and `k` do.";
    hide_notes = "Hide notes", "Hides the notes of an excerpt, so that readers can first explain the code themselves.";
    show_notes = "Show notes", "Shows them again.";
    note_on_line(n) = "note on line {n}", "Describes a marker in the code, after its number.";
    // Alerts, footnotes, pictures.
    alert_note = "Note", "A `[!NOTE]` alert.";
    alert_tip = "Tip", "A `[!TIP]` alert.";
    alert_important = "Important", "A `[!IMPORTANT]` alert.";
    alert_warning = "Warning", "A `[!WARNING]` alert.";
    alert_caution = "Caution", "A `[!CAUTION]` alert.";
    task_done = "Done", "A task in a list that is done.";
    task_open = "Not done", "A task in a list that is not done.";
    footnotes = "Footnotes", "The footnotes of a page.";
    back_to_text = "Back to the text", "Leads from a footnote or a note back to its place.";
    heading_link = "Link to this heading", "The link next to a heading.";
    // Further reading.
    further_reading = "Further reading", "The reading list of a page that is not a lab.";
    reading_official = "Official documentation", "Heads a group of the reading list.";
    reading_paper = "Papers", "Heads a group of the reading list.";
    reading_practical = "Practical guides", "Heads a group of the reading list.";
    reading_blog = "Blog posts", "Heads a group of the reading list.";
    kind_official = "official", "A reference's kind.";
    kind_paper = "paper", "A reference's kind.";
    kind_practical = "practical", "A reference's kind.";
    kind_blog = "blog", "A reference's kind.";
    spoken = "Explain out loud", "A lab's spoken explanation, as a prompt.";
    reveal = "Reveal the answer", "Shows the answer.";
    predict = "Predict:", "Before the question of a prediction, where a page says `Predict:`.";
    your_prediction = "Your prediction", "Names the field for what the reader predicts.";
    // Tables.
    labs_counted(count) = "{n} code-reading lab" | "{n} code-reading labs", "Heads the curriculum.";
    starters = "Starters", "The table of starters.";
    column_lab = "Lab", "A column of the curriculum and of the starters.";
    column_topic = "Topic", "A column of the curriculum.";
    column_focus = "Concept focus", "A column of the curriculum.";
    column_reads = "What you read", "A column of the curriculum.";
    column_outcome = "What you should be able to explain", "A column of the curriculum.";
    column_open = "Open", "A column of the curriculum.";
    column_starter = "Starter", "A column of the curriculum.";
    column_type = "Starter type", "A column of the starters.";
    column_file = "Main file", "A column of the starters.";
    column_angle = "Reading angle", "A column of the starters.";
    // For machines and print.
    print = "Print this track", "Leads to the page that shows a whole track.";
    print_pages = "Print these pages", "The same for the pages of a folder outside of the tracks.";
    links = "Links", "Heads the list of external links at the end of a printed page.";
    page_not_found = "Page not found", "The title of the page for unknown addresses.";
    page_not_found_text = "There is no page at this address. One of these may be what you were looking for:",
        "The text of that page.";
    moved = "This page has moved", "The title of a redirect page.";
    moved_to = "Its new address is", "The text of that page, before the link.";
    // Progress and practice.
    progress = "Your progress", "The page on which readers see their stored progress.";
    progress_about = "The pages that you have read, the schedule of your cards and your recent searches are stored only in this browser. Nothing is sent anywhere.",
        "The first paragraph of that page.";
    progress_without_script = "Storing progress requires JavaScript, which does not run here. Every page can be read without it.",
        "That paragraph where no script runs.";
    mark_read = "Mark as read", "The button at the end of a page that has not been read.";
    unmark_read = "Read ✓, undo", "The button at the end of a page that has been read.";
    is_read = ", read", "After the name of a page that has been read, for screen readers.";
    start_here = "Start here", "Heads the first page to read.";
    start = "Start reading", "Leads to that page.";
    left_off = "Continue where you left off", "Heads the page that was read last.";
    go_on = "Continue", "Leads to that page.";
    go_on_reading = "Continue reading", "The same, on a page on which something else goes on, too.";
    at_note = ", at note {n} of {m}", "The position on that page: a note and how many there are.";
    at_heading = ", at “{h}”", "The position on that page: a heading.";
    cards_due(count) = "{n} card due today" | "{n} cards due today", "Cards that are due.";
    next_for_you = "Next for you", "Heads what to read next in a track.";
    all_read = "You have read all of it. Practice keeps it fresh.", "On a track of which every page has been read.";
    take_questions(count) = "Answer {n} question, about 1 minute" | "Answer {n} questions, about {t} min",
        "At the end of a lab: leads to its questions, `{n}` of them, which take `{t}` minutes.";
    labs_read = "Labs read: {n} of {m}, {left} left",
        "How much of a track has been read: labs, the time that is left, and the total.";
    time_read = "{left} left", "The same for a track without labs.";
    no_cards = "The labs of this track have no questions yet.",
        "On the practice page of a track whose labs have no questions.";
    card_to_try = "A card to try. Nothing is kept of it.",
        "On the practice page of a track of which its reader has read nothing: above the card that can be tried there.";
    card_tried = "You would see it again {when}.", "What its grade would mean; `{when}` is like \"in 3 days\".";
    cards_by_lab = "Cards by lab", "Heads the labs of a track with their cards.";
    cards_of_lab = "Cards", "In that table: how many cards a lab has.";
    cards_begin = "To begin", "In that table: the ways to the cards of a lab.";
    read_lab = "Read the lab", "In that table: the link to a lab that has not been read.";
    ask_cards_now = "ask its cards now", "In that table: the button that asks a lab's cards now.";
    card_of = "Card {n} of {m}", "The number of a card and how many are in this session.";
    cards_seen(count) = "{n} due", "After that: how many of them were practiced before and are due.";
    cards_fresh(count) = "{n} new", "After that: how many of them are new.";
    question_number(n) = ", question {n}", "Where a card comes from, after its lab.";
    show_answer = "Show the answer", "Shows a card's answer.";
    say_first = "Say your answer aloud first.", "Next to that button.";
    how_did_it_go = "How did it go?", "Heads the grades.";
    grade_again = "Again", "A grade: forgotten.";
    grade_hard = "Hard", "A grade: known with effort.";
    grade_good = "Good", "A grade: known.";
    grade_easy = "Easy", "A grade: known at once.";
    undo = "Undo", "Undoes the last grade.";
    practice_done = "Done for today", "No card is due anymore.";
    practice_pause = "Done for now", "The end of a session while forgotten cards are still to come back.";
    practice_empty = "New cards come from the labs that you have read.",
        "Nothing is due, and no lab has been read whose questions are new.";
    practice_again(count) = "{n} more today: cards that you forgot come back after ten minutes.",
        "Cards that were forgotten come back on the same day.";
    practice_next = "The next review is {when}. Cards: {n}.", "When the next cards are due.";
    practice_now = "Repeat them now", "Shows cards before they are due.";
    coming_back = "Upcoming reviews", "Heads the table of due dates.";
    due_today = "Today", "A row of that table.";
    due_tomorrow = "Tomorrow", "A row of that table.";
    due_week = "Within a week", "A row of that table.";
    due_later = "Later", "A row of that table.";
    cards_new = "New, from what you have read",
        "A row of that table: cards of labs that have been read, or of the lab that is practiced.";
    not_seen = "In labs that you have not read", "A row of that table.";
    cards_yours = "Manage your cards", "Heads what readers can do with their cards.";
    cards_kept = "Cards are scheduled with FSRS and stored in this browser.", "How cards are scheduled and stored.";
    export = "Export", "Saves all progress to a file.";
    import = "Import", "Reads such a file.";
    to_anki = "Export to Anki", "The cards as a file for Anki.";
    erase = "Erase", "Deletes all progress.";
    erase_sure = "Erase your progress and all your cards? Only an earlier export can restore them.",
        "Asks for confirmation before that.";
    keep = "Keep", "Cancels it.";
    erased = "Everything has been erased.", "Confirms that progress has been deleted.";
    imported = "Imported. Pages: {n}, cards: {m}.", "Confirms an import: how many pages and cards.";
    import_broken = "Nothing was imported: this file is not an export, or it is damaged.",
        "The file to import could not be read.";
    import_other = "Nothing was imported: this is the progress of another course, “{t}”.",
        "The file to import comes from another course.";
    import_newer = "Nothing was imported: this file comes from a newer version of this site.",
        "The file to import comes from a later version of the site.";
    store_forbidden = "This browser stores nothing: your progress lasts until you leave this page.",
        "The browser does not allow storage.";
    store_newer = "Your progress was stored by a newer version of this site. It is left unchanged, and nothing is stored until you reload.",
        "The stored progress comes from a later version of the site.";
    store_damaged = "Your stored progress could not be read. It has been set aside in this browser, and your progress starts over.",
        "The stored progress cannot be read.";
    pages_read = "Pages read", "In the table of what is stored: pages that have been read.";
    cards_practised = "Cards practiced", "In that table: cards.";
    last_read = "Last read", "In that table: the page that was read last.";
    stored = "Stored", "In that table: the size in bytes.";
    what_is_kept = "What is stored", "Heads that table.";
    spoken_seconds(count) = "Say it aloud, about {n} seconds", "A spoken explanation's length, in seconds.";
    spoken_minutes(count) = "Say it aloud, about {n} minute" | "Say it aloud, about {n} minutes",
        "A spoken explanation's length, in minutes.";
    show = "Reveal", "Opens an answer.";
    hide = "Hide", "Closes an answer.";
}

impl Labels {
    /// Returns the labels of a language: those in `entries` of `site.yaml`, which is `site`, else those that come with the
    /// program.
    pub(super) fn of(language: &Language, entries: &[Entry], site: &Source) -> Self {
        let source = Source::new("labels.yaml", built_in::text(language));
        let (_, built_in) = Decoder::open(&source, 0..source.text().len(), 0..0, "labels");
        // The first value of a key counts. Only values of `site.yaml` can be wrong, which has been reported already, so this
        // decoder reads that file.
        let (mut decoder, _) = Decoder::open(site, 0..0, 0..0, "labels");
        let mut labels = Self::from_entries(&[own(entries), &built_in[..]].concat(), &mut decoder);
        labels.set_rules(&Rules::of(language));
        labels
    }

    /// Reports labels in `entries` of `site.yaml` whose placeholders, such as `{n}`, are not those of the English label: a
    /// reader would see what stands for a number, or miss it.
    pub(super) fn check_placeholders(&self, entries: &[Entry], decoder: &mut Decoder<'_>) {
        for (name, wanted, english) in self.misplaced() {
            let Some((_, tree)) = own(entries).iter().find(|(key, _)| key.value == name) else { continue };
            let message = format!("`labels.{name}` must contain {wanted} and no other placeholder");
            decoder.reject(&tree.span, |_| message, &format!("the English label is \"{english}\""), None);
        }
    }

    /// Returns the labels whose placeholders are not those of English, with these and the English label. A form for certain
    /// numbers may leave some out.
    fn misplaced(&self) -> Vec<(&'static str, String, String)> {
        let english = Self::default();
        let mut found = Vec::new();
        for ((name, english), (_, own)) in english.texts().zip(self.texts()) {
            let wanted = placeholders(english);
            let forms = self.counted().find(|(counted, _)| *counted == name).map(|(_, label)| label.special());
            let fits = |(_, form): (&str, &str)| placeholders(form).is_subset(&wanted);
            let is_right = placeholders(own) == wanted && forms.into_iter().flatten().all(fits);
            // One without text has been reported already.
            if !(wanted.is_empty() || own.is_empty() || name == "date" || is_right) {
                let wanted: Vec<String> = wanted.into_iter().map(|name| format!("`{{{name}}}`")).collect();
                found.push((name, wanted.join(", "), english.to_owned()));
            }
        }
        found
    }
}

/// Returns the entries of `labels` in `site.yaml`.
fn own(entries: &[Entry]) -> &[Entry] {
    match entries.iter().find(|(key, _)| key.value == "labels").map(|(_, tree)| &*tree.value) {
        Some(Node::Map(own)) => own,
        _ => &[],
    }
}

/// Returns the names of the placeholders of a label: `n` for `{n}`.
fn placeholders(label: &str) -> BTreeSet<&str> {
    let names = label.split('{').skip(1).filter_map(|rest| Some(rest.split_once('}')?.0));
    names.filter(|name| !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_lowercase())).collect()
}

#[cfg(test)]
mod tests;
