//! Reads a site of `VitePress`: the sidebar in the settings below `.vitepress/`, which are a program, and the marks of its pages.
//!
//! Of the program, only lists and objects are read, with functions and constants of the same file that are named in their place;
//! an entry that is computed in another way is reported.

use std::collections::BTreeSet;
use std::rc::Rc;
use std::sync::Arc;

use super::edits::Text;
use super::mkdocs::{add_unlisted, get, items, scalar};
use super::{Book, Chapter, Dialect, Import, Kind, Loss, formula, import, mdbook, mkdocs, settings_file};
use infralens_site::Options;
use infralens_source::change::Refusal;
use infralens_source::project::Project;
use infralens_source::source::Source;
use infralens_source::yaml::{self, Node, Tree};

/// The settings of a site, of which those of each language may be in a file of their own.
pub const SETTINGS: [&str; 16] = [
    ".vitepress/config.ts", ".vitepress/config.mts", ".vitepress/config.js", ".vitepress/config.mjs",
    ".vitepress/config/index.ts", ".vitepress/config/index.mts", ".vitepress/config/index.js",
    ".vitepress/config/index.mjs", ".vitepress/config/en.ts", ".vitepress/config/en.mts", ".vitepress/config/en.js",
    ".vitepress/config/root.ts", ".vitepress/config/shared.ts", ".vitepress/config/shared.mts",
    ".vitepress/config/shared.js", ".vitepress/sidebar.ts",
];
/// How deep functions and constants of the settings may name each other.
const DEPTH_LIMIT: usize = 8;

/// Imports a site of `VitePress`, whose pages are in the folder `top` of `project`; its path ends in a slash unless it is empty.
///
/// # Errors
/// There are no settings, or no page.
pub fn vitepress(project: &Project, top: &str, options: &Options) -> Result<Import, Refusal> {
    let mut book = settings(project, top)?;
    let mut known = BTreeSet::new();
    let sources = || SETTINGS.iter().filter_map(|name| project.text(&format!("{top}{name}")));
    let sidebar = sources().find_map(|source| Some((Settings { source }, Settings { source }.named("sidebar")?)));
    if let Some((settings, tree)) = &sidebar {
        book.chapters = settings.sidebar(project, &mut book, tree, &mut known);
    }
    // The home page is not in the sidebar.
    if let Some((home, _)) =
        project.files.get_key_value(&*format!("{top}index.md")).filter(|(home, _)| !known.contains(*home))
    {
        known.insert(Arc::clone(home));
        book.chapters
            .insert(0, Chapter { source: Some(Arc::clone(home)), title: book.title.clone(), ..Chapter::default() });
    }
    if let (None, Some(source)) = (&sidebar, sources().find(|source| source.text().contains("sidebar"))) {
        let detail = "`sidebar` is computed, so pages follow the names of their files".to_owned();
        book.losses.push(Loss { kind: Kind::Entry, path: Arc::clone(source.path()), line: None, detail });
    }
    add_unlisted(project, &mut book, &known, sidebar.is_some());
    import(project, book, options)
}

/// Reads the title of the site.
pub fn settings(project: &Project, top: &str) -> Result<Book, Refusal> {
    settings_file(
        project,
        top,
        &SETTINGS,
        "name the folder of a site, which contains `.vitepress/config.ts` or `.js`",
    )?;
    let mut sources = SETTINGS.iter().filter_map(|name| project.text(&format!("{top}{name}")));
    let title = sources.find_map(|source| scalar(&Settings { source }.named("title")?));
    let has_formulas = SETTINGS.iter().filter_map(|name| project.text(&format!("{top}{name}")));
    let has_formulas = has_formulas.into_iter().any(|source| source.text().contains("math: true"));
    let (dialect, formulas) = (Dialect::VitePress, if has_formulas { formula::JUPYTER } else { &[][..] });
    let title = title.unwrap_or_else(|| "Site".to_owned());
    Ok(Book { title, dialect, formulas, bases: vec![top.trim_end_matches('/').to_owned()], ..mkdocs::folder(top) })
}

/// A file of the settings.
struct Settings<'p> {
    source: &'p Arc<Source>,
}

impl Settings<'_> {
    /// Returns the value of the first property with this name that is a literal, or is named in its place.
    fn named(&self, name: &str) -> Option<Tree> {
        let text = self.source.text();
        let is_name =
            |at: &usize| !text[..*at].ends_with(|c: char| c.is_alphanumeric() || matches!(c, '_' | '.' | '$'));
        let mut places =
            text.match_indices(name).map(|(at, _)| at + name.len()).filter(|end| is_name(&(end - name.len())));
        places.find_map(|end| self.literal(end + text[end..].strip_prefix(':').map(|_| 1)?, 0))
    }

    /// Reads the literal at `at`: a text, a list or an object, or the name of a constant or a function without arguments.
    fn literal(&self, at: usize, depth: usize) -> Option<Tree> {
        let rest = self.source.text()[at..].trim_start();
        let at = self.source.text().len() - rest.len();
        if !rest.starts_with(['[', '{', '\'', '"', '`']) {
            let name = &rest[..rest.find(|c: char| !c.is_alphanumeric() && c != '_')?];
            return self.constant(name, depth + 1);
        }
        let (text, line) = (literal_as_yaml(rest)?, self.source.line(at));
        // Lines above keep the numbers of lines.
        let source = Source::new("", "\n".repeat(line) + &text);
        let parsed = yaml::parse(&source, 0..source.text().len());
        let tree = parsed.root.filter(|_| parsed.complete)?;
        // A place is the number of its line from here on.
        Some(with_lines(&tree, &source))
    }

    /// Returns what a constant is, or a function returns.
    fn constant(&self, name: &str, depth: usize) -> Option<Tree> {
        let text = self.source.text();
        let find = |words: &str, mark: &str| {
            let after = text.find(&format!("{words} {name}")).map(|at| at + words.len() + 1 + name.len())?;
            let is_whole = text[after..].starts_with([' ', '(', ':', '=']);
            is_whole.then(|| text[after..].find(mark).map(|length| after + length + mark.len()))?
        };
        let at = find("function", "return ").or_else(|| find("const", " = "))?;
        (depth < DEPTH_LIMIT && !name.is_empty()).then(|| self.literal(at, depth))?
    }

    /// Reads a sidebar: a list, or lists by the paths at which they are shown, of which the shorter paths come first.
    fn sidebar(&self, project: &Project, book: &mut Book, tree: &Tree, known: &mut BTreeSet<Arc<str>>) -> Vec<Chapter> {
        let mut lists = match &*tree.value {
            Node::Map(lists) => lists.iter().map(|(path, list)| (path.value.len(), list)).collect(),
            _ => vec![(0, tree)],
        };
        lists.sort_by_key(|(length, _)| *length);
        let chapters = lists.into_iter().flat_map(|(_, list)| match &*list.value {
            Node::List(_) | Node::Text(_) => self.list(project, book, list, "", known),
            _ => self.group(project, book, list, "", known).children,
        });
        chapters.collect()
    }

    fn list(
        &self,
        project: &Project,
        book: &mut Book,
        tree: &Tree,
        base: &str,
        known: &mut BTreeSet<Arc<str>>,
    ) -> Vec<Chapter> {
        let named = scalar(tree).and_then(|name| {
            let found = self.constant(name.trim_end_matches("()").trim_start_matches("..."), 0);
            if found.is_none() {
                self.lose(book, tree, format!("`{name}`"));
            }
            found
        });
        let tree = named.as_ref().unwrap_or(tree);
        let list = items(tree).iter();
        list.flat_map(|item| match &*item.value {
            Node::Map(_) => vec![self.group(project, book, item, base, known)],
            _ => self.list(project, book, item, base, known),
        })
        .collect()
    }

    /// Reads an entry: `{ text, link, items, base }`.
    fn group(
        &self,
        project: &Project,
        book: &mut Book,
        item: &Tree,
        base: &str,
        known: &mut BTreeSet<Arc<str>>,
    ) -> Chapter {
        let Node::Map(entries) = &*item.value else { return Chapter::default() };
        let base = get(entries, "base").and_then(scalar).unwrap_or_else(|| base.to_owned());
        let text = get(entries, "text").and_then(scalar).unwrap_or_default();
        let mut source = None;
        if let Some(link) = get(entries, "link").and_then(scalar) {
            let target =
                if link.starts_with('/') || link.contains("://") { link.clone() } else { format!("{base}{link}") };
            let target = target.split(['#', '?']).next().unwrap_or_default().trim_end_matches(".html").to_owned();
            match mdbook::linked_page(project, book, &target) {
                _ if link.contains("://") => self.lose(book, item, format!("`{text}`")),
                Ok(path) => source = known.insert(Arc::clone(&path)).then_some(path),
                Err(why) => self.lose(book, item, why),
            }
        }
        let below = get(entries, "items").map(|list| self.list(project, book, list, &base, known));
        Chapter {
            names: vec![text.clone()],
            title: text,
            source,
            children: below.unwrap_or_default(),
            ..Chapter::default()
        }
    }

    fn lose(&self, book: &mut Book, tree: &Tree, detail: String) {
        let (path, line) = (Arc::clone(self.source.path()), Some(tree.span.start + 1));
        book.losses.push(Loss { kind: Kind::Entry, path, line, detail });
    }
}

/// Returns a tree whose spans are numbers of lines.
fn with_lines(tree: &Tree, source: &Source) -> Tree {
    let line = source.line(tree.span.start);
    let value = match &*tree.value {
        Node::List(items) => Rc::new(Node::List(items.iter().map(|item| with_lines(item, source)).collect())),
        Node::Map(entries) => {
            let entries = entries.iter().map(|(name, value)| (name.clone(), with_lines(value, source)));
            Rc::new(Node::Map(entries.collect()))
        }
        _ => Rc::clone(&tree.value),
    };
    Tree { value, span: line..line }
}

/// Returns the literal of JavaScript at the beginning of a text as YAML: without comments, and with a space after each colon.
fn literal_as_yaml(text: &str) -> Option<String> {
    let (mut yaml, mut depth, mut at) = (String::new(), 0_usize, 0);
    while let Some(c) = text[at..].chars().next() {
        let rest = &text[at..];
        if rest.starts_with("//") || rest.starts_with("/*") {
            let (end, kept) = if rest.starts_with("//") { ("\n", 1) } else { ("*/", 0) };
            let length = rest.find(end)? + end.len() - kept;
            yaml.extend(rest[..length].matches('\n'));
            at += length;
            continue;
        }
        match c {
            '\'' | '"' | '`' => {
                let end = rest[1..].match_indices(c).map(|(at, _)| at).find(|&at| !rest[1..=at].ends_with('\\'))?;
                let inner = rest[1..=end].replace(&format!("\\{c}"), &c.to_string());
                yaml += &yaml::to_scalar(&inner);
                at += end + 1;
            }
            '[' | '{' | '(' => depth += 1,
            ']' | '}' | ')' => depth = depth.checked_sub(1)?,
            _ => {}
        }
        match c {
            '\'' | '"' | '`' => {}
            ':' => yaml += ": ",
            // YAML knows only spaces there.
            '\t' => yaml.push(' '),
            _ => yaml.push(c),
        }
        at += c.len_utf8();
        if depth == 0 {
            return Some(yaml);
        }
    }
    None
}

/// Writes the containers of a page as blocks of MkDocs between slashes, and takes out what only the program needs.
pub fn containers(text: &Text) -> Text {
    let mut new: Vec<(String, usize)> = Vec::new();
    let (mut fence, mut script, mut tabs): (Option<String>, bool, Option<String>) = (None, false, None);
    for (line, origin) in text.lines() {
        let mut push = |line: String| new.push((line, origin));
        let line = line.replace(":line-numbers", "");
        let line = line.as_str();
        let content = line.trim_start();
        let indent = &line[..line.len() - content.len()];
        let ticks = &content[..content.len() - content.trim_start_matches(['`', '~']).len()];
        if script || fence.is_none() && content.starts_with("<script") {
            script = !content.contains("</script>");
            continue;
        }
        if ticks.len() > 2 {
            let is_end = fence.as_ref().is_some_and(|open| content.trim_end() == ticks && ticks.len() >= open.len());
            let title = content.rsplit_once('[').and_then(|(_, title)| title.trim_end().strip_suffix(']'));
            match (&fence, &tabs, title) {
                (None, Some(marks), title) => {
                    let title = title.unwrap_or(content.trim_start_matches(['`', '~']).trim());
                    push(format!("{indent}{marks} tab | {title}"));
                    push(String::new());
                    push(content.rsplit_once('[').map_or(content, |(before, _)| before.trim_end()).to_owned());
                }
                (None, None, Some(title)) => {
                    let before = content.rsplit_once('[').map_or(content, |(before, _)| before.trim_end());
                    push(format!("{indent}{before} title=\"{}\"", title.replace('"', "'")));
                }
                _ => push(line.to_owned()),
            }
            if let (true, Some(marks)) = (is_end, &tabs) {
                push(format!("{indent}{marks}"));
            }
            fence = if is_end { None } else { fence.or_else(|| Some(ticks.to_owned())) };
            continue;
        }
        let rest = content.trim_start_matches(':');
        let colons = content.len() - rest.len();
        match rest.trim() {
            _ if fence.is_some() => push(line.to_owned()),
            "[[toc]]" | "[[TOC]]" => {}
            words if colons > 2 => {
                let marks = "/".repeat(colons);
                let end = words.find(|c: char| !c.is_alphanumeric() && c != '-').unwrap_or(words.len());
                let (kind, title) = (&words[..end], words[end..].trim());
                let (title, attributes) = title.split_once('{').unwrap_or((title, ""));
                let title = title.trim().trim_start_matches('[').trim_end_matches(']');
                if kind == "code-group" || kind.is_empty() && tabs.is_some() {
                    tabs = (!kind.is_empty()).then(|| format!("{marks}/"));
                    push(String::new());
                    continue;
                }
                let bar = if title.is_empty() { String::new() } else { format!(" | {title}") };
                push(format!("{indent}{marks} {kind}{bar}").trim_end().to_owned());
                if attributes.contains("open") {
                    push(format!("{indent}    open: true"));
                }
                push(String::new());
            }
            _ => push(line.to_owned()),
        }
    }
    Text::from_lines(new.into_iter())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn literals_of_programs_are_read() {
        let text = "export default {\n  title: 'It\\'s',\n  themeConfig: {\n    // a comment: [\n    sidebar: { '/g/': { base: '/g/', items: guide() } },\n  }\n}\nfunction guide(): Item[] {\n  return [{ text: \"A: b\", link: 'a' }, /* c */ { text: `B`, items: [{text:'C',link:'c'}], }]\n}\n";
        let source = Arc::new(Source::new("c.ts", text));
        let settings = Settings { source: &source };
        assert_eq!(settings.named("title").as_ref().and_then(scalar).as_deref(), Some("It's"));
        let mut project = Project::default();
        for path in ["g/a.md", "g/c.md"] {
            project.put(&path.into(), Some(infralens_source::project::File::Text(Source::new(path, "x").into())));
        }
        let (mut book, mut known) = (Book::default(), BTreeSet::new());
        let tree = settings.named("sidebar").expect("a sidebar");
        let chapters = settings.sidebar(&project, &mut book, &tree, &mut known);
        let found: Vec<_> = chapters.iter().map(|it| (&*it.title, it.source.as_deref(), it.children.len())).collect();
        assert_eq!(found, [("A: b", Some("g/a.md"), 0), ("B", None, 1)]);
        assert!(book.losses.is_empty());
    }

    #[test]
    fn a_site_becomes_a_project() {
        let mut project = Project::default();
        let files = [
            (
                ".vitepress/config.mts",
                "export default defineConfig({ title: 'Rings', themeConfig: { sidebar: [\n{ text: 'Full', link: '/full.html' },\n{ text: 'Gone', link: '/gone' }, ...more(1)\n] } })\n",
            ),
            (
                "index.md",
                "# Rings\n\n![logo](/logo.svg) [full](/full)\n\n::: details More {open}\nText\n:::\n\n<<< ./ring.py#state{1}\n",
            ),
            ("full.md", "# Full\n\n```js{1} [a.js]\nx\n```\n"),
            ("ring.py", "#region state\nx = 1\n#endregion state\ny = 2\n"),
            ("public/logo.svg", "<svg xmlns=\"http://www.w3.org/2000/svg\"/>"),
        ];
        for (path, text) in files {
            project.put(&path.into(), Some(infralens_source::project::File::Text(Source::new(path, text).into())));
        }
        let import = vitepress(&project, "", &Options::default()).expect("a site");
        let text = |path: &str| {
            import.changes.iter().find_map(|change| match change {
                infralens_source::change::Change::Create { path: found, text } if &**found == path => {
                    Some(text.as_str())
                }
                _ => None,
            })
        };
        let home = "---\ntitle: Rings\n---\n\n![logo](public/logo.svg) [full](full.md)\n\n<details open>\n<summary>More</summary>\n\n\nText\n\n</details>\n\n\n\n```python file=book/ring.py#state light=\"L2\"\nx = 1\n```\n";
        assert_eq!(text("content/index.md"), Some(home));
        assert_eq!(text("content/full.md"), Some("---\ntitle: Full\n---\n\n```js title=\"a.js\" {1}\nx\n```\n"));
        let losses: Vec<_> = import.losses.iter().map(|loss| (loss.kind, loss.line, &*loss.detail)).collect();
        assert_eq!(
            losses,
            [(Kind::Entry, Some(3), "`gone` is not in the book's folder"), (Kind::Entry, Some(3), "`...more(1)`")]
        );
    }

    #[test]
    fn containers_become_blocks() {
        let text = "<script setup>\nx\n</script>\n:::tip Title\nText\n:::\n\n::: code-group\n\n```sh [npm]\na\n```\n\n```sh [yarn]\nb\n```\n\n:::\n\n[[toc]]\n```js [a.js] \n::: x\n```\n";
        let expected = "/// tip | Title\n\nText\n///\n\n\n\n\n//// tab | npm\n\n```sh\na\n```\n////\n\n//// tab | yarn\n\n```sh\nb\n```\n////\n\n\n\n```js title=\"a.js\"\n::: x\n```\n";
        assert_eq!(containers(&Text::new(text.to_owned())).text, expected);
    }
}
