//! Names in C and C++: what a declarator declares, under its pointers, parameters and qualifications.

use std::ops::Range;

use tree_sitter::Node;

/// What a declarator declares.
pub(super) struct Declared {
    /// The parts of the path before the name: `a`, `B<T>` of `a::B<T>::f`.
    pub scopes: Vec<String>,
    /// The name as a part of a path: with the template arguments of a specialisation.
    pub part: String,
    /// The bytes of the name itself.
    pub at: Range<usize>,
    /// Whether it is a function, and no pointer to one or variable.
    pub is_function: bool,
}

impl Declared {
    /// The parts of its path, the name last.
    pub fn parts(&self) -> Vec<&str> {
        self.scopes
            .iter()
            .map(String::as_str)
            .chain([self.part.as_str()])
            .collect()
    }
}

/// Reads a declarator or the name of a type.
pub(super) fn declared(mut node: Node, text: &str) -> Option<Declared> {
    let mut scopes = Vec::new();
    let mut is_function = false;
    loop {
        let (part, at) = match node.kind() {
            "identifier"
            | "field_identifier"
            | "type_identifier"
            | "namespace_identifier"
            | "destructor_name"
            | "operator_name" => (spelled(node, text), node.byte_range()),
            "template_function" | "template_type" | "template_method" => {
                (spelled(node, text), node.child_by_field_name("name")?.byte_range())
            }
            "operator_cast" => {
                let operator = text.get(node.byte_range())?.split('(').next()?;
                is_function = true;
                let start = node.start_byte();
                (squeezed(operator), start..start + operator.trim_end().len())
            }
            "qualified_identifier" => {
                scopes.extend(node.child_by_field_name("scope").map(|scope| spelled(scope, text)));
                node = node.child_by_field_name("name")?;
                continue;
            }
            "parenthesized_declarator" | "attributed_declarator" => {
                node = inner(node)?;
                continue;
            }
            kind if kind.ends_with("_declarator") => {
                is_function = kind == "function_declarator";
                node = inner(node)?;
                continue;
            }
            _ => return None,
        };
        return Some(Declared {
            scopes,
            part,
            at,
            is_function,
        });
    }
}

/// What a declarator stands around.
fn inner(node: Node) -> Option<Node> {
    let last = u32::try_from(node.named_child_count()).ok()?.checked_sub(1)?;
    node.child_by_field_name("declarator")
        .or_else(|| node.named_child(last))
}

/// The text of a node on one line, with white space only between words.
pub(super) fn spelled(node: Node, text: &str) -> String {
    squeezed(text.get(node.byte_range()).unwrap_or_default())
}

fn squeezed(text: &str) -> String {
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let mut spelled = String::new();
    for word in text.split_whitespace() {
        if spelled.ends_with(is_word) && word.starts_with(is_word) {
            spelled.push(' ');
        }
        spelled.push_str(word);
    }
    spelled
}
