//! Loads the templates of a course over the built-in ones and renders them with Tera.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Write};

use tera::value::Key;
use tera::{Context, Error, ErrorKind, Kwargs, Map, State, Tera, TeraResult, Value};

use super::Builtin;
use super::context::Page;
use super::shared::SharedValues;
use super::{errors, shared};
use infralens_render::escape;
use infralens_source::diag::Diagnostic;
use infralens_source::project::{File, Project};
use infralens_source::url;

/// The variable with the paths of the files of a language, for the filter `relative`.
const OWN_FILES: &str = "own_files";

/// All templates, parsed.
pub struct Engine {
    tera: Tera,
}

impl Engine {
    /// Parses the built-in templates and the course's own, which replace those of the same name.
    ///
    /// # Errors
    ///
    /// The first fault of each template that cannot be parsed, or if all can, the faults that show when they are
    /// combined.
    pub fn new(project: &Project, builtin: Builtin) -> Result<Self, Vec<Diagnostic>> {
        let mut templates: BTreeMap<&str, &str> = builtin.templates.iter().copied().collect();
        let mut diagnostics = Vec::new();
        let mut has_unreadable = false;
        for (path, file) in project.below("templates") {
            let File::Text(source) = file else {
                // The file has been reported. How it affects the others is unknown.
                has_unreadable = true;
                continue;
            };
            let (name, text) = (&path["templates/".len()..], &source.text()[source.start()..]);
            if source.is_blank() && !name.contains('/') && templates.contains_key(name) {
                diagnostics.push(errors::empty(path));
            }
            templates.insert(name, text);
            diagnostics.extend(errors::printed_body(source));
            diagnostics.extend(
                syntax_error(name, text)
                    .into_iter()
                    .flat_map(|error| errors::parse_errors(project, &error, &templates)),
            );
        }
        if has_unreadable || !diagnostics.is_empty() {
            return Err(diagnostics);
        }
        let mut tera = Tera::new();
        tera.register_filter("file_name", file_name);
        tera.register_filter("group_by", group_by);
        tera.register_filter("relative", relative);
        tera.set_escape_fn(escape);
        match tera.add_raw_templates(templates.iter().map(|(name, text)| (*name, *text))) {
            Ok(()) => Ok(Self { tera }),
            Err(error) => Err(errors::parse_errors(project, &error, &templates)),
        }
    }

    /// Returns whether there is a template of this name.
    pub fn has(&self, template: &str) -> bool {
        self.tera.get_template_names().any(|name| name == template)
    }

    /// Returns the variables that a template and those that it includes use, whether or not they set them themselves.
    pub fn variables(&self, template: &str) -> BTreeSet<String> {
        let variables = self.tera.get_template_variables(template).unwrap_or_default();
        variables.into_iter().map(str::to_owned).collect()
    }

    /// Renders a page. `project` has the course's own templates.
    ///
    /// # Errors
    ///
    /// The fault in the template, such as an unknown field.
    pub fn render(
        &self,
        project: &Project,
        common: &SharedValues,
        template: &str,
        page: &Page<'_>,
    ) -> Result<Vec<u8>, Box<Diagnostic>> {
        let mut context = Context::new();
        context.insert_value("site", common.site.clone());
        context.insert_value("course", common.course.clone());
        context.insert_value("page", shared::value(page));
        common.own_files.iter().for_each(|files| context.insert_value(OWN_FILES, files.clone()));
        let mut out = Vec::with_capacity(1 << 14);
        match self.tera.render_to(template, &context, &mut out) {
            Ok(()) => Ok(out),
            Err(error) => Err(Box::new(errors::render_error(project, &error, &context))),
        }
    }
}

/// Returns the syntax error of a template, without looking at the templates that it refers to.
fn syntax_error(name: &str, text: &str) -> Option<Error> {
    let error = Tera::new().add_raw_template(name, text).err()?;
    matches!(error.kind(), ErrorKind::SyntaxError(_)).then_some(error)
}

/// Escapes text and removes the characters that are invalid in HTML and XML.
fn escape(text: &str, out: &mut dyn Write) -> io::Result<()> {
    let plain = |byte: u8| (b' '..0x7f).contains(&byte);
    if text.bytes().all(plain) || !text.contains(is_forbidden) {
        return tera::escape_html(text, out);
    }
    tera::escape_html(&text.replace(is_forbidden, ""), out)
}

fn is_forbidden(c: char) -> bool {
    c.is_control() && !matches!(c, '\t' | '\n' | '\r') || matches!(c, '\u{fffe}' | '\u{ffff}')
}

/// Returns the shortest link from the page that is rendered to a URL of the site, such as `../handbook/a.html`. On a
/// page that is shown at any address, whose `root` is not relative, links start with that root. On the site of another language,
/// whose pages are in a folder, links to what exists once for all languages lead out of it.
fn relative(to: &str, _: Kwargs, state: &State<'_>) -> TeraResult<String> {
    let page = state.get::<Value>("page")?;
    let field = |name| page.as_ref()?.get_from_path(name)?.as_str();
    let (Some(root), Some(from)) = (field("root"), field("url")) else {
        return Err(Error::message("the filter `relative` needs `page`"));
    };
    let is_relative = root.is_empty() || root.starts_with("../");
    // `extra` may have addresses of other sites beside those of this one.
    if to.contains("://") || to.starts_with("mailto:") {
        return Ok(to.to_owned());
    }
    let path = url::decode(to.split(['#', '?']).next().unwrap_or_default());
    let is_once = |files: Value| files.as_map().is_some_and(|files| !files.contains_key(&Key::Str(&path)));
    if !to.starts_with("../") && state.get::<Value>(OWN_FILES)?.is_some_and(is_once) {
        return Ok(url::relative_encoded(from, &format!("../{to}")));
    }
    Ok(if is_relative { url::relative_encoded(from, to) } else { format!("{root}{to}") })
}

/// Writes the name of a file such that it is not broken before its extension.
fn file_name(name: &str, _: Kwargs, _: &State<'_>) -> Value {
    Value::safe_string(&escape::file_name(name))
}

/// Groups values by an attribute: a list of `key` and `values`, in the order in which keys first occur. Tera's own
/// filter of this name returns groups in an order that differs between runs.
#[expect(clippy::needless_pass_by_value, reason = "Tera's filters are given their arguments")]
fn group_by(values: &[Value], arguments: Kwargs, _: &State<'_>) -> TeraResult<Vec<Value>> {
    let attribute = arguments.must_get::<&str>("attribute")?;
    let mut groups: Vec<(Value, Vec<Value>)> = Vec::new();
    for value in values {
        let Some(key) = value.get_from_path(attribute).filter(|key| !key.is_none()) else {
            continue;
        };
        match groups.iter_mut().find(|(known, _)| known == key) {
            Some((_, members)) => members.push(value.clone()),
            None => groups.push((key.clone(), vec![value.clone()])),
        }
    }
    let group = |(key, members): (Value, Vec<Value>)| {
        let mut group = Map::default();
        group.insert("key".into(), key);
        group.insert("values".into(), members.into());
        Value::from(group)
    };
    Ok(groups.into_iter().map(group).collect())
}
