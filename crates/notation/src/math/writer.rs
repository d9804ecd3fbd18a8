//! Writes math-core's tree again: only known elements and attributes, with classes in place of `style`.

use resvg::usvg::roxmltree::Node;

use super::style;
use super::{MAX_DEPTH, MathError, error};
use crate::svg::Markup;

/// The elements allowed in a formula; those of HTML only inside `mtext`.
const ELEMENTS: &str = "\
    math semantics annotation mrow mi mn mo mtext mspace ms msub msup msubsup munder mover munderover \
    mmultiscripts mprescripts msqrt mroot mfrac mpadded mphantom mtable mtr mtd merror b i em code s u span";

/// The attributes that are copied unchanged.
const ATTRIBUTES: &str = "\
    display encoding mathvariant form stretchy symmetric largeop movablelimits lspace rspace minsize maxsize \
    accent accentunder displaystyle scriptlevel linethickness width height depth";

/// The operators that are larger in a formula on a line of its own.
const LARGE: &str = "∑ ∏ ∐ ∫ ∬ ∭ ∮ ⋃ ⋂ ⨁ ⨂";

pub(super) struct Writer<'a> {
    pub(super) source: &'a str,
    pub(super) out: Markup,
    /// For each open table, whether the author numbered a row.
    pub(super) tables: Vec<bool>,
}

impl Writer<'_> {
    /// Writes `node`, which is nested `depth` elements deep.
    pub(super) fn element(&mut self, node: Node, depth: usize) -> Result<(), MathError> {
        if depth > MAX_DEPTH {
            return Err(self.refuse(&[], &format!("a formula may nest at most {MAX_DEPTH} deep")));
        }
        // A numbered table is as wide as the page, which works only directly in `math`.
        let table =
            node.first_element_child().filter(|child| node.has_tag_name("semantics") && self.is_numbered(*child));
        if let Some(table) = table {
            return self.element(table, depth + 1);
        }
        let (name, mut classes) = self.name_and_classes(node)?;
        let mut attributes = Vec::new();
        for attribute in node.attributes().filter(|attribute| has_word(ATTRIBUTES, attribute.name())) {
            // Firefox does not support `rem` here, and formulas should scale with their text anyway.
            let value = attribute.value().strip_suffix("rem").map(|length| format!("{length}em"));
            attributes.push((attribute.name(), value.unwrap_or_else(|| attribute.value().to_owned())));
        }
        let text = node.text().filter(|_| matches!(name, "mi" | "mn") && !node.has_attribute("mathvariant"));
        let bold = text.and_then(plain_of_bold);
        if bold.is_some() {
            classes.push("math-bold".to_owned());
        } else if name == "mi" && text.is_some_and(is_upright) {
            classes.push("math-up".to_owned());
        } else if name == "mo" && node.text().is_some_and(|sign| has_word(LARGE, sign)) {
            classes.push("math-large".to_owned());
        }
        if !classes.is_empty() {
            attributes.push(("class", classes.join(" ")));
        }
        // In HTML, MathML elements may close themselves, but HTML elements may not.
        if name.starts_with('m') && !node.has_children() {
            self.out.empty(name, &attributes);
            return Ok(());
        }
        self.out.open(name, &attributes);
        match bold {
            Some(plain) => self.out.text(&plain),
            None => self.content(node, depth)?,
        }
        self.out.close(name);
        Ok(())
    }

    fn content(&mut self, node: Node, depth: usize) -> Result<(), MathError> {
        let is_table = node.has_tag_name("mtable");
        if is_table {
            self.tables.push(self.is_numbered(node));
        }
        let is_bare = self.tables.last() == Some(&false);
        for child in node.children() {
            if child.is_text() {
                // math-core was given a modified source.
                let is_source = node.has_tag_name("annotation");
                self.out.text(if is_source { self.source } else { child.text().unwrap_or_default() });
            } else if is_side_cell(child) && is_bare || is_strike(child) || is_trailing(child) {
                // Skipped: side columns of a table without tags only take up space; strikes are a class of the row; a
                // `\\` at the end of a table starts no row, and a rule below it is a class of the table.
            } else if is_side_cell(child) && !self.is_tag(child) {
                let (_, classes) = self.name_and_classes(child)?;
                self.out.empty("mtd", &[("class", classes.first().map_or("", String::as_str))]);
            } else if child.is_element() {
                self.element(child, depth + 1)?;
            }
        }
        if is_table {
            self.tables.pop();
        }
        Ok(())
    }

    /// Returns the element to write for `node`, and its classes.
    fn name_and_classes<'n>(&self, node: Node<'n, '_>) -> Result<(&'n str, Vec<String>), MathError> {
        let name = node.tag_name().name();
        if name == "menclose" {
            let strikes = node.attribute("notation").unwrap_or_default();
            let classes = strikes.split(' ').filter_map(style::strike).map(str::to_owned).collect();
            return Ok(("mrow", classes));
        }
        if name == "a" || node.has_attribute("id") {
            return Err(self
                .refuse(&["\\label", "\\eqref", "\\ref", "\\href", "\\url"], "a formula cannot have labels or links"));
        }
        if !has_word(ELEMENTS, name) {
            return Err(self.refuse(&[], &format!("a formula may not contain the element `{name}`")));
        }
        let mut classes: Vec<String> =
            node.attribute("class").and_then(style::face).map(str::to_owned).into_iter().collect();
        if node.has_tag_name("mtable") && node.last_element_child().is_some_and(|row| is_trailing(row) && has_rule(row))
        {
            classes.push("math-border-bottom".to_owned());
        }
        for declaration in style_of(node).split(';').filter(|text| !text.trim().is_empty()) {
            let (property, value) = declaration.split_once(':').unwrap_or((declaration, ""));
            let (property, value) = (property.trim(), value.trim());
            if name == "mtable" && property == "width" && !self.is_numbered(node) {
                continue;
            }
            match style::class(name, property, value) {
                Some(class) if class.is_empty() => {}
                Some(class) => classes.push(class),
                None if property == "margin-left" => {
                    let places = ["\\hspace{-", "\\mspace{-", "\\hskip", "\\mskip", "\\kern", "\\mkern"];
                    let message = "a negative space must be `\\!`, `\\negmedspace` or `\\negthickspace`";
                    return Err(self.refuse(&places, message));
                }
                None => return Err(self.refuse(&[], &format!("a formula may not set `{property}: {value}`"))),
            }
        }
        Ok((name, classes))
    }

    /// Returns whether the author numbered a row of `table`.
    fn is_numbered(&self, table: Node) -> bool {
        table.children().flat_map(|row| row.children()).any(|cell| is_side_cell(cell) && self.is_tag(cell))
    }

    /// Returns whether `cell` holds a `\tag`. math-core's own numbers start at 1 in every formula, so they would be
    /// ambiguous on a page.
    fn is_tag(&self, cell: Node) -> bool {
        let text: String = cell.descendants().filter(Node::is_text).filter_map(|node| node.text()).collect();
        let Some(tag) = text.strip_prefix('(').and_then(|text| text.strip_suffix(')')) else {
            return false;
        };
        self.source.match_indices("\\tag").any(|(at, _)| {
            let argument = self.source[at + 4..].trim_start_matches('*').trim_start();
            argument.strip_prefix('{').is_some_and(|argument| argument.trim_start().starts_with(tag))
        })
    }

    /// Creates an error at the first of `places` in the source, else at the whole source.
    fn refuse(&self, places: &[&str], message: &str) -> MathError {
        let found = places.iter().filter_map(|place| self.source.find(place).map(|at| at..at + place.len()));
        let at = found.min_by_key(|range| range.start).unwrap_or(0..self.source.len());
        error(self.source, at, message)
    }
}

/// Returns whether an identifier is upright: a word such as `mod`, or a sign. Single letters are italic. Browsers would
/// replace these by characters that only fonts for formulas have, so the style sheet slants them instead.
fn is_upright(text: &str) -> bool {
    let mut chars = text.chars();
    // From there on, Unicode has letters of a form of their own, such as ℝ and ℓ.
    !matches!((chars.next(), chars.next()), (Some(letter), None) if letter.is_alphabetic() && letter < '\u{2100}')
}

/// Returns the letters and digits of a text of mathematical bold characters, which only fonts for formulas have.
fn plain_of_bold(text: &str) -> Option<String> {
    let plain = |c: char| {
        let (first, base) = match c {
            '\u{1d400}'..='\u{1d419}' => ('\u{1d400}', b'A'),
            '\u{1d41a}'..='\u{1d433}' => ('\u{1d41a}', b'a'),
            '\u{1d7ce}'..='\u{1d7d7}' => ('\u{1d7ce}', b'0'),
            _ => return None,
        };
        char::from_u32(u32::from(c) - u32::from(first) + u32::from(base))
    };
    text.chars().map(plain).collect::<Option<String>>().filter(|plain| !plain.is_empty())
}

/// Returns whether `node` is a cell next to a table, empty or for its number.
pub(super) fn is_side_cell(node: Node) -> bool {
    let style = style_of(node);
    node.has_tag_name("mtd") && (style.starts_with("width: 50%") || style.starts_with("width: 7.5%"))
}

/// Returns whether `node` is an empty row after a final `\\` of a table.
fn is_trailing(node: Node) -> bool {
    let mut cells = node.children().filter(|cell| !is_side_cell(*cell));
    let is_last =
        node.has_tag_name("mtr") && node.next_sibling_element().is_none() && node.prev_sibling_element().is_some();
    let is_empty = |cell: Node| !cell.has_children() && (has_rule(node) || !style_of(cell).contains("border"));
    is_last && cells.next().is_none_or(is_empty) && cells.next().is_none()
}

/// Returns whether the first cell of `row` has a rule above it.
fn has_rule(row: Node) -> bool {
    row.first_element_child().is_some_and(|cell| style_of(cell).contains("border-top: 0.05em solid"))
}

fn style_of<'n>(node: Node<'n, '_>) -> &'n str {
    node.attribute("style").unwrap_or_default()
}

/// Returns whether `node` is the empty row by which math-core strikes through a term.
fn is_strike(node: Node) -> bool {
    node.has_tag_name("mrow") && node.attribute("class").is_some_and(|class| class.starts_with("menclose-"))
}

/// Returns whether a word is in a list that is separated by spaces.
fn has_word(words: &str, word: &str) -> bool {
    words.split(' ').any(|listed| listed == word)
}
