//! Converts Tera's reports to diagnostics in the course's own templates.
//!
//! Tera prints every place as ` --> FILE:LINE:COLUMN` with a line of carets below. The first place in a template of the
//! course is used. A report without such a place comes from a built-in template that does not fit one of the course's
//! own; then the latter is reported as a whole.

use std::collections::BTreeMap;
use std::sync::Arc;

use tera::{Context, Error};

use infralens_source::diag::{Code, Diagnostic, Near, Place, codes, nearest, similar};
use infralens_source::project::Project;
use infralens_source::source::{Source, Span};

/// The folder of a course's templates.
const FOLDER: &str = "templates/";

/// What Tera says of a template whose parent it does not know.
const IS_INHERITING: &str = "is inheriting from '";

/// One report: its message, and its places, innermost first.
#[derive(Debug, PartialEq, Eq)]
struct Report {
    message: String,
    places: Vec<Location>,
}

/// A place as Tera prints it.
#[derive(Debug, PartialEq, Eq)]
struct Location {
    template: String,
    line: usize,
    column: usize,
    width: usize,
}

/// Reports a blank template that replaces a built-in one which makes whole pages.
pub fn empty(path: &Arc<str>) -> Diagnostic {
    let message = format!("`{path}` is empty: the pages that it makes would be blank");
    Diagnostic::new(codes::E0011, Place::file(Arc::clone(path)), message)
        .help("write it, or remove it to use the built-in one")
}

/// Reports `{{ page.body }}` in a template, which would print a list.
pub fn printed_body(source: &Source) -> Option<Diagnostic> {
    const BODY: &str = "page.body";
    let text = source.text();
    let is_printed = |at: usize| {
        let (before, after) = (text[..at].trim_end().trim_end_matches('-'), text[at + BODY.len()..].trim_start());
        let is_comment = before.rfind("{#").is_some_and(|open| !before[open..].contains("#}"));
        let is_end = |text: &str| text.trim_start().trim_start_matches('-').starts_with("}}");
        let is_whole = is_end(after)
            || after
                .strip_prefix('|')
                .is_some_and(|filter| filter.trim_start().strip_prefix("safe").is_some_and(is_end));
        before.ends_with("{{") && is_whole && !is_comment
    };
    let at = text.match_indices(BODY).map(|(at, _)| at).find(|&at| is_printed(at))?;
    let error = source.diagnostic(codes::E0502, at..at + BODY.len(), "`page.body` is a list, which cannot be printed");
    Some(error.help("write `{% include \"parts/body.html\" %}`, which writes the text of the page in this place"))
}

/// The names that templates may use: those of Tera, and of `engine`.
const TAGS: &str = "if elif else endif for endfor set block endblock extends include filter endfilter raw endraw";
const FILTERS: &str = "abs capitalize default escape escape_html escape_xml file_name first float get group_by indent int \
                       join keys last length lower newlines_to_br nth pairs pluralize relative replace reverse round safe \
                       sort split str title trim trim_end trim_start truncate unique upper values wordcount";
const TESTS: &str = "array bool containing defined divisible_by ending_with even float integer iterable map none number odd \
                     starting_with string undefined";
const FUNCTIONS: &str = "range throw";

/// Reports why templates cannot be used together. `templates` are all of them by name, the built-in ones too.
pub fn parse_errors(project: &Project, error: &Error, templates: &BTreeMap<&str, &str>) -> Vec<Diagnostic> {
    let reports = reports(&error.to_string());
    let report = |report: &Report| {
        let names = known_names(report, templates);
        let error = diagnostic(project, codes::E0501, report);
        match names {
            Some((_, Some(near), _)) => {
                let written = report.message.split('`').nth(1).unwrap_or_default();
                match project.text(&error.place.file) {
                    Some(source) => error.instead(source, written, Some(Near::unsure(near))),
                    None => error.nearest(Some(near)),
                }
            }
            Some((what, None, names)) => error.help(format!("{what} {}", names.join(", "))),
            None => error,
        }
    };
    reports.iter().map(report).collect()
}

/// For a name that templates do not have: which names of its kind they have, as a sentence, and the most similar one.
fn known_names<'t>(
    report: &Report,
    templates: &BTreeMap<&'t str, &'t str>,
) -> Option<(&'static str, Option<&'t str>, Vec<&'t str>)> {
    let message = report.message.to_lowercase();
    let name = report.message.split('`').nth(1)?;
    let listed = |names: &'static str| names.split_whitespace().collect::<Vec<&'t str>>();
    let (what, names) = if message.starts_with("unknown filter") {
        ("the filters are", listed(FILTERS))
    } else if message.starts_with("unknown test") {
        ("the tests are", listed(TESTS))
    } else if message.starts_with("unknown function") {
        ("the functions are", listed(FUNCTIONS))
    } else if message.starts_with("unknown template") {
        ("the templates are", templates.keys().copied().collect())
    } else if message.contains("is not defined in any parent template") {
        ("the templates that this one extends have the blocks", blocks_above(report, templates))
    } else {
        return None;
    };
    Some((what, nearest(name, names.iter().copied()), names))
}

/// Returns the blocks of the templates that the template of a report extends, directly or not.
fn blocks_above<'t>(report: &Report, templates: &BTreeMap<&'t str, &'t str>) -> Vec<&'t str> {
    let mut names = Vec::new();
    let mut current = report.places.first().and_then(|at| templates.get(at.template.as_str()));
    // Tera has refused templates that extend each other.
    for _ in 0..templates.len() {
        let parent = current.and_then(|text| text.split("{% extends").nth(1)?.split('"').nth(1));
        let Some(text) = parent.and_then(|parent| templates.get(parent)) else { break };
        let tags = text.split("{%").skip(1).map(|tag| tag.trim_start_matches('-').trim_start());
        names.extend(tags.filter_map(|tag| tag.strip_prefix("block ")?.split([' ', '-', '%']).next()));
        current = Some(text);
    }
    names
}

/// Reports why a page could not be rendered from the variables of a context.
pub fn render_error(project: &Project, error: &Error, context: &Context) -> Diagnostic {
    let first = reports(&error.to_string()).into_iter().next();
    let report = first.unwrap_or_else(|| Report { message: error.to_string(), places: Vec::new() });
    let diagnostic = diagnostic(project, codes::E0502, &report);
    let about = |diagnostic: &Diagnostic| {
        let (start, _) = diagnostic.place.span.filter(|_| report.message.contains("undefined"))?;
        missing_field(&project.text(&diagnostic.place.file)?.text()[start..], context)
    };
    let help = about(&diagnostic);
    help.into_iter().fold(diagnostic, Diagnostic::help)
}

/// Says which field of a variable does not exist that a text begins with, and which one is meant.
fn missing_field(text: &str, context: &Context) -> Option<String> {
    let is_path = |c: char| c.is_alphanumeric() || matches!(c, '_' | '.');
    let mut names = text.split(|c| !is_path(c)).next()?.split('.');
    let mut value = context.get(names.next()?)?;
    for name in names {
        let fields = value.as_map()?;
        let Some((_, next)) = fields.iter().find(|(field, _)| field.as_str() == Some(name)) else {
            let known: Vec<&str> = fields.keys().filter_map(|field| field.as_str()).collect();
            let near = nearest(name, known.iter().copied()).map(|near| format!("did you mean `{near}`?"));
            let meant = near.unwrap_or_else(|| format!("the available fields are {}", known.join(", ")));
            return Some(format!("`{name}` is not defined: {meant}"));
        };
        value = next;
    }
    None
}

fn diagnostic(project: &Project, code: Code, report: &Report) -> Diagnostic {
    let in_course =
        report.places.iter().find_map(|location| Some((own_template(project, &location.template)?, location)));
    let place = match in_course {
        Some((source, location)) => source.place(span(source, location)),
        None => suspect_place(project, report),
    };
    let written = in_course.map_or("", |(source, location)| &source.text()[span(source, location)]);
    let built_in = report.places.first().filter(|_| in_course.is_none());
    let (message, help) = split_help(&report.message);
    let mut diagnostic = Diagnostic::new(code, place, message);
    if let Some(location) = built_in {
        diagnostic =
            diagnostic.note(format!("found in the built-in template `{}`, line {}", location.template, location.line));
    }
    let unclosed = in_course.filter(|_| report.message.to_lowercase().starts_with("unexpected end of input"));
    let unclosed = unclosed.and_then(|(source, _)| unclosed_tag(source));
    let help = help.into_iter().chain(advice(&report.message, written)).chain(unclosed);
    let is_tag = report.message.to_lowercase().starts_with("unknown tag") && !TAGS.split(' ').any(|tag| tag == written);
    let tag = similar(written, TAGS.split(' ')).filter(|_| is_tag);
    help.fold(diagnostic.meant(tag.map(|tag| Near::unsure(tag.name))), Diagnostic::help)
}

/// Returns what to write instead, if a message of Tera alone does not say it; `written` is the text at its place.
fn advice(message: &str, written: &str) -> Option<String> {
    if message.contains(IS_INHERITING) {
        return Some("`infralens eject --list` lists the built-in templates".to_owned());
    }
    if message.to_lowercase().starts_with("unknown tag") {
        if TAGS.split(' ').any(|tag| tag == written) {
            return Some(format!("`{written}` ends or continues a tag, and none that fits is open here"));
        }
        return None;
    }
    if let Some((end, open)) =
        [("}}", "{{"), ("%}", "{%")].into_iter().find(|(end, _)| message.contains(&format!("expected {end}")))
    {
        return Some(format!("end what `{open}` begins with `{end}` before this"));
    }
    let is_argument = message.to_lowercase().contains("expected identifier") && written.starts_with(['"', '\'']);
    is_argument.then(|| format!("arguments have names, as in `starting_with(pat={written})`"))
}

fn own_template<'p>(project: &'p Project, name: &str) -> Option<&'p Arc<Source>> {
    project.text(&format!("{FOLDER}{name}"))
}

/// Returns the place of a report that has none: the parent that a template names, or the template as a whole.
fn suspect_place(project: &Project, report: &Report) -> Place {
    let path = suspect_template(project, report);
    let parent = report.message.split_once(IS_INHERITING).and_then(|(_, rest)| rest.split('\'').next());
    let named = project.text(&path).zip(parent).and_then(|(source, parent)| {
        let at = source.text().find(parent)?;
        Some(source.place(at..at + parent.len()))
    });
    named.unwrap_or_else(|| Place::file(path))
}

/// Says which tag of a template is not closed.
fn unclosed_tag(source: &Source) -> Option<String> {
    let mut open: Vec<(&str, &str, usize)> = Vec::new();
    for (at, _) in source.text().match_indices("{%") {
        let tag = source.text()[at + 2..].split("%}").next()?.trim_matches(['-', ' ']);
        let name = tag.split_whitespace().next().unwrap_or_default();
        match name.strip_prefix("end") {
            Some(ended) => drop(open.pop_if(|(name, ..)| *name == ended)),
            None if ["if", "for", "block", "filter", "raw"].contains(&name) => open.push((name, tag, at)),
            None => {}
        }
    }
    let (name, tag, at) = open.pop()?;
    let line = source.text()[..at].matches('\n').count() + 1;
    Some(format!("`{{% {tag} %}}` on line {line} is not closed: end it with `{{% end{name} %}}`"))
}

/// Returns the template of the course that the message mentions, else `base.html`, else the first.
fn suspect_template(project: &Project, report: &Report) -> Arc<str> {
    let in_course = || project.below("templates").map(|(path, _)| path);
    let named = in_course().find(|path| {
        let name = &path[FOLDER.len()..];
        ['`', '\'', '"'].iter().any(|quote| report.message.contains(&format!("{quote}{name}{quote}")))
    });
    let base = || in_course().find(|path| path.ends_with("/base.html"));
    named
        .or_else(base)
        .or_else(|| in_course().next())
        .map_or_else(|| Arc::from(FOLDER.trim_end_matches('/')), Arc::clone)
}

/// Returns the bytes of a place, whose columns count characters.
fn span(source: &Source, location: &Location) -> Span {
    let line = source.line_span(location.line.saturating_sub(1));
    let text = &source.text()[line.clone()];
    let offset = |characters: usize| text.char_indices().nth(characters).map_or(text.len(), |(offset, _)| offset);
    let start = location.column.saturating_sub(1);
    line.start + offset(start)..line.start + offset(start + location.width.max(1))
}

/// Splits off the list of alternatives that some of Tera's messages end with, as help: the most similar one, or all.
fn split_help(message: &str) -> (String, Option<String>) {
    for marker in [" Available fields: ", " Available variables: "] {
        if let Some((message, available)) = message.split_once(marker) {
            let name = message.split('`').nth(1).unwrap_or_default();
            if let Some(near) = nearest(name, available.split(", ").map(str::trim)) {
                return (normalized(message), Some(format!("did you mean `{near}`?")));
            }
            let kind = marker.trim().trim_end_matches(':').to_lowercase().replace("available ", "");
            return (normalized(message), Some(format!("the available {kind} are {available}")));
        }
    }
    (normalized(message), None)
}

/// Removes the final period, puts the ends of tags in backticks, and lower-cases the first letter, unless the message starts
/// with a name.
fn normalized(message: &str) -> String {
    let message = message.trim().trim_end_matches('.');
    let message = &message.replace("expected }}", "expected `}}`").replace("expected %}", "expected `%}`");
    let mut characters = message.chars();
    match characters.next() {
        Some(first) if characters.as_str().starts_with(|c: char| c.is_lowercase() || c == ' ') => {
            first.to_lowercase().chain(characters).collect()
        }
        _ => message.clone(),
    }
}

/// Parses Tera's output, which may contain several reports.
fn reports(text: &str) -> Vec<Report> {
    let mut reports: Vec<Report> = Vec::new();
    let mut lines = text.lines().peekable();
    while let Some(line) = lines.next() {
        if let Some(message) = line.strip_prefix("error: ") {
            reports.push(Report { message: message.into(), places: Vec::new() });
        } else if let Some(location) = place(line) {
            let carets = lines.clone().take(3).find_map(carets);
            let location = Location { width: carets.unwrap_or(1), ..location };
            reports.last_mut().map(|report| report.places.push(location)).unwrap_or_default();
        } else if reports.is_empty() && !line.trim().is_empty() {
            reports.push(Report { message: line.into(), places: Vec::new() });
        }
    }
    reports
}

/// Parses ` --> FILE:LINE:COLUMN`, or the same after `note: called from `.
fn place(line: &str) -> Option<Location> {
    let found = line.trim_start().strip_prefix("--> ").or_else(|| line.strip_prefix("note: called from "))?;
    let mut parts = found.rsplitn(3, ':');
    let column = parts.next()?.parse().ok()?;
    let line = parts.next()?.parse().ok()?;
    Some(Location { template: parts.next()?.into(), line, column, width: 1 })
}

/// Returns the number of carets in an underlining line.
fn carets(line: &str) -> Option<usize> {
    let under = line.trim_start().strip_prefix("| ")?.trim_start();
    (!under.is_empty() && under.bytes().all(|byte| byte == b'^')).then_some(under.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_in_reports_are_parsed() {
        let text = "error: Field `size` is not defined. Available fields: a, b\n --> p.html:2:4\n  |\n2 | <p>{{ y.x }}\n  |        ^^^\n\n\
                    note: called from lab.html:12:1\n   |\n12 | {% include \"p.html\" %}\n   | ^^^^";
        let found = reports(text);
        assert_eq!(found.len(), 1);
        let location =
            |template: &str, line, column, width| Location { template: template.into(), line, column, width };
        assert_eq!(found[0].places, [location("p.html", 2, 4, 3), location("lab.html", 12, 1, 4)]);
        let (message, help) = split_help(&found[0].message);
        assert_eq!(message, "field `size` is not defined");
        let near = split_help("Field `titel` is not defined. Available fields: title, url").1;
        assert_eq!(near.as_deref(), Some("did you mean `title`?"));
        assert_eq!(help.as_deref(), Some("the available fields are a, b"));
    }

    #[test]
    fn spans_count_characters() {
        let source = Source::new("templates/a.html", "é\r\nüü{{ x }}\r\n");
        let location = Location { template: "a.html".into(), line: 2, column: 3, width: 7 };
        assert_eq!(&source.text()[span(&source, &location)], "{{ x }}");
    }
}
