//! Tokens of a template source.

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd)]
pub(super) enum TokenKind {
    /// The lexer has the text.
    Error,
    Bool,
    /// A printable ASCII character without other meaning, such as a comma.
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
    /// The first of those that messages write as words.
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
    /// What a word is.
    pub(super) fn of_word(word: &[u8]) -> Self {
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

    /// A word of the language, or the dot; messages write it as `<word>`.
    pub(super) fn is_keyword(self) -> bool {
        self >= Self::Block
    }
}

/// A token: the bytes `start..end` of the source.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Token {
    pub(super) kind: TokenKind,
    pub(super) start: usize,
    pub(super) end: usize,
}
