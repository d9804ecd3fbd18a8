//! Writes an author's HTML. With `raw_html: safe`, tags are checked against an allow-list, and open elements are closed
//! at the end of their Markdown container. With `trusted`, HTML is unchanged except for URLs and ids, which are adapted
//! to the page that it is written for. Both report unbalanced tags.

mod stack;

use std::ops::Range;

pub use self::stack::{ElementStack, Problem, ProblemKind};
use super::{escape, has_word};
use infralens_course::course::link;
use infralens_page::destination::MappedText;
use infralens_source::html::{self, Attribute, FOREIGN, Leads, Piece, Tag, VOID, unescape};
use infralens_source::put;
use infralens_source::source::Span;

/// Allowed inline elements.
const INLINE: &str = "\
    a abbr b bdi bdo br cite code del dfn em i img ins kbd mark q s samp small span strong sub sup u var wbr";
/// Allowed block elements, in addition to [`INLINE`].
const BLOCK: &str = "\
    blockquote caption dd details div dl dt figcaption figure h2 h3 h4 hr li ol p pre summary table tbody td th \
    thead tr ul";
/// Attributes allowed on any allowed element.
const ATTRIBUTES: &str = "\
    title lang dir open colspan rowspan scope start reversed value alt width height";
/// Attributes that contain ids of other elements.
const REFERENCES: &str = "\
    aria-activedescendant aria-controls aria-describedby aria-details aria-errormessage aria-flowto \
    aria-labelledby aria-owns for form headers list popovertarget";

/// Rewrites the URL at a place; `None` drops the attribute (the reason has been reported).
pub type RewriteUrl<'a> = dyn FnMut(&str, Leads, &Span) -> Option<String> + 'a;

/// Writes `html` with allowed tags kept and everything else as text. `block` allows block elements.
pub fn write_safe(
    out: &mut String,
    html: &MappedText,
    block: bool,
    stack: &mut ElementStack,
    rewrite_url: &mut RewriteUrl<'_>,
) {
    for (range, piece) in html::pieces(&html.text) {
        let text = &html.text[range.clone()];
        match piece {
            Piece::Comment { .. } => {}
            Piece::Tag(tag) if allowed(tag.name, block) => {
                write_tag(out, &tag, &TagPlace { html, range }, stack, rewrite_url);
            }
            Piece::Tag(tag) => {
                stack.report_refused(&tag, html.span(range));
                escape::push_text(out, text);
            }
            Piece::Broken => {
                stack.report(ProblemKind::Broken, "", first_line(html, range));
                escape::push_text(out, text);
            }
            Piece::Text => push_text(out, text),
        }
    }
}

/// Writes `html` unchanged except for URLs that differ on the page that it is written for, and ids, before which
/// `prefix` is put.
pub fn write_trusted(
    out: &mut String,
    html: &MappedText,
    prefix: &str,
    stack: &mut ElementStack,
    rewrite_url: &mut RewriteUrl<'_>,
) {
    for (range, piece) in html::pieces(&html.text) {
        match piece {
            Piece::Tag(tag) => {
                let name = tag.element();
                let is_foreign = stack.is_within(&FOREIGN) || FOREIGN.contains(&name.as_str());
                let place = TagPlace { html, range };
                if tag.closing {
                    stack.close(&name, &place.span());
                } else if !(is_foreign && tag.self_closing) {
                    stack.open(&name, &tag, place.span());
                }
                rewrite_tag(out, &tag, &place, if is_foreign { "" } else { prefix }, rewrite_url);
            }
            Piece::Broken => {
                stack.report(ProblemKind::Broken, "", first_line(html, range.clone()));
                out.push_str(&html.text[range]);
            }
            _ => out.push_str(&html.text[range]),
        }
    }
}

struct TagPlace<'a> {
    html: &'a MappedText,
    range: Range<usize>,
}

impl TagPlace<'_> {
    fn span(&self) -> Span {
        self.html.span(self.range.clone())
    }

    /// Returns the place of a part of the tag; that of the tag if the part is empty.
    fn part(&self, part: &Range<usize>) -> Span {
        let part = if part.is_empty() { 0..self.range.len() } else { part.clone() };
        self.html.span(self.range.start + part.start..self.range.start + part.end)
    }
}

/// Returns the place of the first line of a piece of HTML.
fn first_line(html: &MappedText, range: Range<usize>) -> Span {
    let line = html.text[range.clone()].lines().next().map_or(0, |line| line.trim_end().len());
    html.span(range.start..range.start + line)
}

/// Returns whether pages may have an element; `block` allows those that are blocks.
pub fn allowed(name: &str, block: bool) -> bool {
    let name = name.to_ascii_lowercase();
    has_word(INLINE, &name) || block && has_word(BLOCK, &name)
}

/// Returns whether an attribute is allowed on any allowed element.
pub fn is_attribute(name: &str) -> bool {
    has_word(ATTRIBUTES, name)
}

/// Writes text between tags: character references are kept, everything else is escaped.
fn push_text(out: &mut String, text: &str) {
    let mut rest = text;
    while let Some(at) = rest.find('&') {
        escape::push_text(out, &rest[..at]);
        let reference = reference(&rest[at..]);
        out.push_str(reference.unwrap_or("&amp;"));
        rest = &rest[at + reference.map_or(1, str::len)..];
    }
    escape::push_text(out, rest);
}

/// Returns the character reference that `text` starts with, if it has the form of a name or denotes a character.
fn reference(text: &str) -> Option<&str> {
    let written = &text[..html::reference(text)?];
    let name = &written[1..written.len() - 1];
    let is_known = match name.strip_prefix('#') {
        Some(number) => is_character(number),
        None => name.starts_with(|c: char| c.is_ascii_alphabetic()) && !name.contains('#'),
    };
    is_known.then_some(written)
}

/// Returns whether a numeric reference, `65` or `x41`, denotes a character that is valid in a page.
fn is_character(number: &str) -> bool {
    let (digits, radix) = number.strip_prefix(['x', 'X']).map_or((number, 10), |digits| (digits, 16));
    let is_number = digits.chars().all(|digit| digit.is_digit(radix));
    let code = u32::from_str_radix(digits, radix).ok().filter(|_| is_number);
    code.and_then(char::from_u32).is_some_and(|c| {
        let is_none = u32::from(c) & 0xfffe == 0xfffe || ('\u{fdd0}'..='\u{fdef}').contains(&c);
        !is_none && (!c.is_control() || matches!(c, '\t' | '\n'))
    })
}

fn write_tag(
    out: &mut String,
    tag: &Tag<'_>,
    place: &TagPlace<'_>,
    stack: &mut ElementStack,
    rewrite_url: &mut RewriteUrl<'_>,
) {
    let name = tag.element();
    if tag.closing {
        out.push_str(&stack.close(&name, &place.span()));
        return;
    }
    out.push_str(&stack.open(&name, tag, place.span()));
    put!(out, "<{name}");
    for attribute in &tag.attributes {
        let written = unescape(tag.value(attribute));
        let value = match tag.leads(attribute) {
            Some(leads @ (Leads::Link | Leads::Picture)) => rewrite_url(&written, leads, &place.part(&attribute.value)),
            _ if is_attribute(&attribute.name) => Some(written),
            _ => {
                stack.report(ProblemKind::Refused, &attribute.name, place.part(&attribute.all));
                None
            }
        };
        if let Some(value) = value {
            put!(out, " {}=\"{}\"", attribute.name, escape::attribute(&value));
        }
    }
    out.push('>');
    if tag.self_closing && !VOID.contains(&name.as_str()) {
        put!(out, "</{name}>");
    }
}

/// Writes a tag byte for byte, except for URLs and ids that must change.
fn rewrite_tag(out: &mut String, tag: &Tag<'_>, place: &TagPlace<'_>, prefix: &str, rewrite_url: &mut RewriteUrl<'_>) {
    let element = tag.element();
    let mut at = 0;
    for attribute in tag.attributes.iter().filter(|_| !tag.closing) {
        let written = tag.value(attribute);
        let value = if tag.leads(attribute).is_some() {
            resolved(tag, attribute, place, rewrite_url)
        } else if prefix.is_empty() || written.is_empty() {
            continue;
        } else if html::is_id(&element, &attribute.name) {
            Some(format!("{prefix}{written}"))
        } else if has_word(REFERENCES, &attribute.name) {
            let ids = written.split_ascii_whitespace().map(|id| format!("{prefix}{id}"));
            Some(ids.collect::<Vec<_>>().join(" "))
        } else {
            continue;
        };
        if value.as_deref() == Some(written) {
            continue;
        }
        out.push_str(&tag.text[at..attribute.all.start]);
        at = attribute.all.end;
        if let Some(value) = value {
            put!(out, "{}=\"{}\"", attribute.name, value.replace('"', "&quot;"));
        }
    }
    out.push_str(&tag.text[at..]);
}

/// Returns the value of an attribute with its URLs rewritten, as HTML; `None` if the attribute must be dropped.
fn resolved(
    tag: &Tag<'_>,
    attribute: &Attribute,
    place: &TagPlace<'_>,
    rewrite_url: &mut RewriteUrl<'_>,
) -> Option<String> {
    let leads = tag.leads(attribute)?;
    let (mut value, mut at) = (Some(String::new()), attribute.value.start);
    for url in tag.urls(attribute) {
        let target = unescape(&tag.text[url.clone()]);
        let resolved = if is_kept_as_written(&target, leads) {
            Some(tag.text[url.clone()].to_owned())
        } else {
            rewrite_url(&target, leads, &place.part(&url)).map(|to| escape::attribute(&to))
        };
        // All URLs are checked, even if one of them fails.
        value = value.zip(resolved).map(|(value, to)| value + &tag.text[at..url.start] + &to);
        at = url.end;
    }
    value.map(|value| value + &tag.text[at..attribute.value.end])
}

/// Returns whether a URL is not rewritten: it is external, or a fragment that needs no id.
fn is_kept_as_written(target: &str, leads: Leads) -> bool {
    let is_out = link::scheme(target).is_some_and(|scheme| scheme != "code") || target.starts_with("//");
    is_out || matches!(target, "" | "#" | "#top") || target.starts_with('#') && leads != Leads::Link
}

#[cfg(test)]
mod tests {
    use super::*;

    fn problems(stack: ElementStack) -> Vec<String> {
        stack.problems.into_iter().map(|problem| format!("{:?} {}", problem.kind, problem.name)).collect()
    }

    fn safe(html: &str, block: bool) -> (String, Vec<String>) {
        let (mut stack, mut out) = (ElementStack::default(), String::new());
        write_safe(&mut out, &MappedText::plain(html, 0), block, &mut stack, &mut |url, _, _| Some(format!("r/{url}")));
        out.push_str(&stack.leave());
        (out, problems(stack))
    }

    fn trusted(html: &str) -> (String, Vec<String>) {
        let (mut stack, mut out) = (ElementStack::default(), String::new());
        write_trusted(&mut out, &MappedText::plain(html, 0), "p.", &mut stack, &mut |url, _, _| {
            Some(format!("r/{url}"))
        });
        assert!(!stack.leave().contains("</img>"));
        (out, problems(stack))
    }

    #[test]
    fn allowed_tags_stay_and_are_closed() {
        assert_eq!(safe("<kbd>Ctrl", false).0, "<kbd>Ctrl</kbd>");
        assert_eq!(safe("a <b>b <i>c</b> d", false).0, "a <b>b <i>c</i></b> d");
        assert_eq!(safe("</div></main>x", true).0, "&lt;/main&gt;x");
        assert_eq!(
            safe("<details open><summary>S</summary></details>", true),
            ("<details open=\"\"><summary>S</summary></details>".into(), vec![])
        );
        assert_eq!(safe("<bdo dir=rtl DIR=ltr>x", false).0, "<bdo dir=\"rtl\">x</bdo>");
        assert_eq!(
            safe("<abbr title=\"5&nbsp;GB &eacute; &#39;&lt;\">x</abbr> <img alt='&nbsp;&#x2014;'>", false).0,
            "<abbr title=\"5\u{a0}GB é &#39;&lt;\">x</abbr> <img alt=\"\u{a0}—\">"
        );
        assert_eq!(
            safe("<a href=\"?a=1&#38;b=2&amp;c&d\">x</a>", false).0,
            "<a href=\"r/?a=1&amp;b=2&amp;c&amp;d\">x</a>"
        );
        assert_eq!(safe("<a href='x\"y'>z</a>", false).0, "<a href=\"r/x&quot;y\">z</a>");
        assert_eq!(safe("&copy; &nope & <3", false).0, "&copy; &amp;nope &amp; &lt;3");
        assert_eq!(safe("&#xamp; &#x41; &#65; &#; &#0;", false).0, "&amp;#xamp; &#x41; &#65; &amp;#; &amp;#0;");
    }

    #[test]
    fn forbidden_tags_become_text() {
        let (html, refused) = safe("<script>alert(1)</script>", true);
        assert_eq!(html, "&lt;script&gt;alert(1)&lt;/script&gt;");
        assert_eq!(refused, ["Refused <script>"]);
        assert_eq!(
            safe("<b onclick=\"x()\" style=a>t</b>", false),
            ("<b>t</b>".into(), vec!["Refused onclick".into(), "Refused style".into()])
        );
        assert_eq!(safe("<div>x</div>", false).0, "&lt;div&gt;x&lt;/div&gt;");
        assert_eq!(safe("<!-- a --><b", false), ("&lt;b".into(), vec!["Broken ".into()]));
        assert_eq!(safe("<b = = \u{e9}=x>t</b>", false).0, "<b>t</b>");
    }

    #[test]
    fn optional_end_tags() {
        let (html, problems) = safe("<ul><li><p>a<li>b</ul><table><tr><td>c<td>d<tr><td>e</table><p>f<p>g", true);
        assert_eq!(problems, [""; 0]);
        let list = "<ul><li><p>a</p></li><li>b</li></ul>";
        let table = "<table><tr><td>c</td><td>d</td></tr><tr><td>e</td></tr></table>";
        assert_eq!(html, format!("{list}{table}<p>f</p><p>g</p>"));
    }

    #[test]
    fn unbalanced_tags() {
        let crossed = "Unclosed { by: Some((\"b\", 7..11)) } i";
        assert_eq!(safe("<b><i>x</b></i>", false).1, [crossed]);
        assert_eq!(safe("<b/>x</b>", false), ("<b></b>x".into(), vec!["SelfClosing b".into()]));
        assert_eq!(safe("</b></img></main><p></div></p></p>", true).1, ["b", "img", "main", "div", "p"].map(stray));
        assert_eq!(trusted("<svg><path d='x'/></svg></article>").1, ["article"].map(stray));
    }

    fn stray(name: &str) -> String {
        format!("Stray {name}")
    }

    #[test]
    fn trusted_html_changes_only_in_urls_and_ids() {
        for same in ["<DIV  class=x STYLE='a'>&nbsp; <b", "<a href=#>", "<img src=//h/x alt>", "<a href='data:,x'>"] {
            assert_eq!(trusted(same).0, same);
        }
        assert_eq!(trusted("<img src='a&#38;b.png' alt='&nbsp;'>").0, "<img src=\"r/a&amp;b.png\" alt='&nbsp;'>");
        assert_eq!(trusted("<img  src='a.png' srcset='b.png 1x'/>").0, "<img  src=\"r/a.png\" srcset=\"r/b.png 1x\"/>");
        assert_eq!(trusted("<p ID=x><label for='y z'>").0, "<p id=\"p.x\"><label for=\"p.y p.z\">");
        assert_eq!(trusted("<svg id=x><use href=#y /></svg>").0, "<svg id=x><use href=#y /></svg>");
    }
}
