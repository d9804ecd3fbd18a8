//! Builds links that open a file of the course in the author's editor. The browser follows them; this program starts
//! nothing.

use std::path::Path;

use infralens_source::change::Refusal;
use infralens_source::url;

/// The author's editor.
#[derive(Debug, Clone)]
pub struct Editor {
    /// The form of a link, with `{path}`, `{line}` and `{column}`; `None` if there are no links.
    template: Option<String>,
    /// The course's root, with `/`.
    root: String,
    /// The name of the editor, and why it was chosen.
    description: String,
}

/// The environment variables that name an editor.
#[derive(Debug, Clone, Copy, Default)]
pub struct Settings<'a> {
    /// `$INFRALENS_EDITOR`: the form of a link, the name of a known editor, or `none`.
    pub template: Option<&'a str>,
    /// `$VISUAL`: a command line.
    pub visual: Option<&'a str>,
    /// `$EDITOR`: a command line.
    pub editor: Option<&'a str>,
}

/// An editor that registers a URL scheme: its name, the names of the programs that start it, and the form of a link.
type KnownEditor = (&'static str, &'static [&'static str], &'static str);

/// The known editors. The first one is the default. All links have a column, which some of these editors ignore.
const KNOWN: [KnownEditor; 19] = [
    ("Visual Studio Code", &["code"], "vscode://file/{path}:{line}:{column}"),
    ("VS Code Insiders", &["code-insiders"], "vscode-insiders://file/{path}:{line}:{column}"),
    ("VSCodium", &["codium", "vscodium"], "vscodium://file/{path}:{line}:{column}"),
    ("Cursor", &["cursor"], "cursor://file/{path}:{line}:{column}"),
    ("Windsurf", &["windsurf"], "windsurf://file/{path}:{line}:{column}"),
    ("Zed", &["zed", "zeditor"], "zed://file/{path}:{line}:{column}"),
    ("Sublime Text", &["subl", "sublime_text"], "subl://open?url=file://{path}&line={line}&column={column}"),
    ("TextMate", &["mate"], "txmt://open?url=file://{path}&line={line}&column={column}"),
    ("MacVim", &["mvim"], "mvim://open?url=file://{path}&line={line}&column={column}"),
    ("Emacs", &["emacs", "emacsclient"], "emacs://open?url=file://{path}&line={line}&column={column}"),
    ("IntelliJ IDEA", &["idea"], "idea://open?file={path}&line={line}&column={column}"),
    ("PyCharm", &["pycharm", "charm"], "pycharm://open?file={path}&line={line}&column={column}"),
    ("WebStorm", &["webstorm"], "webstorm://open?file={path}&line={line}&column={column}"),
    ("PhpStorm", &["phpstorm"], "phpstorm://open?file={path}&line={line}&column={column}"),
    ("CLion", &["clion"], "clion://open?file={path}&line={line}&column={column}"),
    ("GoLand", &["goland"], "goland://open?file={path}&line={line}&column={column}"),
    ("Rider", &["rider"], "rider://open?file={path}&line={line}&column={column}"),
    ("RustRover", &["rustrover"], "rustrover://open?file={path}&line={line}&column={column}"),
    ("RubyMine", &["rubymine", "mine"], "x-mine://open?file={path}&line={line}&column={column}"),
];

/// Schemes that a browser follows by itself: it runs or shows what the link contains, or a file, and opens no editor.
const OF_BROWSERS: [&str; 15] = [
    "javascript", "vbscript", "livescript", "data", "blob", "filesystem", "file", "about", "view-source", "jar", "ftp",
    "chrome", "resource", "ws", "wss",
];

/// The placeholders of a template.
const PLACEHOLDERS: [&str; 3] = ["path", "line", "column"];

impl Editor {
    /// Chooses the editor that `settings` name, or the default; `root` is the absolute path of the course.
    ///
    /// If `root` is not Unicode, there are no links, because a link cannot contain it.
    ///
    /// # Errors
    /// `INFRALENS_EDITOR` is neither the form of a link nor a known editor.
    pub fn new(root: &Path, settings: Settings<'_>) -> Result<Self, Refusal> {
        let given = settings.template.map(str::trim).filter(|template| !template.is_empty());
        let (template, description) = match given {
            Some("none") => (None, String::new()),
            Some(given) => match known_editor(given).filter(|_| !given.contains('{')) {
                Some((name, _, template)) => (Some(*template), format!("{name}, as `INFRALENS_EDITOR` says")),
                None => (Some(check_template(given)?), format!("`{given}`, as `INFRALENS_EDITOR` says")),
            },
            None => from_commands(settings),
        };
        let root = root.to_str().map(str::to_owned);
        let template = template.filter(|_| root.is_some()).map(str::to_owned);
        Ok(Self { template, root: root.unwrap_or_default(), description })
    }

    /// Returns the name of the editor and why it was chosen; `None` if there are no links.
    pub fn description(&self) -> Option<&str> {
        self.template.as_ref().map(|_| self.description.as_str())
    }

    /// Returns the link to a place in a file, whose path is relative to the course's root; line and column count from
    /// 1.
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

/// Returns the template and description of the editor that `VISUAL` or `EDITOR` names, or of the default.
fn from_commands(settings: Settings<'_>) -> (Option<&'static str>, String) {
    let commands = [("VISUAL", settings.visual), ("EDITOR", settings.editor)];
    let named = commands.iter().find_map(|&(variable, command)| Some((variable, known_editor(command?)?)));
    if let Some((variable, (name, _, template))) = named {
        return (Some(*template), format!("{name}, as `{variable}` says"));
    }
    let (name, _, template) = KNOWN[0];
    (Some(template), format!("{name}; `INFRALENS_EDITOR` names another editor"))
}

/// Returns the form of a link unchanged, or the reason why it is not one.
fn check_template(template: &str) -> Result<&str, Refusal> {
    let refuse = |why: &str| {
        let launchers = KNOWN.iter().filter_map(|(_, launchers, _)| launchers.first());
        let launchers = launchers.map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
        Err(Refusal::new(format!("`INFRALENS_EDITOR` is `{template}`, {why}")).help(format!(
            "set it to the form of its links, such as `myeditor://open?file={{path}}&line={{line}}&column={{column}}`, to \
             `none` for no links, or to one of {launchers}"
        )))
    };
    let scheme = template.split_once(':').map_or("", |(scheme, _)| scheme);
    let is_scheme = scheme.starts_with(|c: char| c.is_ascii_alphabetic())
        && scheme.chars().all(|c| c.is_ascii_alphanumeric() || "+.-".contains(c));
    if !is_scheme {
        return refuse("which is neither the form of a link nor a known editor");
    }
    if OF_BROWSERS.iter().any(|known| known.eq_ignore_ascii_case(scheme)) {
        return refuse("which a browser follows without an editor");
    }
    let mut placeholders = template.split('{').skip(1).map(|rest| rest.split('}').next().unwrap_or_default());
    if let Some(unknown) = placeholders.find(|name| !PLACEHOLDERS.contains(name)) {
        return refuse(&format!("but a link has `{{path}}`, `{{line}}` and `{{column}}`, not `{{{unknown}}}`"));
    }
    if template.contains("{path}") { Ok(template) } else { refuse("which has no `{path}`") }
}

/// Returns the editor that a command line such as `/usr/bin/code --wait` starts, if it is known.
fn known_editor(command: &str) -> Option<&'static KnownEditor> {
    let command = command.trim();
    let program = match command.chars().next()? {
        quote @ ('"' | '\'') => command[1..].split(quote).next()?,
        _ => command.split_whitespace().next()?,
    };
    let name = program.rsplit(['/', '\\']).next()?.to_lowercase();
    // Windows's, for editors that are started from its Linux subsystem, and that of JetBrains's `pycharm64`.
    let endings = [".exe", ".cmd", ".sh", "64"];
    let name = endings.into_iter().fold(name.as_str(), |name, ending| name.strip_suffix(ending).unwrap_or(name));
    KNOWN.iter().find(|(_, launchers, _)| launchers.contains(&name))
}

/// Percent-encodes a path for the path and for the query of a URL.
fn encode(path: &str) -> String {
    url::encode(path).replace('+', "%2B")
}

/// Appends an absolute path such as `/home/x`, with one slash after `file/` and with three after `file:`.
fn push_path(link: &mut String, path: &str) {
    let is_single = link.ends_with('/') && !link.ends_with("://");
    link.push_str(if is_single { path.strip_prefix('/').unwrap_or(path) } else { path });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_link_that_the_browser_runs_or_reads_itself_is_none_of_an_editor() {
        let new =
            |template: &str| Editor::new(Path::new("/c"), Settings { template: Some(template), ..Settings::default() });
        for template in [
            "javascript:alert('{path}')",
            "JavaScript://%0aalert('{path}')",
            " javascript:{path}",
            "java\tscript:{path}",
            "vbscript:{path}",
            "data:text/html,{path}",
            "blob:{path}",
            "file://{path}",
            "view-source:file://{path}",
            "about:{path}",
            "filesystem:{path}",
        ] {
            let error = new(template).expect_err(template);
            assert!(error.message.starts_with("`INFRALENS_EDITOR` is `"), "{error:?}");
        }
        for template in
            ["myeditor://{path}", "x-my+editor.2:{path}", "http://localhost:63342/api/file{path}", "https://e/{path}"]
        {
            assert!(new(template).is_ok(), "{template}");
        }
    }

    fn url(root: &str, settings: Settings<'_>, path: &str) -> Option<String> {
        Editor::new(Path::new(root), settings).expect("an editor").url(path, 41, 4)
    }

    fn visual(command: &str) -> String {
        let settings = Settings { visual: Some(command), ..Settings::default() };
        url("/c", settings, "a.md").expect("a link")
    }

    #[test]
    fn the_editor_is_identified_by_its_launcher() {
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
                .all(|(.., template)| PLACEHOLDERS.iter().all(|part| template.contains(&format!("{{{part}}}"))))
        );
    }

    #[test]
    fn a_template_overrides_and_none_turns_links_off() {
        let of = |template| Settings { template: Some(template), visual: Some("subl"), ..Settings::default() };
        assert_eq!(url("/c", of("x://{path}#{line}"), "a.md").as_deref(), Some("x:///c/a.md#41"));
        assert_eq!(url("/c", of("zed --wait"), "a.md").as_deref(), Some("zed://file/c/a.md:41:4"));
        assert_eq!(url("/c", of("none"), "a.md"), None);
        assert_eq!(url("/c", of("  "), "a.md").as_deref(), Some("subl://open?url=file:///c/a.md&line=41&column=4"));
        // Braces in a path are not placeholders.
        assert_eq!(url("/c", of("x://{path}"), "{line}.md").as_deref(), Some("x:///c/%7Bline%7D.md"));
    }

    #[test]
    fn an_invalid_template_is_refused() {
        let of = |template| Editor::new(Path::new("/c"), Settings { template: Some(template), ..Settings::default() });
        for (template, why) in [
            ("vim", "`INFRALENS_EDITOR` is `vim`, which is neither the form of a link nor a known editor"),
            ("x:{line}", "`INFRALENS_EDITOR` is `x:{line}`, which has no `{path}`"),
            (
                "x:{file}",
                "`INFRALENS_EDITOR` is `x:{file}`, but a link has `{path}`, `{line}` and `{column}`, not `{file}`",
            ),
            (
                "/usr/bin/x:{path}",
                "`INFRALENS_EDITOR` is `/usr/bin/x:{path}`, which is neither the form of a link nor a known editor",
            ),
        ] {
            let refused = of(template).expect_err("it is refused");
            assert_eq!(refused.message, why);
            assert!(refused.help[0].contains("`code`") && refused.help[0].contains("{path}"), "{refused:?}");
        }
    }

    #[test]
    fn the_description_names_the_editor_and_the_reason() {
        let of = |settings| Editor::new(Path::new("/c"), settings).expect("an editor").description().map(str::to_owned);
        let visual = Settings { visual: Some("zed --wait"), ..Settings::default() };
        assert_eq!(of(visual).as_deref(), Some("Zed, as `VISUAL` says"));
        let template = |template| Settings { template: Some(template), ..Settings::default() };
        assert_eq!(of(template("x:{path}")).as_deref(), Some("`x:{path}`, as `INFRALENS_EDITOR` says"));
        assert_eq!(of(template("none")), None);
        let assumed = of(Settings { editor: Some("vim"), ..Settings::default() }).expect("one is assumed");
        assert!(assumed.starts_with("Visual Studio Code; `INFRALENS_EDITOR` names another"), "{assumed}");
    }

    #[test]
    fn paths_are_encoded() {
        let link = url("/home/Ä b", Settings::default(), "content/c#?+&%.md");
        assert_eq!(link.as_deref(), Some("vscode://file/home/%C3%84%20b/content/c%23%3F%2B%26%25.md:41:4"));
        assert_eq!(url("/", Settings::default(), "a.md").as_deref(), Some("vscode://file/a.md:41:4"));
        assert_eq!(url(r"/a\b", Settings::default(), "a.md").as_deref(), Some("vscode://file/a%5Cb/a.md:41:4"));
    }
}
