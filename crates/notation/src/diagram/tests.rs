//! What every drawing must satisfy, what each type draws, and what is refused, and where.

use resvg::usvg::roxmltree::{Document, Node};

use super::*;

mod hostile;
mod labels;
mod pikchr;

const FLOW: &str = "flowchart TD
    A[Request arrives] --> B{KV cache hit?}
    B -->|yes| C[Decode one token]
    B -- no --> D[Prefill prompt]
    D --> C
    subgraph GPU [GPU 0]
      C --> E[(KV cache)]
      E -.-> C
    end
    C ==> F([Stream token])
    F --> G{{Done?}} & H((End))
    style A fill:#f96,stroke:navy,color:white";
const SIDEWAYS: &str =
    "graph LR; subgraph Host; A --> B; end; B -->|batch| C; C --> C; A o--o D[/in/]; D x-.-x E[\\out\\]";
const SEQUENCE: &str = "sequenceDiagram
    autonumber
    participant C as Client
    participant S as Scheduler
    C->>+S: prompt
    S->>S: admit
    Note over C,S: one batch
    alt full
      S-xC: busy
    else room
      S-->>-C: token
    end
    loop every step
      S-)C: more
    end";
const STATES: &str = "stateDiagram-v2
    [*] --> Waiting
    Waiting --> Running : admitted
    state Running {
      [*] --> Prefill
      Prefill --> Decode
    }
    Running --> [*]
    note right of Waiting : first come, first served";
const CLASSES: &str = "classDiagram
    class Module {
      <<abstract>>
      +List~int~ shape
      +forward(x) Tensor
    }
    Module <|-- Linear
    Attention *-- \"4\" Linear : projections
    Attention ..> Mask";
const PIKCHR: &str = "arrow right 200% \"Markdown\" \"Source\"
box rad 10px \"Formatter\" \"(markdown.c)\" fit
arrow <-> down 70% from last box.s
box \"Pikchr\" bold fill navy color yellow
circle \"R\" fill white";

const MERMAID: [&str; 5] = [FLOW, SIDEWAYS, SEQUENCE, STATES, CLASSES];
const PIKCHRS: [&str; 6] = [
    PIKCHR,
    "box \"a & b < c\"; arrow; box \"&lt;\" mono italic small dashed",
    "down; A: box \"HBM\" fill 0xcfe8d8; arrow \"3.35 TB/s\" ljust color red; B: ellipse thick",
    "[ box; cylinder \"disk\"; dot color green ] ; spline from last [].w left then down 1 ->",
    "scale = 0.5; file \"x\" fit; diamond \"if\"; oval dotted; line right 1 then up 1 close fill yellow",
    "define node { box $1 fit }\nnode(\"one\"); arrow; node(\"two\"); arc cw; text \"free\" bold big",
];

/// Draws a source, and writes it with these ids and this name.
fn svg(notation: Notation, source: &str, id: &str, title: &str) -> Result<String, DiagramError> {
    draw(notation, source).map(|drawing| drawing.svg(id, title))
}

fn mermaid_svg(source: &str) -> String {
    svg(Notation::Mermaid, source, "D3", "A title").unwrap()
}

fn pikchr_svg(source: &str) -> String {
    svg(Notation::Pikchr, source, "D3", "A title").unwrap()
}

/// Line, column and message of the error that a Mermaid source makes.
fn wrong(source: &str) -> (Option<usize>, Option<usize>, String) {
    let error = svg(Notation::Mermaid, source, "D", "t").unwrap_err();
    (error.line, error.column, error.message)
}

/// The texts of a drawing, in order.
fn texts(svg: &str) -> Vec<String> {
    let document = Document::parse(svg).unwrap();
    let texts = document.descendants().filter(|node| node.has_tag_name("text"));
    texts.filter_map(|node| node.text().map(str::to_owned)).collect()
}

/// Holds a drawing to what its place in a page requires.
fn inspect(svg: &str) {
    let elements = ["svg", "title", "desc", "path", "rect", "circle", "ellipse", "polygon", "text"];
    let attributes = [
        "id", "class", "role", "aria-labelledby", "width", "height", "viewBox", "fill", "fill-opacity", "font-size",
        "font-style", "font-weight", "text-anchor", "dominant-baseline", "transform", "d", "points", "x", "y", "rx",
        "ry", "cx", "cy", "r", "stroke", "stroke-width", "stroke-dasharray", "stroke-linejoin",
    ];
    let document = Document::parse(svg).unwrap();
    let root = document.root_element();
    assert_eq!((root.attribute("role"), root.attribute("aria-labelledby")), (Some("img"), Some("D3-title")));
    let view: Vec<f64> = root.attribute("viewBox").unwrap().split(' ').map(|number| number.parse().unwrap()).collect();
    let size = ["width", "height"].map(|name| root.attribute(name).unwrap().parse::<f64>().unwrap());
    assert!(view.len() == 4 && size[0] > 10.0 && size[1] > 10.0, "{view:?} {size:?}");
    for node in document.descendants().filter(Node::is_element) {
        assert!(elements.contains(&node.tag_name().name()), "<{}>", node.tag_name().name());
        for attribute in node.attributes() {
            let (name, value) = (attribute.name(), attribute.value());
            assert!(attributes.contains(&name), "{name}=\"{value}\"");
            assert!(!value.contains("url(") && !value.contains("NaN") && !value.contains("inf"), "{name}=\"{value}\"");
            assert!(name != "id" || value.starts_with("D3"), "id {value}");
        }
    }
}

#[test]
fn every_drawing_fits_a_strict_page() {
    for source in MERMAID {
        inspect(&mermaid_svg(source));
    }
    for source in PIKCHRS {
        inspect(&pikchr_svg(source));
    }
}

#[test]
fn a_source_draws_the_same_whatever_was_drawn_before() {
    let first: Vec<String> = MERMAID.iter().map(|source| mermaid_svg(source)).collect();
    let second = std::thread::spawn(|| MERMAID.iter().rev().map(|source| mermaid_svg(source)).collect::<Vec<_>>());
    let again: Vec<String> = MERMAID.iter().map(|source| mermaid_svg(source)).collect();
    assert_eq!(first, again);
    assert_eq!(first, second.join().unwrap().into_iter().rev().collect::<Vec<_>>());
    assert_eq!(pikchr_svg(PIKCHR), pikchr_svg(PIKCHR));
}

#[test]
fn titles_name_a_drawing_and_are_escaped() {
    let drawn = svg(Notation::Mermaid, "graph LR\nA", "x\"y", "a < b & c").unwrap();
    assert!(drawn.contains("<title id=\"x&quot;y-title\">a &lt; b &amp; c</title>"), "{drawn}");
    let own = mermaid_svg("---\ntitle: Mine\n---\ngraph LR\naccDescr: All of it\nA");
    assert!(
        own.contains("aria-labelledby=\"D3-title D3-desc\"")
            && own.contains(">Mine</title><desc id=\"D3-desc\">All of it<")
    );
}

#[test]
fn flowcharts_show_nodes_groups_and_texts_of_edges() {
    let drawn = mermaid_svg(FLOW);
    let texts = texts(&drawn);
    for text in ["Request arrives", "KV cache hit?", "GPU 0", "KV cache", "yes", "no", "Done?", "End"] {
        assert!(texts.iter().any(|shown| shown == text), "{text} in {texts:?}");
    }
    assert_eq!(drawn.matches("class=\"d-solid\"").count(), 9, "an arrow head for each plain edge");
    assert!(
        drawn.contains("fill=\"#ff9966\" stroke=\"#000080\"") && drawn.contains("fill=\"#ffffff\""),
        "own colors stay"
    );
    assert!(drawn.contains("stroke-width=\"2.8\"") && drawn.contains("stroke-dasharray=\"4 4\""));
    assert!(drawn.contains("class=\"d-group d-group-line\""));
}

#[test]
fn directions_and_shapes() {
    let size = |source: &str| {
        let drawn = mermaid_svg(source);
        let document = Document::parse(&drawn).unwrap();
        ["width", "height"].map(|name| document.root_element().attribute(name).unwrap().parse::<f64>().unwrap())
    };
    let ([wide, low], [narrow, high]) = (size("graph LR\nA-->B-->C"), size("graph TD\nA-->B-->C"));
    assert!(wide > narrow && high > low);
    let shapes = "graph TD\na[x]\nb(x)\nc([x])\nd[[x]]\ne[(x)]\nf((x))\ng(((x)))\nh>x]\ni{x}\nj{{x}}\nk[/x/]\nl[\\x\\]\nm[/x\\]\nn[\\x/]";
    assert_eq!(texts(&mermaid_svg(shapes)), ["x"; 14]);
    assert_eq!(texts(&mermaid_svg("graph TD\na[\"[x] (y) &lt;b&gt;<br/>z\"]")), ["[x] (y) <b>", "z"]);
}

#[test]
fn a_group_can_be_an_end_and_have_a_direction() {
    let drawn = mermaid_svg(
        "flowchart TB\nsubgraph one\ndirection LR\na --> b\nend\nsubgraph two\nc --> d\nend\none --> two\nd --> one\nb --> d",
    );
    inspect(&drawn);
    assert_eq!(texts(&drawn), ["one", "two", "a", "b", "c", "d"]);
}

#[test]
fn sequences_keep_their_order() {
    let drawn = mermaid_svg(SEQUENCE);
    let texts = texts(&drawn);
    let order: Vec<&str> = ["prompt", "admit", "one batch", "busy", "[room]", "token", "more"]
        .into_iter()
        .filter(|text| texts.iter().any(|shown| shown == text))
        .collect();
    assert_eq!(order.len(), 7, "{texts:?}");
    assert!(
        ["1", "5", "alt", "loop", "[full]", "[every step]"].iter().all(|text| texts.iter().any(|shown| shown == text))
    );
    let names = mermaid_svg("sequenceDiagram\nkv-xfer->>A: one\nparticipant Long Name as L\nLong Name-->>kv-xfer: two");
    assert!(names.contains(">two<") && names.contains(">kv-xfer<"), "{names}");
}

#[test]
fn states_and_classes() {
    let states = texts(&mermaid_svg(STATES));
    assert!(
        ["Waiting", "Running", "Prefill", "admitted", "first come, first served"]
            .iter()
            .all(|text| states.iter().any(|shown| shown == text))
    );
    let classes = texts(&mermaid_svg(CLASSES));
    for text in ["«abstract»", "+List<int> shape", "+forward(x): Tensor", "projections", "4", "Mask"] {
        assert!(classes.iter().any(|shown| shown == text), "{text} in {classes:?}");
    }
    let members = "classDiagram\nclass A {\n~pkg: int\nMap~K, List~V~~ map\n}";
    assert_eq!(texts(&mermaid_svg(members)), ["A", "~pkg: int", "Map<K, List<V>> map"]);
    let nested = mermaid_svg("classDiagram\nnamespace a {\nnamespace b {\nclass C\n}\n}");
    assert_eq!(texts(&nested), ["a", "b", "C"]);
    let regions = mermaid_svg("stateDiagram-v2\nstate A {\n[*] --> x\n--\n[*] --> y\n}\nA --> B");
    assert_eq!(regions.matches("class=\"d-group d-group-line\"").count(), 3);
}

#[test]
fn errors_name_line_and_column() {
    assert_eq!(wrong("graph LR\n  A --> B\n\n  C --> [x]").0, Some(3));
    assert_eq!(wrong("graph LR\n  A[open"), (Some(1), Some(3), "this bracket is not closed".to_owned()));
    assert_eq!(wrong("graph LR\nsubgraph x\nA"), (Some(1), Some(0), "this `subgraph` has no `end`".to_owned()));
    assert_eq!(wrong("%% c\ngraph LR\nA -- text B").2, "this edge has no end, as in `-->` or `-- text -->`");
    assert_eq!(wrong("graph LR\nA\nclick A \"https://x\"").0, Some(2));
    assert!(wrong("graph LR\nA --> B\nlinkStyle 0 stroke:red").2.contains("`style` and `classDef`"));
    assert_eq!(wrong("graph LR\nA:::hot").2, "no `classDef` defines `hot`");
    assert_eq!(wrong("graph LR\nstyle A fill:reddish").2, "`reddish` is not a valid value of `fill`");
    assert_eq!(wrong("sequenceDiagram\nA->>B: x\nend").0, Some(2));
    assert_eq!(wrong("sequenceDiagram\nalt x\nA->>B: x").2, "this `alt` has no `end`");
    assert_eq!(wrong("sequenceDiagram\nA says hello").0, Some(1));
    assert_eq!(wrong("stateDiagram-v2\nstate A {\n[*] --> B").0, Some(1));
    assert_eq!(wrong("classDiagram\nA <-> B").0, Some(1));
}

#[test]
fn what_is_not_supported_is_said() {
    let (line, _, message) = wrong("\ngitGraph\n  commit");
    assert!(
        line == Some(1) && message.starts_with("`gitGraph` is not supported; use one of flowchart, graph,"),
        "{message}"
    );
    assert_eq!(wrong(" \n%% nothing\n").2, "an empty diagram");
    assert!(wrong("@@").2.starts_with("expected a type of diagram"));
    assert!(wrong("graph LR\nA@{ shape: rect }").2.contains("is not supported"));
}
