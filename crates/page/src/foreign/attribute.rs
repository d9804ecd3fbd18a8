//! Suggests replacements for attributes that code blocks have in other tools.

/// Attributes that mean the same.
struct Meaning {
    /// Their names, separated by spaces.
    names: &'static str,
    excerpt: &'static str,
    /// The help text for a code block without `file=`.
    block: &'static str,
}

const CAPTION: Meaning = Meaning {
    names: "title caption filename file_name name label header",
    excerpt: "write `caption=\"…\"`",
    block: "write `title=\"…\"`",
};

const NUMBERS: Meaning = Meaning {
    names: "numbers linenums linenos lineno lineNumbers showLineNumbers numberLines number-lines line-numbers \
            no-line-numbers startFrom linenostart linenumberstart lineno-start startline",
    excerpt: "an excerpt shows the line numbers of its file; `numbers=false` hides them",
    block: "only an excerpt, a fence with `file=`, has line numbers: those of its file",
};

const MARKS: Meaning = Meaning {
    names: "mark hl_lines hl highlight highlights emphasize-lines data-line ins del add focus",
    excerpt: "write `mark=\"term, term\"`, which underlines every occurrence of a term, or `light=\"L3-L5, text\"`, which \
              lights whole lines",
    block: "mark lines with `{1,3-5}`, added ones with `ins={2}` and removed ones with `del={1}`",
};

const FILE: Meaning = Meaning {
    names: "src source include path url ref reference snippet from",
    excerpt: "`file=` alone names the file",
    block: "write `file=PATH#REGION`, and the build compares the code with its file",
};

const LINES: Meaning = Meaning {
    names: "lines line start end start_line end_line range region anchor symbol",
    excerpt: "write the region, the function or the lines after the path: `file=PATH#REGION`, `#fn:NAME`, `#L3-L9`",
    block: "only an excerpt shows a part of a file: `file=PATH#REGION`, `#fn:NAME` or `#L3-L9`",
};

const LOOKS: Meaning = Meaning {
    names: "class id style theme width height frame wrap collapse editable runnable exec twoslash copy group tab \
            hidelines live",
    excerpt: "leave it out: it has no counterpart here",
    block: "leave it out: it has no counterpart here",
};

const MEANINGS: [&Meaning; 6] = [&CAPTION, &NUMBERS, &MARKS, &FILE, &LINES, &LOOKS];

fn meaning(name: &str) -> Option<&'static Meaning> {
    MEANINGS.into_iter().find(|meaning| meaning.names.split_whitespace().any(|known| known.eq_ignore_ascii_case(name)))
}

/// Returns whether `word` is a list of lines, such as `1,3-5`.
fn is_lines(word: &str) -> bool {
    let is_part = |byte: u8| byte.is_ascii_digit() || matches!(byte, b',' | b'-' | b' ');
    !word.is_empty() && word.bytes().all(is_part) && word.bytes().any(|byte| byte.is_ascii_digit())
}

/// Returns whether `word` is a number in parentheses, such as `(2)`.
fn is_number(word: &str) -> bool {
    let digits = word.strip_prefix('(').and_then(|word| word.strip_suffix(')'));
    digits.is_some_and(|digits| !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit()))
}

/// Returns the help text for an attribute of this name, or a word such as `{1,3}`, on an excerpt; `None` if it is unknown.
pub fn on_excerpt(word: &str) -> Option<&'static str> {
    let braced = word.strip_prefix('{').and_then(|word| word.strip_suffix('}'));
    match braced {
        Some(lines) if is_lines(lines) => Some(MARKS.excerpt),
        Some(_) => Some(LOOKS.excerpt),
        None if is_number(word) => Some("write the number of a definition without a space before it: `#fn:NAME(2)`"),
        None => meaning(word).map(|meaning| meaning.excerpt),
    }
}

/// Returns the help text for an attribute on a code block without `file=`. `has_value` distinguishes `title="x"` from a
/// bare word, for which the result is `None` if it is unknown.
pub fn on_block(name: &str, has_value: bool) -> Option<&'static str> {
    match meaning(name) {
        Some(known) => Some(known.block),
        None if has_value => Some(LOOKS.block),
        None => None,
    }
}

/// Returns the help text for `{…}` after the language of a code block.
pub fn in_braces(inner: &str) -> &'static str {
    let first = inner.split([' ', '=', ',']).next().unwrap_or_default().trim_start_matches(['.', '#']);
    match meaning(first) {
        _ if is_lines(inner) => MARKS.block,
        Some(known) => known.block,
        None => LOOKS.block,
    }
}
