//! Links that open a file of the course in the author's editor. A browser follows them: nothing is executed here.

use std::path::Path;

use crate::course::url;

/// The author's editor, as far as a link can reach it.
#[derive(Debug, Clone)]
pub struct Editor {
    /// With `{path}`, `{line}` and `{column}`; nothing where there are to be no links.
    template: Option<String>,
    /// The course's root, with `/`.
    root: String,
}

/// What the environment says of the editor.
#[derive(Debug, Clone, Copy, Default)]
pub struct Settings<'a> {
    /// `$INFRALENS_EDITOR`: a template for links, or `none`.
    pub template: Option<&'a str>,
    /// `$VISUAL`: a command line.
    pub visual: Option<&'a str>,
    /// `$EDITOR`: a command line.
    pub editor: Option<&'a str>,
}

/// Templates by what editors' launchers are called. All of these editors take a column, some in vain.
const KNOWN: [(&[&str], &str); 19] = [
    (&["code"], "vscode://file/{path}:{line}:{column}"),
    (&["code-insiders"], "vscode-insiders://file/{path}:{line}:{column}"),
    (&["codium", "vscodium"], "vscodium://file/{path}:{line}:{column}"),
    (&["cursor"], "cursor://file/{path}:{line}:{column}"),
    (&["windsurf"], "windsurf://file/{path}:{line}:{column}"),
    (&["zed", "zeditor"], "zed://file/{path}:{line}:{column}"),
    (&["subl", "sublime_text"], "subl://open?url=file://{path}&line={line}&column={column}"),
    (&["mate"], "txmt://open?url=file://{path}&line={line}&column={column}"),
    (&["mvim"], "mvim://open?url=file://{path}&line={line}&column={column}"),
    (&["emacs", "emacsclient"], "emacs://open?url=file://{path}&line={line}&column={column}"),
    (&["idea"], "idea://open?file={path}&line={line}&column={column}"),
    (&["pycharm", "charm"], "pycharm://open?file={path}&line={line}&column={column}"),
    (&["webstorm"], "webstorm://open?file={path}&line={line}&column={column}"),
    (&["phpstorm"], "phpstorm://open?file={path}&line={line}&column={column}"),
    (&["clion"], "clion://open?file={path}&line={line}&column={column}"),
    (&["goland"], "goland://open?file={path}&line={line}&column={column}"),
    (&["rider"], "rider://open?file={path}&line={line}&column={column}"),
    (&["rustrover"], "rustrover://open?file={path}&line={line}&column={column}"),
    (&["rubymine", "mine"], "x-mine://open?file={path}&line={line}&column={column}"),
];

impl Editor {
    /// The editor that `settings` name, else the one that most authors have; `root` is the course's root, absolute.
    ///
    /// A root whose name is not Unicode has no links: they could not name it.
    #[must_use]
    pub fn new(root: &Path, settings: Settings<'_>) -> Self {
        let given = settings.template.map(str::trim).filter(|template| !template.is_empty());
        let mut commands = [settings.visual, settings.editor].into_iter().flatten();
        let template = match given {
            Some("none") => None,
            Some(template) => Some(template),
            None => commands.find_map(known).or(Some(KNOWN[0].1)),
        };
        let root = root.to_str().map(slashes);
        Self { template: template.filter(|_| root.is_some()).map(str::to_owned), root: root.unwrap_or_default() }
    }

    /// The link to a place in a file: a path from the course's root, a line and a column from 1.
    #[must_use]
    pub fn url(&self, path: &str, line: usize, column: usize) -> Option<String> {
        let template = self.template.as_deref()?;
        let path = encode(&format!("{}/{path}", self.root.trim_end_matches('/')));
        let mut out = String::with_capacity(template.len() + path.len());
        let mut rest = template;
        while let Some((before, after)) = rest.split_once("{path}") {
            out.push_str(before);
            push_path(&mut out, &path);
            rest = after;
        }
        out.push_str(rest);
        Some(out.replace("{line}", &line.to_string()).replace("{column}", &column.to_string()))
    }
}

/// The template for a command line such as `/usr/bin/code --wait`, if the program is a known editor.
fn known(command: &str) -> Option<&'static str> {
    let command = command.trim();
    let program = match command.chars().next()? {
        quote @ ('"' | '\'') => command[1..].split(quote).next()?,
        _ => command.split_whitespace().next()?,
    };
    let name = program.rsplit(['/', '\\']).next()?.to_lowercase();
    let endings = [".exe", ".cmd", ".sh", "64"];
    let name = endings.into_iter().fold(name.as_str(), |name, ending| name.strip_suffix(ending).unwrap_or(name));
    KNOWN.iter().find(|(names, _)| names.contains(&name)).map(|&(_, template)| template)
}

/// A path with `/`: one of Windows has `\`, and perhaps the mark of a path that is to be taken literally.
fn slashes(path: &str) -> String {
    let is_drive =
        |path: &str| path.as_bytes().get(1) == Some(&b':') && path.starts_with(|c: char| c.is_ascii_alphabetic());
    let literal = path.strip_prefix(r"\\?\").filter(|path| is_drive(path));
    let path = literal.unwrap_or(path);
    if is_drive(path) || path.starts_with(r"\\") { path.replace('\\', "/") } else { path.to_owned() }
}

/// Percent-encodes a path so that it can stand in a URL's path and in its query.
fn encode(path: &str) -> String {
    url::encode(path).replace('+', "%2B")
}

/// Appends an absolute path. `/home/x` and `C:/x` come with one slash behind `file/`, and with three behind `file:`.
fn push_path(link: &mut String, path: &str) {
    if link.ends_with("://") {
        link.push_str(if path.starts_with('/') { "" } else { "/" });
        link.push_str(path);
    } else if link.ends_with('/') {
        link.push_str(path.strip_prefix('/').unwrap_or(path));
    } else {
        link.push_str(path);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn url(root: &str, settings: Settings<'_>, path: &str) -> Option<String> {
        Editor::new(Path::new(root), settings).url(path, 41, 4)
    }

    fn visual(command: &str) -> String {
        let settings = Settings { visual: Some(command), ..Settings::default() };
        url("/c", settings, "a.md").expect("a link")
    }

    #[test]
    fn the_editor_is_told_by_its_launcher() {
        assert_eq!(url("/c", Settings::default(), "a.md").as_deref(), Some("vscode://file/c/a.md:41:4"));
        assert_eq!(visual("code --wait"), "vscode://file/c/a.md:41:4");
        assert_eq!(visual("/usr/bin/codium -w"), "vscodium://file/c/a.md:41:4");
        assert_eq!(visual("'/Applications/Some Editor/bin/cursor' -w"), "cursor://file/c/a.md:41:4");
        assert_eq!(
            visual(r#""C:\Program Files\PyCharm\bin\pycharm64.exe" --wait"#),
            "pycharm://open?file=/c/a.md&line=41&column=4"
        );
        assert_eq!(visual("subl -w"), "subl://open?url=file:///c/a.md&line=41&column=4");
        assert_eq!(visual("vim"), "vscode://file/c/a.md:41:4");
        assert_eq!(visual(""), "vscode://file/c/a.md:41:4");
        let both = Settings { visual: Some("nano"), editor: Some("zed --wait"), ..Settings::default() };
        assert_eq!(url("/c", both, "a.md").as_deref(), Some("zed://file/c/a.md:41:4"));
        assert!(
            KNOWN
                .iter()
                .all(|(_, template)| ["{path}", "{line}", "{column}"].iter().all(|part| template.contains(part)))
        );
    }

    #[test]
    fn a_template_overrides_and_none_turns_links_off() {
        let of = |template| Settings { template: Some(template), visual: Some("subl"), ..Settings::default() };
        assert_eq!(url("/c", of("x://{path}#{line}"), "a.md").as_deref(), Some("x:///c/a.md#41"));
        assert_eq!(url("/c", of("x:{line}"), "a.md").as_deref(), Some("x:41"));
        assert_eq!(url("/c", of("none"), "a.md"), None);
        assert_eq!(url("/c", of("  "), "a.md").as_deref(), Some("subl://open?url=file:///c/a.md&line=41&column=4"));
        // A path that looks like a template's part is none.
        assert_eq!(url("/c", of("x://{path}"), "{line}.md").as_deref(), Some("x:///c/%7Bline%7D.md"));
    }

    #[test]
    fn paths_are_encoded() {
        let link = url("/home/Ä b", Settings::default(), "content/c#?+&%.md");
        assert_eq!(link.as_deref(), Some("vscode://file/home/%C3%84%20b/content/c%23%3F%2B%26%25.md:41:4"));
        assert_eq!(url("/", Settings::default(), "a.md").as_deref(), Some("vscode://file/a.md:41:4"));
        assert_eq!(url(r"/a\b", Settings::default(), "a.md").as_deref(), Some("vscode://file/a%5Cb/a.md:41:4"));
        for root in [r"C:\My Course", r"\\?\C:\My Course"] {
            assert_eq!(
                url(root, Settings::default(), "a.md").as_deref(),
                Some("vscode://file/C:/My%20Course/a.md:41:4")
            );
            let sublime = Settings { visual: Some("subl"), ..Settings::default() };
            let link = url(root, sublime, "a.md");
            assert_eq!(link.as_deref(), Some("subl://open?url=file:///C:/My%20Course/a.md&line=41&column=4"));
        }
    }
}
