//! The classes of tokens, and their codes in the compiled syntaxes.

/// Declares [`Class`]: each class with its short name, which is empty if it needs no markup.
macro_rules! classes {
    ($($(#[$doc:meta])* $class:ident $css:literal)*) => {
        /// The class of a token. The style sheet gives each class a color by its short name.
        #[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
        #[repr(u8)]
        pub enum Class { $($(#[$doc])* $class),* }

        impl Class {
            /// All classes, indexed by their codes.
            pub const ALL: [Self; 17] = [$(Self::$class),*];

            /// Returns the short name of the class; `None` for plain text and prose.
            pub fn css(self) -> Option<&'static str> {
                let css = match self { $(Self::$class => $css),* };
                Some(css).filter(|css| !css.is_empty())
            }
        }
    };
}

classes! {
    /// Anything without a color of its own: identifiers, prose, white space.
    Text ""
    /// The text of a document, such as HTML, and of the elements in a program (JSX).
    Prose ""
    /// Comments with their marks.
    Comment "c"
    /// Strings with their quotes, doc strings, code spans, link targets, plain scalars.
    String "s"
    /// Escapes and placeholders in strings; entities.
    Escape "e"
    /// Numbers and constants.
    Number "n"
    /// Keywords, modifiers, preprocessor directives, instructions.
    Keyword "k"
    /// Functions where they are defined and called; decorators.
    Function "f"
    /// Types, classes and builtins.
    Type "t"
    /// Keys of data and names of attributes.
    Key "a"
    /// Names of markup elements.
    Tag "g"
    /// Punctuation and operators.
    Punctuation "p"
    /// Headings of documents and of diffs.
    Heading "h"
    /// Emphasized text.
    Emphasis "m"
    /// Strong text.
    Strong "b"
    /// Added lines of a diff.
    Inserted "i"
    /// Removed lines of a diff.
    Deleted "d"
}

impl Class {
    /// Returns whether text of the class is code, and not a comment, a part of a string, or text between elements.
    pub fn is_code(self) -> bool {
        !matches!(self, Self::Prose | Self::Comment | Self::String | Self::Escape)
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
