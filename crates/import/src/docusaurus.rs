//! Reads a site of Docusaurus or of Starlight: its settings, which are a program that is not run, and its sidebar.

use super::literal::Settings;
use super::mkdocs::{entries, get, items, named, scalar};
use super::pages::Pages;
use super::{Book, Dialect, Kind, Loss, formula, settings_file, sidebar, syntax};
use infralens_source::change::Refusal;
use infralens_source::project::Project;
use infralens_source::source::Source;
use infralens_source::url;
use infralens_source::yaml::Entry;

/// The settings and the sidebars of Docusaurus.
pub const DOCUSAURUS: [&str; 6] = [
    "docusaurus.config.ts", "docusaurus.config.js", "docusaurus.config.mjs", "sidebars.ts", "sidebars.js",
    "sidebars.json",
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
    let folder = docs_option(root, "path").unwrap_or_else(|| "docs".to_owned());
    let folder = url::join(top, &folder)
        .ok_or_else(|| Refusal::new(format!("the folder of the pages, `{folder}`, is outside of what is read")))
        .map_err(|refusal| refusal.help("`--within` names the folder that contains both"))?;
    let value = |name: &str| get(root, name).and_then(scalar).unwrap_or_default();
    let mut book = Book {
        title: value("title"),
        folder: format!("{folder}/"),
        files: vec![format!("{top}static/")],
        ..site(source, top, Dialect::Docusaurus)
    };
    let base = docs_option(root, "routeBasePath").unwrap_or_else(|| "docs".to_owned());
    book.pages = Pages::new(project, Dialect::Docusaurus, &book.folder, base.trim_matches('/'), &[]);
    book.settle(project, source, "", root);
    if let Some(address) = Some(value("url")).filter(|address| address.contains("://")) {
        book.set("base_url", address.trim_end_matches('/').to_owned() + &value("baseUrl"));
    }
    for (_, _, options) in get(root, "presets").map(named).unwrap_or_default() {
        book.settle(project, source, "presets.", options);
    }
    for (span, name, options) in ["plugins", "themes"].iter().filter_map(|key| get(root, key)).flat_map(named) {
        book.losses.push(syntax::plugin(source, span, &name));
        if name.contains("redirects") {
            redirect(&mut book, source, options);
        }
    }
    let is_sidebar = |file: &&Settings<'_>| url::file_name(file.source.path()).starts_with("sidebars.");
    let at = files.iter().position(|file| is_sidebar(&file));
    let named = at.and_then(|at| Some((at, files[at].exported()?)));
    sidebar::add(project, &mut book, &files, named.as_ref());
    Ok(book)
}

/// Reads a site of Starlight.
pub fn starlight(project: &Project, top: &str) -> Result<Book, Refusal> {
    settings_file(project, top, &STARLIGHT, "name the folder of a site, which contains `astro.config.mjs` or `.ts`")?;
    let files = Settings::all(project, top, &STARLIGHT);
    let (source, root) = (files[0].source, files[0].exported());
    let root = root.as_ref().map(entries).unwrap_or_default();
    let integrations = get(root, "integrations").map(named).unwrap_or_default();
    let (themes, others): (Vec<_>, Vec<_>) = integrations.into_iter().partition(|(_, name, _)| name == "starlight()");
    let of_theme = themes.first().map_or(root, |(.., options)| options);
    let mut book = Book {
        title: get(of_theme, "title").and_then(scalar).unwrap_or_default(),
        folder: format!("{top}src/content/docs/"),
        files: vec![format!("{top}public/"), format!("{top}src/")],
        ..site(source, top, Dialect::Starlight)
    };
    book.settle(project, source, "", root);
    for (from, to) in get(root, "redirects").map(entries).unwrap_or_default() {
        book.redirect(source, &from.span, &from.value, &scalar(to).unwrap_or_default());
    }
    book.settle(project, source, "", of_theme);
    let plugins = get(of_theme, "plugins").map(named).unwrap_or_default();
    let plugins = others.into_iter().chain(plugins);
    book.losses.extend(plugins.map(|(span, name, _)| syntax::plugin(source, span, name.trim_end_matches("()"))));
    let mut skipped = Vec::new();
    for (name, _) in get(of_theme, "locales").map(entries).unwrap_or_default() {
        if name.value != "root" {
            skipped.push(format!("{}/", name.value));
            let detail = format!("the translation `{}`, whose pages are left out", name.value);
            book.losses.push(Loss::at(Kind::Setting, source, &name.span, detail));
        }
    }
    book.pages = Pages::new(project, Dialect::Starlight, &book.folder, "", &skipped);
    let named = get(of_theme, "sidebar").map(|tree| (0, tree.clone()));
    sidebar::add(project, &mut book, &files, named.as_ref());
    Ok(book)
}

/// Takes over the redirects of a plugin.
fn redirect(book: &mut Book, source: &Source, options: &[Entry]) {
    let redirects = get(options, "redirects").map(items).unwrap_or_default();
    for item in redirects {
        let to = get(entries(item), "to").and_then(scalar).unwrap_or_default();
        let from = get(entries(item), "from").into_iter();
        for from in from.flat_map(|from| items(from).iter().chain([from])).filter_map(scalar) {
            book.redirect(source, &item.span, &from, &to);
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

/// Returns an option of the pages: `docs: { path: '…' }`.
fn docs_option(root: &[Entry], name: &str) -> Option<String> {
    let presets = get(root, "presets").map(named).unwrap_or_default();
    presets.iter().find_map(|(.., options)| scalar(get(entries(get(options, "docs")?), name)?))
}

/// Returns the book of a site without its pages.
fn site(source: &Source, top: &str, dialect: Dialect) -> Book {
    let formulas = if source.text().contains("remark-math") { formula::JUPYTER } else { &[][..] };
    Book { top: top.to_owned(), dialect, formulas, directory_urls: true, ..Book::default() }
}
