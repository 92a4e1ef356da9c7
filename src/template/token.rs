//! Tokens of a template source.

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
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

pub(super) const KEYWORDS: [(&[u8], TokenKind); 12] = [
    (b".", TokenKind::Dot),
    (b"block", TokenKind::Block),
    (b"break", TokenKind::Break),
    (b"continue", TokenKind::Continue),
    (b"define", TokenKind::Define),
    (b"else", TokenKind::Else),
    (b"end", TokenKind::End),
    (b"if", TokenKind::If),
    (b"nil", TokenKind::Nil),
    (b"range", TokenKind::Range),
    (b"template", TokenKind::Template),
    (b"with", TokenKind::With),
];

impl TokenKind {
    /// A word of the language; messages write it as `<word>`.
    pub(super) fn is_keyword(self) -> bool {
        KEYWORDS.iter().any(|(_, kind)| *kind == self)
    }
}

/// A token: the bytes `start..end` of the source.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Token {
    pub(super) kind: TokenKind,
    pub(super) start: usize,
    pub(super) end: usize,
}
