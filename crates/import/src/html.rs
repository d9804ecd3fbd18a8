//! Finds the tags of a page that change: elements that pages do not have get the form of Markdown or of another element, or are
//! removed, and so are attributes that pages do not have.

use std::ops::Range;

use infralens_render::raw_html::{allowed, is_attribute};
use infralens_source::html::{self, Attribute, Leads, Piece, Tag};
use infralens_source::source::edited;

/// Elements that pages do not have, by what becomes of them; `-` removes the tag alone, `--` the content, too, and `a` makes a
/// link of the address.
const OTHERS: &[(&str, &str)] = &[
    ("address article aside center fieldset footer form header hgroup main nav noscript picture section search", "div"),
    ("big button data label legend output time", "span"),
    ("strike", "del"),
    ("tt", "code"),
    ("audio embed iframe object video", "a"),
    ("math script style svg template textarea canvas", "--"),
    ("h1 h2 h3 h4 h5 h6", "b"),
    (
        "area base body col colgroup datalist dialog font head html input link map menu meta meter optgroup option param path \
         progress rp rt ruby select slot source title track circle g rect line use defs",
        "-",
    ),
];

/// The attributes of an element that is not HTML, as the caption of the code in it.
#[derive(Default)]
pub struct Caption {
    pub at: usize,
    pub line: usize,
    /// The name of the element.
    pub name: String,
    /// The words of the caption, if there are any.
    pub words: Option<String>,
}

/// A part of some HTML that the new page has in another form.
pub struct Changed {
    /// The range in the HTML.
    pub range: Range<usize>,
    /// Its new form.
    pub new: String,
    /// What is reported of it.
    pub change: Option<Change>,
}

/// What is different about a tag.
pub enum Change {
    /// It loses what pages do not have.
    Loses,
    /// It opens an element that is not HTML, with this name and the words in its attributes, and is removed.
    Opens(String, Option<String>),
    /// It closes an element that is not HTML, and is removed.
    Closes,
}

/// Returns what becomes of an element; `None` if pages have it, or it is not HTML.
fn other(name: &str) -> Option<&'static str> {
    OTHERS.iter().find(|(names, _)| names.split_whitespace().any(|known| known == name)).map(|(_, new)| *new)
}

/// Returns the parts of some HTML that must be rewritten or removed. `is_block` is whether it is a block by itself.
pub fn changed(html: &str, is_block: bool) -> Vec<Changed> {
    let pieces: Vec<(Range<usize>, Piece<'_>)> = html::pieces(html).collect();
    let (mut found, mut skipped, mut heading, mut has_heading) = (Vec::new(), None::<String>, None::<String>, false);
    for (at, (range, piece)) in pieces.iter().enumerate() {
        let mut push = |new: String, change| found.push(Changed { range: range.clone(), new, change });
        let Piece::Tag(tag) = piece else {
            if skipped.is_some() {
                push(String::new(), None);
            } else if has_heading && matches!(piece, Piece::Text) {
                // A heading is one line, and what is indented below it would be code.
                let (text, end) = (&html[range.clone()], if heading.is_some() { " " } else { "\n" });
                push(text.split('\n').map(str::trim_start).collect::<Vec<_>>().join(end), None);
            }
            continue;
        };
        let name = tag.element();
        let is_end =
            |(_, piece): &(_, Piece<'_>)| matches!(piece, Piece::Tag(end) if end.closing && end.element() == name);
        let has_end = || pieces[at + 1..].iter().any(is_end);
        if skipped.is_some() {
            let is_over = tag.closing && skipped.as_deref() == Some(&*name);
            skipped = skipped.filter(|_| !is_over);
            push(String::new(), None);
            continue;
        }
        let level =
            name.strip_prefix('h').filter(|level| is_block && matches!(*level, "1" | "2" | "3" | "4" | "5" | "6"));
        if let Some(level) = level.and_then(|level| level.parse::<usize>().ok()) {
            if heading.as_deref() == Some(&*name) && tag.closing {
                heading = None;
                push("\n\n".to_owned(), None);
                continue;
            }
            if heading.is_none() && !tag.closing && has_end() {
                (heading, has_heading) = (Some(name), true);
                push(format!("\n\n{} ", "#".repeat(level)), None);
                continue;
            }
        }
        match other(&name) {
            Some("--") if tag.self_closing || tag.closing => push(String::new(), None),
            Some("--") => {
                push(String::new(), Some(Change::Loses));
                skipped = has_end().then_some(name);
            }
            Some("a") if tag.closing => push(String::new(), None),
            Some("a") => {
                push(link(tag), Some(Change::Loses));
                skipped = (has_end() && !tag.self_closing).then_some(name);
            }
            Some("-") => push(String::new(), (name == "font" && !tag.closing).then_some(Change::Loses)),
            Some("div") if !is_block => push(String::new(), None),
            Some(new) => push(if tag.closing { format!("</{new}>") } else { format!("<{new}>") }, None),
            None if allowed(tag.name, is_block) => {
                let (new, is_reported) = without_attributes(tag);
                if new.len() < tag.text.len() {
                    push(new, is_reported.then_some(Change::Loses));
                }
            }
            // A block within a line, such as a list in the cell of a table.
            None if allowed(tag.name, true) => {
                let new = match &*name {
                    "li" if !tag.closing => "<br>• ",
                    "hr" => "<br>",
                    _ => "",
                };
                push(new.to_owned(), None);
            }
            None if tag.closing => push(String::new(), Some(Change::Closes)),
            None => push(String::new(), Some(Change::Opens(tag.name.to_owned(), words(tag)))),
        }
    }
    found
}

/// Whether some HTML is around, or is, a terminal that a script shows, such as termynal.
pub fn is_terminal(html: &str) -> bool {
    html.contains("termy") && html.contains('<') && !html.starts_with("</")
}

/// Returns the text of code in such a terminal, whose tags are colors.
pub fn without_colors(code: &str) -> String {
    let is_color = |name: &str| matches!(name, "b" | "font" | "i" | "span" | "strong" | "u");
    let part = |(range, piece): (Range<usize>, Piece<'_>)| match piece {
        Piece::Tag(tag) if is_color(tag.name) => String::new(),
        _ => html::unescape(&code[range]),
    };
    html::pieces(code).map(part).collect()
}

/// Returns a terminal that is written in HTML as a code block; `None` for other HTML.
pub fn recorded(html: &str) -> Option<String> {
    let (mut lines, mut is_open) = (Vec::<String>::new(), false);
    for (range, piece) in html::pieces(html).take_while(|_| is_terminal(html)) {
        match (piece, lines.last_mut()) {
            (Piece::Tag(tag), _) if tag.closing => is_open &= tag.element() != "span",
            (Piece::Tag(tag), _) => {
                let value = |name| tag.attributes.iter().find(|it| it.name == name).map(|it| tag.value(it));
                let prompt = value("data-ty-prompt").map(|prompt| format!("{prompt} "));
                match value("data-ty") {
                    Some("progress") => lines.push("---> 100%".to_owned()),
                    Some("input") => lines.push(prompt.unwrap_or("$ ".to_owned())),
                    Some(_) => lines.push(prompt.unwrap_or_default()),
                    None => continue,
                }
                is_open = true;
            }
            (Piece::Text, Some(line)) if is_open => line.push_str(&html::unescape(&html[range])),
            _ => {}
        }
    }
    (!lines.is_empty()).then(|| format!("```console\n{}\n```\n", lines.join("\n")))
}

/// Returns a link to what an element shows from elsewhere.
fn link(tag: &Tag<'_>) -> String {
    let value = |name: &str| tag.attributes.iter().find(|found| found.name == name).map(|found| tag.value(found));
    let address = value("src").or_else(|| value("data")).filter(|address| !address.is_empty());
    let words = |address| value("title").filter(|title| !title.is_empty()).unwrap_or(address);
    address.map_or_else(String::new, |address| format!("<a href=\"{address}\">{}</a>", words(address)))
}

/// Returns a tag without attributes that pages do not have, and whether readers may miss one.
fn without_attributes(tag: &Tag<'_>) -> (String, bool) {
    let is_kept = |found: &&Attribute| {
        matches!(tag.leads(found), Some(Leads::Link | Leads::Picture)) || is_attribute(&found.name)
    };
    let left: Vec<&Attribute> = tag.attributes.iter().filter(|found| !is_kept(found)).collect();
    let start = |found: &Attribute| tag.text[..found.all.start].trim_end().len();
    let edits = left.iter().map(|found| (start(found)..found.all.end, String::new()));
    let is_reported =
        left.iter().any(|found| matches!(&*found.name, "class" | "id" | "style")) && !is_terminal(tag.text);
    (edited(tag.text, edits.collect()), is_reported)
}

/// The attributes of components that have words for readers, the name of what follows first.
pub const WORDS: [&str; 10] =
    ["title", "label", "heading", "header", "name", "summary", "caption", "text", "description", "value"];

/// Returns the words in the attributes of an element that is not HTML. In mdBook, those of a listing are in all of them.
fn words(tag: &Tag<'_>) -> Option<String> {
    let values = tag.attributes.iter().map(|found| (found.name.as_str(), tag.value(found)));
    let is_listing = tag.name == "Listing";
    let words = values.filter(|(name, value)| !value.is_empty() && (is_listing || WORDS.contains(name))).map(
        |(name, value)| {
            let value = html::unescape(value).replace("<code>", "").replace("</code>", "").replace('`', "");
            if name == "number" { format!("{} {value}", tag.name) } else { value }
        },
    );
    let words: Vec<String> = words.collect();
    (!words.is_empty()).then(|| words.join(": ").replace('\n', " "))
}
