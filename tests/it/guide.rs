//! The guide: what its pages quote from the program is made by the program. A passage between `<!-- made: NAME -->` and
//! `<!-- /made -->` is made again here and compared; with `UPDATE=1` it is written anew. The names:
//!
//! - `keys KIND`: the keys of a page's front matter, of `site`, of its `labels`, or of `references`;
//! - `codes DIGITS` or `codes lints`: every diagnostic of a group; `codes` alone: a table of them all;
//! - `help COMMAND`: what `infralens COMMAND --help` prints;
//! - `fields NAME`: what templates find in a structure of `crates/theme/src/context.rs`;
//! - `run NAME`: what the program says in one of the stories of `guide/stories.rs`.

mod codes;
mod fields;
mod keys;
mod stories;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::PathBuf;

use infralens_course::config::Config;
use infralens_course::references::References;
use infralens_source::diag;
use infralens_source::source::Source;

use crate::harness::{listing, program, repository, updates};

const OPEN: &str = "<!-- made: ";
const CLOSE: &str = "<!-- /made -->";

/// A page of the guide.
struct Page {
    /// Its path below `content/guide`.
    path: String,
    at: PathBuf,
    text: String,
}

fn pages() -> Vec<Page> {
    let files = listing(&repository("content/guide")).into_iter().filter(|(path, _)| path.ends_with(".md"));
    files.map(|(path, at)| Page { text: fs::read_to_string(&at).expect("a page"), path, at }).collect()
}

/// The names of the passages of a text, in their order.
fn names(text: &str) -> impl Iterator<Item = &str> {
    text.lines().filter_map(|line| line.strip_prefix(OPEN)?.strip_suffix(" -->"))
}

/// The text with each of its passages made anew.
fn remade(page: &Page, make: &mut dyn FnMut(&str) -> String) -> String {
    let mut out = String::new();
    let mut lines = page.text.split_inclusive('\n');
    while let Some(line) = lines.next() {
        out.push_str(line);
        let Some(name) = names(line).next() else { continue };
        assert!(
            lines.by_ref().any(|line| line.trim_end() == CLOSE),
            "{}: `{name}` is not closed by `{CLOSE}`",
            page.path
        );
        out.push_str(&format!("\n{}\n\n{CLOSE}\n", make(name).trim()));
    }
    out
}

/// Makes the passages by their names.
struct Maker {
    /// Which page tells of which group of diagnostics.
    groups: BTreeMap<String, String>,
    stories: BTreeMap<&'static str, String>,
}

impl Maker {
    fn make(&self, page: &str, name: &str) -> String {
        match name.split_once(' ').unwrap_or((name, "")) {
            ("keys", kind) => keys::table(kind),
            ("codes", "") => codes::table(page, &self.groups),
            ("codes", group) => codes::group(group),
            ("help", command) => help(command),
            ("fields", name) => fields::table(name),
            ("run", story) => self.stories.get(story).unwrap_or_else(|| panic!("there is no story `{story}`")).clone(),
            _ => panic!("{page}: nothing can make `{name}`"),
        }
    }
}

/// Output in a fence that no output closes.
fn fence(language: &str, text: &str) -> String {
    format!("~~~~ {language}\n{}\n~~~~", text.trim_end())
}

fn printed(arguments: &[&str]) -> String {
    let output = program(&repository("")).args(arguments).output().expect("the program runs");
    String::from_utf8(output.stdout).expect("UTF-8").lines().map(|line| format!("{}\n", line.trim_end())).collect()
}

fn help(command: &str) -> String {
    let words: Vec<&str> = command.split(' ').filter(|word| !word.is_empty()).chain(["--help"]).collect();
    fence("text", &printed(&words))
}

/// The names of the program's commands, as its help lists them.
fn commands() -> BTreeSet<String> {
    let help = printed(&["--help"]);
    let listed = help.lines().skip_while(|line| *line != "Commands:").skip(1).take_while(|line| !line.is_empty());
    let names = listed.filter_map(|line| line.strip_prefix("  ").filter(|line| !line.starts_with(' ')));
    names.filter_map(|line| line.split(' ').next()).filter(|name| *name != "help").map(str::to_owned).collect()
}

#[test]
fn what_the_guide_quotes_is_what_the_program_says() {
    let pages = pages();
    let groups = |page: &Page| {
        let groups = names(&page.text).filter_map(|name| Some(name.strip_prefix("codes ")?.to_owned()));
        groups.map(|group| (group, page.path.clone())).collect::<Vec<_>>()
    };
    let maker = Maker { groups: pages.iter().flat_map(groups).collect(), stories: stories::tell() };
    let mut stale = Vec::new();
    for page in &pages {
        let wanted = remade(page, &mut |name| maker.make(&page.path, name));
        if wanted != page.text && updates() {
            fs::write(&page.at, &wanted).expect("the page can be written");
        } else if wanted != page.text {
            let diff = similar::TextDiff::from_lines(&page.text, &wanted);
            stale.push(format!("{}:\n{}", page.path, diff.unified_diff().context_radius(2)));
        }
    }
    assert!(stale.is_empty(), "{} pages are stale; UPDATE=1 takes them over\n\n{}", stale.len(), stale.join("\n"));
}

#[test]
fn nothing_is_missing_from_the_guide() {
    let text: String = pages().into_iter().map(|page| page.text).collect();
    let there: Vec<&str> = names(&text).collect();
    let once = |name: &str| there.iter().filter(|known| **known == name).count() == 1;
    for name in
        commands().iter().map(|name| format!("help {name}")).chain(keys::KINDS.map(|kind| format!("keys {kind}")))
    {
        assert!(once(&name), "`{OPEN}{name} -->` must stand once in the guide");
    }
    let groups: Vec<&str> = there.iter().filter_map(|name| name.strip_prefix("codes ")).collect();
    for code in diag::codes::ALL {
        let passages = groups.iter().filter(|group| codes::belongs(code.id, group)).count();
        assert_eq!(passages, 1, "{} belongs to {passages} passages of the guide, not to one", code.id);
    }
    let untold: Vec<&str> = stories::tell().into_keys().filter(|story| !once(&format!("run {story}"))).collect();
    assert_eq!(untold, Vec::<&str>::new(), "stories that no page tells, or that two tell");
}

/// The fences of YAML that a page's author has typed.
fn typed_yaml(page: &str) -> Vec<String> {
    let text = fs::read_to_string(repository(page)).expect("a page of the guide");
    let blocks = text.split("\n```yaml\n").skip(1).filter_map(|rest| rest.split_once("\n```\n"));
    blocks.map(|(yaml, _)| format!("{yaml}\n")).collect()
}

#[test]
fn settings_and_references_are_shown_as_they_are_read() {
    let mut yaml = typed_yaml("content/guide/site.md");
    yaml.iter_mut().filter(|yaml| !yaml.starts_with("title:")).for_each(|yaml| yaml.insert_str(0, "title: T\n"));
    for (path, yaml) in yaml.into_iter().map(|yaml| ("content/site.yaml", yaml)) {
        let (_, diagnostics) = Config::read(&Source::new(path, yaml.clone()));
        assert!(diagnostics.is_empty(), "{yaml}{diagnostics:?}");
    }
    let cited = typed_yaml("content/guide/markdown.md");
    assert_eq!(cited.len(), 1, "the entry that the guide shows");
    let (references, diagnostics) = References::read(&Source::new("content/references.yaml", cited[0].clone()));
    assert!(diagnostics.is_empty() && references.iter().len() == 1, "{diagnostics:?}");
}

#[test]
fn passages_are_found_and_replaced() {
    let text = "a\n<!-- made: one two -->\nold\n<!-- /made -->\nb\n".to_owned();
    let page = Page { path: "x.md".into(), at: PathBuf::new(), text };
    let new = remade(&page, &mut |name| format!("{name}!\n"));
    assert_eq!(new, "a\n<!-- made: one two -->\n\none two!\n\n<!-- /made -->\nb\n");
}
