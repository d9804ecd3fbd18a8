//! Declares every diagnostic code: its id, its title, and the text that `infralens explain` prints.

use super::Severity;

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Code {
    /// The id: `E0301`, `W0301`, or a lint's name. No two codes have the same.
    pub id: &'static str,
    /// A title of a few words.
    pub title: &'static str,
    /// The explanation, in Markdown.
    pub text: &'static str,
}

impl Code {
    /// Returns the severity: codes that begin with `E` are errors, all others are warnings.
    pub fn severity(self) -> Severity {
        if self.id.starts_with('E') { Severity::Error } else { Severity::Warning }
    }

    /// Whether the content of a file with this error is unknown as a whole. Nothing is then reported that would only
    /// follow from that content.
    pub fn hides_file(self) -> bool {
        const WHOLE: [Code; 12] = [E0001, E0002, E0003, E0004, E0005, E0006, E0011, E0101, E0102, E0103, E0201, E0209];
        WHOLE.contains(&self)
    }

    /// Returns the code with an id, in upper or lower case.
    pub fn find(id: &str) -> Option<Self> {
        ALL.iter().copied().find(|code| code.id.eq_ignore_ascii_case(id))
    }
}

impl serde::Serialize for Code {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.id)
    }
}

impl<'de> serde::Deserialize<'de> for Code {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let id = String::deserialize(deserializer)?;
        Self::find(&id).ok_or_else(|| serde::de::Error::custom(format!("no code is called {id}")))
    }
}

macro_rules! codes {
    (
        numbered { $($id:ident $title:literal)* }
        lints { $($lint:ident $name:literal $about:literal)* }
    ) => {
        $(codes!(@one $id stringify!($id), $title);)*
        $(codes!(@one $lint $name, $about);)*
        /// All codes: those with numbers, then the lints.
        pub const ALL: &[Code] = &[$($id,)* $($lint),*];
        pub const LINTS: &[Code] = &[$($lint),*];
    };
    (@one $constant:ident $id:expr, $title:literal) => {
        #[doc = $title]
        pub const $constant: Code =
            Code { id: $id, title: $title, text: include_str!(concat!("explain/", $id, ".md")) };
    };
}

codes! {
    numbered {
        E0001 "file is not UTF-8 text"
        E0002 "symbolic link in the course"
        E0003 "not a regular file"
        E0004 "file that is too large, or folder that is too deep"
        E0005 "file cannot be read"
        E0006 "file name that has no place in the course"
        E0007 "duplicate number"
        E0008 "two sources for one output path"
        E0009 "required file is missing"
        E0010 "track folders and `tracks:` disagree"
        E0011 "file is empty"
        E0012 "setting that names no page or folder"
        E0013 "output path that is too long or reserved"
        E0014 "file that is not read because of its name"

        E0101 "front matter is missing"
        E0102 "front matter is not closed"
        E0103 "YAML that cannot be read"
        E0104 "unknown key"
        E0105 "duplicate key"
        E0106 "value of the wrong type"
        E0107 "required key is missing"
        E0108 "value that is not allowed"

        E0201 "Markdown nested too deep"
        E0202 "dollar sign that is neither money nor math"
        E0203 "formula that cannot be typeset"
        E0204 "diagram that cannot be drawn"
        E0205 "heading id that cannot be used"
        E0206 "fence attributes that cannot be read"
        E0207 "fence that Markdown does not see as one"
        E0208 "part of a page whose two comments do not match"
        E0209 "excerpt whose fence is not closed"
        E0210 "excerpt that is shown as plain text"
        E0211 "item that looks like a note but is not"
        E0212 "unmatched tag in trusted HTML"
        E0213 "comment that is not closed"
        E0214 "tabs that readers cannot choose between"
        E0215 "prediction in another form"
        E0216 "cards or buttons that contain something else"

        E0301 "note bound to code that is not in the excerpt"
        E0302 "starter file does not exist"
        E0303 "path leaves `code/` or the repository"
        E0304 "starter is not a text file"
        E0305 "region does not exist"
        E0306 "region markers that do not match"
        E0307 "lines that the file does not have"
        E0308 "symbol does not exist"
        E0309 "ambiguous symbol name"
        E0310 "language without symbols"
        E0311 "selector that cannot be read"
        E0312 "note without a binding"
        E0313 "marked term is not in the excerpt"
        E0314 "no own starter folder here"
        E0315 "ambiguous folder of two labs with the same name"
        E0316 "stale excerpt: its notes must be read again"
        E0317 "symbol whose end is uncertain"
        E0318 "lit line is not in the excerpt"
        E0319 "pieces of code that cannot be compared"
        E0320 "notebook that cannot be read"
        E0321 "cell of a notebook that cannot be selected"
        E0322 "recorded output that is not there"

        E0401 "unknown section, lab or track"
        E0402 "prerequisites that form a cycle"
        E0403 "published page that requires a draft"
        E0404 "link to a file that does not exist"
        E0405 "link to a heading that does not exist"
        E0406 "link that leaves the course"
        E0407 "link to lines or a region that do not exist"
        E0408 "unknown citation"

        E0501 "template that cannot be read"
        E0502 "template that cannot be rendered"
        E0503 "style sheet that cannot be read"
        E0504 "logo, icon or font that browsers cannot show"
        E0505 "template that does not exist"

        E0601 "line that is not a value"
        E0602 "name that leads to no value"
        E0603 "values that form a cycle"
        E0604 "units that do not agree"
        E0605 "result that is not a finite number"
        E0606 "pin that its value does not print"
        E0607 "number outside its range"
        E0608 "name that cannot be declared"
        E0609 "calculator of code that the page does not show"
        E0610 "record is missing"
        E0611 "record is older than its starter"
        E0612 "record cannot be read"
        E0613 "command that cannot be recorded"
        E0614 "command that failed while it was recorded"
        E0615 "number in code that is not there, or twice"
        E0616 "place in code that is not a number"
        E0617 "record that an excerpt cannot show"

        E0701 "quote of a translation that cannot be read"
        E0702 "translation of another kind than its source"
        E0703 "translation that loses a figure, or has other code or links"

        W0001 "names that differ only in how letters are composed"
        W0002 "names that differ only in letter case"
        W0003 "name that Windows does not allow"

        W0101 "text that a `#` cuts"

        W0201 "comment that nearly has a meaning"
        W0202 "HTML that is not allowed and shown as text"
        W0203 "code block that is not closed"
        W0204 "excerpt in a comment"
        W0206 "unmatched HTML tag"
        W0207 "comment or code block that swallows headings"
        W0208 "syntax of another tool that has no meaning here"
        W0209 "footnote, link or mark without its counterpart"
        W0210 "table that loses text"
        W0211 "heading that repeats the title"
        W0212 "conflict marker that a merge left"
        W0213 "template or asset that replaces nothing"
        W0301 "stale excerpt: its notes still hold"
        W0302 "excerpt whose notes are not pinned"
        W0303 "note bound to line numbers, which can become wrong"
        W0304 "code at the beginning of a note that is not bound"
        W0306 "excerpt by line numbers without a pin"
        W0307 "link to line numbers, which can become wrong"
        W0308 "lines lit by their numbers without a pin"
        W0309 "excerpt that is compared with itself"

        W0501 "accent color that is hard to read"
        W0502 "copy of a built-in file that has changed"
        W0503 "address in a style sheet that leads nowhere"
        W0601 "empty pin of a value"
        W0610 "record that no lab declares"
        W0701 "translation of a text that has changed"
        W0702 "translation of a text that is gone"
        W0703 "page that is not translated completely"
    }
    lints {
        ALT_TEXT "alt-text" "image without text"
        COVERAGE "coverage" "code that no page explains, or a section that no lab practices"
        DEAD_LINK "dead-link" "link to another site that is dead or has moved"
        DUPLICATE_REFERENCE "duplicate-reference" "two references with one address"
        DUPLICATE_TITLE "duplicate-title" "title that is used twice in a track"
        EMPTY "empty" "section of the lab contract that is missing, out of order, or empty"
        FIGURE "figure" "figure that no value prints and that is not given"
        FILLER "filler" "sentence that is repeated, or an empty phrase"
        HEADING_SKIP "heading-skip" "heading level that skips"
        LINK_TEXT "link-text" "link text that does not say where it leads"
        NOTE_ORDER "note-order" "notes that do not follow the order of their lines"
        ORPHAN_REFERENCE "orphan-reference" "reference that no page cites"
        READING_ORDER "reading-order" "reading order written by hand"
        STALE_DATE "stale-date" "claims that have not been checked for a long time"
        TERM "term" "term that is not translated as in the glossary"
        TEXT_DAMAGE "text-damage" "damaged text"
        TO_DO "todo" "something left to do"
        UNDATED "undated" "page without a date where the newest comes first"
        UNGROUNDED "ungrounded" "name that is in none of a lab's starter files"
    }
}
