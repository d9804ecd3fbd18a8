//! Writes a formula as one line of text, for the search: `d_k`, `O(n²)`, `(a+b)/c`.

use resvg::usvg::roxmltree::Node;

/// The operators that have spaces around them in a line of text.
const SPACED: &str = "=≠≈≡≤≥<>≪≫∼∝∈→←⇒⇔↦×·⋅∗+−±∪∩∧∨";
/// Digits and signs that exist in a raised form, each followed by it.
const RAISED: &str = "0⁰1¹2²3³4⁴5⁵6⁶7⁷8⁸9⁹+⁺−⁻-⁻nⁿ";

/// Returns the text of a MathML element.
pub(super) fn of(node: Node) -> String {
    let mut text = String::new();
    write(node, &mut text);
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn write(node: Node, out: &mut String) {
    let children: Vec<Node> = node.children().filter(Node::is_element).collect();
    let name = node.tag_name().name();
    match (name, children.as_slice()) {
        ("annotation" | "mphantom", _) => {}
        ("mspace", _) => out.push(' '),
        // A comma within a number, as in `8{,}192`, has no space after it.
        ("mo", _) if node.attribute("rspace") == Some("0") && own_text(node) == "," => out.push(','),
        ("mi" | "mn" | "mo" | "ms", _) => push_sign(own_text(node).trim(), out),
        ("mtext", []) => out.push_str(&own_text(node)),
        ("mfrac", [above, below]) => out.extend([&*group(*above), "/", &*group(*below)]),
        ("msqrt", _) => out.extend(["√(", &*all(&children), ")"]),
        ("mroot", [of, degree]) => out.extend([&*raised(*degree), "√(", &*all(&[*of]), ")"]),
        ("msub" | "munder", [base, below]) => out.extend([&*all(&[*base]), "_", &*group(*below)]),
        ("msup", [base, above]) => out.push_str(&(all(&[*base]) + &raised(*above))),
        ("mover", [base, _]) => write(*base, out),
        ("msubsup" | "munderover", [base, below, above]) => {
            out.extend([&*all(&[*base]), "_", &*group(*below), &*raised(*above)]);
        }
        ("mtr", _) => {
            let cells: Vec<String> = children.iter().map(|cell| all(&[*cell])).collect();
            out.push_str(&cells.join(" "));
            out.push_str("; ");
        }
        ("mtable", _) => {
            let rows = all(&children);
            out.push_str(rows.trim_end_matches("; "));
        }
        _ => children.iter().for_each(|child| write(*child, out)),
    }
}

fn all(nodes: &[Node]) -> String {
    let mut text = String::new();
    for node in nodes {
        write(*node, &mut text);
    }
    text
}

/// Returns the text directly in an element, without signs that cannot be seen.
fn own_text(node: Node) -> String {
    let text = node.children().filter_map(|child| child.text()).collect::<String>();
    text.chars().filter(|c| !('\u{2061}'..='\u{2064}').contains(c)).collect()
}

fn push_sign(sign: &str, out: &mut String) {
    let is_spaced = !sign.is_empty() && sign.chars().all(|c| SPACED.contains(c));
    if is_spaced && !out.trim_end().is_empty() && !out.ends_with('(') {
        out.extend([" ", sign, " "]);
    } else {
        out.push_str(sign);
        out.extend((sign == ",").then_some(' '));
    }
}

/// Returns a part of a fraction or an index, in parentheses unless it is one word.
fn group(node: Node) -> String {
    let text = all(&[node]).trim().to_owned();
    if text.chars().all(|c| c.is_alphanumeric() || c == '_') { text } else { format!("({text})") }
}

/// Returns an exponent in raised digits, or after `^`.
fn raised(node: Node) -> String {
    let text = all(&[node]).trim().to_owned();
    let raise = |c: char| RAISED.split_once(c).and_then(|(_, rest)| rest.chars().next());
    let raised: Option<String> = text.chars().map(raise).collect();
    raised.unwrap_or_else(|| format!("^{}", group(node)))
}

#[cfg(test)]
mod tests {
    use super::super::text;

    #[test]
    fn a_comma_within_a_number_has_no_space_after_it() {
        assert_eq!(text(r"20 \cdot 131{,}072"), "20 ⋅ 131,072");
        assert_eq!(text("f(1, 2)"), "f(1, 2)");
    }
}
