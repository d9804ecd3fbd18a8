//! Replaces the directives outside of code blocks by what they include, which may include other files.

use std::sync::Arc;

use pulldown_cmark::{Event, Tag};

use super::directive::{ANGLES, Include, Part, VARIANT, lines_marked};
use super::edits::{Edit, Text, is_within};
use super::include::{Code, LossDetail};
use super::page::parse;
use super::{Kind, Loss};
use infralens_source::url;
use infralens_starter::language;

/// The maximum depth of Markdown files that include each other.
const DEPTH_LIMIT: usize = 10;

/// Returns the text of the page at `path` with what it includes, and what cannot be included.
pub fn expanded(code: &mut Code<'_>, text: &Text, path: &str) -> (Text, Vec<Loss>) {
    let mut inclusion = Inclusion { code, above: Vec::new(), losses: Vec::new() };
    let text = inclusion.included(text, path);
    (text, inclusion.losses)
}

struct Inclusion<'a, 'p> {
    code: &'a mut Code<'p>,
    /// The parts of files that are being included, each by the one before.
    above: Vec<(String, Part)>,
    losses: Vec<Loss>,
}

impl Inclusion<'_, '_> {
    fn lose(&mut self, path: &str, line: usize, (kind, detail): LossDetail) {
        self.losses.push(Loss { kind, path: Arc::from(path), line: Some(line), detail });
    }

    /// Replaces directives outside of code blocks in the text of the file at `path`.
    fn included(&mut self, text: &Text, path: &str) -> Text {
        let folder = url::folder(path);
        let blocks: Vec<_> = parse(&text.text)
            .filter_map(|(event, span)| matches!(event, Event::Start(Tag::CodeBlock(_))).then_some(span))
            .collect();
        let mut edits: Vec<Edit> = Vec::new();
        for directive in self.code.directives(&text.text) {
            let line = text.line(directive.start);
            let range = directive.start..directive.end;
            let include = directive.include();
            if is_within(&blocks, directive.start) {
                // The block is translated below with those of the page, which may be in another folder.
                let include = include.filter(|include| !self.above.is_empty() && !include.is_snippet);
                let path = include.and_then(|include| self.code.path(folder, &include));
                edits.extend(path.map(|path| (range, directive.with_path(&path))));
                continue;
            }
            let Some(include) = include else {
                if !directive.name.is_empty() {
                    self.lose(path, line, (Kind::Directive, format!("`{{{{#{}}}}}`", directive.name)));
                }
                edits.push((range, String::new()));
                continue;
            };
            let before = &text.text[text.text[..range.start].rfind('\n').map_or(0, |end| end + 1)..range.start];
            let prefix: String = before.chars().map(|c| if matches!(c, '>' | '\t') { c } else { ' ' }).collect();
            let new = if matches!(directive.name, "playground" | "playpen" | VARIANT | ANGLES) {
                let title = include.title.as_ref().map(|title| format!(" title=\"{title}\"")).unwrap_or_default();
                let marks = lines_marked(directive.arguments).filter(|_| directive.name == ANGLES);
                let marks = marks.map(|marks| format!(" hl_lines=\"{marks}\"")).unwrap_or_default();
                // The block is translated below, with those that the page contains.
                let body = if matches!(directive.name, VARIANT | ANGLES) {
                    text.text[range.clone()].to_owned()
                } else {
                    let path = self.code.path(folder, &include).map_or(include.path.clone(), |path| format!("/{path}"));
                    let first = directive.arguments.split_whitespace().next();
                    let part = first.and_then(|first| first.split_once(':'));
                    let part = part.map(|(_, part)| format!(":{part}")).unwrap_or_default();
                    format!("{{{{#include {path}{part}}}}}")
                };
                format!("```{}{title}{marks}\n{body}\n```", language::word(&include.path, ""))
            } else {
                match self.included_file(folder, include) {
                    Ok(included) => included.text.trim_end_matches('\n').to_owned(),
                    Err(why) => {
                        self.lose(path, line, why);
                        continue;
                    }
                }
            };
            edits.push((range, indented(&new, &prefix)));
        }
        text.edited(edits)
    }

    /// Returns what a file in `folder` includes, with its own directives replaced.
    fn included_file(&mut self, folder: &str, include: Include) -> Result<Text, LossDetail> {
        let (path, text) = self.code.text(folder, &include)?;
        let file = (path, include.part);
        if self.above.contains(&file) {
            return Err((Kind::Include, format!("`{}` includes itself", file.0)));
        }
        if self.above.len() == DEPTH_LIMIT {
            return Err((Kind::Include, "it is within too many others".to_owned()));
        }
        let path = file.0.clone();
        self.above.push(file);
        let (text, left) = self.code.part(text, &path);
        for (line, lost) in left {
            self.lose(&path, line, lost);
        }
        let included = self.included(&text, &path);
        self.above.pop();
        Ok(included)
    }
}

/// Returns a text in which `prefix` is before every line but the first and those that are blank.
pub fn indented(text: &str, prefix: &str) -> String {
    let prefix = |line: &str| if line.is_empty() { prefix.trim_end().to_owned() } else { format!("{prefix}{line}") };
    let mut lines = text.split('\n');
    let first = lines.next().unwrap_or_default().to_owned();
    lines.fold(first, |text, line| text + "\n" + &prefix(line))
}
