//! Sources that are too large, or broken in every way.

use super::*;

#[test]
fn limits_are_errors() {
    let chain = |count: usize| (0..count).map(|at| format!("\na{at} --> a{}", at + 1)).collect::<Vec<_>>().concat();
    inspect(&mermaid_svg(&format!("flowchart TD{}", chain(499))));
    assert!(
        wrong(&format!("flowchart TD{}", chain(600))).2.contains("at most 1000 nodes, edges and groups; this has 1201")
    );
    assert!(
        wrong(&format!("flowchart TD\n{}a\n{}", "subgraph s\n".repeat(2), "end\n".repeat(2))).2.contains("already")
    );
    let nested = (0..40).map(|at| format!("subgraph s{at}\n")).collect::<Vec<_>>().concat();
    assert!(wrong(&format!("flowchart TD\n{nested}a\n{}", "end\n".repeat(40))).2.contains("at most 16 deep"));
    assert!(wrong(&format!("flowchart TD\na[{}]", "x".repeat(70_000))).2.contains("at most 65536 bytes"));
    let every = |count: usize| vec!["a"; count].join(" & ");
    let (line, _, message) = wrong(&format!("flowchart TD\n{} --> {}", every(8_000), every(8_000)));
    assert!(line == Some(1) && message == "this creates 64000000 edges; a diagram may have at most 1000", "{message}");
    let long = mermaid_svg(&format!("flowchart TD\na[{}]", "x".repeat(60_000)));
    assert!(texts(&long).len() > 1_000, "a long word is broken");
    let pikchr = |source: &str| svg(Notation::Pikchr, source, "D", "t").unwrap_err().message;
    assert!(pikchr(&"[".repeat(5_000)).contains("overflow"));
    assert!(pikchr(&"box;".repeat(16_000)).contains("split it"));
}

#[test]
fn a_sequence_has_as_many_parts_as_other_diagrams() {
    let sequence = |line: &str, count: usize| format!("sequenceDiagram\n{}", line.repeat(count));
    inspect(&mermaid_svg(&sequence("A->>B: x\n", 998)));
    for (line, count) in
        [("A->>B: x\n", 999), ("alt a\nend\n", 501), ("loop a\nend\n", 501), ("Note over A: x\n", 1000)]
    {
        assert!(wrong(&sequence(line, count)).2.contains("at most 1000 participants"), "{line}");
    }
    for block in ["alt", "loop", "opt", "par", "critical", "break", "rect"] {
        let nested = |depth: usize| sequence(&format!("{block}\n"), depth) + "A->>B: x\n" + &"end\n".repeat(depth);
        inspect(&mermaid_svg(&nested(16)));
        assert_eq!(wrong(&nested(17)), (Some(17), Some(0), "blocks may nest at most 16 deep".to_owned()), "{block}");
    }
}

#[test]
fn no_input_makes_it_panic() {
    // A small generator of its own: mutants must be the same on every run.
    let mut seed = 7_u64;
    let mut random = |below: usize| {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(seed >> 33).unwrap() % below
    };
    let pieces = [
        "-->", "{", "}", "[", "]", "(", ")", "\"", "|", ":", ";", "end", "\n", "é", "中", "[*]", "--", " ", "&", "A",
        "~", "<<", "%%", "0", "-",
    ];
    for round in 0..3_000 {
        let source = MERMAID[round % MERMAID.len()];
        let mut chars: Vec<char> = source.chars().collect();
        for _ in 0..=random(4) {
            let at = random(chars.len());
            let until = (at + random(6)).min(chars.len());
            let piece = pieces[random(pieces.len())].chars();
            let removed = if random(2) == 0 { at..until } else { at..at };
            chars.splice(removed, piece);
        }
        let mutant: String = chars.into_iter().collect();
        if let Ok(drawn) = svg(Notation::Mermaid, &mutant, "D3", "t") {
            assert!(!drawn.contains("NaN") && !drawn.contains("inf,"), "{mutant}");
        }
    }
}
