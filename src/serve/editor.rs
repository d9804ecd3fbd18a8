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
    /// Which editor that is, and why.
    description: String,
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

/// An editor that a link can reach.
struct Known {
    name: &'static str,
    /// What its launchers are called.
    launchers: &'static [&'static str],
    template: &'static str,
}

const fn known(name: &'static str, launchers: &'static [&'static str], template: &'static str) -> Known {
    Known { name, launchers, template }
}

/// All of these editors take a column, some in vain. The first one is assumed where none is named.
const KNOWN: [Known; 19] = [
    known("Visual Studio Code", &["code"], "vscode://file/{path}:{line}:{column}"),
    known("VS Code Insiders", &["code-insiders"], "vscode-insiders://file/{path}:{line}:{column}"),
    known("VSCodium", &["codium", "vscodium"], "vscodium://file/{path}:{line}:{column}"),
    known("Cursor", &["cursor"], "cursor://file/{path}:{line}:{column}"),
    known("Windsurf", &["windsurf"], "windsurf://file/{path}:{line}:{column}"),
    known("Zed", &["zed", "zeditor"], "zed://file/{path}:{line}:{column}"),
    known("Sublime Text", &["subl", "sublime_text"], "subl://open?url=file://{path}&line={line}&column={column}"),
    known("TextMate", &["mate"], "txmt://open?url=file://{path}&line={line}&column={column}"),
    known("MacVim", &["mvim"], "mvim://open?url=file://{path}&line={line}&column={column}"),
    known("Emacs", &["emacs", "emacsclient"], "emacs://open?url=file://{path}&line={line}&column={column}"),
    known("IntelliJ IDEA", &["idea"], "idea://open?file={path}&line={line}&column={column}"),
    known("PyCharm", &["pycharm", "charm"], "pycharm://open?file={path}&line={line}&column={column}"),
    known("WebStorm", &["webstorm"], "webstorm://open?file={path}&line={line}&column={column}"),
    known("PhpStorm", &["phpstorm"], "phpstorm://open?file={path}&line={line}&column={column}"),
    known("CLion", &["clion"], "clion://open?file={path}&line={line}&column={column}"),
    known("GoLand", &["goland"], "goland://open?file={path}&line={line}&column={column}"),
    known("Rider", &["rider"], "rider://open?file={path}&line={line}&column={column}"),
    known("RustRover", &["rustrover"], "rustrover://open?file={path}&line={line}&column={column}"),
    known("RubyMine", &["rubymine", "mine"], "x-mine://open?file={path}&line={line}&column={column}"),
];

/// What a template may hold in braces.
const PARTS: [&str; 3] = ["path", "line", "column"];

/// Why `INFRALENS_EDITOR` names no editor.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NoEditor(String);

impl NoEditor {
    /// What may be written instead.
    #[must_use]
    pub fn help(&self) -> String {
        let launchers = KNOWN.iter().filter_map(|known| known.launchers.first());
        format!(
            "set it to the form of its links, such as `myeditor://open?file={{path}}&line={{line}}&column={{column}}`, to \
             `none` for no links, or to one of {}",
            launchers.map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
        )
    }
}

impl std::fmt::Display for NoEditor {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

impl Editor {
    /// The editor that `settings` name, else the one that most authors have; `root` is the course's root, absolute.
    ///
    /// A root whose name is not Unicode has no links: they could not name it.
    ///
    /// # Errors
    /// `INFRALENS_EDITOR` is neither the form of a link nor an editor that is known.
    pub fn new(root: &Path, settings: Settings<'_>) -> Result<Self, NoEditor> {
        let given = settings.template.map(str::trim).filter(|template| !template.is_empty());
        let (template, description) = match given {
            Some("none") => (None, String::new()),
            Some(given) => match of_launcher(given).filter(|_| !given.contains('{')) {
                Some(known) => (Some(known.template), format!("{}, as `INFRALENS_EDITOR` says", known.name)),
                None => (Some(checked(given)?), format!("`{given}`, as `INFRALENS_EDITOR` says")),
            },
            None => of_commands(settings),
        };
        let root = root.to_str().map(str::to_owned);
        let template = template.filter(|_| root.is_some()).map(str::to_owned);
        Ok(Self { template, root: root.unwrap_or_default(), description })
    }

    /// Which editor links open, and why that one; nothing where there are no links.
    #[must_use]
    pub fn description(&self) -> Option<&str> {
        self.template.as_ref().map(|_| self.description.as_str())
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

/// The editor that `VISUAL` or `EDITOR` names, else the one that is assumed.
fn of_commands(settings: Settings<'_>) -> (Option<&'static str>, String) {
    let commands = [("VISUAL", settings.visual), ("EDITOR", settings.editor)];
    let named = commands.iter().find_map(|&(variable, command)| Some((variable, of_launcher(command?)?)));
    if let Some((variable, known)) = named {
        return (Some(known.template), format!("{}, as `{variable}` says", known.name));
    }
    let assumed = &KNOWN[0];
    let why = "neither `VISUAL` nor `EDITOR` names an editor that links open; `INFRALENS_EDITOR` names another";
    (Some(assumed.template), format!("{}: {why}", assumed.name))
}

/// The form of a link, if it is one.
fn checked(template: &str) -> Result<&str, NoEditor> {
    let refuse = |why: &str| Err(NoEditor(format!("`INFRALENS_EDITOR` is `{template}`, {why}")));
    let scheme = template.split_once(':').map_or("", |(scheme, _)| scheme);
    let is_scheme = scheme.starts_with(|c: char| c.is_ascii_alphabetic())
        && scheme.chars().all(|c| c.is_ascii_alphanumeric() || "+.-".contains(c));
    if !is_scheme {
        return refuse("which is neither the form of a link nor an editor that is known");
    }
    let mut parts = template.split('{').skip(1).map(|rest| rest.split('}').next().unwrap_or_default());
    if let Some(unknown) = parts.find(|part| !PARTS.contains(part)) {
        return refuse(&format!("but a link has `{{path}}`, `{{line}}` and `{{column}}`, and no `{{{unknown}}}`"));
    }
    if template.contains("{path}") { Ok(template) } else { refuse("which does not say where the `{path}` goes") }
}

/// The editor of a command line such as `/usr/bin/code --wait`, if it is known.
fn of_launcher(command: &str) -> Option<&'static Known> {
    let command = command.trim();
    let program = match command.chars().next()? {
        quote @ ('"' | '\'') => command[1..].split(quote).next()?,
        _ => command.split_whitespace().next()?,
    };
    let name = program.rsplit(['/', '\\']).next()?.to_lowercase();
    let endings = [".exe", ".cmd", ".sh", "64"];
    let name = endings.into_iter().fold(name.as_str(), |name, ending| name.strip_suffix(ending).unwrap_or(name));
    KNOWN.iter().find(|known| known.launchers.contains(&name))
}

/// Percent-encodes a path so that it can stand in a URL's path and in its query.
fn encode(path: &str) -> String {
    url::encode(path).replace('+', "%2B")
}

/// Appends an absolute path, which comes with one slash behind `file/`, and with three behind `file:`.
fn push_path(link: &mut String, path: &str) {
    let is_single = link.ends_with('/') && !link.ends_with("://");
    link.push_str(if is_single { path.strip_prefix('/').unwrap_or(path) } else { path });
}

#[cfg(test)]
mod tests {
    use super::*;

    fn url(root: &str, settings: Settings<'_>, path: &str) -> Option<String> {
        Editor::new(Path::new(root), settings).expect("an editor").url(path, 41, 4)
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
        assert!(KNOWN.iter().all(|known| PARTS.iter().all(|part| known.template.contains(&format!("{{{part}}}")))));
    }

    #[test]
    fn a_template_overrides_and_none_turns_links_off() {
        let of = |template| Settings { template: Some(template), visual: Some("subl"), ..Settings::default() };
        assert_eq!(url("/c", of("x://{path}#{line}"), "a.md").as_deref(), Some("x:///c/a.md#41"));
        assert_eq!(url("/c", of("zed --wait"), "a.md").as_deref(), Some("zed://file/c/a.md:41:4"));
        assert_eq!(url("/c", of("none"), "a.md"), None);
        assert_eq!(url("/c", of("  "), "a.md").as_deref(), Some("subl://open?url=file:///c/a.md&line=41&column=4"));
        // A path that looks like a template's part is none.
        assert_eq!(url("/c", of("x://{path}"), "{line}.md").as_deref(), Some("x:///c/%7Bline%7D.md"));
    }

    #[test]
    fn what_no_link_can_be_made_of_is_refused() {
        let of = |template| Editor::new(Path::new("/c"), Settings { template: Some(template), ..Settings::default() });
        for (template, why) in [
            ("vim", "`INFRALENS_EDITOR` is `vim`, which is neither the form of a link nor an editor that is known"),
            ("x:{line}", "`INFRALENS_EDITOR` is `x:{line}`, which does not say where the `{path}` goes"),
            (
                "x:{file}",
                "`INFRALENS_EDITOR` is `x:{file}`, but a link has `{path}`, `{line}` and `{column}`, and no `{file}`",
            ),
            (
                "/usr/bin/x:{path}",
                "`INFRALENS_EDITOR` is `/usr/bin/x:{path}`, which is neither the form of a link nor an editor that is known",
            ),
        ] {
            let refused = of(template).expect_err("it is refused");
            assert_eq!(refused.to_string(), why);
            assert!(refused.help().contains("`code`") && refused.help().contains("{path}"), "{}", refused.help());
        }
    }

    #[test]
    fn it_is_said_which_editor_is_meant_and_why() {
        let of = |settings| Editor::new(Path::new("/c"), settings).expect("an editor").description().map(str::to_owned);
        let visual = Settings { visual: Some("zed --wait"), ..Settings::default() };
        assert_eq!(of(visual).as_deref(), Some("Zed, as `VISUAL` says"));
        let template = |template| Settings { template: Some(template), ..Settings::default() };
        assert_eq!(of(template("x:{path}")).as_deref(), Some("`x:{path}`, as `INFRALENS_EDITOR` says"));
        assert_eq!(of(template("none")), None);
        let assumed = of(Settings { editor: Some("vim"), ..Settings::default() }).expect("one is assumed");
        assert!(assumed.starts_with("Visual Studio Code: neither `VISUAL`"), "{assumed}");
    }

    #[test]
    fn paths_are_encoded() {
        let link = url("/home/Ä b", Settings::default(), "content/c#?+&%.md");
        assert_eq!(link.as_deref(), Some("vscode://file/home/%C3%84%20b/content/c%23%3F%2B%26%25.md:41:4"));
        assert_eq!(url("/", Settings::default(), "a.md").as_deref(), Some("vscode://file/a.md:41:4"));
        assert_eq!(url(r"/a\b", Settings::default(), "a.md").as_deref(), Some("vscode://file/a%5Cb/a.md:41:4"));
    }
}
