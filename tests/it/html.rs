//! A page as a tree, read more strictly than browsers read: every element is closed where it says, in the order in which
//! it was opened, and nothing is left for a parser to mend.

use html5gum::{DefaultEmitter, Token, Tokenizer};

const VOID: [&str; 14] =
    ["area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "param", "source", "track", "wbr"];
/// Elements that end a paragraph which is still open.
const BLOCKS: [&str; 26] = [
    "address", "article", "aside", "blockquote", "details", "div", "dl", "fieldset", "figcaption", "figure", "footer",
    "form", "h1", "h2", "h3", "h4", "h5", "h6", "header", "hr", "main", "nav", "ol", "p", "pre", "table",
];
const MORE_BLOCKS: [&str; 2] = ["section", "ul"];

/// Index into [`Tree::nodes`].
pub type Id = usize;

/// A page. Node 0 holds everything.
#[derive(Debug)]
pub struct Tree {
    pub nodes: Vec<Node>,
    /// What a browser would have to mend.
    pub problems: Vec<String>,
}

/// An element, or with an empty name, text.
#[derive(Debug, Default)]
pub struct Node {
    pub name: String,
    pub attributes: Vec<(String, String)>,
    pub text: String,
    pub parent: Id,
    pub children: Vec<Id>,
}

impl Node {
    pub fn attribute(&self, name: &str) -> Option<&str> {
        self.attributes.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    pub fn has_class(&self, class: &str) -> bool {
        self.attribute("class").is_some_and(|classes| classes.split_whitespace().any(|known| known == class))
    }
}

impl Tree {
    /// Reads a page, or a part of one.
    pub fn parse(html: &str) -> Self {
        let mut emitter = DefaultEmitter::default();
        emitter.naively_switch_states(true);
        let mut tree = Self { nodes: vec![Node::default()], problems: Vec::new() };
        let mut open = vec![0];
        for token in Tokenizer::new_with_emitter(html, emitter) {
            let Ok(token) = token;
            match token {
                Token::StartTag(tag) => {
                    let name = text(&tag.name);
                    tree.check_place(&name, &open);
                    let attributes = tag.attributes.iter().map(|(name, value)| (text(name), text(value))).collect();
                    let id = tree.add(Node { name: name.clone(), attributes, ..Node::default() }, &open);
                    let foreign = open.iter().any(|&id| matches!(tree.nodes[id].name.as_str(), "svg" | "math"));
                    if tag.self_closing && !foreign && !VOID.contains(&name.as_str()) {
                        tree.problems.push(format!("<{name}/> does not close itself"));
                    }
                    if !(VOID.contains(&name.as_str()) || tag.self_closing && foreign) {
                        open.push(id);
                    }
                }
                Token::EndTag(tag) => tree.close(&text(&tag.name), &mut open),
                Token::String(string) => {
                    tree.add(Node { text: text(&string), ..Node::default() }, &open);
                }
                Token::Error(error) => tree.problems.push(format!("the tokenizer says {}", error.as_str())),
                Token::Comment(_) | Token::Doctype(_) => {}
            }
        }
        let unclosed: Vec<String> =
            open[1..].iter().map(|&id| format!("<{}> is not closed", tree.nodes[id].name)).collect();
        tree.problems.extend(unclosed);
        tree
    }

    fn add(&mut self, node: Node, open: &[Id]) -> Id {
        let parent = open.last().copied().unwrap_or(0);
        let id = self.nodes.len();
        self.nodes.push(Node { parent, ..node });
        self.nodes[parent].children.push(id);
        id
    }

    fn close(&mut self, name: &str, open: &mut Vec<Id>) {
        let innermost = open.last().map_or("", |&id| self.nodes[id].name.as_str());
        if innermost == name {
            open.pop();
            return;
        }
        self.problems.push(format!("</{name}> stands where <{innermost}> is open"));
        if let Some(at) = open.iter().rposition(|&id| id != 0 && self.nodes[id].name == name) {
            open.truncate(at);
        }
    }

    /// What may not stand where it does: a browser would close the element around it.
    fn check_place(&mut self, name: &str, open: &[Id]) {
        let within = |names: &[&str]| open.iter().any(|&id| names.contains(&self.nodes[id].name.as_str()));
        let is_block = BLOCKS.contains(&name) || MORE_BLOCKS.contains(&name);
        let around = if is_block && within(&["p"]) {
            "p"
        } else if name == "a" && within(&["a"]) {
            "a"
        } else if is_block && within(&["h1", "h2", "h3", "h4", "h5", "h6"]) {
            "a heading"
        } else {
            return;
        };
        self.problems.push(format!("<{name}> stands inside <{around}>"));
    }

    /// All elements, in the order of the page.
    pub fn elements(&self) -> impl Iterator<Item = (Id, &Node)> {
        self.nodes.iter().enumerate().filter(|(_, node)| !node.name.is_empty())
    }

    /// All elements of a name.
    pub fn named<'t>(&'t self, name: &'t str) -> impl Iterator<Item = (Id, &'t Node)> {
        self.elements().filter(move |(_, node)| node.name == name)
    }

    /// Elements that fit `name`, `name.class` or `.class`.
    pub fn select(&self, selector: &str) -> Vec<Id> {
        let (name, class) = selector.split_once('.').unwrap_or((selector, ""));
        let fits = |node: &Node| (name.is_empty() || node.name == name) && (class.is_empty() || node.has_class(class));
        self.elements().filter(|(_, node)| fits(node)).map(|(id, _)| id).collect()
    }

    /// The text of an element and all that is in it.
    pub fn text(&self, id: Id) -> String {
        self.nodes[id].children.iter().fold(self.nodes[id].text.clone(), |text, &child| text + &self.text(child))
    }

    /// Whether an element lies in another.
    pub fn lies_in(&self, id: Id, outer: Id) -> bool {
        let mut at = id;
        while at != 0 {
            at = self.nodes[at].parent;
            if at == outer {
                return true;
            }
        }
        false
    }

    /// The element of that name around another.
    pub fn around(&self, id: Id, name: &str) -> Option<Id> {
        let mut at = id;
        while at != 0 {
            at = self.nodes[at].parent;
            if self.nodes[at].name == name {
                return Some(at);
            }
        }
        None
    }

    /// The element that follows another in the same parent.
    pub fn next_element(&self, id: Id) -> Option<Id> {
        let siblings = &self.nodes[self.nodes[id].parent].children;
        let at = siblings.iter().position(|&sibling| sibling == id)?;
        siblings[at + 1..].iter().copied().find(|&sibling| !self.nodes[sibling].name.is_empty())
    }

    /// What `main` says apart from its frame: neither breadcrumbs, nor title, nor the way to the next page.
    pub fn body(&self) -> Vec<Id> {
        let main = self.named("main").next().map_or(0, |(id, _)| id);
        let is_frame = |node: &Node| node.has_class("crumbs") || node.has_class("steps") || node.has_class("head");
        self.nodes[main].children.iter().copied().filter(|&id| !is_frame(&self.nodes[id])).collect()
    }

    /// Elements as text, a block a line, indented; colours of code and the insides of pictures left out.
    pub fn print(&self, ids: &[Id]) -> String {
        let mut out = String::new();
        for &id in ids {
            self.print_block(id, 0, &mut out);
        }
        out
    }

    fn print_block(&self, id: Id, depth: usize, out: &mut String) {
        let node = &self.nodes[id];
        let indent = "  ".repeat(depth);
        if node.name.is_empty() {
            let text = node.text.split_whitespace().collect::<Vec<_>>().join(" ");
            if !text.is_empty() {
                out.push_str(&format!("{indent}{}\n", escaped(&text)));
            }
            return;
        }
        if !self.holds_block(id) || node.name == "pre" {
            let line = self.inline(id, node.name == "pre");
            let line = if node.name == "pre" { line } else { line.split_whitespace().collect::<Vec<_>>().join(" ") };
            out.push_str(&format!("{indent}{line}\n"));
            return;
        }
        out.push_str(&format!("{indent}{}\n", self.tag(id)));
        let mut run = String::new();
        for &child in &node.children {
            if self.is_block(child) {
                flush(&mut run, &indent, out);
                self.print_block(child, depth + 1, out);
            } else {
                run.push_str(&self.inline(child, false));
            }
        }
        flush(&mut run, &indent, out);
        out.push_str(&format!("{indent}</{}>\n", node.name));
    }

    fn is_block(&self, id: Id) -> bool {
        const OTHERS: [&str; 14] =
            ["li", "dt", "dd", "thead", "tbody", "tr", "th", "td", "summary", "caption", "main", "html", "body", "svg"];
        let name = self.nodes[id].name.as_str();
        BLOCKS.contains(&name) || MORE_BLOCKS.contains(&name) || OTHERS.contains(&name)
    }

    fn holds_block(&self, id: Id) -> bool {
        let node = &self.nodes[id];
        !is_picture(node) && node.children.iter().any(|&child| self.is_block(child) || self.holds_block(child))
    }

    fn inline(&self, id: Id, code: bool) -> String {
        let node = &self.nodes[id];
        let inside = || node.children.iter().map(|&child| self.inline(child, code)).collect::<String>();
        if node.name.is_empty() {
            return escaped(&node.text);
        }
        let is_run = node.name == "span" && node.attribute("id").is_none() && !node.has_class("omitted");
        let is_punctuation = node.name == "i" && !node.children.is_empty();
        if code && (is_run || is_punctuation) {
            return inside();
        }
        if is_picture(node) {
            return format!("{}…</{}>", self.tag(id), node.name);
        }
        if VOID.contains(&node.name.as_str()) {
            return self.tag(id);
        }
        format!("{}{}</{}>", self.tag(id), inside(), node.name)
    }

    fn tag(&self, id: Id) -> String {
        const NOISE: [&str; 10] = [
            "tabindex", "loading", "decoding", "data-line", "data-label", "role", "aria-hidden", "viewbox", "xmlns",
            "d",
        ];
        let node = &self.nodes[id];
        let size = if is_picture(node) { &["width", "height", "aria-labelledby"][..] } else { &[] };
        let kept = node
            .attributes
            .iter()
            .filter(|(name, _)| !NOISE.contains(&name.as_str()) && !size.contains(&name.as_str()));
        let attributes: String =
            kept.map(|(name, value)| format!(" {name}=\"{}\"", value.replace('"', "&quot;"))).collect();
        format!("<{}{attributes}>", node.name)
    }
}

fn flush(run: &mut String, indent: &str, out: &mut String) {
    let line = std::mem::take(run).split_whitespace().collect::<Vec<_>>().join(" ");
    if !line.is_empty() {
        out.push_str(&format!("{indent}  {line}\n"));
    }
}

fn is_picture(node: &Node) -> bool {
    node.name == "svg"
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

#[test]
fn what_a_browser_would_have_to_mend_is_found() {
    let problems = |html| Tree::parse(html).problems;
    assert_eq!(problems("<ul><li>a</li></ul><br><svg><path d=\"M0 0\"/></svg>"), [""; 0]);
    assert_eq!(problems("<p><b>a</p></b>").len(), 2);
    assert_eq!(problems("<p>a<div>b</div></p>"), ["<div> stands inside <p>"]);
    assert_eq!(problems("<a href=\"x\"><a href=\"y\">z</a></a>"), ["<a> stands inside <a>"]);
    assert_eq!(problems("<div>"), ["<div> is not closed"]);
    assert_eq!(problems("<b id=\"x\" id=\"y\">z</b>"), ["the tokenizer says duplicate-attribute"]);
}
