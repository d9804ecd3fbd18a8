//! Whether what looks like a form is one: ordinary text has brackets, colons and dollar signs, too.

use super::prose::MASK;

/// What stands between the two ends of a form, and the characters directly before and after it.
pub struct Found<'a> {
    pub before: Option<char>,
    pub inner: &'a str,
    pub after: Option<char>,
}

impl Found<'_> {
    /// Whether the form stands apart from words.
    pub fn is_apart(&self) -> bool {
        let joins =
            |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() || matches!(c, '_' | '/' | '=' | ':' | '+' | '['));
        !joins(self.before) && !joins(self.after)
    }

    /// Whether there is text without white space at its ends.
    pub fn is_tight(&self) -> bool {
        !self.inner.is_empty() && self.inner.trim().len() == self.inner.len()
    }
}

pub fn is_helper(found: &Found<'_>) -> bool {
    found.inner.starts_with(|c: char| c.is_ascii_alphabetic())
}

pub fn is_tag(found: &Found<'_>) -> bool {
    found.inner.trim_start_matches(['-', '+']).trim_start().starts_with(|c: char| c.is_ascii_alphabetic())
}

/// An identifier at the end of a line.
pub fn is_id(found: &Found<'_>) -> bool {
    let is_name = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | ':' | '.');
    !found.inner.is_empty() && found.inner.chars().all(is_name) && found.after.is_none_or(|c| matches!(c, '\r' | '\n'))
}

/// A name, perhaps with fields, and with filters or arguments after it. A set in a set is none.
pub fn is_variable(found: &Found<'_>) -> bool {
    let inner = found.inner.trim_matches(['-', ' ']);
    let is_name = |c: char| c.is_alphanumeric() || matches!(c, '_' | '.' | '-' | '$');
    let rest = inner.trim_start_matches(is_name).trim_start();
    let is_named = inner.starts_with(|c: char| c.is_ascii_alphabetic() || matches!(c, '_' | '.' | '$'))
        && (rest.is_empty() || rest.starts_with(['|', '(', '"', '\'', '[']));
    let is_text = inner.starts_with(['"', '\'']) && inner.contains('|');
    (is_named || is_text) && !inner.contains(['{', '}', '\n'])
}

pub fn is_wiki_link(found: &Found<'_>) -> bool {
    let starts = found.inner.starts_with(char::is_alphabetic);
    starts && !found.inner.contains(['[', ']', '(', ',', '\n', '=']) && !found.inner.contains("::")
}

pub fn is_formula(found: &Found<'_>) -> bool {
    found.before != Some(']') && found.inner.contains(char::is_alphanumeric)
}

/// Brackets are escaped for other reasons, too: a formula has a command, a power or an equation.
pub fn is_display(found: &Found<'_>) -> bool {
    has_command(found.inner) || found.inner.contains(['^', '='])
}

fn has_command(text: &str) -> bool {
    text.match_indices('\\').any(|(at, _)| text[at + 1..].starts_with(|c: char| c.is_ascii_alphabetic()))
}

/// A formula with spaces next to its dollar signs, or with backticks, as some code hosts have it.
pub fn is_spaced(found: &Found<'_>) -> bool {
    let inner = found.inner.trim();
    let is_code = inner.len() > 2 && found.inner.starts_with('`') && found.inner.ends_with('`');
    let is_math = has_command(inner) || inner.contains(['^', '_', '=']) || inner.len() == 1;
    let is_math = is_math && inner.starts_with(|c: char| c.is_alphabetic() || c == '\\') && !inner.contains('`');
    let is_spaced = found.inner.len() > inner.len() && !inner.contains('\n');
    let is_joined = found.before.is_some_and(|c| c.is_alphanumeric() || c == '$') || found.after == Some('$');
    !is_joined && (is_code || is_spaced && is_math)
}

pub fn is_role(found: &Found<'_>) -> bool {
    let is_name = |c: char| c.is_ascii_alphabetic() || matches!(c, ':' | '-' | '.');
    found.after == Some('`') && found.inner.len() > 1 && found.inner.chars().all(is_name) && found.before != Some('`')
}

pub fn is_emoji(found: &Found<'_>) -> bool {
    let is_name = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || matches!(c, '_' | '-' | '+');
    let starts = found.inner.starts_with(|c: char| c.is_ascii_lowercase());
    starts && (2..=40).contains(&found.inner.len()) && found.inner.chars().all(is_name) && found.is_apart()
}

/// `{.class}` or `{width=50%}`, directly after a link, a picture, code or emphasis.
pub fn is_attached(found: &Found<'_>) -> bool {
    let inner = found.inner.trim_start();
    let key = inner.split('=').next().unwrap_or_default();
    let is_key =
        inner.contains('=') && !key.is_empty() && key.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'-');
    let is_class = inner.strip_prefix(['.', '#', ':']).is_some_and(|rest| !rest.trim().is_empty());
    matches!(found.before, Some(')' | ']' | '`' | '*' | '$')) && (is_class || is_key) && !inner.contains(['{', '\n'])
}

/// A few letters that follow a word directly.
pub fn is_index(found: &Found<'_>) -> bool {
    let is_word = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
    let is_short = (1..=6).contains(&found.inner.len()) && found.inner.bytes().all(|byte| byte.is_ascii_alphanumeric());
    is_short && is_word(found.before) && !is_word(found.after)
}

pub fn is_keys(found: &Found<'_>) -> bool {
    const KEYS: [&str; 12] =
        ["ctrl", "cmd", "alt", "shift", "option", "enter", "esc", "escape", "tab", "space", "backspace", "delete"];
    found.is_apart() && found.inner.split('+').any(|key| KEYS.contains(&key.to_lowercase().as_str()))
}

pub fn is_contents(line: &str) -> bool {
    const NAMES: [&str; 6] = ["[toc]", "[[toc]]", "@[toc]", "{:toc}", "${toc}", "{{toc}}"];
    let is_mark = |c: char| c == MASK || c == '_' || c == ' ';
    line.len() < 16 && NAMES.contains(&line.replace(is_mark, "").to_lowercase().as_str())
}

/// A kind, and perhaps a title in quotes.
pub fn is_admonition(rest: &str) -> bool {
    let after = rest.trim_start().trim_start_matches(|c: char| c.is_ascii_alphabetic() || c == '-');
    let is_end = after.trim().is_empty() || after.trim_start().starts_with('"') || after.starts_with(" inline");
    after.len() < rest.trim_start().len() && is_end
}

pub fn is_container(rest: &str) -> bool {
    rest.trim_start_matches(':').trim_start().starts_with(|c: char| c.is_ascii_alphabetic() || c == '{')
}

pub fn is_directive(rest: &str) -> bool {
    let name = rest.split("::").next().unwrap_or_default();
    let is_name = |c: char| c.is_ascii_lowercase() || matches!(c, '-' | ':');
    name.len() < rest.len() && !name.is_empty() && name.chars().all(is_name)
}

pub fn is_import(rest: &str) -> bool {
    let from = rest.split_once(" from ").map_or("", |(_, from)| from.trim_end_matches(';'));
    from.len() > 2 && from.starts_with(['"', '\'']) && from.ends_with(['"', '\''])
}

/// Nothing but attributes on a line.
pub fn is_attribute_line(rest: &str) -> bool {
    let inner = rest.strip_suffix('}').map(str::trim_start).filter(|inner| !inner.contains(['{', '}']));
    let named = inner.and_then(|inner| inner.strip_prefix([':', '.', '#']));
    named.is_some_and(|name| name.trim_start().starts_with(|c: char| c.is_ascii_alphabetic() || c == '.' || c == '#'))
}
