//! Adds the preview's script and panel to a page as it is sent: the script before `</head>`, the panel before
//! `</body>`. The rest of the page stays as a build writes it.

use serde_json::json;

use super::client::SCRIPT_PATH;
use super::embedded_files::EmbeddedFile;
use infralens_render::escape;
use infralens_source::html::{Piece, pieces};

/// Returns the page with the preview's script, and with the panel if there is one. `tag` is the version of the page,
/// which the script sends back to the server. `files` are those that the page embeds, which the script reloads when
/// they change. `added` is HTML that the script adds at the end of the page: bars and warnings, which the page of a
/// build does not have.
///
/// In a page without `</head>`, the script is at the beginning of the head. In a page without `</body>`, the panel is
/// at the end.
pub fn inject(html: &str, tag: &str, files: &[EmbeddedFile], added: &str, panel: Option<&str>) -> String {
    let points = InsertionPoints::find(html);
    let data = |name: &str, text: &str| format!(" data-{name}=\"{}\"", escape::attribute(text));
    let files = if files.is_empty() { String::new() } else { data("files", &json!(files).to_string()) };
    let added = if added.is_empty() { String::new() } else { data("added", added) };
    let script = format!("<script src=\"{SCRIPT_PATH}?page={}\"{files}{added} defer></script>", escape::attribute(tag));
    let panel = panel.unwrap_or_default();
    let mut page = String::with_capacity(html.len() + script.len() + panel.len());
    page.push_str(&html[..points.script]);
    page.push_str(&script);
    page.push_str(&html[points.script..points.panel]);
    page.push_str(panel);
    page.push_str(&html[points.panel..]);
    page
}

/// The beginning of an HTML page; case does not matter.
const DOCTYPE: &str = "<!doctype";

/// The byte offsets of the script and of the panel, which is never before the script.
struct InsertionPoints {
    script: usize,
    panel: usize,
}

impl InsertionPoints {
    fn find(html: &str) -> Self {
        let (mut head_end, mut head_start, mut body_end) = (None, 0, None);
        let mut in_head = true;
        for (range, piece) in pieces(html) {
            let is_doctype =
                || html[range.clone()].get(..DOCTYPE.len()).is_some_and(|text| text.eq_ignore_ascii_case(DOCTYPE));
            match piece {
                Piece::Text if in_head && is_doctype() => head_start = range.end,
                Piece::Tag(tag) => match (tag.closing, tag.element().as_str()) {
                    (true, "head") => head_end = head_end.or(Some(range.start)),
                    (true, "body" | "html") => body_end = body_end.or(Some(range.start)),
                    (false, "body") => in_head = false,
                    (false, "html" | "head") if in_head => head_start = range.end,
                    _ => {}
                },
                Piece::Text | Piece::Comment { .. } | Piece::Broken => {}
            }
        }
        let script = head_end.unwrap_or(head_start);
        Self { script, panel: body_end.unwrap_or(html.len()).max(script) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SCRIPT: &str = "<script src=\"/.infralens/preview.js?page=t\" defer></script>";

    /// Checks a page in which `§` marks the place of the script, and `¶` that of the panel.
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
    fn text_that_looks_like_a_tag_does_not_count() {
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
    fn the_panel_is_not_put_before_the_script() {
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
