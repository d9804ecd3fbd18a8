//! What the preview adds to a page as it is sent: the script before `</head>`, and the panel before `</body>`. Nothing else
//! of the page is touched, so a page is what a build writes but for these two places.

use serde_json::json;

use super::client::SCRIPT_PATH;
use super::shows::Named;
use crate::document::html::{Piece, pieces};
use crate::render::escape;

/// The page with the preview's script, and the panel if there is one. `tag` is the page's version, which the script hands
/// back to the server; `files` are those that the page shows, which the script loads anew when they change; `added` is HTML
/// that the script adds at the page's end: bars and warnings, which a build's page does not have.
///
/// A page without `</head>` gets the script where its head begins or would; one without `</body>` the panel at its end.
#[must_use]
pub fn inject(html: &str, tag: &str, files: &[Named], added: &str, panel: Option<&str>) -> String {
    let places = Places::of(html);
    let data = |name: &str, text: &str| format!(" data-{name}=\"{}\"", escape::attribute(text));
    let files = if files.is_empty() { String::new() } else { data("files", &json!(files).to_string()) };
    let added = if added.is_empty() { String::new() } else { data("added", added) };
    let script = format!("<script src=\"{SCRIPT_PATH}?page={}\"{files}{added} defer></script>", escape::attribute(tag));
    let panel = panel.unwrap_or_default();
    let mut page = String::with_capacity(html.len() + script.len() + panel.len());
    page.push_str(&html[..places.head]);
    page.push_str(&script);
    page.push_str(&html[places.head..places.body]);
    page.push_str(panel);
    page.push_str(&html[places.body..]);
    page
}

/// What an HTML page begins with, in any case.
const DOCTYPE: &str = "<!doctype";

/// Where the two go, in bytes: the script not behind the panel.
struct Places {
    head: usize,
    body: usize,
}

impl Places {
    fn of(html: &str) -> Self {
        let (mut head_end, mut begin, mut body_end) = (None, 0, None);
        let mut in_head = true;
        for (range, piece) in pieces(html) {
            let is_doctype =
                || html[range.clone()].get(..DOCTYPE.len()).is_some_and(|text| text.eq_ignore_ascii_case(DOCTYPE));
            match piece {
                Piece::Text if in_head && is_doctype() => begin = range.end,
                Piece::Tag(tag) => match (tag.closing, tag.element().as_str()) {
                    (true, "head") => head_end = head_end.or(Some(range.start)),
                    (true, "body" | "html") => body_end = body_end.or(Some(range.start)),
                    (false, "body") => in_head = false,
                    (false, "html" | "head") if in_head => begin = range.end,
                    _ => {}
                },
                Piece::Text | Piece::Comment { .. } | Piece::Broken => {}
            }
        }
        let head = head_end.unwrap_or(begin);
        Self { head, body: body_end.unwrap_or(html.len()).max(head) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SCRIPT: &str = "<script src=\"/.infralens/preview.js?page=t\" defer></script>";

    /// The page as it should be: `§` stands for the script, `¶` for the panel.
    fn check(expected: &str) {
        let html = expected.replace(['§', '¶'], "");
        let with = |panel: Option<&str>| expected.replace('§', SCRIPT).replace('¶', panel.unwrap_or_default());
        assert_eq!(inject(&html, "t", &[], "", Some("<p>P</p>")), with(Some("<p>P</p>")));
        assert_eq!(inject(&html, "t", &[], "", None), with(None));
    }

    #[test]
    fn the_script_ends_the_head_and_the_panel_the_body() {
        check(
            "<!doctype html>\n<html lang=\"en\">\n<head>\n<title>a</title>\n§</head>\n<body>\n<p>b</p>\n¶</body>\n</html>\n",
        );
        check("<!DOCTYPE html><HTML><HEAD>§</HEAD ><BODY>x¶</BODY></HTML>");
    }

    #[test]
    fn tags_that_are_none_do_not_count() {
        check("<head><!-- </head> --><title></head></title>§</head><body>¶</body>");
        check("<head><!-- a --!>§</head><body><!----!>¶</body><!-- </body> --!>");
        check("<head><!--!></head> -->§</head><body><!-->¶</body><!--->");
        check("<head><script>\"</head>\" </Script >§</head><body><!-- </body> -->¶</body>");
        check("<head><meta content=\"</head>\"><meta content='</head>'>§</head><body><p title=\"</body>\">¶</body>");
        check("<head><meta data-x=a\"b>§</head><body>¶</body>");
        check("<head><style>a::before { content: \"</head>\" }</style>§</head><body>¶</body>");
        check("<head>§</head><body><pre>&lt;/body&gt; a < b </ body> <3</pre>¶</body>");
        check("<head>§</head><body><textarea></body></textarea>¶</body>");
        check("<head>§</head><body><header></header>¶</body>");
    }

    #[test]
    fn a_page_without_such_tags() {
        check("§¶");
        check("§<p>a</p>¶");
        check("<!doctype html>§<title>a</title><p>b¶");
        check("<!doctype html><html>§<body><p>b¶</html>");
        check("<head>§<title>a</title><body><p>b¶</body>");
        check("<head>§<!-- never ended </head><body></body>¶");
        check("<head>§</head><body><p title=\"never ended></body>¶");
        check("<head>§<script>never ended</head></body>¶");
        check("é§</head>ü¶</body>");
    }

    #[test]
    fn what_ends_before_it_begins() {
        // The body's end before the head's: the panel is not put before the script.
        check("</body>§¶</head>");
    }

    #[test]
    fn a_tag_is_escaped() {
        assert!(inject("", "\"><b>", &[], "", None).contains("?page=&quot;&gt;&lt;b&gt;\""));
        let files = [("a\"b.png".to_owned(), "v".into())];
        let list = "data-files=\"[[&quot;a\\&quot;b.png&quot;,&quot;v&quot;]]\" defer";
        assert!(inject("", "t", &files, "", None).contains(list), "{}", inject("", "t", &files, "", None));
    }
}
