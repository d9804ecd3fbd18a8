//! Finds the tags of a page that change: attributes that InfraLens leaves out, and elements that are not HTML.

use std::ops::Range;

use infralens_source::html::{self, Attribute, Piece};
use infralens_source::source::edited;

/// The elements that browsers know.
const HTML: &str = "\
    a abbr address area article aside audio b base bdi bdo blockquote body br button canvas caption center cite code col \
    colgroup data datalist dd del details dfn dialog div dl dt em embed fieldset figcaption figure font footer form h1 h2 \
    h3 h4 h5 h6 head header hgroup hr html i iframe img input ins kbd label legend li link main map mark math menu meta \
    meter nav noscript object ol optgroup option output p picture pre progress q rp rt ruby s samp script search section \
    select small source span strike strong style sub summary sup svg table tbody td template textarea tfoot th thead time \
    title tr track tt u ul var video wbr path g circle rect line use defs";

/// The attributes of an element that is not HTML, as the caption of the code in it.
#[derive(Default)]
pub struct Caption {
    pub line: usize,
    /// The words of the caption, if there are any.
    pub words: Option<String>,
}

/// A tag that the new page has in another form.
pub struct ChangedTag {
    /// The range of the tag in the HTML.
    pub range: Range<usize>,
    /// Its new form.
    pub new: String,
    /// What is different.
    pub change: Change,
}

/// What is different about a tag.
pub enum Change {
    /// It loses attributes that pages of InfraLens do not have, or is removed because it has only such attributes.
    Styles,
    /// It opens an element that is not HTML, with these attributes, and is removed.
    Opens(Option<String>),
    /// It closes an element that is not HTML, and is removed.
    Closes,
    /// It closes an element that only has attributes of this kind, and is removed.
    Ends,
}

/// Returns the tags in some HTML that must be rewritten or removed.
pub fn tags(html: &str) -> Vec<ChangedTag> {
    let is_known = |name: &str| HTML.split_whitespace().any(|known| known.eq_ignore_ascii_case(name));
    let changed = |(range, piece): (Range<usize>, Piece<'_>)| {
        let Piece::Tag(tag) = piece else { return None };
        // It says how something looks, and no page allows it.
        let new = String::new();
        if tag.name.eq_ignore_ascii_case("font") {
            return Some(ChangedTag { range, new, change: if tag.closing { Change::Ends } else { Change::Styles } });
        }
        if is_known(tag.name) {
            let left = tag.attributes.iter().filter(|found| matches!(&*found.name, "class" | "id" | "style"));
            let start = |found: &Attribute| tag.text[..found.all.start].trim_end().len();
            let edits = left.map(|found| (start(found)..found.all.end, String::new()));
            let new = edited(tag.text, edits.collect());
            let is_changed = new.len() < tag.text.len();
            return is_changed.then_some(ChangedTag { range, new, change: Change::Styles });
        }
        let values = tag.attributes.iter().map(|found| (found.name.as_str(), tag.value(found)));
        let words: Vec<String> = values
            .filter(|(_, value)| !value.is_empty())
            .map(|(name, value)| {
                let value = html::unescape(value).replace("<code>", "").replace("</code>", "").replace('`', "");
                if name == "number" { format!("{} {value}", tag.name) } else { value }
            })
            .collect();
        let words = (!words.is_empty()).then(|| words.join(": ").replace('\n', " "));
        let change = if tag.closing { Change::Closes } else { Change::Opens(words) };
        Some(ChangedTag { range, new, change })
    };
    html::pieces(html).filter_map(changed).collect()
}
