//! The look of a site as its settings define it: logo, icon, accent color, fonts, and the links of its own on every page.
//!
//! The names of files and pages are resolved as those of links are. Colors and fonts become CSS, which follows the rules of
//! `style.css` in the same file, so that a page loads nothing more than it would without.

use std::sync::Arc;

use super::Builtin;
use super::assets::style;
use super::context::{Icon, Logo, Picture, SiteLink};
use super::contrast::{OF_TEXT, Rgb};
use infralens_course::config::look::{Accent, Color};
use infralens_course::config::{self, Config, Language};
use infralens_course::course::link::{self, From, LinkError, Target};
use infralens_render::{Context, image};
use infralens_source::diag::{Diagnostic, Place, codes};
use infralens_source::project::{File, Project};
use infralens_source::source::Span;
use infralens_source::url;
use infralens_source::yaml::Spanned;

/// The path of the settings, relative to which links to pages are resolved.
const SITE: &str = "content/site.yaml";
/// A path in the folder relative to which the names of files are resolved.
const IN_STATIC: &str = "static/";
/// The style sheet that defines colors and fonts as custom properties.
const TOKENS: &str = "static/style/tokens.css";
/// The custom properties of all backgrounds on which text in the accent color can stand.
const BACKGROUNDS: [&str; 7] = ["page", "panel", "listing", "bar", "lit", "select", "mark"];

/// What the settings say about the look of a site.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Look {
    /// The rules that are added to the style sheet.
    pub css: String,
    pub logo: Option<Logo>,
    pub favicon: Icon,
    /// The links in the top bar.
    pub header: Vec<SiteLink>,
    /// The links at the end of every page.
    pub footer: Vec<SiteLink>,
    /// What is wrong with them.
    pub diagnostics: Vec<Diagnostic>,
}

impl Look {
    /// Resolves the settings of a course.
    pub fn new(cx: Context<'_>, builtin: Builtin) -> Self {
        let config = cx.config;
        let mut resolver = Resolver { cx, builtin, diagnostics: Vec::new() };
        let logo = config.logo.as_ref().and_then(|logo| resolver.logo(logo));
        let favicon = config.favicon.as_ref().and_then(|path| resolver.icon(path));
        let header = config.header.iter().filter_map(|link| resolver.link(link)).collect();
        let footer = config.footer.iter().filter_map(|link| resolver.link(link)).collect();
        let mut css = resolver.fonts();
        css.extend(config.colors.accent.as_ref().and_then(|accent| resolver.accent(accent)));
        css.extend(config.header.first().map(|_| HEADER));
        css.extend(logo.iter().map(|_| LOGO));
        let of_languages = (config.languages.tags().len() > 0).then_some("static/style/languages.css");
        css.extend(script_sheet(&config.language).into_iter().chain(of_languages).map(|sheet| resolver.sheet(sheet)));
        css.extend(logo.iter().filter(|logo| logo.dark.is_some()).map(|_| TWO_LOGOS));
        let favicon = favicon.unwrap_or_else(|| icon(config, "favicon.svg"));
        Self { css, logo, favicon, header, footer, diagnostics: resolver.diagnostics }
    }
}

/// The rules for a logo.
const LOGO: &str =
    ".brand img{width:auto;min-width:0;max-width:100%;height:28px;object-fit:contain;object-position:0}\n";
/// The rules that show one of two logos, by the colors that the reader has chosen or else the system has.
const TWO_LOGOS: &str = "\
    .brand .on-dark,[data-theme=dark] .brand .on-light{display:none}[data-theme=dark] .brand .on-dark{display:block}\
    @media (prefers-color-scheme:dark){:root:not([data-theme]) .brand .on-light{display:none}\
    :root:not([data-theme]) .brand .on-dark{display:block}}\n";
/// In windows of middle width, only the first list of the top bar is moved to the right.
const HEADER: &str = ".top nav+nav{margin-left:0}\n";

/// Returns the path of the style sheet for the script of a language, if it needs one: its rules cost other courses nothing.
fn script_sheet(language: &Language) -> Option<&'static str> {
    match language.primary().as_str() {
        "zh" | "ja" | "ko" | "yue" => Some("static/style/unspaced.css"),
        _ => language.is_right_to_left().then_some("static/style/rtl.css"),
    }
}

/// Describes the icon at an output path of the course.
fn icon(config: &Config, path: &str) -> Icon {
    let extension = path.rsplit('.').next().unwrap_or_default().to_ascii_lowercase();
    let subtype = match extension.as_str() {
        "svg" => "svg+xml",
        "ico" => "x-icon",
        "jpg" => "jpeg",
        other => other,
    };
    let absolute = config.course_url().map(|base| format!("{base}{path}"));
    Icon { url: config.shared(path), absolute, r#type: format!("image/{subtype}") }
}

/// Resolves names and collects what is wrong with them.
struct Resolver<'a> {
    cx: Context<'a>,
    builtin: Builtin,
    diagnostics: Vec<Diagnostic>,
}

impl<'a> Resolver<'a> {
    fn report(&mut self, span: &Span, error: LinkError) {
        let place = Place::new(&Arc::from(SITE), span.clone());
        let mut diagnostic = Diagnostic::new(error.code, place, error.message);
        diagnostic.help.extend(error.help);
        self.diagnostics.push(diagnostic);
    }

    /// Returns a style sheet of the program, or the course's replacement for it, minified.
    fn sheet(&mut self, path: &str) -> String {
        match style::bundle(self.cx.project, self.builtin, path, "") {
            Ok(css) => String::from_utf8_lossy(css.as_ref()).into_owned(),
            Err(fault) => {
                self.diagnostics.push(*fault);
                String::new()
            }
        }
    }

    fn resolve(&self, from: &str, target: &str) -> Result<Target, LinkError> {
        let from = From { path: from, headings: &[], html_ids: &[], own: None };
        link::resolve(self.cx.course, self.cx.project, from, target)
    }

    /// Returns the URL and the content of a file that is named by its path below `static/`. Reports one that is not there
    /// or that is no `what`.
    fn file(
        &mut self,
        name: &Spanned<String>,
        what: &str,
        help: &str,
        fits: impl Fn(&str, &File) -> bool,
    ) -> Option<(String, &'a File)> {
        // A missing value has been reported.
        if name.is_empty() {
            return None;
        }
        let error = match self.resolve(IN_STATIC, name) {
            Ok(Target::File { source, url, .. }) => {
                let file = self.cx.project.files.get(source.as_str())?;
                if fits(&source, file) {
                    return Some((url::encode(&url), file));
                }
                let message = format!("`{source}` is not a {what} that browsers can show");
                LinkError { code: codes::E0504, message, help: Some(help.into()), near: None }
            }
            Ok(Target::Unknown) => return None,
            Err(error) if error.code != codes::E0406 => error,
            _ => {
                let help = format!("write the path of a {what} below `static/`; pages load nothing from other sites");
                let message = format!("`{}` is not a file of `static/`", name.value);
                LinkError { code: codes::E0406, message, help: Some(help), near: None }
            }
        };
        self.report(&name.span, error);
        None
    }

    fn picture(&mut self, name: &Spanned<String>) -> Option<Picture> {
        let help = "save it as SVG, PNG, WebP, AVIF, JPEG, GIF or ICO";
        let (url, file) = self.file(name, "picture", help, image::is_valid)?;
        let size = image::size(file);
        Some(Picture {
            url: self.cx.config.shared(url),
            width: size.map(|(width, _)| width),
            height: size.map(|(_, height)| height),
        })
    }

    fn logo(&mut self, logo: &config::look::Logo) -> Option<Logo> {
        let light = self.picture(&logo.light);
        let dark = logo.dark.as_ref().and_then(|dark| self.picture(dark));
        Some(Logo { light: light?, dark, replaces_title: logo.replaces_title })
    }

    fn icon(&mut self, name: &Spanned<String>) -> Option<Icon> {
        let url = self.picture(name)?.url;
        Some(icon(self.cx.config, url.trim_start_matches("../")))
    }

    fn link(&mut self, link: &config::look::SiteLink) -> Option<SiteLink> {
        let page = |url: String| Some(SiteLink { label: link.label.clone(), url, is_external: false });
        if link.link.is_empty() {
            return None;
        }
        let error = match self.resolve(SITE, &link.link) {
            Ok(Target::External(url)) => return Some(SiteLink { label: link.label.clone(), url, is_external: true }),
            Ok(Target::File { url, rest, .. }) => return page(self.cx.config.shared(url::encode(&url) + &rest)),
            Ok(Target::Generated(url)) => return page(url.into()),
            Ok(Target::Page { page: id, heading }) => {
                let target = &self.cx.course.pages[id];
                if target.published {
                    let fragment = heading.map(|heading| format!("#{}", url::encode(&heading))).unwrap_or_default();
                    return page(url::encode(&target.url) + &fragment);
                }
                // If its front matter has errors, the page may be published.
                let draft = target.summary.as_ref().filter(|summary| summary.is_whole)?;
                let message = format!("every page links to `{}`, which is a draft", draft.path);
                LinkError {
                    code: codes::E0403,
                    message,
                    help: Some("publish the draft, or remove the link".into()),
                    near: None,
                }
            }
            Ok(Target::Unknown) => return None,
            Ok(Target::Code { .. } | Target::Folder(_) | Target::Here(_)) => {
                let help = "link to a page, to a file of `content/` or `static/`, or to another site";
                let message = format!("`{}` is code, which is published only where a page names it", link.link.value);
                LinkError { code: codes::E0406, message, help: Some(help.into()), near: None }
            }
            Err(error) => error,
        };
        self.report(&link.link.span, error);
        None
    }

    /// Returns the rules for the fonts: their files, and the custom properties that name them.
    fn fonts(&mut self) -> String {
        let fonts = &self.cx.config.fonts;
        let help = "save it as WOFF2, or as WOFF, TTF or OTF, which are larger";
        let mut css = String::new();
        for font in &fonts.files {
            if let Some((url, _)) = self.file(&font.file, "font", help, |_, file| is_font(file)) {
                let (family, weight, style) = (&font.family.value, &font.weight, font.style.name());
                let source = format!("@font-face{{font-family:\"{family}\";src:url(\"../{url}\");");
                css.extend([source, format!("font-weight:{weight};font-style:{style};font-display:swap}}\n")]);
            }
        }
        for (property, family) in [("serif", &fonts.text), ("mono", &fonts.code), ("sans", &fonts.interface)] {
            let fallback = tokens(self.cx.project, self.builtin)
                .and_then(|tokens| value(tokens, property))
                .unwrap_or("sans-serif");
            css.extend(family.iter().map(|family| format!(":root{{--{property}:\"{family}\",{fallback}}}\n")));
        }
        css
    }

    /// Returns the rule for the accent color, and reports where it is hard to read.
    fn accent(&mut self, accent: &Accent) -> Option<String> {
        let [mut on_light, mut on_dark] = backgrounds(self.cx.project, self.builtin);
        let mut grays = String::new();
        // The greenish backgrounds belong to the built-in accent color; those that an author has changed stay.
        let [built_in, _] = backgrounds(&Project::default(), self.builtin);
        for ((name, light), (_, dark)) in on_light.iter_mut().zip(&mut on_dark) {
            if !matches!(*name, "lit" | "mark") && built_in.contains(&(*name, *light)) {
                (*light, *dark) = (light.gray(), dark.gray());
                grays.extend([";--", name, ":", &style::light_dark(&light.to_string(), &dark.to_string())]);
            }
        }
        let light = Rgb::parse(&accent.light)?;
        let colors =
            |backgrounds: &[(&str, Rgb)]| -> Vec<Rgb> { backgrounds.iter().map(|(_, color)| *color).collect() };
        let derived = || light.nearest_readable(&colors(&on_dark)).unwrap_or(light);
        let dark = accent.dark.as_ref().map_or_else(|| Some(derived()), |dark| Rgb::parse(dark))?;
        self.check_contrast(&accent.light, light, &on_light);
        if let Some(color) = &accent.dark {
            self.check_contrast(color, dark, &on_dark);
        }
        let green = style::light_dark(&light.to_string(), &dark.to_string());
        Some(format!(":root{{--green:{green}{grays}}}\n"))
    }

    fn check_contrast(&mut self, written: &Spanned<Color>, color: Rgb, backgrounds: &[(&str, Rgb)]) {
        let contrast = |background: &&(&str, Rgb)| color.contrast(background.1);
        let Some(least) = backgrounds.iter().min_by(|one, other| contrast(one).total_cmp(&contrast(other))) else {
            return;
        };
        let figure = contrast(&least);
        if figure >= OF_TEXT {
            return;
        }
        let shade = color.nearest_readable(&backgrounds.iter().map(|(_, color)| *color).collect::<Vec<_>>());
        let message = format!("links in the accent color `{color}` are hard to read");
        let place = Place::new(&Arc::from(SITE), written.span.clone());
        // Rounded down, so that no figure looks like one that passes.
        let figure = (figure * 100.0).floor() / 100.0;
        let label = format!("its contrast to `--{}`, {}, is {figure:.2}, and text needs {OF_TEXT}", least.0, least.1);
        let help =
            shade.map(|shade| format!("the nearest shade with enough contrast on every background is `{shade}`"));
        let mut diagnostic = Diagnostic::new(codes::W0501, place, message).label(label);
        diagnostic.help.extend(help);
        self.diagnostics.push(diagnostic);
    }
}

/// Returns whether a file begins as the formats of fonts do.
fn is_font(file: &File) -> bool {
    const BEGINNINGS: [&[u8]; 5] = [b"wOF2", b"wOFF", b"\0\x01\0\0", b"OTTO", b"true"];
    matches!(file, File::Binary(binary) if BEGINNINGS.iter().any(|beginning| binary.bytes.starts_with(beginning)))
}

/// Returns the style sheet with the custom properties, if the pages have it.
fn tokens(project: &Project, builtin: Builtin) -> Option<&str> {
    let own = project.text("static/style.css");
    let is_imported = own.is_none_or(|own| own.text().contains("style/tokens.css"));
    style::text(project, builtin, TOKENS).ok().filter(|_| is_imported)
}

/// Returns the value of a custom property.
fn value<'t>(tokens: &'t str, property: &str) -> Option<&'t str> {
    let (_, rest) = tokens.split_once(&format!("--{property}:"))?;
    Some(rest.split([';', '}']).next()?.trim())
}

/// Returns the backgrounds for light and for dark colors. One whose value has another form than the built-in ones is
/// unknown and left out.
fn backgrounds(project: &Project, builtin: Builtin) -> [Vec<(&'static str, Rgb)>; 2] {
    let tokens = tokens(project, builtin).unwrap_or_default();
    let pair = |property: &'static str| {
        let (light, dark) = value(tokens, property)?.strip_prefix("light-dark(")?.strip_suffix(')')?.split_once(',')?;
        Some(((property, Rgb::parse(light.trim())?), (property, Rgb::parse(dark.trim())?)))
    };
    let (light, dark) = BACKGROUNDS.into_iter().filter_map(pair).unzip();
    [light, dark]
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::tests::builtin;

    /// Backgrounds on which no text in the accent color stands: the accents, the colors of text, edges and rules.
    const OTHERS: [&str; 6] = ["green", "pencil", "ink", "edge", "part", "rule"];

    #[test]
    fn every_background_of_the_style_sheets_is_known() {
        let sheets = builtin().statics.iter().filter(|(path, _)| path.ends_with(".css"));
        let text: String = sheets.map(|(_, bytes)| String::from_utf8_lossy(bytes)).collect();
        let named: BTreeSet<&str> = text
            .split("background")
            .skip(1)
            .filter_map(|rest| rest.split([';', '}']).next()?.split_once("var(--")?.1.split(')').next())
            .collect();
        let known: BTreeSet<&str> = BACKGROUNDS.into_iter().chain(OTHERS).collect();
        assert_eq!(named, known);
    }

    #[test]
    fn the_built_in_accent_can_be_read_everywhere() {
        let project = Project::default();
        let green = value(tokens(&project, builtin()).expect("the style sheet"), "green").expect("the accent");
        let (light, dark) =
            green.trim_start_matches("light-dark(").trim_end_matches(')').split_once(", ").expect("two");
        for (color, backgrounds) in [light, dark].into_iter().zip(backgrounds(&project, builtin())) {
            assert_eq!(backgrounds.len(), BACKGROUNDS.len());
            let color = Rgb::parse(color).expect("a color");
            assert!(backgrounds.iter().all(|(_, background)| color.contrast(*background) >= OF_TEXT));
        }
    }
}
