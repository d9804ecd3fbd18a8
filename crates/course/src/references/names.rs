//! Shortens authors' names: "Vaswani et al.", "Dao and Gu", "NVIDIA".
//!
//! A name is `Given Family` or `Family, Given`; lowercase words such as `van den` belong to the family name. A name in
//! braces, or one whose last word is typical of organizations, is kept unchanged.

/// The last words of organizations' names.
const ORGANIZATIONS: &str = "ai association authors community company consortium contributors corporation developers foundation group inc institute \
    lab labs llc ltd maintainers organization project research team university wiki working";

/// Of a text, so many bytes are read.
const MOST: usize = 1000;

pub(super) fn short(names: &[String]) -> String {
    let families = names.iter().map(|name| family(name)).filter(|name| !name.is_empty());
    // From the third on, they are only `et al.`
    join(&families.take(3).collect::<Vec<_>>(), false)
}

/// Shortens names that are written as one text, separated by `;`, `and`, `&` or commas. The text may end in `et al.`
pub(super) fn short_of_text(text: &str) -> String {
    let text = &text[..text.floor_char_boundary(MOST)];
    let (text, more) = match without_et_al(text) {
        Some(rest) => (rest, true),
        None => (text.trim(), false),
    };
    let mut families = Vec::new();
    let parts = split(text, ";").into_iter().flat_map(|part| split(part, " and "));
    let parts = parts.flat_map(|part| if is_organization(part) { vec![part] } else { split(part, " & ") });
    for part in parts {
        let part = part.trim().trim_end_matches(',');
        if is_one_name(part) {
            families.push(family(part));
        } else {
            families.extend(split(part, ",").into_iter().map(family));
        }
    }
    families.retain(|name| !name.is_empty() && !is_suffix(name));
    join(&families, more)
}

/// Splits a text at a separator, but not inside braces.
fn split<'a>(text: &'a str, separator: &str) -> Vec<&'a str> {
    let (mut parts, mut start, mut depth) = (Vec::new(), 0, 0_usize);
    for (at, c) in text.char_indices() {
        match c {
            '{' => depth += 1,
            '}' => depth = depth.saturating_sub(1),
            _ if depth == 0 && at >= start && text[at..].starts_with(separator) => {
                parts.push(&text[start..at]);
                start = at + separator.len();
            }
            _ => {}
        }
    }
    parts.push(&text[start..]);
    parts
}

/// Removes the braces that protect a name.
pub(super) fn plain(name: &str) -> String {
    name.replace(['{', '}'], "")
}

fn join(families: &[String], more: bool) -> String {
    match families {
        [] => String::new(),
        [one] if !more => one.clone(),
        [one, two] if !more => format!("{one} and {two}"),
        [first, ..] => format!("{first} et al."),
    }
}

fn without_et_al(text: &str) -> Option<&str> {
    let text = text.trim().trim_end_matches('.');
    let start = text.len().checked_sub("et al".len()).filter(|&start| text.is_char_boundary(start))?;
    let (rest, end) = text.split_at(start);
    let apart = rest.ends_with(|found: char| found.is_whitespace() || found == ',');
    (end.eq_ignore_ascii_case("et al") && apart).then(|| rest.trim_end().trim_end_matches(','))
}

/// Whether a text is one name: it has no comma, or a comma as in `Family, Given`, where the family name is one word or
/// begins with a lowercase letter.
fn is_one_name(text: &str) -> bool {
    if text.starts_with('{') {
        return true;
    }
    match text.split_once(',') {
        None => true,
        Some((family, given)) => {
            !given.contains(',') && (!family.trim().contains(' ') || family.starts_with(char::is_lowercase))
        }
    }
}

fn family(name: &str) -> String {
    let name = name.trim();
    if name.starts_with('{') || is_organization(name) {
        return plain(name);
    }
    if let Some((family, _)) = name.split_once(',') {
        return family.trim().to_owned();
    }
    let mut words: Vec<&str> = name.split_whitespace().collect();
    if words.len() > 1 {
        words.pop_if(|word| is_suffix(word));
    }
    let Some((last, before)) = words.split_last() else {
        return String::new();
    };
    let given = before.iter().rposition(|word| !word.starts_with(char::is_lowercase)).map_or(0, |index| index + 1);
    before[given..].iter().chain([last]).copied().collect::<Vec<_>>().join(" ")
}

/// Whether a word after a name distinguishes relatives, as in `Martin Luther King Jr.`
fn is_suffix(word: &str) -> bool {
    ["jr", "sr", "ii", "iii", "iv"].contains(&word.trim().trim_end_matches('.').to_lowercase().as_str())
}

fn is_organization(name: &str) -> bool {
    let last = name.rsplit(|found: char| found.is_whitespace()).find(|word| !word.is_empty()).unwrap_or_default();
    let last = last.trim_matches(|found: char| !found.is_alphanumeric()).to_lowercase();
    name.contains(' ') && ORGANIZATIONS.split(' ').any(|word| word == last)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_shortened_to_family_names() {
        let cases: [(&[&str], &str); 13] = [
            (&[], ""),
            (&["Tri Dao"], "Dao"),
            (&["Dao, Tri"], "Dao"),
            (&["Tri Dao", "Albert Gu"], "Dao and Gu"),
            (&["Ashish Vaswani", "Noam Shazeer", "Niki Parmar"], "Vaswani et al."),
            (&["Aäron van den Oord"], "van den Oord"),
            (&["van der Berg, Jan"], "van der Berg"),
            (&["NVIDIA Corporation"], "NVIDIA Corporation"),
            (&["PyTorch Contributors."], "PyTorch Contributors."),
            (&["{Hugging Face}", "Tri Dao"], "Hugging Face and Dao"),
            (&["李飞飞"], "李飞飞"),
            (&["DeepSeek-AI"], "DeepSeek-AI"),
            (&["Martin Luther King Jr.", "Jane Doe"], "King and Doe"),
        ];
        for (names, expected) in cases {
            let names: Vec<String> = names.iter().map(ToString::to_string).collect();
            assert_eq!(short(&names), expected, "{names:?}");
        }
    }

    #[test]
    fn a_text_is_split_into_names() {
        let cases = [
            ("Vaswani et al.", "Vaswani et al."),
            ("Vaswani, et al", "Vaswani et al."),
            ("A. Vaswani, N. Shazeer ET AL.", "Vaswani et al."),
            ("Dao", "Dao"),
            ("Dao, Tri", "Dao"),
            ("Tri Dao, Albert Gu", "Dao and Gu"),
            ("Tri Dao and Albert Gu", "Dao and Gu"),
            ("Dao, Tri and Gu, Albert", "Dao and Gu"),
            ("Dao, T.; Fu, D.; Ermon, S.", "Dao et al."),
            ("Tri Dao, Dan Fu, and Stefano Ermon", "Dao et al."),
            ("Dao & Gu", "Dao and Gu"),
            ("{Meta, Inc.}", "Meta, Inc."),
            ("AT&T Labs", "AT&T Labs"),
            ("{AT&T and Co}", "AT&T and Co"),
            ("{AT&T and Co} & Tri Dao", "AT&T and Co and Dao"),
            ("Ernst & Young Inc", "Ernst & Young Inc"),
            ("Martin Luther King, Jr. and Jane Doe", "King and Doe"),
            ("NVIDIA", "NVIDIA"),
            ("Petal", "Petal"),
            ("", ""),
            (" ; , ", ""),
        ];
        for (text, expected) in cases {
            assert_eq!(short_of_text(text), expected, "{text:?}");
        }
    }
}
