//! The house rules that no compiler knows: who may use whom, how long a file may be, and what each begins with.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;

use proc_macro2::{TokenStream, TokenTree};
use syn::visit::{self, Visit};
use syn::{Attribute, ImplItemFn, ItemFn, ItemMod, ItemUse, Macro, Path, UseTree};

use crate::harness::{listing, repository};

/// The rooms of `src` from the top to the ground, as ARCHITECTURE.md has them: a room uses only those below it, and its
/// own. What a crate of `crates/` may use, its manifest says.
const FLOORS: [&[&str]; 4] = [&["cli"], &["lsp"], &["load", "emit", "report", "serve", "disk", "process"], &["assets"]];
/// A foreign crate, and the only places in `src` that may name it.
const FOREIGN: [(&str, &[&str]); 13] = [
    ("pulldown_cmark", &["serve/source_location"]),
    ("annotate_snippets", &["report"]),
    ("clap", &["cli"]),
    ("clap_complete", &["cli"]),
    ("clap_mangen", &["cli"]),
    ("indicatif", &["cli/progress"]),
    ("lsp_server", &["lsp", "cli/lsp"]),
    ("lsp_types", &["lsp"]),
    ("notify", &["serve/watch"]),
    ("tiny_http", &["serve/http"]),
    // The second reads what the system tells of this process, not what is on a disk.
    ("std::fs", &["disk", "cli/build/timings"]),
    // The last asks whether the program is in the foreground of its terminal.
    ("rustix", &["disk", "serve", "process", "cli/serve/terminal"]),
    ("signal_hook", &["process"]),
];

/// A source file without its tests.
struct SourceFile {
    /// Its path below `src`, without `.rs`.
    path: String,
    /// The modules that it is: `["theme", "path", "graph"]`.
    module: Vec<String>,
    /// Every path that it names, as far as the names go that are written.
    paths: BTreeSet<Vec<String>>,
}

fn sources() -> Vec<SourceFile> {
    let files = listing(&repository("src")).into_iter().filter(|(path, _)| path.ends_with(".rs"));
    let is_test = |path: &str| path.ends_with("tests.rs") || path.contains("/tests/");
    let files = files.filter(|(path, _)| !is_test(path));
    files.map(|(path, at)| SourceFile::new(&path, &fs::read_to_string(at).expect("a source file"))).collect()
}

impl SourceFile {
    fn new(path: &str, text: &str) -> Self {
        let path = path.trim_end_matches(".rs").to_owned();
        let module = path.trim_end_matches("/mod").split('/').map(str::to_owned).collect();
        let mut paths = Paths::default();
        paths.visit_file(&syn::parse_file(text).unwrap_or_else(|error| panic!("{path}: {error}")));
        Self { path, module, paths: paths.0 }
    }

    /// The room that it belongs to.
    fn room(&self) -> &str {
        &self.module[0]
    }

    fn is_crate_root(&self) -> bool {
        matches!(self.room(), "lib" | "main")
    }

    /// What it names of other rooms, as paths from the crate's root: `crate::a::b`, and what `super` leads to.
    fn uses(&self) -> BTreeSet<Vec<String>> {
        let from_root = self.paths.iter().filter_map(|path| {
            let above = path.iter().take_while(|part| *part == "super").count();
            match path[0].as_str() {
                "crate" => Some(path[1..].to_vec()),
                "super" => Some([&self.module[..self.module.len().checked_sub(above)?], &path[above..]].concat()),
                _ => None,
            }
        });
        from_root.filter(|path| path.first().is_some_and(|room| room != self.room())).collect()
    }
}

/// Collects the paths of imports, expressions, types and the arguments of macros, but for those of tests.
#[derive(Default)]
struct Paths(BTreeSet<Vec<String>>);

impl Paths {
    fn import(&mut self, tree: &UseTree, above: &[String]) {
        let path = |name: &syn::Ident| [above, &[name.to_string()]].concat();
        match tree {
            UseTree::Path(part) => self.import(&part.tree, &path(&part.ident)),
            UseTree::Group(group) => group.items.iter().for_each(|tree| self.import(tree, above)),
            UseTree::Name(name) if name.ident == "self" => _ = self.0.insert(above.to_vec()),
            UseTree::Name(name) => _ = self.0.insert(path(&name.ident)),
            UseTree::Rename(name) => _ = self.0.insert(path(&name.ident)),
            UseTree::Glob(_) => _ = self.0.insert(above.to_vec()),
        }
    }

    /// The paths in the arguments of a macro, which need not be expressions: names with `::` between them.
    fn tokens(&mut self, tokens: TokenStream) {
        let (mut path, mut colons) = (Vec::new(), 0);
        for token in tokens {
            match token {
                TokenTree::Ident(name) => {
                    if colons != 2 {
                        self.path(std::mem::take(&mut path));
                    }
                    path.push(name.to_string());
                    colons = 0;
                }
                TokenTree::Punct(mark) if mark.as_char() == ':' => colons += 1,
                TokenTree::Punct(_) | TokenTree::Literal(_) => self.path(std::mem::take(&mut path)),
                TokenTree::Group(group) => {
                    self.path(std::mem::take(&mut path));
                    self.tokens(group.stream());
                }
            }
        }
        self.path(path);
    }

    /// A name by itself may be a variable.
    fn path(&mut self, path: Vec<String>) {
        if path.len() > 1 {
            self.0.insert(path);
        }
    }
}

fn is_test(attributes: &[Attribute]) -> bool {
    let is_test = |attribute: &Attribute| {
        attribute.path().is_ident("cfg") && attribute.parse_args::<syn::Path>().is_ok_and(|path| path.is_ident("test"))
    };
    attributes.iter().any(is_test)
}

impl<'a> Visit<'a> for Paths {
    fn visit_item_mod(&mut self, item: &'a ItemMod) {
        if !is_test(&item.attrs) {
            visit::visit_item_mod(self, item);
        }
    }

    fn visit_item_fn(&mut self, item: &'a ItemFn) {
        if !is_test(&item.attrs) {
            visit::visit_item_fn(self, item);
        }
    }

    fn visit_impl_item_fn(&mut self, item: &'a ImplItemFn) {
        if !is_test(&item.attrs) {
            visit::visit_impl_item_fn(self, item);
        }
    }

    fn visit_item_use(&mut self, item: &'a ItemUse) {
        if !is_test(&item.attrs) {
            self.import(&item.tree, &[]);
        }
    }

    fn visit_path(&mut self, path: &'a Path) {
        self.path(path.segments.iter().map(|segment| segment.ident.to_string()).collect());
        visit::visit_path(self, path);
    }

    fn visit_macro(&mut self, call: &'a Macro) {
        self.visit_path(&call.path);
        self.tokens(call.tokens.clone());
    }
}

fn floor(room: &str) -> usize {
    FLOORS
        .iter()
        .position(|rooms| rooms.contains(&room))
        .unwrap_or_else(|| panic!("`{room}` has no floor: give it one here"))
}

#[test]
fn rooms_use_only_what_is_below_them() {
    let mut broken = Vec::new();
    for source in sources().iter().filter(|source| !source.is_crate_root()) {
        for path in source.uses() {
            let (room, used, name) = (source.room(), path[0].as_str(), path.join("::"));
            let mut refuse = |why: &str| broken.push(format!("{} uses {name}: {why}", source.path));
            if floor(used) < floor(room) {
                refuse("it is above it");
            }
            if used == "disk" && !matches!(room, "load" | "emit") {
                refuse("only `load` reads and only `emit` writes");
            }
        }
    }
    assert!(broken.is_empty(), "{}", broken.join("\n"));
}

#[test]
fn no_two_rooms_need_each_other() {
    let mut uses: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for source in sources().iter().filter(|source| !source.is_crate_root()) {
        let rooms = source.uses().into_iter().map(|path| path[0].clone());
        uses.entry(source.room().to_owned()).or_default().extend(rooms);
    }
    // A room that uses none of those that are left is not part of a cycle.
    while let Some(free) =
        uses.iter().find(|(_, used)| used.iter().all(|used| !uses.contains_key(used))).map(|(room, _)| room.clone())
    {
        uses.remove(&free);
    }
    assert!(uses.is_empty(), "these rooms use each other in a cycle: {uses:#?}");
}

#[test]
fn a_foreign_crate_is_known_in_its_room_alone() {
    let mut broken = Vec::new();
    for source in sources() {
        for (name, rooms) in FOREIGN {
            let is_allowed = rooms.iter().any(|room| format!("{}/", source.path).starts_with(&format!("{room}/")));
            let is_used = source
                .paths
                .iter()
                .any(|path| path.join("::").starts_with(&format!("{name}::")) || path.join("::") == name);
            if is_used && !is_allowed {
                broken.push(format!("{} uses {name}", source.path));
            }
        }
    }
    assert!(broken.is_empty(), "{}", broken.join("\n"));
}

#[test]
fn every_file_is_short_and_says_what_it_does() {
    let mut broken = Vec::new();
    for folder in ["src", "crates", "tests/it", "benches", "build"] {
        if !repository(folder).is_dir() {
            continue;
        }
        for (path, at) in listing(&repository(folder)).into_iter().filter(|(path, _)| path.ends_with(".rs")) {
            let text = fs::read_to_string(&at).expect("a source file");
            let lines = text.lines().count();
            if lines > 500 {
                broken.push(format!("{folder}/{path} has {lines} lines, more than 500"));
            }
            // A module of several files is `NAME.rs` beside its folder; what several targets share is none of theirs.
            if path.ends_with("mod.rs") && matches!(folder, "src" | "crates") {
                broken.push(format!("{folder}/{path} should be the file with its folder's name, beside it"));
            }
            if !text.starts_with("//! ") {
                broken.push(format!("{folder}/{path} does not begin with a line `//! …`"));
            }
            for word in [concat!("TO", "DO"), concat!("FIX", "ME"), concat!("X", "XX")] {
                let mut comments = text.lines().filter_map(|line| line.split_once("//"));
                if comments.any(|(_, text)| text.split(|c: char| !c.is_alphanumeric()).any(|found| found == word)) {
                    broken.push(format!("{folder}/{path} has a {word}"));
                }
            }
        }
    }
    assert!(broken.is_empty(), "{}", broken.join("\n"));
}

#[test]
fn the_architecture_names_every_room() {
    let Ok(text) = fs::read_to_string(repository("ARCHITECTURE.md")) else { panic!("ARCHITECTURE.md is missing") };
    assert!(text.lines().count() <= 240, "ARCHITECTURE.md has {} lines, more than 240", text.lines().count());
    let crates = listing(&repository("crates")).into_keys().filter_map(|path| Some(path.split_once('/')?.0.to_owned()));
    let rooms =
        sources().iter().map(|source| source.room().to_owned()).filter(|name| name != "lib").collect::<Vec<_>>();
    let rooms: BTreeSet<String> = rooms.into_iter().chain(crates).collect();
    let unnamed: Vec<&String> = rooms
        .iter()
        .filter(|room| !text.contains(&format!("`{room}")) && !text.contains(&format!("src/{room}")))
        .collect();
    assert!(unnamed.is_empty(), "ARCHITECTURE.md does not name {unnamed:?}");
}

/// `build.rs` hashes what the program is compiled from, each crate included: a build that has nothing to do would
/// otherwise keep the site of an older program.
#[test]
fn every_crate_is_hashed() {
    let build = fs::read_to_string(repository("build.rs")).expect("the build script");
    let (_, sources) = build.split_once("const SOURCES").expect("the list");
    let (_, sources) = sources.split_once("= [").expect("its items");
    let sources: Vec<&str> = sources.split_once(']').expect("its end").0.split('"').skip(1).step_by(2).collect();
    let manifest = fs::read_to_string(repository("Cargo.toml")).expect("the manifest");
    let crates: Vec<&str> = manifest.split("path = \"").skip(1).filter_map(|rest| rest.split('"').next()).collect();
    let is_hashed = |path: &str| sources.iter().any(|root| std::path::Path::new(path).starts_with(root));
    assert!(crates.contains(&"crates/source") && is_hashed("src"), "{crates:?}");
    let others = crates.iter().filter(|path| path.contains('/') && !path.starts_with("tests/"));
    let unhashed: Vec<&&str> = others.filter(|path| !is_hashed(path)).collect();
    assert!(unhashed.is_empty(), "{unhashed:?} are not among {sources:?}");
}

#[test]
fn paths_are_read() {
    let text = "use crate::{a, b::{c as d, e::*}}; #[cfg(test)] use crate::t;\n\
                fn f() -> super::super::g::H { println!(\"{}\", crate::i::j(1, k::l)); super::m() }\n\
                #[cfg(test)] mod tests { use crate::n; }";
    let source = SourceFile::new("x/y.rs", text);
    let uses: Vec<String> = source.uses().iter().map(|path| path.join("::")).collect();
    assert_eq!(uses, ["a", "b::c", "b::e", "g::H", "i::j"]);
    assert!(source.paths.contains(["k".to_owned(), "l".to_owned()].as_slice()));
}
