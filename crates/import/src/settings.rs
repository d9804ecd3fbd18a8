//! What becomes of the settings of a book: keys of `site.yaml`, files below `static/`, aliases of pages, or a line of the report
//! that says what to do. `settings.yaml` has a table of them.

use std::collections::BTreeSet;

use super::docusaurus::written;
use super::layout::old_address;
use super::tree::{Keys, entries, items, scalar, texts};
use super::{Book, Dialect, Kind, Loss, Redirect};
use infralens_source::diag::quantity;
use infralens_source::project::{File, Project};
use infralens_source::source::{Source, Span, lines_from};
use infralens_source::url;
use infralens_source::yaml::{self, Entry, Node, Tree};

/// Returns what becomes of the settings of a program, or of plugins.
pub fn table(name: &str) -> Vec<Entry> {
    let source = Source::new("settings.yaml", include_str!("settings.yaml"));
    let root = yaml::parse(&source, 0..source.text().len()).root;
    root.map(|root| entries(&root).map(name).to_vec()).unwrap_or_default()
}

/// Returns the value of the key that is, or contains between spaces, a name that fits.
pub fn listed(entries: &[Entry], fits: impl Fn(&str) -> bool) -> Option<&Tree> {
    entries.iter().find(|(names, _)| names.split_whitespace().any(&fits)).map(|(_, value)| value)
}

/// Returns what becomes of a setting: the section of the table that has its name, and the value there.
fn fate(table: &[Entry], name: &str) -> Option<(String, String)> {
    table.iter().find_map(|(section, names)| {
        let is_listed = |names: String| names.split_whitespace().any(|known| known == name).then(String::new);
        let value =
            scalar(names).map_or_else(|| listed(entries(names), |known| known == name).and_then(scalar), is_listed);
        Some((section.value.clone(), value?))
    })
}

/// Whether a value is an expression that is not run.
fn is_computed(source: &Source, value: &Tree) -> bool {
    let text = source.text()[value.span.clone()].trim();
    *value.value == Node::Null && !matches!(text, "" | "~" | "null" | "undefined")
}

/// A link of the bars of a site, before its page has its place.
#[derive(Debug)]
pub struct BarLink {
    /// The key of `site.yaml`.
    pub key: String,
    pub label: String,
    pub target: String,
    /// What is lost if it leads nowhere.
    pub loss: Loss,
}

impl Book {
    /// Sets a key of `site.yaml`, unless it is set.
    pub fn set(&mut self, key: &str, value: String) {
        if !value.is_empty() && self.settings.iter().all(|(known, _)| known != key) {
            self.settings.push((key.to_owned(), value));
        }
    }

    /// Decides about settings. `above` is put before their names in the table.
    pub fn settle(&mut self, project: &Project, source: &Source, above: &str, settings: &[Entry]) {
        let table = table(&format!("{:?}", self.dialect).to_lowercase());
        self.settle_by(&table, project, source, above, settings);
    }

    fn settle_by(&mut self, table: &[Entry], project: &Project, source: &Source, above: &str, settings: &[Entry]) {
        for (key, value) in settings {
            let name = format!("{above}{}", key.value);
            let (section, to) = fate(table, &name).unwrap_or_default();
            let done = match &*section {
                "read" => continue,
                "within" | "links" if is_computed(source, value) => {
                    Err(format!("{} is computed", written(source, value)))
                }
                "within" if !entries(value).is_empty() => {
                    self.settle_by(table, project, source, &format!("{name}."), entries(value));
                    continue;
                }
                // The short form of a map.
                "within" => match fate(table, &format!("{name}.src")) {
                    Some((_, to)) => self.picture(project, &to, value),
                    None => continue,
                },
                "value" if !is_computed(source, value) => continue,
                "value" => Err(format!("{} is computed; {to}", written(source, value))),
                "keys" => self.text(source, &to, value),
                "pictures" => self.picture(project, &to, value),
                "links" => {
                    self.links(source, &to, value);
                    Ok(format!("links of `{to}`"))
                }
                "taken" => Ok(to),
                "edit" => self.edit(&scalar(value).unwrap_or_default()),
                _ => Err(to),
            };
            let (kind, what) = match done {
                Ok(to) => (Kind::Taken, to),
                Err(advice) => (Kind::Setting, advice),
            };
            let what = if what.is_empty() { what } else { format!(": {what}") };
            self.losses.push(Loss::at(kind, source, &key.span, format!("`{name}`{what}")));
        }
    }

    fn text(&mut self, source: &Source, to: &str, value: &Tree) -> Result<String, String> {
        let words = match &*value.value {
            Node::Bool(value) => value.to_string(),
            _ => texts(value).collect::<Vec<_>>().join(", "),
        };
        let words = words.split_whitespace().collect::<Vec<_>>().join(" ");
        let is_known = !words.is_empty() && (!matches!(to, "base_url" | "repository") || words.contains("://"));
        if !is_known {
            return Err(format!("{} is no text that can be read; write `{to}`", written(source, value)));
        }
        self.set(to, if to == "base_url" { format!("{}/", words.trim_end_matches('/')) } else { words });
        Ok(format!("`{to}`"))
    }

    /// Takes over a picture, unless it is a white logo, which nobody would see.
    fn picture(&mut self, project: &Project, to: &str, value: &Tree) -> Result<String, String> {
        let named = ["src", "light"].iter().find_map(|key| entries(value).value(key)).unwrap_or(value);
        let folders = self.files.iter().chain([&self.folder, &self.top]);
        let path = scalar(named).map(|path| path.trim_start_matches('/').to_owned());
        let mut paths = folders.filter_map(|folder| url::join(folder, path.as_deref()?));
        let is_file = |path: &String| matches!(project.files.get(path.as_str()), Some(File::Text(_) | File::Binary(_)));
        let from = paths.find(is_file);
        drop(paths);
        let from = from.ok_or("it names no file of the book; put a picture below `static/`")?;
        let is_white = to == "logo.light" && is_white(&from, project);
        let extension = from.rsplit_once('.').map_or("", |(_, extension)| extension);
        let to = if is_white { "logo.dark" } else { to };
        let path = format!("brand/{}.{extension}", to.replace("logo.light", "logo").replace('.', "-"));
        self.pictures.push((format!("static/{path}"), from));
        self.set(to, path);
        Ok(format!("`{to}`{}", if is_white { ", because the picture is white" } else { "" }))
    }

    /// Adds the icon as the logo for light colors to a logo that is white; without an icon, there is none.
    pub fn complete_logo(&mut self) {
        let value = |key: &str| self.settings.iter().find(|(known, _)| known == key).map(|(_, value)| value.clone());
        match (value("logo.light"), value("favicon")) {
            (None, Some(icon)) if value("logo.dark").is_some() => self.set("logo.light", icon),
            (None, None) => self.settings.retain(|(key, _)| !key.starts_with("logo.")),
            _ => {}
        }
    }

    /// Takes over the address at which pages are edited: the repository, and the branch.
    fn edit(&mut self, address: &str) -> Result<String, String> {
        let marks = ["/-/edit/", "/-/tree/", "/-/blob/", "/edit/", "/tree/", "/blob/"];
        let found = marks.iter().find_map(|mark| Some((address.split_once(mark)?, mark)));
        let ((repository, rest), mark) = found
            .filter(|_| address.contains("://"))
            .ok_or("it is computed, or not the address of a repository; write `repository` and `edit_path`")?;
        let branch = rest.split('/').next().unwrap_or("main");
        let edit_path = format!("{}edit/{branch}/{{path}}", if mark.starts_with("/-") { "-/" } else { "" });
        self.set("repository", repository.to_owned());
        let is_usual = edit_path == "edit/main/{path}";
        self.set("edit_path", if is_usual { String::new() } else { edit_path });
        Ok("`repository` and `edit_path`, for a project at the top of this repository".to_owned())
    }

    /// Takes over the repository of a site of MkDocs: pages can be edited there if the theme says so; else it is a link.
    pub fn repository(&mut self, source: &Source, span: &Span, address: &str, root: &[Entry]) {
        let theme = root.map("theme");
        let is_material = theme.text("name").is_some_and(|name| name == "material");
        let is_shown = theme.list("features").iter().filter_map(scalar).any(|feature| feature == "content.action.edit");
        let within = root.value("edit_uri").map_or(Some("edit/master/docs/".to_owned()), scalar).unwrap_or_default();
        let edited = format!("{}/{}", address.trim_end_matches('/'), within.trim_start_matches('/'));
        let done = if is_shown || !is_material && !within.is_empty() { self.edit(&edited).ok() } else { None };
        let what = done.unwrap_or_else(|| {
            let label = root.text("repo_name").unwrap_or_else(|| "Repository".to_owned());
            let loss = Loss::at(Kind::Setting, source, span, String::new());
            self.links.push(BarLink { key: "header".to_owned(), label, target: address.to_owned(), loss });
            "a link of `header`, because pages have none to be edited".to_owned()
        });
        self.losses.push(Loss::at(Kind::Taken, source, span, format!("`repo_url`: {what}")));
    }

    /// Reads links: maps with a text and a target, those of a footer in groups.
    fn links(&mut self, source: &Source, key: &str, list: &Tree) {
        for item in items(list) {
            let text = |names: &[&str]| names.iter().find_map(|name| entries(item).text(name));
            let label = text(&["label", "text", "name", "ariaLabel", "aria-label"]);
            let named = label.clone().or_else(|| text(&["type"])).or(scalar(item)).unwrap_or_else(|| "html".to_owned());
            let below = entries(item).value("items");
            let target = ["to", "href", "link", "docId", "url"].iter().find_map(|name| entries(item).value(name));
            let detail = match (below, target, target.and_then(scalar)) {
                (Some(below), ..) if key == "footer" => {
                    self.links(source, key, below);
                    continue;
                }
                (Some(_), ..) => format!("the menu `{named}`: write its links in `{key}`"),
                (.., Some(target)) => {
                    let host = target.split_once("://").map(|(_, rest)| rest.split('/').next().unwrap_or(rest));
                    let label = label.or(host.map(str::to_owned)).unwrap_or(named);
                    let detail = format!("the link `{label}` to `{target}`, which is not a page of the book");
                    let loss = Loss::at(Kind::Setting, source, &item.span, detail);
                    self.links.push(BarLink { key: key.to_owned(), label, target, loss });
                    continue;
                }
                (_, Some(target), _) => {
                    format!("the link `{named}` to {}, which is computed: write it in `{key}`", written(source, target))
                }
                _ if named == "search" => continue,
                _ => format!("the entry `{named}`, which has no address: write what it leads to in `{key}`"),
            };
            self.losses.push(Loss::at(Kind::Setting, source, &item.span, detail));
        }
    }

    /// Returns the folder of the pages that are programs, some of which may be Markdown.
    pub fn programs(&self) -> String {
        format!("{}src/pages/", self.top)
    }

    /// Returns the paths at which rules of a host, of Netlify and others, may be.
    pub fn redirect_files(&self) -> impl Iterator<Item = String> {
        self.files.iter().chain([&self.folder, &self.top]).map(|folder| format!("{folder}_redirects"))
    }

    /// Takes over the redirects among the rules of a host.
    pub fn read_redirects(&mut self, project: &Project) {
        let paths: BTreeSet<String> = self.redirect_files().collect();
        for source in paths.iter().filter_map(|path| project.text(path)) {
            let mut others = Vec::new();
            for (at, line) in lines_from(source.text(), 0) {
                let words: Vec<&str> = line.split(" #").next().unwrap_or_default().split_whitespace().collect();
                let is_status = |words: &[&str]| {
                    words
                        .iter()
                        .all(|word| word.trim_end_matches('!').parse().is_ok_and(|status: u16| status / 100 == 3))
                };
                match &words[..] {
                    [] => {}
                    [first, ..] if first.starts_with('#') => {}
                    [from, to, status @ ..]
                        if is_status(status) && !from.contains(['*', ':', '?']) && !to.contains("/:") =>
                    {
                        self.redirect(source, &(at..at), from, to);
                    }
                    _ => others.push(at),
                }
            }
            if let Some(&first) = others.first() {
                let rules = quantity(others.len(), "rule");
                let detail = format!("{rules} with patterns or conditions: write them into the settings of your host");
                self.losses.push(Loss::at(Kind::Setting, source, &(first..first), detail));
            }
        }
    }

    /// Adds a redirect of an old address to a page or an address.
    pub fn redirect(&mut self, source: &Source, span: &Span, from: &str, to: &str) {
        let directory = format!("{}/index.html", from.trim_matches('/'));
        let from = match self.dialect {
            // Files of pages, of which the old one may be gone.
            Dialect::MkDocs => old_address(from, self.directory_urls).unwrap_or_else(|| from.to_owned()),
            Dialect::MdBook => from.to_owned(),
            _ if from.ends_with(".html") => from.trim_start_matches('/').to_owned(),
            _ => directory,
        };
        let file = to.split('#').next().unwrap_or_default();
        let to = match self.dialect {
            Dialect::MkDocs if !to.contains("://") => format!("/{}{file}", self.folder),
            _ => to.to_owned(),
        };
        let line = source.line(span.start) + 1;
        self.redirects.push(Redirect { from, to, path: source.path().clone(), line });
    }
}

/// Whether a picture is white: by its name, or all colors of an SVG.
fn is_white(path: &str, project: &Project) -> bool {
    let svg = project.text(path).map_or("", |source| source.text());
    let ends = |c: char| !c.is_ascii_alphanumeric();
    let colors = svg.split(['"', '\'', ':', ';']).map(str::trim);
    let mut colors =
        colors.filter_map(|word| word.strip_prefix('#')).filter(|word| !word.is_empty() && !word.contains(ends));
    let is_light = |color: &str| color.bytes().all(|byte| matches!(byte, b'f' | b'F' | b'e' | b'E'));
    let (mut named, has_other) =
        (url::file_name(path).split(['-', '_', '.']), colors.clone().any(|color| !is_light(color)));
    named.any(|word| word == "white") || !has_other && (colors.next().is_some() || svg.contains("\"white\""))
}
