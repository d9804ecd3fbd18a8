//! One predicate for each form of [`forms`](super::forms): whether the text between two delimiters is really that form, or
//! ordinary text that happens to contain brackets, colons or dollar signs. In doubt, a predicate is false: a missed form
//! costs less than a false warning.

use super::alert;
use super::prose::MASK;
use infralens_source::source::script::is_unspaced;

pub struct Candidate<'a> {
    pub before: Option<char>,
    /// The text between its two delimiters.
    pub inner: &'a str,
    pub after: Option<char>,
}

impl Candidate<'_> {
    /// Returns whether the form is separate from words.
    pub fn is_apart(&self) -> bool {
        let joins =
            |c: Option<char>| c.is_some_and(|c| is_of_word(c) || matches!(c, '_' | '/' | '=' | ':' | '+' | '['));
        !joins(self.before) && !joins(self.after)
    }

    /// Returns whether there is text without white space at its ends.
    pub fn is_tight(&self) -> bool {
        !self.inner.is_empty() && self.inner.trim().len() == self.inner.len()
    }
}

/// Returns whether a character belongs to a word that has spaces around it.
fn is_of_word(c: char) -> bool {
    c.is_alphanumeric() && !is_unspaced(c)
}

pub fn is_helper(form: &Candidate<'_>) -> bool {
    form.inner.starts_with(|c: char| c.is_ascii_alphabetic())
}

pub fn is_tag(form: &Candidate<'_>) -> bool {
    form.inner.trim_start_matches(['-', '+']).trim_start().starts_with(|c: char| c.is_ascii_alphabetic())
}

/// Accepts an identifier at the end of a line.
pub fn is_id(form: &Candidate<'_>) -> bool {
    let is_name = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | ':' | '.');
    !form.inner.is_empty() && form.inner.chars().all(is_name) && form.after.is_none_or(|c| matches!(c, '\r' | '\n'))
}

/// Accepts a name, perhaps with fields, filters or arguments, but not a set in a set as in mathematics.
pub fn is_variable(form: &Candidate<'_>) -> bool {
    let inner = form.inner.trim_matches(['-', ' ']);
    let is_name = |c: char| c.is_alphanumeric() || matches!(c, '_' | '.' | '-' | '$');
    let rest = inner.trim_start_matches(is_name).trim_start();
    let is_named = inner.starts_with(|c: char| c.is_ascii_alphabetic() || matches!(c, '_' | '.' | '$'))
        && (rest.is_empty() || rest.starts_with(['|', '(', '"', '\'', '[']));
    let is_text = inner.starts_with(['"', '\'']) && inner.contains('|');
    (is_named || is_text) && !inner.contains(['{', '}', '\n'])
}

pub fn is_wiki_link(form: &Candidate<'_>) -> bool {
    let starts = form.inner.starts_with(char::is_alphabetic);
    starts && !form.inner.contains(['[', ']', '(', ',', '\n', '=']) && !form.inner.contains("::")
}

pub fn is_formula(form: &Candidate<'_>) -> bool {
    form.before != Some(']') && form.inner.contains(char::is_alphanumeric)
}

/// Accepts text with a command, a power or an equation, because brackets are escaped for other reasons, too.
pub fn is_display(form: &Candidate<'_>) -> bool {
    has_command(form.inner) || form.inner.contains(['^', '='])
}

fn has_command(text: &str) -> bool {
    text.match_indices('\\').any(|(at, _)| text[at + 1..].starts_with(|c: char| c.is_ascii_alphabetic()))
}

/// Accepts a formula with spaces next to its dollar signs, or with backticks as on some code hosts.
pub fn is_spaced(form: &Candidate<'_>) -> bool {
    let inner = form.inner.trim();
    let is_code = inner.len() > 2 && form.inner.starts_with('`') && form.inner.ends_with('`');
    let is_math = has_command(inner) || inner.contains(['^', '_', '=']) || inner.len() == 1;
    let is_math = is_math && inner.starts_with(|c: char| c.is_alphabetic() || c == '\\') && !inner.contains('`');
    let is_spaced = form.inner.len() > inner.len() && !inner.contains('\n');
    let is_joined = form.before.is_some_and(|c| is_of_word(c) || c == '$') || form.after == Some('$');
    !is_joined && (is_code || is_spaced && is_math)
}

/// Accepts a formula with a command or an index whose braces do not pair.
pub fn is_unpaired(form: &Candidate<'_>) -> bool {
    let is_math = has_command(form.inner) || ["^{", "_{"].iter().any(|index| form.inner.contains(index));
    is_math && !has_pairs(form.inner) && !form.inner.contains(['`', '\n'])
}

/// Returns whether a formula has as many opening as closing braces.
pub fn has_pairs(inner: &str) -> bool {
    let count = |brace: char| inner.matches(brace).count() - inner.matches(&format!("\\{brace}")).count();
    count('{') == count('}')
}

/// Accepts the address of a page or of another site.
pub fn is_address(form: &Candidate<'_>) -> bool {
    !form.inner.contains(char::is_whitespace) && (form.inner.contains("://") || form.inner.contains(".md"))
}

pub fn is_role(form: &Candidate<'_>) -> bool {
    let is_name = |c: char| c.is_ascii_alphabetic() || matches!(c, ':' | '-' | '.');
    form.after == Some('`') && form.inner.len() > 1 && form.inner.chars().all(is_name) && form.before != Some('`')
}

pub fn is_emoji(form: &Candidate<'_>) -> bool {
    let is_name = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || matches!(c, '_' | '-' | '+');
    let starts = form.inner.starts_with(|c: char| c.is_ascii_lowercase());
    starts && (2..=40).contains(&form.inner.len()) && form.inner.chars().all(is_name) && form.is_apart()
}

/// Accepts `{.class}` or `{width=50%}` directly after a link, an image, code or emphasis.
pub fn is_attached(form: &Candidate<'_>) -> bool {
    let inner = form.inner.trim_start();
    let key = inner.split('=').next().unwrap_or_default();
    let is_key =
        inner.contains('=') && !key.is_empty() && key.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'-');
    let is_class = inner.strip_prefix(['.', '#', ':']).is_some_and(|rest| !rest.trim().is_empty());
    matches!(form.before, Some(')' | ']' | '`' | '*' | '$')) && (is_class || is_key) && !inner.contains(['{', '\n'])
}

/// Accepts a few letters directly after a word.
pub fn is_index(form: &Candidate<'_>) -> bool {
    let is_word = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
    let is_short = (1..=6).contains(&form.inner.len()) && form.inner.bytes().all(|byte| byte.is_ascii_alphanumeric());
    is_short && is_word(form.before) && !is_word(form.after)
}

pub fn is_keys(form: &Candidate<'_>) -> bool {
    const KEYS: &str = "ctrl control cmd command alt shift option meta win windows fn enter return esc escape tab space \
        backspace delete del insert home end up down left right arrow-up arrow-down arrow-left arrow-right page-up page-down \
        caps-lock f1 f2 f3 f4 f5 f6 f7 f8 f9 f10 f11 f12";
    let is_key = |key: &str| KEYS.split_whitespace().any(|known| known.eq_ignore_ascii_case(key.trim()));
    let is_letter = form.inner.chars().count() == 1;
    form.is_apart() && !form.inner.contains('\n') && (is_letter || form.inner.split('+').any(is_key))
}

/// Accepts a field of what components are given, as in `props.value`.
pub fn is_expression(form: &Candidate<'_>) -> bool {
    const OBJECTS: [&str; 6] = ["props", "frontMatter", "frontmatter", "$frontmatter", "metadata", "siteConfig"];
    let field = form.inner.split_once('.').filter(|(object, _)| OBJECTS.contains(object));
    field.is_some_and(|(_, name)| {
        !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '.' | '_'))
    })
}

/// Accepts `text)[address`.
pub fn is_reversed(form: &Candidate<'_>) -> bool {
    let Some((text, address)) = form.inner.split_once(")[") else { return false };
    let is_address = address.contains("://") || address.contains('/') || address.ends_with(".md");
    is_address && !address.contains(char::is_whitespace) && !text.trim().is_empty() && form.after != Some('(')
}

/// Accepts what follows `*[` if it is a term and its meaning.
pub fn is_abbreviation(rest: &str) -> bool {
    rest.split_once("]:").is_some_and(|(term, text)| {
        let is_term = !term.is_empty() && !term.contains(['[', ']', '*']);
        is_term && !text.trim().is_empty()
    })
}

/// Accepts what follows `##` if a heading lacks its space.
pub fn is_heading(rest: &str) -> bool {
    let text = rest.trim_start_matches('#');
    rest.len() - text.len() <= 4 && text.starts_with(char::is_alphabetic) && !text.starts_with("include")
}

/// Accepts a number that code, a link or bold text follows directly, or after a wide mark; all are masked. Without them, the
/// line may be a decimal number, or how Chinese text counts.
pub fn is_joined_item(line: &str) -> bool {
    let rest = line.trim_start_matches(|c: char| c.is_ascii_digit());
    let mark = rest.chars().next().filter(|_| (1..=3).contains(&(line.len() - rest.len())));
    let after = match mark {
        Some(mark @ ('.' | ')')) => &rest[mark.len_utf8()..],
        Some(mark @ ('、' | '．' | '）')) => rest[mark.len_utf8()..].trim_start(),
        _ => return false,
    };
    let text = after.trim_start_matches(MASK);
    // The end of bold text has two characters, and no letter behind it.
    after.len() - text.len() > 2 || text.len() < after.len() && text.starts_with(char::is_alphanumeric)
}

pub fn is_contents(line: &str) -> bool {
    const NAMES: [&str; 6] = ["[toc]", "[[toc]]", "@[toc]", "{:toc}", "${toc}", "{{toc}}"];
    let is_mark = |c: char| c == MASK || c == '_' || c == ' ';
    line.len() < 16 && NAMES.contains(&line.replace(is_mark, "").to_lowercase().as_str())
}

/// Accepts a kind, and perhaps a title in quotes. The first letter may directly follow the mark, or a sign.
pub fn is_admonition(rest: &str) -> bool {
    let rest = rest.trim_start_matches(['+', '-']);
    let after = rest.trim_start().trim_start_matches(|c: char| c.is_ascii_alphabetic() || c == '-');
    let is_end = after.trim().is_empty() || after.trim_start().starts_with('"') || after.starts_with(" inline");
    after.len() < rest.trim_start().len() && is_end
}

/// Accepts the kind of a block, and perhaps a title after a vertical bar.
pub fn is_slashed(rest: &str) -> bool {
    let kind = rest.split('|').next().unwrap_or_default().trim();
    let is_known = alert::is_box(kind) || matches!(kind, "tab" | "html" | "caption" | "define");
    is_known && (rest.contains('|') || rest.trim() == kind)
}

pub fn is_container(rest: &str) -> bool {
    rest.trim_start_matches(':').trim_start().starts_with(|c: char| c.is_ascii_alphabetic() || c == '{')
}

/// Accepts `cards::` and `/cards::`, perhaps with attributes.
pub fn is_plugin_block(rest: &str) -> bool {
    let name = rest.split_whitespace().next().and_then(|name| name.strip_suffix("::")).unwrap_or_default();
    let name = name.trim_matches('/');
    !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '-')
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

/// Accepts a line that contains only attributes.
pub fn is_attribute_line(rest: &str) -> bool {
    let inner = rest.strip_suffix('}').map(str::trim_start).filter(|inner| !inner.contains(['{', '}']));
    let named = inner.and_then(|inner| inner.strip_prefix([':', '.', '#']));
    named.is_some_and(|name| name.trim_start().starts_with(|c: char| c.is_ascii_alphabetic() || c == '.' || c == '#'))
}
