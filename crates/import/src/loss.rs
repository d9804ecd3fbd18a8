//! What an import leaves out or changes, by kind, each with advice for the author.

use std::collections::BTreeMap;
use std::sync::Arc;

use infralens_source::source::{Source, Span};

/// Something that was not taken over.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Loss {
    pub kind: Kind,
    /// The file, from the root of the book; that of the new project for what its checks find.
    pub path: Arc<str>,
    /// The line, from 1; `None` for the whole file.
    pub line: Option<usize>,
    /// What is special about this place: a name, a reason; empty if nothing is.
    pub detail: String,
}

impl Loss {
    /// Returns what is lost at the line of a span.
    pub fn at(kind: Kind, source: &Source, span: &Span, detail: String) -> Self {
        Self { kind, path: Arc::clone(source.path()), line: Some(source.line(span.start) + 1), detail }
    }
}

macro_rules! kinds {
    ($($name:ident = $title:literal, $advice:literal;)+) => {
        /// The kinds of losses, in the order of the report: first what readers miss most.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
        pub enum Kind { $(#[doc = $title] $name,)+ }

        impl Kind {
            /// Returns the heading of the kind in the report, and what an author can do about it.
            pub fn text(self) -> (&'static str, &'static str) {
                match self { $(Self::$name => ($title, $advice),)+ }
            }
        }
    };
}

kinds! {
    Extension = "Extensions of Markdown that are not known here",
        "Their syntax stays as it is written. The places are those of their marks, where these are known. Write what they make into the pages.";
    Plugin = "Plugins and preprocessors",
        "What they add to pages is missing, unless the line says what to do. Write it into the pages.";
    Setting = "Settings that are not taken over",
        "They have no effect here. `site.yaml` has `logo`, `favicon`, `colors`, `fonts`, and links in `header` and `footer`; see the guide's page on the look.";
    Component = "Components of pages that are not known here",
        "Their tags are removed; their content and their names, such as `title` and `label`, stay. Write what else they make into the pages.";
    Error = "Errors of the new project",
        "The project cannot be built until these are corrected. `infralens check` shows each with help.";
    Unreadable = "Files that cannot be read",
        "They are not in the project. Replace links on disk by the files themselves, and import again.";
    Page = "Entries of the table of contents without a page",
        "They are left out; one that has entries below it becomes a page that lists these.";
    Draft = "Draft chapters",
        "They are left out; one that has chapters below it becomes a page that lists these.";
    Include = "Includes that cannot be resolved",
        "The page shows the directive. Correct the book and import again, or replace it on the new page.";
    Reference = "Names of code that a plugin documents or links to",
        "The page shows the names alone. Write what readers need as text, or show the code in an excerpt, `file=PATH#fn:NAME`, with notes.";
    Macro = "Macros of templates",
        "The page shows them as code. Write what they insert.";
    Directive = "Directives",
        "They are removed. Look at what these pages need instead.";
    Formula = "Formulas that cannot be typeset",
        "The page shows their source. The guide's page on Markdown describes the formulas that can be written.";
    Dollars = "Text that looks like a formula",
        "It stays text, because the settings of the book turn formulas off. Turn them on there and import again, or write `$…$`.";
    Diagram = "Diagrams that cannot be drawn",
        "The page shows their source. Draw them as another type, or replace them by pictures.";
    Abbreviation = "Abbreviations",
        "They are in `content/glossary.md` with another text, which is that of the first place. Write there what is right.";
    Foreign = "Syntax and HTML that are shown as text",
        "The places are in the new project. `infralens check` says what to write instead.";
    Link = "Links that lead nowhere",
        "The page keeps their text. Link to a page of the project, or to a whole address such as `https://…`.";
    Heading = "Links to headings that do not exist",
        "They lead to the top of the page. Write the id of a heading after `#`.";
    Picture = "Pictures on other sites",
        "They are links now, because pages load nothing from other sites. Save those that readers need in `content/`.";
    Copy = "Code that is a copy instead of an excerpt",
        "It does not change with its file. Write `file=PATH#REGION` where you can, or keep the copy.";
    Hidden = "Hidden lines of code",
        "They are left out, and readers cannot unfold them. In Rust, `# ` hides lines of a block. Write back those that readers need.";
    Mark = "Marked lines of code",
        "The marks are left out. Add a note to the line, or mark lines that the block has.";
    Word = "Options of code blocks",
        "They have no effect here, and nothing is to be done: code is shown, not run.";
    Tab = "Tabs within tabs, single tabs, and tabs with equal titles",
        "Each is below the one before. Give tabs of a group different titles, or make them headings.";
    Icon = "Icons such as `:material-x:`, and attributes in braces",
        "They are removed. A heading keeps its `{#id}`; for an icon, write an emoji or a word.";
    Attribute = "HTML that pages do not have: attributes such as `class` and `style`, and elements",
        "The attributes and the tags are removed, and the text within stays. Check that it makes sense without them.";
    FrontMatter = "Keys of the front matter",
        "They have no counterpart. The guide lists the keys that pages have.";
    Part = "Parts and numbers of chapters",
        "The tree of pages shows neither. Mention chapters by title; for a part, write a page with its pages in a folder.";
    Unlisted = "Pages that `nav` does not list",
        "They come last. Move them in `nav` of `site.yaml`, or delete them.";
    Title = "Titles that differ from the page's heading",
        "The heading is the title, in the tree of pages, too. Change the heading if the other title is better.";
    Entry = "Entries of `nav` that are not pages",
        "The tree has only pages. `header:` in `site.yaml` puts links into the top bar.";
    Lint = "Lints that are off",
        "They find something on these pages, and are off in `site.yaml`, so that `infralens check --strict` passes. Delete a line under `lints:` there to see its places.";
    Taken = "Settings and plugins that are taken over",
        "Their counterparts are in `site.yaml`, in the front matter of pages, and in `static/`, or every site has them.";
}

/// Returns the losses of each kind.
pub fn grouped(losses: &[Loss]) -> BTreeMap<Kind, Vec<&Loss>> {
    let mut groups: BTreeMap<Kind, Vec<&Loss>> = BTreeMap::new();
    for loss in losses {
        let group = groups.entry(loss.kind).or_default();
        // Several of the same kind in one line are one place.
        if group.last() != Some(&loss) {
            group.push(loss);
        }
    }
    groups
}

/// Quotes a part of a book for the report, shortened if it is long.
pub fn shortened(text: &str) -> String {
    const LONGEST: usize = 60;
    let cut = text.floor_char_boundary(LONGEST);
    format!("`{}{}`", &text[..cut], if cut < text.len() { "…" } else { "" })
}
