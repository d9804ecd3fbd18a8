//! Recognizes a BibTeX file, and shows its first entry in the form of `references.yaml`.

use infralens_source::diag::{Diagnostic, codes};
use infralens_source::source::Source;
use infralens_source::yaml::to_scalar;

/// Reports a `references.yaml` that is BibTeX.
pub fn refuse(source: &Source) -> Option<Diagnostic> {
    let text = &source.text()[source.start()..];
    let at = source.text().len() - text.trim_start().len();
    let (kind, rest) = text.trim_start().strip_prefix('@')?.split_once('{')?;
    let (key, fields) = rest.split_once([',', '}'])?;
    let is_name = |name: &str| !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || "-_.:".contains(c));
    if !is_name(kind.trim()) || !is_name(key.trim()) {
        return None;
    }
    let message = "references.yaml must be lines of `key: value`, and this is BibTeX";
    let first_line = text.trim_start().lines().next().unwrap_or_default().trim_end();
    let example = entry(kind.trim(), key.trim(), fields);
    Some(
        source
            .diagnostic(codes::E0106, at..at + first_line.len(), message)
            .help(format!("write this entry as `{example}`")),
    )
}

/// Writes an entry as YAML. The fields that it has are the title, the authors, the year and the address.
fn entry(kind: &str, key: &str, fields: &str) -> String {
    let kind = if ["misc", "online", "electronic"].contains(&&*kind.to_lowercase()) { "blog" } else { "paper" };
    let fields = values(fields);
    let field = |name: &str| fields.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str());
    let mut parts = vec![format!("kind: {kind}"), format!("title: {}", to_scalar(field("title").unwrap_or("TITLE")))];
    if let Some(authors) = field("author") {
        let authors: Vec<String> = authors.split(" and ").map(|name| format!("\"{}\"", name.trim())).collect();
        parts.push(format!("authors: [{}]", authors.join(", ")));
    }
    let year = field("year").filter(|year| year.bytes().all(|byte| byte.is_ascii_digit()));
    parts.extend(year.map(|year| format!("year: {year}")));
    let doi = || field("doi").map(|doi| format!("https://doi.org/{doi}"));
    let url = field("url").map(str::to_owned).or_else(doi);
    parts.extend(url.map(|url| format!("url: \"{url}\"")));
    format!("{key}: {{ {} }}", parts.join(", "))
}

/// Returns the fields of the first entry, with names in lower case and values without braces.
fn values(mut text: &str) -> Vec<(String, String)> {
    let mut found = Vec::new();
    while let Some((name, rest)) = text.split_once('=') {
        let rest = rest.trim_start();
        let mut depth = 0_usize;
        let end = rest.char_indices().find(|&(at, c)| {
            match c {
                '{' => depth += 1,
                '}' if depth == 0 => return true,
                '}' => depth -= 1,
                ',' => return depth == 0 && (!rest.starts_with('"') || rest[1..at].trim_end().ends_with('"')),
                _ => {}
            }
            false
        });
        let (end, stop) = end.map_or((rest.len(), '}'), |(at, c)| (at, c));
        let value: String = rest[..end].chars().filter(|c| !matches!(c, '{' | '}' | '"')).collect();
        found.push((name.trim().to_lowercase(), value.split_whitespace().collect::<Vec<_>>().join(" ")));
        if stop == '}' {
            break;
        }
        text = &rest[end + 1..];
    }
    found
}
