//! Bundles a style sheet with everything that it imports, minified.

use std::collections::BTreeSet;
use std::sync::Arc;

use lightningcss::error::{Error, ErrorLocation, ParserError, SelectorError};
use lightningcss::printer::PrinterOptions;
use lightningcss::rules::import::ImportRule;
use lightningcss::rules::media::MediaRule;
use lightningcss::rules::{CssRule, CssRuleList};
use lightningcss::stylesheet::{MinifyOptions, ParserOptions, StyleSheet};
use lightningcss::targets::{Browsers, Features, Targets};

use crate::Builtin;
use crate::eject::is_unchanged;
use infralens_source::diag::{Diagnostic, Place, codes, nearest};
use infralens_source::output::Bytes;
use infralens_source::project::{File, Project};
use infralens_source::source::Source;
use infralens_source::url;

const UNCLOSED: &str = "this is never closed";

/// The rules that begin with `@`, among which that of a misspelled name is looked for: browsers skip what they do not know.
const AT_RULES: [&str; 16] = [
    "charset", "container", "counter-style", "font-face", "font-feature-values", "font-palette-values", "import",
    "keyframes", "layer", "media", "namespace", "page", "property", "scope", "starting-style", "supports",
];

/// The maximum nesting depth of brackets.
const MAX_DEPTH: usize = 100;

/// Returns the oldest browsers that are supported, those of Baseline 2023. What they do not know is written in older
/// terms. `tests/browser/package.json` has the same list, to which the linters hold the sources.
fn targets() -> Targets {
    let version = |major: u32, minor: u32| Some(major << 16 | minor << 8);
    let browsers = Browsers {
        chrome: version(120, 0),
        edge: version(120, 0),
        firefox: version(121, 0),
        safari: version(17, 2),
        ios_saf: version(17, 2),
        ..Browsers::default()
    };
    // The sources have those prefixes that are still needed.
    Targets { exclude: Features::VendorPrefixes, ..Targets::from(browsers) }
}

/// Returns a color that depends on the theme, in the terms in which a bundle has `light-dark()`.
pub fn light_dark(light: &str, dark: &str) -> String {
    format!("var(--lightningcss-light,{light})var(--lightningcss-dark,{dark})")
}

/// Bundles the style sheet at a path in the course, which starts with `static/`. Built-in files are used for imports
/// that the course does not have. `rules`, which are valid and minified, are added at the end.
///
/// # Errors
///
/// The first fault in it or in a file that it imports.
pub fn bundle(project: &Project, builtin: Builtin, path: &str, rules: &str) -> Result<Bytes, Box<Diagnostic>> {
    let mut bundle = Bundler { project, builtin, included: BTreeSet::new() };
    let bundled = CssRuleList(bundle.rules(path, path, None)?);
    let fault = |message: String, at: Option<ErrorLocation>| diagnostic(project, path, &message, at.as_ref());
    let mut sheet = StyleSheet::new(vec![path.into()], bundled, ParserOptions::default());
    sheet
        .minify(MinifyOptions { targets: targets(), ..MinifyOptions::default() })
        .map_err(|error| fault(error.kind.to_string(), error.loc))?;
    let printed = sheet.to_css(PrinterOptions { minify: true, targets: targets(), ..PrinterOptions::default() });
    let printed = printed.map_err(|error| fault(error.kind.to_string(), error.loc))?;
    Ok(Bytes::from(printed.code + "\n" + rules))
}

/// Reports a fault at the word or sign that begins at a location, or for the file as a whole.
fn diagnostic(project: &Project, path: &str, message: &str, at: Option<&ErrorLocation>) -> Box<Diagnostic> {
    let own = at.and_then(|at| Some((project.text(path)?, at)));
    let place = own.map_or_else(
        || Place::file(path),
        |(source, at)| {
            let line = source.line_span(at.line as usize);
            let text = &source.text()[line.clone()];
            let column = text.char_indices().nth((at.column as usize).saturating_sub(1));
            let rest = text[column.map_or(text.len(), |(at, _)| at)..].trim_start();
            let is_word = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | '@' | ':');
            let sign = rest.chars().next().map_or(0, char::len_utf8);
            let len = rest.find(|c| !is_word(c)).unwrap_or(rest.len()).max(sign);
            source.place(line.end - rest.len()..line.end - rest.len() + len)
        },
    );
    Box::new(Diagnostic::new(codes::E0503, place, message))
}

/// Reports what is wrong with the text of a style sheet: a bracket without its counterpart, or what the parser says.
fn unreadable(project: &Project, path: &str, text: &str, error: &Error<ParserError<'_>>) -> Box<Diagnostic> {
    if let Some(bracket) = project.text(path).and_then(|source| unmatched(source, text)) {
        return bracket;
    }
    let (message, help) = words(&error.kind);
    let diagnostic = diagnostic(project, path, &message, error.loc.as_ref());
    Box::new(if help.is_empty() { *diagnostic } else { diagnostic.help(help) })
}

/// Returns what an error of the parser means, and what to write instead; empty if that is plain.
fn words(error: &ParserError<'_>) -> (String, &'static str) {
    const RULE: &str = "a rule is written as `selector { property: value; }`";
    const PARTS: &str = "a declaration is written as `property: value;`";
    match error {
        ParserError::AtRuleInvalid(name) => (format!("`@{name}` is not a rule that is known here"), ""),
        ParserError::AtRulePreludeInvalid | ParserError::AtRuleBodyInvalid => {
            ("this `@` rule cannot be read".into(), "")
        }
        ParserError::EndOfInput => ("the style sheet ends here, in the middle of a rule".into(), RULE),
        ParserError::InvalidMediaQuery | ParserError::EmptyBracketInCondition => {
            ("this condition cannot be read".into(), "a condition is written as `(min-width: 40em)`")
        }
        ParserError::UnexpectedToken(_) => ("this is not expected here".into(), PARTS),
        ParserError::InvalidDeclaration | ParserError::InvalidValue => {
            ("this declaration cannot be read".into(), PARTS)
        }
        ParserError::SelectorError(SelectorError::UnsupportedPseudoClass(name)) => {
            (format!("`:{name}` is not a pseudo-class that is known here"), "")
        }
        ParserError::SelectorError(SelectorError::UnsupportedPseudoElement(name)) => {
            (format!("`::{name}` is not a pseudo-element that is known here"), "")
        }
        ParserError::SelectorError(_) | ParserError::QualifiedRuleInvalid | ParserError::InvalidNesting => {
            ("this selector cannot be read".into(), RULE)
        }
        ParserError::UnexpectedImportRule => {
            ("`@import` is read only above all other rules".into(), "move it to the beginning of the file")
        }
        other => (lowercase_first(&other.to_string()), ""),
    }
}

/// Lower-cases the first letter of a message of lightningcss, as in other messages of the program.
fn lowercase_first(message: &str) -> String {
    let mut chars = message.chars();
    chars.next().map_or_else(String::new, |first| first.to_lowercase().chain(chars).collect())
}

/// Reports the first bracket of a style sheet that closes nothing, or else the outermost bracket or the comment that it leaves
/// open. `text` is what `source` contains.
fn unmatched(source: &Source, text: &str) -> Option<Box<Diagnostic>> {
    let report = |at: usize, message: String, help: &str| {
        let at = source.text().len() - text.len() + at;
        Some(Box::new(source.diagnostic(codes::E0503, at..at + 1, message).help(help)))
    };
    let (mut open, mut at) = (Vec::new(), 0);
    while let Some(next) = text[at..].find(['{', '}', '(', ')', '[', ']', '/', '"', '\'', '\\']) {
        at += next;
        let (sign, rest) = (text.as_bytes()[at], &text[at + 1..]);
        at += 1 + match sign {
            b'{' | b'(' | b'[' => {
                open.push((at, sign));
                // An address without quotes may have brackets.
                if text[..at].ends_with("url") { rest.find(')').unwrap_or(0) } else { 0 }
            }
            b'}' | b')' | b']' => {
                let opening = [b'{', b'(', b'['][usize::from(sign == b')') + 2 * usize::from(sign == b']')];
                if open.pop().is_none_or(|(_, last)| last != opening) {
                    let message = format!("this `{}` closes nothing", char::from(sign));
                    let help = format!("remove it, or write the missing `{}` before it", char::from(opening));
                    return report(at, message, &help);
                }
                0
            }
            b'/' if rest.starts_with('*') => match rest[1..].find("*/") {
                Some(length) => length + 3,
                None => return report(at, UNCLOSED.into(), "end the comment with `*/`"),
            },
            b'"' | b'\'' => rest.find([char::from(sign), '\n']).map_or(rest.len(), |length| length + 1),
            b'\\' => rest.chars().next().map_or(0, char::len_utf8),
            _ => 0,
        };
    }
    let (at, sign) = *open.first()?;
    let close = match sign {
        b'{' => "write a `}` where its block ends",
        b'(' => "write a `)` where it ends",
        _ => "write a `]` where it ends",
    };
    report(at, UNCLOSED.into(), close)
}

/// Collects the rules of a style sheet and of its imports.
struct Bundler<'a> {
    project: &'a Project,
    builtin: Builtin,
    /// The files that are included already; each is included once.
    included: BTreeSet<String>,
}

impl<'a> Bundler<'a> {
    /// Returns the rules of a file, with imports replaced by their rules. `from` and `at` are the place of the import.
    fn rules(
        &mut self,
        path: &str,
        from: &str,
        at: Option<&ErrorLocation>,
    ) -> Result<Vec<CssRule<'a>>, Box<Diagnostic>> {
        if !self.included.insert(path.to_string()) {
            return Ok(Vec::new());
        }
        // A refused file has been reported.
        if matches!(self.project.files.get(path), Some(File::Refused(_))) {
            return Ok(Vec::new());
        }
        let text =
            text(self.project, self.builtin, path).map_err(|message| diagnostic(self.project, from, &message, at))?;
        if is_too_deep(text) {
            return Err(diagnostic(
                self.project,
                path,
                &format!("more than {MAX_DEPTH} brackets are open at once"),
                None,
            ));
        }
        let sheet = StyleSheet::parse(text, ParserOptions { filename: path.into(), ..ParserOptions::default() });
        let sheet = sheet.map_err(|error| unreadable(self.project, path, text, &error))?;
        // The parser closes what is open at the end, as browsers do. Nothing is open if another brace is one too many.
        if let Some(source) = own(self.project, self.builtin, path)
            .filter(|_| StyleSheet::parse(&format!("{text}}}"), ParserOptions::default()).is_ok())
        {
            return Err(unmatched(source, text).unwrap_or_else(|| diagnostic(self.project, path, UNCLOSED, None)));
        }
        let mut rules = Vec::new();
        for rule in sheet.rules.0 {
            match rule {
                CssRule::Import(import) => rules.extend(self.import(path, import)?),
                CssRule::Unknown(rule) if let Some(near) = nearest(&rule.name, AT_RULES) => {
                    let at = ErrorLocation::new(rule.loc, path.to_string());
                    let message = format!("`@{}` is no rule that browsers know", rule.name);
                    return Err(Box::new(
                        diagnostic(self.project, path, &message, Some(&at)).nearest(Some(&format!("@{near}"))),
                    ));
                }
                rule => rules.push(rule),
            }
        }
        Ok(rules)
    }

    fn import(&mut self, from: &str, import: ImportRule<'a>) -> Result<Vec<CssRule<'a>>, Box<Diagnostic>> {
        let at = ErrorLocation::new(import.loc, from.to_string());
        let fault = |message: String| Err(diagnostic(self.project, from, &message, Some(&at)));
        let path = url::join(url::folder(from), &import.url).filter(|path| path.starts_with("static/"));
        let Some(path) = path.filter(|_| !import.url.contains(':')) else {
            return fault(format!("`{}` is not a file of `static/`, and pages load nothing else", import.url));
        };
        if import.layer.is_some() || import.supports.is_some() {
            return fault("`layer` and `supports` are not supported on an import; media queries are".into());
        }
        let rules = self.rules(&path, from, Some(&at))?;
        if import.media.always_matches() {
            return Ok(rules);
        }
        Ok(vec![CssRule::Media(MediaRule { query: import.media, rules: CssRuleList(rules), loc: import.loc })])
    }
}

/// Returns whether brackets are nested too deeply to parse safely. Brackets in strings and comments count, too, which
/// does not matter at this limit.
pub(super) fn is_too_deep(text: &str) -> bool {
    let mut depth = 0_usize;
    text.bytes().any(|byte| {
        match byte {
            b'(' | b'[' | b'{' => depth += 1,
            b')' | b']' | b'}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        depth > MAX_DEPTH
    })
}

/// Returns a file of `static/` that the course has written or changed; `None` if it is a copy of the built-in one.
pub(super) fn own<'a>(project: &'a Project, builtin: Builtin, path: &str) -> Option<&'a Arc<Source>> {
    let original = path.strip_prefix("static/").and_then(|below| builtin.static_file(below));
    let original = original.and_then(|bytes| str::from_utf8(bytes).ok());
    project.text(path).filter(|source| original.is_none_or(|text| !is_unchanged(source.text(), text)))
}

/// Returns the text of a file of `static/`: the course's own, else the built-in one.
///
/// # Errors
///
/// A message that says why there is none.
pub fn text<'a>(project: &'a Project, builtin: Builtin, path: &str) -> Result<&'a str, String> {
    match project.files.get(path) {
        Some(File::Text(source)) => return Ok(&source.text()[source.start()..]),
        Some(_) => return Err(format!("`{path}` is not UTF-8 text")),
        None => {}
    }
    let below = path.strip_prefix("static/").unwrap_or_default();
    let text = builtin.static_file(below).and_then(|bytes| std::str::from_utf8(bytes).ok());
    text.ok_or_else(|| format!("there is no `{path}`"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bundled(files: &[(&str, &str)]) -> Result<String, String> {
        let mut project = Project::default();
        for (path, text) in files {
            project.put(&Arc::from(*path), Some(File::Text(Source::new(*path, *text).into())));
        }
        match bundle(&project, Builtin::default(), "static/style.css", "") {
            Ok(bytes) => Ok(String::from_utf8(bytes.as_ref().to_vec()).expect("text")),
            Err(fault) => Err(format!("{} {:?}: {}", fault.place.file, fault.place.span, fault.message)),
        }
    }

    #[test]
    fn imports_are_replaced_by_their_rules() {
        let files = [
            ("static/style.css", "@import \"style/a.css\";\n/* c */\np { color: red; }\n"),
            ("static/style/a.css", "@import \"../b.css\";\na { margin: 0 0 0 0 }"),
            ("static/b.css", "b { color: light-dark(#ffffff, #000000) }"),
        ];
        assert_eq!(
            bundled(&files).as_deref(),
            Ok(&*format!("b{{color:{}}}a{{margin:0}}p{{color:red}}\n", light_dark("#fff", "#000")))
        );
    }

    #[test]
    fn the_linters_have_the_same_browsers() {
        let package: serde_json::Value =
            serde_json::from_str(include_str!("../../../../tests/browser/package.json")).expect("JSON");
        let Browsers { chrome, edge, firefox, safari, ios_saf, .. } = targets().browsers.expect("browsers");
        let list = [("chrome", chrome), ("edge", edge), ("firefox", firefox), ("safari", safari), ("ios_saf", ios_saf)];
        let list = list.map(|(name, version)| {
            let (major, minor) = version.map(|version| (version >> 16, version >> 8 & 0xff)).expect("a version");
            if minor > 0 { format!("{name} >= {major}.{minor}") } else { format!("{name} >= {major}") }
        });
        assert_eq!(package["browserslist"], serde_json::json!(list));
    }

    #[test]
    fn faults_have_places() {
        let fault = |text: &str| bundled(&[("static/style.css", text)]).expect_err("a fault");
        assert!(fault("p { color: red }\na { b: c; ]").starts_with("static/style.css Some("), "{}", fault("a { ]"));
        assert!(fault("@import \"https://example.org/a.css\";").contains("pages load nothing else"));
        assert!(fault("@import \"../../a.css\";").contains("pages load nothing else"));
        assert!(fault("p {}\n@medai print { a { color: red } }").contains("`@medai` is no rule"));
        assert!(bundled(&[("static/style.css", "@of-tomorrow { a { color: red } }")]).is_ok());
        assert!(fault("@import \"none.css\";").contains("there is no `static/none.css`"));
    }

    #[test]
    fn what_is_left_open_is_a_fault() {
        let fault = |text: &str| bundled(&[("static/style.css", text)]).expect_err("a fault");
        let open = |at: usize| format!("static/style.css {:?}: this is never closed", Some((at, at + 1)));
        assert_eq!(fault("a { b: c }\n/* } */ p { color: red;\n"), open(21));
        assert_eq!(fault("@media print { a { color: red }\n"), open(13));
        assert_eq!(fault("a { b: c } /* { }"), open(11));
        assert_eq!(fault("é { content: \"x"), open(3));
        for whole in ["", "a { content: \"{\" }", "/* { */", "a { b: url(data:,{) }", "@import \"b.css\""] {
            assert!(bundled(&[("static/style.css", whole), ("static/b.css", "")]).is_ok(), "{whole}");
        }
    }

    #[test]
    fn deep_nesting_does_not_crash() {
        let deep = |count| format!("a{{b:{}{}}}", "(".repeat(count), ")".repeat(count));
        assert!(bundled(&[("static/style.css", &deep(MAX_DEPTH - 1))]).is_ok());
        assert!(bundled(&[("static/style.css", &deep(MAX_DEPTH))]).is_err_and(|fault| fault.contains("brackets")));
        for (open, close) in [("a{", "}"), ("@media all{", "}"), ("(", ")"), (":not(", ")")] {
            let _ = bundled(&[("static/style.css", &(open.repeat(MAX_DEPTH / 2) + &close.repeat(MAX_DEPTH / 2)))]);
            let _ = bundled(&[("static/style.css", &(open.repeat(20_000) + &close.repeat(20_000)))]);
            let _ = bundled(&[("static/style.css", &format!("a{{b:{}", open.repeat(20_000)))]);
            let _ = bundled(&[("static/style.css", &format!("a{}{{}}", open.repeat(20_000)))]);
        }
    }
}
