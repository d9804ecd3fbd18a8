//! Reads a site of Docusaurus or of Starlight: its settings, which are a program that is not run, and its sidebar.

use super::literal::Settings;
use super::pages::{Pages, stem};
use super::tree::{Keys, Named, entries, items, named, scalar, texts};
use super::{Book, Chapter, Dialect, Kind, Loss, formula, posts, settings_file, sidebar, syntax};
use infralens_source::change::Refusal;
use infralens_source::diag::quantity;
use infralens_source::project::Project;
use infralens_source::source::Source;
use infralens_source::url;
use infralens_source::yaml::{Entry, Tree};

/// The settings, the sidebars and the versions of Docusaurus.
pub const DOCUSAURUS: [&str; 7] = [
    "docusaurus.config.ts", "docusaurus.config.js", "docusaurus.config.mjs", "sidebars.ts", "sidebars.js",
    "sidebars.json", "versions.json",
];
/// The settings of Starlight.
pub const STARLIGHT: [&str; 4] = ["astro.config.mjs", "astro.config.ts", "astro.config.js", "astro.config.mts"];

/// Reads a site of Docusaurus.
pub fn docusaurus(project: &Project, top: &str) -> Result<Book, Refusal> {
    let help = "name the folder of a site, which contains `docusaurus.config.js` or `.ts`";
    settings_file(project, top, &DOCUSAURUS[..3], help)?;
    let files = Settings::all(project, top, &DOCUSAURUS);
    let (source, root) = (files[0].source, files[0].exported());
    let root = root.as_ref().map(entries).unwrap_or_default();
    let presets = root.value("presets").map(named).unwrap_or_default();
    let folder = |of: &str| {
        let path = preset(&presets, of, "path").unwrap_or_else(|| of.to_owned());
        let folder = url::join(top, &path).map(|folder| format!("{folder}/"));
        folder
            .ok_or_else(|| Refusal::new(format!("the folder of the pages, `{path}`, is outside of what is read")))
            .map_err(|refusal| refusal.help("`--within` names the folder that contains both"))
    };
    let base = |of: &str| preset(&presets, of, "routeBasePath").unwrap_or_else(|| of.to_owned());
    let value = |name: &str| root.text(name).unwrap_or_default();
    let mut book = Book {
        title: value("title"),
        folder: folder("docs")?,
        files: vec![format!("{top}static/")],
        posts: Some(folder("blog")?),
        ..site(source, top, Dialect::Docusaurus)
    };
    book.pages = Pages::new(project, Dialect::Docusaurus, &book.folder, base("docs").trim_matches('/'), &[]);
    book.settle(project, source, "", root);
    if let Some(address) = Some(value("url")).filter(|address| address.contains("://")) {
        book.set("base_url", address.trim_end_matches('/').to_owned() + &value("baseUrl"));
    }
    for (.., options) in &presets {
        book.settle(project, source, "presets.", options);
    }
    for (span, name, options) in ["plugins", "themes"].iter().filter_map(|key| root.value(key)).flat_map(named) {
        book.losses.push(syntax::plugin(source, span, &name));
        if name.contains("redirects") {
            redirect(&mut book, source, options);
        }
    }
    let file = |name: &str| files.iter().position(|file| url::file_name(file.source.path()).starts_with(name));
    let exported = |at: usize| Some((at, files[at].exported()?));
    if let Some((at, names)) = file("versions.").and_then(exported) {
        let versions = quantity(items(&names).len(), "version");
        let names = texts(&names).take(3).collect::<Vec<_>>().join("`, `");
        let detail = format!("{versions}, `{names}`: publish each below an address of its own");
        book.losses.push(Loss::new(Kind::Blog, files[at].source.path(), None, detail));
    }
    sidebar::add(project, &mut book, &files, file("sidebars.").and_then(exported).as_ref());
    add_programs(project, &mut book);
    posts::add(project, &mut book, base("blog").trim_matches('/'));
    Ok(book)
}

/// Reads a site of Starlight.
pub fn starlight(project: &Project, top: &str) -> Result<Book, Refusal> {
    settings_file(project, top, &STARLIGHT, "name the folder of a site, which contains `astro.config.mjs` or `.ts`")?;
    let files = Settings::all(project, top, &STARLIGHT);
    let (source, root) = (files[0].source, files[0].exported());
    let root = root.as_ref().map(entries).unwrap_or_default();
    let integrations = root.value("integrations").map(named).unwrap_or_default();
    let (themes, others): (Vec<_>, Vec<_>) = integrations.into_iter().partition(|(_, name, _)| name == "starlight()");
    let of_theme = themes.first().map_or(root, |(.., options)| options);
    let mut book = Book {
        title: of_theme.text("title").unwrap_or_default(),
        folder: format!("{top}src/content/docs/"),
        files: vec![format!("{top}public/"), format!("{top}src/")],
        ..site(source, top, Dialect::Starlight)
    };
    book.settle(project, source, "", root);
    for (from, to) in root.map("redirects") {
        book.redirect(source, &from.span, &from.value, &scalar(to).unwrap_or_default());
    }
    book.settle(project, source, "", of_theme);
    let plugins = others.into_iter().chain(of_theme.value("plugins").map(named).unwrap_or_default());
    book.losses.extend(plugins.map(|(span, name, _)| syntax::plugin(source, span, name.trim_end_matches("()"))));
    let mut skipped = Vec::new();
    for (name, _) in of_theme.map("locales").iter().filter(|(name, _)| name.value != "root") {
        skipped.push(format!("{}/", name.value));
        let detail = format!("the translation `{}`, whose pages are left out", name.value);
        book.losses.push(Loss::at(Kind::Setting, source, &name.span, detail));
    }
    book.pages = Pages::new(project, Dialect::Starlight, &book.folder, "", &skipped);
    let named = of_theme.value("sidebar").map(|tree| (0, tree.clone()));
    sidebar::add(project, &mut book, &files, named.as_ref());
    add_programs(project, &mut book);
    Ok(book)
}

/// Adds the pages of Markdown in `src/pages`, and reports those that are programs.
fn add_programs(project: &Project, book: &mut Book) {
    let folder = book.programs();
    for path in project.files.keys().filter(|path| path.starts_with(&folder)) {
        let below = &path[folder.len()..];
        let end = below.rsplit_once('.').map_or("", |(_, end)| end);
        if below.split('/').any(|part| part.starts_with('_')) {
            continue;
        }
        if stem(below).is_some() && project.text(path).is_some() {
            book.pages.add(project, path, &folder, "");
            book.chapters.push(Chapter::of(path, book.pages.label(path), book.pages.title(path)));
        } else if matches!(end, "js" | "jsx" | "ts" | "tsx" | "astro") && !below.contains(".test.") {
            book.losses.push(Loss::new(Kind::Program, path, None, ""));
        }
    }
}

/// Takes over the redirects of a plugin.
fn redirect(book: &mut Book, source: &Source, options: &[Entry]) {
    let redirects = options.list("redirects");
    for item in redirects {
        let to = entries(item).text("to").unwrap_or_default();
        let from: Vec<_> = entries(item).value("from").into_iter().flat_map(texts).collect();
        if from.is_empty() {
            let detail = format!("the redirect {}: it is computed; write `aliases`", written(source, item));
            book.losses.push(Loss::at(Kind::Setting, source, &item.span, detail));
        }
        for from in &from {
            book.redirect(source, &item.span, from, &to);
        }
    }
    for (key, _) in options {
        let advice = match &*key.value {
            "redirects" if redirects.is_empty() => "they are computed; write them as `aliases` of the pages",
            "createRedirects" => "they are computed; write them as `aliases` of the pages",
            "fromExtensions" => "addresses with an extension lead nowhere; write those that matter as `aliases`",
            _ => continue,
        };
        book.losses.push(Loss::at(Kind::Setting, source, &key.span, format!("`{}`: {advice}", key.value)));
    }
}

/// Quotes a value of the settings as it is written there.
pub fn written(source: &Source, value: &Tree) -> String {
    let text = scalar(value).unwrap_or_else(|| source.text()[value.span.clone()].to_owned());
    super::loss::shortened(&text.split_whitespace().collect::<Vec<_>>().join(" "))
}

/// Returns an option of the pages or the posts: `docs: { path: '…' }`.
fn preset(presets: &[Named<'_>], of: &str, name: &str) -> Option<String> {
    presets.iter().find_map(|(.., options)| options.map(of).text(name))
}

/// Returns the book of a site without its pages.
fn site(source: &Source, top: &str, dialect: Dialect) -> Book {
    let formulas = if source.text().contains("remark-math") { formula::JUPYTER } else { &[][..] };
    Book { top: top.to_owned(), dialect, formulas, directory_urls: true, ..Book::default() }
}
