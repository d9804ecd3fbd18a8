//! The languages of a course besides the one in which it is written.

use serde::Serialize;

use super::{BaseUrl, Config, Labels, Language};
use infralens_source::source::Source;
use infralens_source::yaml::{Decoder, Entry, Json, Map, Node, Spanned, Tree, Type, Value, record};

/// The other languages of a course.
#[derive(Debug, Clone, Default, Serialize)]
pub struct Languages {
    list: Map<Language, Words>,
    /// Which of them this site is in; `None` if it is in the language of the course.
    shown: Option<Shown>,
}

/// The site of another language.
#[derive(Debug, Clone, Serialize)]
struct Shown {
    at: usize,
    /// The title and the address of the course in its own language.
    title: String,
    base_url: Option<BaseUrl>,
    /// The language of the course.
    source: Language,
}

record! {
    /// The words of a site in another language.
    #[derive(Serialize)]
    pub struct Words {
        /// The course's title; left out, it is that of the course.
        optional title: Option<String>;
        /// What the course is about, in one sentence.
        optional tagline: Option<String>;
        /// Labels that are to differ from those which come with the program.
        optional labels: Labels;
    }
}

impl Value for Languages {
    const TYPE: Type = Type::Map(&Language::TYPE, &Words::TYPE);

    fn read(tree: &Tree, decoder: &mut Decoder<'_>) -> Option<Self> {
        Some(Self { list: Map::read(tree, decoder)?, shown: None })
    }

    fn to_json(&self) -> Option<Json> {
        self.list.to_json()
    }
}

impl Languages {
    /// Returns the tags of the languages, which are also the names of their folders in the output.
    pub fn tags(&self) -> impl ExactSizeIterator<Item = &Spanned<Language>> + Clone {
        self.list.0.iter().map(|(language, _)| language)
    }

    /// Returns the language of a translation and the path of the page that it translates; `None` for any other path.
    pub fn of(&self, path: &str) -> Option<(usize, String)> {
        let (stem, tag) = path.strip_suffix(".md")?.rsplit_once('.')?;
        let at = self.tags().position(|language| ***language == *tag)?;
        Some((at, format!("{stem}.md")))
    }

    pub fn path(&self, page: &str, at: usize) -> Option<String> {
        let (tag, stem) = (self.tags().nth(at)?, page.strip_suffix(".md")?);
        Some(format!("{stem}.{}.md", &***tag))
    }

    /// Returns the path of a picture in the language of this site, such as `card.de.svg` for `card.svg`; `None` if that is the
    /// language of the course.
    pub fn of_picture(&self, path: &str) -> Option<String> {
        let tag = self.tags().nth(self.shown()?)?;
        let (stem, extension) = path.rsplit_once('.')?;
        Some(format!("{stem}.{}.{extension}", &***tag))
    }

    /// Returns which of them this site is in; `None` if it is in the language of the course.
    pub fn shown(&self) -> Option<usize> {
        self.shown.as_ref().map(|shown| shown.at)
    }

    /// Returns the language in which the pages of the course are written, where that is not the one of this site.
    pub fn of_source(&self) -> Option<&Language> {
        self.shown.as_ref().map(|shown| &shown.source)
    }
}

impl Config {
    /// Completes the words of the other languages.
    pub(super) fn read_languages(&mut self, entries: &[Entry], source: &Source, decoder: &mut Decoder<'_>) {
        let own = entries.iter().find(|(key, _)| key.value == "languages").map(|(_, tree)| &*tree.value);
        let Some(Node::Map(own)) = own else { return };
        for (language, words) in &mut self.languages.list.0 {
            let entries = own.iter().find(|(key, _)| key.value == ***language).map(|(_, tree)| &*tree.value);
            let entries = if let Some(Node::Map(entries)) = entries { entries.as_slice() } else { &[] };
            words.labels.check_placeholders(entries, decoder);
            words.labels = Labels::of(language, entries, source);
        }
        let (spoken, mut known) = (self.language.to_lowercase(), Vec::new());
        self.languages.list.0.retain(|(language, _)| {
            let tag = language.to_lowercase();
            let is_new = tag != spoken && !known.contains(&tag);
            if !is_new {
                let message = |_| format!("`languages` names `{}`, which the course has already", &***language);
                decoder.reject(&language.span, message, "", None);
            }
            known.push(tag);
            is_new
        });
    }

    /// Returns the settings of the site in one of the other languages.
    pub fn in_language(&self, at: usize) -> Self {
        let Some((language, words)) = self.languages.list.0.get(at) else { return self.clone() };
        let base_url =
            self.base_url.as_ref().and_then(|base| BaseUrl::parse(&format!("{}{}/", &**base, &***language)).ok());
        Self {
            title: words.title.clone().unwrap_or_else(|| self.title.clone()),
            tagline: words.tagline.clone().or_else(|| self.tagline.clone()),
            labels: words.labels.clone(),
            languages: Languages {
                shown: Some(Shown {
                    at,
                    title: self.title.clone(),
                    base_url: self.base_url.clone(),
                    source: self.language.clone(),
                }),
                ..self.languages.clone()
            },
            language: language.value.clone(),
            base_url,
            ..self.clone()
        }
    }

    /// Returns what the course is known by in browsers, where readers have their progress.
    pub fn known_by(&self) -> &str {
        let title = self.languages.shown.as_ref().map_or(&self.title, |shown| &shown.title);
        self.course_url().unwrap_or(title)
    }

    /// Returns the address of the course in its own language.
    pub fn course_url(&self) -> Option<&str> {
        self.languages.shown.as_ref().map_or(&self.base_url, |shown| &shown.base_url).as_deref()
    }

    /// Returns the output path, from the root of this site, of a file that all languages share: starters, styles, scripts,
    /// pictures. The site of another language is in a folder of its own.
    pub fn shared(&self, path: impl Into<String>) -> String {
        let path = path.into();
        if self.languages.shown.is_some() { format!("../{path}") } else { path }
    }
}
