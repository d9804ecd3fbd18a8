//! Reads a site of `VitePress`: its settings below `.vitepress/`, and the containers of its pages.

use super::edits::Text;
use super::literal::Settings;
use super::tree::{Keys, entries, scalar};
use super::{Book, Dialect, formula, mkdocs, settings_file, sidebar};
use infralens_source::change::Refusal;
use infralens_source::project::Project;
use infralens_source::yaml::Tree;

/// The settings of a site, of which those of each language may be in a file of their own.
pub const SETTINGS: [&str; 16] = [
    ".vitepress/config.ts", ".vitepress/config.mts", ".vitepress/config.js", ".vitepress/config.mjs",
    ".vitepress/config/index.ts", ".vitepress/config/index.mts", ".vitepress/config/index.js",
    ".vitepress/config/index.mjs", ".vitepress/config/en.ts", ".vitepress/config/en.mts", ".vitepress/config/en.js",
    ".vitepress/config/root.ts", ".vitepress/config/shared.ts", ".vitepress/config/shared.mts",
    ".vitepress/config/shared.js", ".vitepress/sidebar.ts",
];

/// Reads a site of `VitePress`.
pub fn vitepress(project: &Project, top: &str) -> Result<Book, Refusal> {
    let help = "name the folder of a site, which contains `.vitepress/config.ts` or `.js`";
    settings_file(project, top, &SETTINGS, help)?;
    let files = Settings::all(project, top, &SETTINGS);
    let exported: Vec<_> = files.iter().map(Settings::exported).collect();
    let title = exported.iter().flatten().find_map(|root| scalar(find(root, "title")?));
    let has_formulas = files.iter().any(|file| file.source.text().contains("math: true"));
    let mut book = Book {
        title: title.unwrap_or_else(|| "Site".to_owned()),
        dialect: Dialect::VitePress,
        formulas: if has_formulas { formula::JUPYTER } else { &[][..] },
        // What is in `public` is published at the root.
        files: vec![format!("{top}public/")],
        bases: vec![top.trim_end_matches('/').to_owned()],
        ..mkdocs::folder(top)
    };
    for (file, root) in files.iter().zip(&exported) {
        book.settle(project, file.source, "", root.as_ref().map(entries).unwrap_or_default());
    }
    let sidebar = |root: &Option<Tree>| find(root.as_ref()?, "sidebar").cloned();
    let named = exported.iter().enumerate().find_map(|(at, root)| Some((at, sidebar(root)?)));
    sidebar::add(project, &mut book, &files, named.as_ref());
    Ok(book)
}

/// Returns the value of the first key with this name in a tree.
fn find<'t>(tree: &'t Tree, name: &str) -> Option<&'t Tree> {
    let below = entries(tree);
    below.value(name).or_else(|| below.iter().find_map(|(_, value)| find(value, name)))
}

/// Writes the containers of a page as blocks of MkDocs between slashes, and takes out what only the program needs.
pub fn containers(text: &Text) -> Text {
    let mut new: Vec<(String, usize)> = Vec::new();
    let (mut fence, mut script, mut tabs): (Option<String>, bool, Option<String>) = (None, false, None);
    let mut is_single = false;
    // The lines that end the open blocks: what has no end reaches to that of the page.
    let mut open: Vec<String> = Vec::new();
    for (line, origin) in text.lines() {
        let is_below_blank = new.last().is_none_or(|(above, _)| above.trim().is_empty());
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
            // The word `tab` of a plugin of Docusaurus makes a tab of each of several blocks.
            let (content, is_tab) = match content.split_once(" tab").filter(|_| fence.is_none() && tabs.is_none()) {
                Some((before, rest)) if rest.is_empty() || rest.starts_with(['=', ' ']) => (before, true),
                _ => (content, false),
            };
            (tabs, is_single) = if is_tab { (Some("////".to_owned()), true) } else { (tabs, is_single) };
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
                tabs = tabs.filter(|_| !std::mem::take(&mut is_single));
            }
            fence = if is_end { None } else { fence.or_else(|| Some(ticks.to_owned())) };
            continue;
        }
        let rest = content.trim_start_matches(':');
        let colons = content.len() - rest.len();
        match rest.trim() {
            _ if fence.is_some() => push(line.to_owned()),
            "" if is_below_blank && colons == 0 => {}
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
                if kind.is_empty() {
                    open.pop();
                } else {
                    open.push(format!("{indent}{marks}"));
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
    let last = new.last().map_or(1, |(_, origin)| *origin);
    Text::from_lines(new.into_iter().chain(open.into_iter().rev().map(|end| (end, last))))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Kind, import};
    use infralens_site::Options;
    use infralens_source::change::Change;
    use infralens_source::source::Source;

    #[test]
    fn literals_of_programs_are_read() {
        let text = "export default {\n  title: 'It\\'s',\n  themeConfig: {\n    // a comment: [\n    sidebar: { '/g/': { base: '/g/', items: guide() } },\n  }\n}\nfunction guide(): Item[] {\n  return [{ text: \"A: b\", link: 'a' }, /* c */ { text: `B`, items: [{text:'C',link:'c'}], }]\n}\n";
        let mut project = Project::default();
        for (path, text) in [(".vitepress/config.ts", text), ("g/a.md", "x"), ("g/c.md", "x")] {
            project.put(&path.into(), Some(infralens_source::project::File::Text(Source::new(path, text).into())));
        }
        let import = import(&project, Dialect::VitePress, "", &Options::default()).expect("a site");
        let settings = import.changes.iter().find_map(|change| match change {
            Change::Create { path, text } if &**path == "content/site.yaml" => Some(text.as_str()),
            _ => None,
        });
        assert_eq!(settings, Some("title: \"It's\"\nnav:\n  - a.md\n  - b/index.md\n  - b/c.md\n"));
        assert!(import.losses.is_empty(), "{:?}", import.losses);
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
        let import = import(&project, Dialect::VitePress, "", &Options::default()).expect("a site");
        let text = |path: &str| {
            import.changes.iter().find_map(|change| match change {
                Change::Create { path: found, text } if &**found == path => Some(text.as_str()),
                _ => None,
            })
        };
        let home = "---\ntitle: Rings\n---\n\n![logo](public/logo.svg) [full](full.md)\n\n<details open>\n<summary>More</summary>\n\n\nText\n\n</details>\n\n\n```python file=book/ring.py#state light=\"L2\"\nx = 1\n```\n";
        assert_eq!(text("content/index.md"), Some(home));
        assert_eq!(text("content/full.md"), Some("---\ntitle: Full\n---\n\n```js title=\"a.js\" {1}\nx\n```\n"));
        let losses: Vec<_> = import.losses.iter().map(|loss| (loss.kind, loss.line, &*loss.detail)).collect();
        assert_eq!(
            losses,
            [(Kind::Entry, Some(3), "`gone` is not in the book's folder"), (Kind::Entry, Some(3), "`...more(1)`")]
        );
    }

    #[test]
    fn blocks_that_are_tabs_become_tabs() {
        let text = "```js tab\na\n```\n\n```ts tab={\"span\":2}\nb\n```\n\n```js\nc\n```\n";
        let expected =
            "//// tab | js\n\n```js\na\n```\n////\n\n//// tab | ts\n\n```ts\nb\n```\n////\n\n```js\nc\n```\n";
        assert_eq!(containers(&Text::new(text.to_owned())).text, expected);
    }

    #[test]
    fn containers_become_blocks() {
        let text = "<script setup>\nx\n</script>\n:::tip Title\nText\n:::\n\n::: code-group\n\n```sh [npm]\na\n```\n\n```sh [yarn]\nb\n```\n\n:::\n\n[[toc]]\n```js [a.js] \n::: x\n```\n";
        let expected = "/// tip | Title\n\nText\n///\n\n\n//// tab | npm\n\n```sh\na\n```\n////\n\n//// tab | yarn\n\n```sh\nb\n```\n////\n\n\n```js title=\"a.js\"\n::: x\n```\n";
        assert_eq!(containers(&Text::new(text.to_owned())).text, expected);
    }
}
