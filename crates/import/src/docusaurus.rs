//! Reads a site of Docusaurus or of Starlight: its settings, which are a program that is not run, and its sidebar.

use super::literal::Settings;
use super::mkdocs::scalar;
use super::pages::Pages;
use super::{Book, Dialect, Import, Kind, Loss, formula, import, settings_file, sidebar};
use infralens_site::Options;
use infralens_source::change::Refusal;
use infralens_source::project::Project;
use infralens_source::url;
use infralens_source::yaml::Node;

/// The settings and the sidebars of Docusaurus.
pub const DOCUSAURUS: [&str; 6] = [
    "docusaurus.config.ts", "docusaurus.config.js", "docusaurus.config.mjs", "sidebars.ts", "sidebars.js",
    "sidebars.json",
];
/// The settings of Starlight.
pub const STARLIGHT: [&str; 4] = ["astro.config.mjs", "astro.config.ts", "astro.config.js", "astro.config.mts"];

/// Imports a site of Docusaurus, whose settings are in the folder `top` of `project`; its path ends in a slash unless it is empty.
///
/// # Errors
/// There are no settings, or no page.
pub fn docusaurus(project: &Project, top: &str, options: &Options) -> Result<Import, Refusal> {
    let mut book = docusaurus_settings(project, top)?;
    let files = Settings::all(project, top, &DOCUSAURUS);
    let base = docs_option(&files[0], "routeBasePath").unwrap_or_else(|| "docs".to_owned());
    book.pages = Pages::new(project, Dialect::Docusaurus, &book.folder, base.trim_matches('/'), &[]);
    let is_sidebar = |file: &&Settings<'_>| url::file_name(file.source.path()).starts_with("sidebars.");
    let at = files.iter().position(|file| is_sidebar(&file));
    let named = at.and_then(|at| Some((at, files[at].exported()?)));
    sidebar::add(project, &mut book, &files, named.as_ref());
    import(project, book, options)
}

/// Imports a site of Starlight, whose settings are in the folder `top` of `project`; its path ends in a slash unless it is empty.
///
/// # Errors
/// There are no settings, or no page.
pub fn starlight(project: &Project, top: &str, options: &Options) -> Result<Import, Refusal> {
    let mut book = starlight_settings(project, top)?;
    let files = Settings::all(project, top, &STARLIGHT);
    let locales = files[0].constant("locales", 0).or_else(|| files[0].named("locales"));
    let mut skipped = Vec::new();
    if let Some(Node::Map(entries)) = locales.as_ref().map(|tree| &*tree.value) {
        for (name, _) in entries.iter().filter(|(name, _)| name.value != "root") {
            skipped.push(format!("{}/", name.value));
            let (path, line) = (files[0].source.path().clone(), None);
            let detail = format!("the translation `{}`, whose pages are left out", name.value);
            book.losses.push(Loss { kind: Kind::Setting, path, line, detail });
        }
    }
    book.pages = Pages::new(project, Dialect::Starlight, &book.folder, "", &skipped);
    let named = files[0].named("sidebar").map(|tree| (0, tree));
    sidebar::add(project, &mut book, &files, named.as_ref());
    import(project, book, options)
}

/// Returns an option of the pages: `docs: { path: '…' }`.
fn docs_option(settings: &Settings<'_>, name: &str) -> Option<String> {
    scalar(&settings.named_in("docs", name)?)
}

/// Reads where the pages and the files of a site of Docusaurus are, and its title.
pub fn docusaurus_settings(project: &Project, top: &str) -> Result<Book, Refusal> {
    settings_file(
        project,
        top,
        &DOCUSAURUS[..3],
        "name the folder of a site, which contains `docusaurus.config.js` or `.ts`",
    )?;
    let settings = &Settings::all(project, top, &DOCUSAURUS)[0];
    let folder = docs_option(settings, "path").unwrap_or_else(|| "docs".to_owned());
    let folder = url::join(top, &folder)
        .ok_or_else(|| Refusal::new(format!("the folder of the pages, `{folder}`, is outside of what is read")))
        .map_err(|refusal| refusal.help("`--within` names the folder that contains both"))?;
    let value = |name: &str| settings.named(name).as_ref().and_then(scalar).unwrap_or_default();
    let base = value("baseUrl");
    let base_url =
        Some(value("url")).filter(|url| url.contains("://")).map(|url| url.trim_end_matches('/').to_owned() + &base);
    Ok(Book {
        title: value("title"),
        settings: vec![("tagline", value("tagline")), ("base_url", base_url.unwrap_or_default())],
        folder: format!("{folder}/"),
        files: vec![format!("{top}static/")],
        ..site(settings, top, Dialect::Docusaurus)
    })
}

/// Reads the title of a site of Starlight.
pub fn starlight_settings(project: &Project, top: &str) -> Result<Book, Refusal> {
    settings_file(project, top, &STARLIGHT, "name the folder of a site, which contains `astro.config.mjs` or `.ts`")?;
    let settings = &Settings::all(project, top, &STARLIGHT)[0];
    let title = settings.named("title").as_ref().and_then(scalar).unwrap_or_default();
    Ok(Book {
        title,
        folder: format!("{top}src/content/docs/"),
        files: vec![format!("{top}public/"), format!("{top}src/")],
        ..site(settings, top, Dialect::Starlight)
    })
}

/// Returns the book of a site without its pages.
fn site(settings: &Settings<'_>, top: &str, dialect: Dialect) -> Book {
    let has_formulas = settings.source.text().contains("remark-math");
    let formulas = if has_formulas { formula::JUPYTER } else { &[][..] };
    Book { top: top.to_owned(), dialect, formulas, directory_urls: true, ..Book::default() }
}
