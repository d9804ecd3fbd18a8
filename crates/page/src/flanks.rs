//! Finds what the Markdown parser misreads because of the characters next to it: delimiters of emphasis and quotation marks in
//! text without spaces between words, and lines that begin with `::`.
//!
//! Emphasis follows markdown-cjk-friendly, the amendment of `CommonMark` for Chinese, Japanese and Korean: punctuation of these
//! scripts is like a letter, and next to any of their characters a delimiter may both begin and end emphasis. Straight
//! quotation marks may begin and end next to any character of a script without spaces.

use infralens_source::source::script::{is_cjk, is_punctuation, is_unspaced};

/// What a delimiter has on one side, for the parser.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Side {
    /// White space, or the beginning or the end of the text.
    Space,
    /// Punctuation or a symbol.
    Punctuation,
    /// Anything else.
    Letter,
}

/// What a delimiter has on one side.
#[derive(Debug, Clone, Copy)]
struct Neighbor {
    side: Side,
    /// Whether it belongs to Chinese, Japanese or Korean text.
    is_cjk: bool,
    /// Whether it belongs to such text, or to another script without spaces.
    is_unspaced: bool,
}

impl Neighbor {
    fn of(c: Option<char>) -> Self {
        let is_cjk = c.is_some_and(|c| is_cjk(c) && !c.is_whitespace());
        Self { side: side(c), is_cjk, is_unspaced: is_cjk || c.is_some_and(is_unspaced) }
    }

    /// Returns what is before a delimiter. A variation selector belongs to the character before it.
    fn before(text: &str) -> Self {
        let mut chars = text.chars().rev();
        let last = chars.next();
        match last {
            Some('\u{e0100}'..='\u{e01ef}') => Self { side: Side::Letter, is_cjk: true, is_unspaced: true },
            Some(selector @ '\u{fe00}'..='\u{fe0e}') => {
                let selected = chars.next();
                let is_full_width = selector == '\u{fe01}' && matches!(selected, Some('‘' | '’' | '“' | '”'));
                let found = Self::of(selected.filter(|c| !c.is_whitespace()).or(last));
                Self { is_cjk: found.is_cjk || is_full_width, is_unspaced: found.is_unspaced || is_full_width, ..found }
            }
            _ => Self::of(last),
        }
    }

    /// Returns what the parser has to see here, where `other` is on the other side of the delimiter `mark`.
    fn shown(self, mark: u8, other: Self) -> Side {
        match mark {
            b'*' | b'~' if self.is_cjk && (other.is_cjk || other.side != Side::Punctuation) => Side::Letter,
            b'*' | b'~' if self.is_cjk => Side::Punctuation,
            b'"' | b'\'' if self.is_unspaced => Side::Punctuation,
            _ => self.side,
        }
    }
}

fn side(c: Option<char>) -> Side {
    match c {
        None => Side::Space,
        Some(c) if c.is_whitespace() => Side::Space,
        Some(c) if is_punctuation(c) => Side::Punctuation,
        Some(_) => Side::Letter,
    }
}

/// Returns the offsets in a text, sorted, at which the parser sees something else than it has to, each with what it has to see.
pub fn misread(text: &str) -> Vec<(usize, Side)> {
    let mut found = Vec::new();
    let bytes = text.as_bytes();
    let mut at = 0;
    while let Some(&mark) = bytes.get(at) {
        let end = match mark {
            b'*' | b'_' | b'~' => at + bytes[at..].iter().take_while(|&&byte| byte == mark).count(),
            b'"' | b'\'' => at + 1,
            // Two colons that begin a line are not a definition, but syntax of other tools.
            b':' if bytes.get(at + 1) == Some(&b':') && begins_line(&text[..at]) => {
                found.push((at, Side::Letter));
                at += bytes[at..].iter().take_while(|&&byte| byte == b':').count();
                continue;
            }
            _ => {
                // The character after a backslash is not a delimiter.
                let is_escape = mark == b'\\' && bytes.get(at + 1).is_some_and(u8::is_ascii);
                at += if is_escape { 2 } else { 1 };
                continue;
            }
        };
        let is_ascii = |byte: Option<&u8>| byte.is_none_or(u8::is_ascii);
        let is_range = mark == b'~' && end - at != 2;
        if !(is_range || is_ascii(bytes[..at].last()) && is_ascii(bytes.get(end))) {
            let (before, after) = (text[..at].chars().next_back(), text[end..].chars().next());
            let (left, right) = (Neighbor::before(&text[..at]), Neighbor::of(after));
            let places = [(at, before, left.shown(mark, right)), (end, after, right.shown(mark, left))];
            found.extend(
                places.into_iter().filter(|&(_, seen, shown)| shown != side(seen)).map(|(at, _, shown)| (at, shown)),
            );
        }
        at = end;
    }
    found
}

/// Returns whether only indentation and the marks of quotes come before the end of a text on its last line.
fn begins_line(text: &str) -> bool {
    let before = text.trim_end_matches([' ', '\t', '>']);
    before.is_empty() || before.ends_with('\n')
}

#[cfg(test)]
mod tests {
    use pulldown_cmark::{Parser, html};

    use super::super::dialect;
    use super::super::mask::Masked;

    fn shown(text: &str) -> String {
        let masked = Masked::new(text);
        let events = Parser::new_ext(masked.text(), dialect::options()).map(|event| masked.restore_characters(event));
        let mut out = String::new();
        html::push_html(&mut out, events);
        let inner = out.trim().trim_start_matches("<p>").trim_end_matches("</p>");
        let short = [("strong>", "b>"), ("em>", "i>"), ("del>", "s>")];
        short.iter().fold(inner.to_owned(), |text, (long, short)| text.replace(long, short))
    }

    /// Each text shows emphasis where `<b>`, `<i>` and `<s>` are in the second one.
    fn check(cases: &[(&str, &str)]) {
        for (text, expected) in cases {
            assert_eq!(shown(text), *expected, "{text}");
        }
    }

    #[test]
    fn emphasis_ends_and_begins_at_punctuation_of_east_asian_text() {
        for mark in "，。、；：？！）】》」』～…—·〃｡｣”’︙".chars() {
            check(&[(&format!("**新{mark}**旧"), &format!("<b>新{mark}</b>旧"))]);
            check(&[(&format!("*新{mark}*かな"), &format!("<i>新{mark}</i>かな"))]);
            check(&[(&format!("~~新{mark}~~旧"), &format!("<s>新{mark}</s>旧"))]);
        }
        for mark in "（「『【《“‘".chars() {
            check(&[(&format!("旧**{mark}新**"), &format!("旧<b>{mark}新</b>"))]);
            check(&[(&format!("かな*{mark}新*"), &format!("かな<i>{mark}新</i>"))]);
        }
        check(&[
            ("从**“头”**到**（尾）**都是", "从<b>“头”</b>到<b>（尾）</b>都是"),
            ("用**[链](u)**和**`a`**的", "用<b><a href=\"u\">链</a></b>和<b><code>a</code></b>的"),
            ("用**\\`a\\`**的**¥5**和**C#**的", "用<b>`a`</b>的<b>¥5</b>和<b>C#</b>的"),
            ("Go**「入門」**と.NET**（旧版）**の", "Go<b>「入門」</b>と.NET<b>（旧版）</b>の"),
            ("**方法：**Rust与**(a)**的", "<b>方法：</b>Rust与<b>(a)</b>的"),
            ("読*「本」*む~~（旧）~~新", "読<i>「本」</i>む<s>（旧）</s>新"),
            ("**新，** 旧 **新**，旧 **新，**&nbsp;旧", "<b>新，</b> 旧 <b>新</b>，旧 <b>新，</b>\u{a0}旧"),
            ("***「新」***旧", "<i><b>「新」</b></i>旧"),
            ("\\**「新」* 旧", "*<i>「新」</i> 旧"),
        ]);
    }

    #[test]
    fn emphasis_in_korean_and_next_to_rare_characters() {
        check(&[
            ("**함수(function)**를 **[링크](u)**만", "<b>함수(function)</b>를 <b><a href=\"u\">링크</a></b>만"),
            ("ᅡ**(a)** **(k)**ᄏ", "ᅡ<b>(a)</b> <b>(k)</b>ᄏ"),
            // Han outside of the basic plane, hentaigana, and a variant chosen by a selector.
            ("𠮷**(a)**𪚥**(b)**と𛀙**(c)**", "𠮷<b>(a)</b>𪚥<b>(b)</b>と𛀙<b>(c)</b>"),
            ("葛\u{e0100}**(a)**市", "葛\u{e0100}<b>(a)</b>市"),
            ("塚\u{fe00}**(a)**と", "塚\u{fe00}<b>(a)</b>と"),
            ("**“\u{fe01}名”\u{fe01}**Hub", "<b>“\u{fe01}名”\u{fe01}</b>Hub"),
            ("a**〽**a a**㊙**a", "a<b>〽</b>a a<b>㊙</b>a"),
        ]);
        // Emoji and other scripts are as before.
        for text in ["a**⭐**a", "a**⭐\u{fe0e}**a", "a**a«**a", "a**»a**a", "a**𐬻a**a", "a**a𐬻**a", "**Note:**The"]
        {
            check(&[(text, text)]);
        }
    }

    #[test]
    fn underscores_do_not_begin_in_words() {
        check(&[
            ("__注意__：字 注意：__字__", "<b>注意</b>：字 注意：<b>字</b>"),
            ("字_词_字 _「词」_的 my_var_名_字", "字_词_字 _「词」_的 my_var_名_字"),
            ("字。\u{fe01}_a_ 字。\u{fe00}__b__", "字。\u{fe01}<i>a</i> 字。\u{fe00}<b>b</b>"),
            ("约3~5天，8~10天", "约3~5天，8~10天"),
        ]);
    }

    #[test]
    fn straight_quotation_marks_become_the_right_ones() {
        check(&[
            ("能否\"借\"低？说\"好\"。叫\"量\"，不叫'压'。", "能否“借”低？说“好”。叫“量”，不叫‘压’。"),
            ("\"好\"的，\"他说'好'\"的", "“好”的，“他说‘好’”的"),
            ("用\"a b\"和'x'的，：\"好\"、", "用“a b”和‘x’的，：“好”、"),
            ("**\"好\"**的 *\"a\"*的", "<b>“好”</b>的 <i>“a”</i>的"),
            ("그는\"안녕\"이라고 พูด\"ดี\"ครับ これは\"値\"です", "그는“안녕”이라고 พูด“ดี”ครับ これは“値”です"),
            ("\"Double\" and 'single', it's; Python's的", "“Double” and ‘single’, it’s; Python’s的"),
        ]);
    }

    #[test]
    fn nothing_else_changes() {
        for text in [
            "`**「新」**旧` <b title=\"（\"新\"）\">旧</b>",
            "[「a」*b*](http://e.org/（新）*旧*?\"新\" '\"新\"旧')",
            "[「*a*」][（*b*)]\n\n[（*b*)]: u \"「*c*」旧\"",
            "```x title=\"「新」旧\"\n**「新」**旧\n::x\n```",
            "旧\n\n::: note\n\n| a |\n| :-: |\n| **「新」**旧 |",
        ] {
            let masked = Masked::new(text);
            for (event, span) in Parser::new_ext(masked.text(), dialect::options()).into_offset_iter() {
                let span = masked.original(&span);
                assert!(text.get(span.clone()).is_some(), "{text}: {span:?}");
                let shown = format!("{:?}", masked.restore_characters(event));
                assert!(!shown.contains(['\u{e000}', '\u{2e00}']), "{shown}");
            }
        }
        assert!(shown("[「*a*」][（*b*)]\n\n[（*b*)]: u").contains("<a href=\"u\">「<i>a</i>」</a>"));
        assert_eq!(Masked::new("*a* \"b\" **c**").text(), "*a* \"b\" **c**");
    }
}
