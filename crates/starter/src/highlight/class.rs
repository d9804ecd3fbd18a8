//! The classes of tokens, and their codes in the compiled syntaxes.

/// The class of a token. The style sheet gives each class a color by its short name.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
#[repr(u8)]
pub enum Class {
    /// Anything without a color of its own: identifiers, prose, white space.
    Text,
    /// The text of a document, such as HTML, and of the elements in a program (JSX).
    Prose,
    /// Comments with their marks.
    Comment,
    /// Strings with their quotes, doc strings, code spans, link targets, plain scalars.
    String,
    /// Escapes and placeholders in strings; entities.
    Escape,
    /// Numbers and constants.
    Number,
    /// Keywords, modifiers, preprocessor directives, instructions.
    Keyword,
    /// Functions where they are defined and called; decorators.
    Function,
    /// Types, classes and builtins.
    Type,
    /// Keys of data and names of attributes.
    Key,
    /// Names of markup elements.
    Tag,
    /// Punctuation and operators.
    Punctuation,
    /// Headings of documents and of diffs.
    Heading,
    /// Emphasized text.
    Emphasis,
    /// Strong text.
    Strong,
    /// Added lines of a diff.
    Inserted,
    /// Removed lines of a diff.
    Deleted,
}

impl Class {
    /// All classes, indexed by their codes.
    pub const ALL: [Self; 17] = [
        Self::Text,
        Self::Prose,
        Self::Comment,
        Self::String,
        Self::Escape,
        Self::Number,
        Self::Keyword,
        Self::Function,
        Self::Type,
        Self::Key,
        Self::Tag,
        Self::Punctuation,
        Self::Heading,
        Self::Emphasis,
        Self::Strong,
        Self::Inserted,
        Self::Deleted,
    ];

    /// Returns whether text of the class is code, and not a comment, a part of a string, or text between elements.
    pub fn is_code(self) -> bool {
        !matches!(self, Self::Prose | Self::Comment | Self::String | Self::Escape)
    }

    /// Returns the short name of the class; `None` for plain text and prose, which need no markup.
    pub fn css(self) -> Option<&'static str> {
        match self {
            Self::Text | Self::Prose => None,
            Self::Comment => Some("c"),
            Self::String => Some("s"),
            Self::Escape => Some("e"),
            Self::Number => Some("n"),
            Self::Keyword => Some("k"),
            Self::Function => Some("f"),
            Self::Type => Some("t"),
            Self::Key => Some("a"),
            Self::Tag => Some("g"),
            Self::Punctuation => Some("p"),
            Self::Heading => Some("h"),
            Self::Emphasis => Some("m"),
            Self::Strong => Some("b"),
            Self::Inserted => Some("i"),
            Self::Deleted => Some("d"),
        }
    }
}

/// The code of a scope without a class: its text has the class of the scope around it.
pub const INHERIT: u8 = 255;
/// The code of an operator, which is a keyword if it is a word, and punctuation otherwise.
pub const OPERATOR: u8 = 254;
/// The code of a string, which is a key if the scope around it is one.
pub const STRING: u8 = 253;
/// Added to the code of a class that has no effect in comments and strings.
pub const CODE_ONLY: u8 = 64;
