//! Tokens of a template source.

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd)]
pub(crate) enum TokenKind {
    /// The lexer holds the message.
    Error,
    Bool,
    /// A printable ASCII character without another meaning, such as a comma.
    Char,
    CharConstant,
    Complex,
    Assign,
    Declare,
    #[default]
    Eof,
    Field,
    Identifier,
    LeftDelim,
    LeftParen,
    Number,
    Pipe,
    RawString,
    RightDelim,
    RightParen,
    Space,
    String,
    Text,
    Variable,
    /// The first keyword: see [`TokenKind::is_keyword`].
    Block,
    Break,
    Continue,
    Dot,
    Define,
    Else,
    End,
    If,
    Nil,
    Range,
    Template,
    With,
}

impl TokenKind {
    /// The kind of a word.
    pub(crate) fn of_word(word: &[u8]) -> Self {
        match word {
            b"block" => Self::Block,
            b"break" => Self::Break,
            b"continue" => Self::Continue,
            b"define" => Self::Define,
            b"else" => Self::Else,
            b"end" => Self::End,
            b"if" => Self::If,
            b"nil" => Self::Nil,
            b"range" => Self::Range,
            b"template" => Self::Template,
            b"with" => Self::With,
            b"true" | b"false" => Self::Bool,
            _ => Self::Identifier,
        }
    }

    /// Whether messages write the token as `<word>`: a word of the language, or the dot.
    pub(crate) fn is_keyword(self) -> bool {
        self >= Self::Block
    }
}

/// A token: the bytes `start..end` of the source.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Token {
    pub(crate) kind: TokenKind,
    pub(crate) start: usize,
    pub(crate) end: usize,
}
