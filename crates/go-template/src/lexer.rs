//! Splits a template source into tokens. Follows Go's `text/template/parse/lex.go`.

use crate::quote::quote;
use crate::runes::{decode, is_alphanumeric, is_print};
use crate::token::{Token, TokenKind};

#[derive(Debug)]
pub(crate) struct Lexer<'s> {
    input: &'s [u8],
    pos: usize,
    start: usize,
    paren_depth: usize,
    inside_action: bool,
    /// The message of the last [`TokenKind::Error`].
    pub(crate) error: String,
    failed: bool,
}

impl<'s> Lexer<'s> {
    pub(crate) fn new(input: &'s [u8]) -> Self {
        Self {
            input,
            pos: 0,
            start: 0,
            paren_depth: 0,
            inside_action: false,
            error: String::new(),
            failed: false,
        }
    }

    pub(crate) fn next_token(&mut self) -> Token {
        if self.failed {
            return self.token(TokenKind::Eof);
        }
        if self.inside_action { self.action() } else { self.text() }
    }

    fn token(&mut self, kind: TokenKind) -> Token {
        let token = Token { kind, start: self.start, end: self.pos };
        self.start = self.pos;
        token
    }

    fn fail(&mut self, message: impl Into<String>) -> Token {
        self.error = message.into();
        self.failed = true;
        self.token(TokenKind::Error)
    }

    fn rest(&self) -> &'s [u8] {
        &self.input[self.pos..]
    }

    fn peek(&self) -> Option<char> {
        decode(self.rest()).map(|(rune, _)| rune)
    }

    fn peek_byte(&self) -> Option<u8> {
        self.input.get(self.pos).copied()
    }

    fn next(&mut self) -> Option<char> {
        let (rune, len) = decode(self.rest())?;
        self.pos += len;
        Some(rune)
    }

    /// Text up to the next action, or the start of that action if no text precedes it.
    fn text(&mut self) -> Token {
        loop {
            let Some(length) = memchr::memmem::find(self.rest(), b"{{") else {
                self.pos = self.input.len();
                let kind = if self.pos > self.start { TokenKind::Text } else { TokenKind::Eof };
                return self.token(kind);
            };
            if length > 0 {
                let text = &self.rest()[..length];
                let trims = has_left_trim(&self.rest()[length + 2..]);
                let kept = if trims { text.trim_ascii_end_go().len() } else { length };
                self.pos += kept;
                let token = (kept > 0).then(|| self.token(TokenKind::Text));
                self.pos += length - kept;
                self.start = self.pos;
                if let Some(token) = token {
                    return token;
                }
            }
            if let Some(token) = self.left_delim() {
                return token;
            }
        }
    }

    /// The left delimiter; `None` after a comment, which produces no token.
    fn left_delim(&mut self) -> Option<Token> {
        self.pos += 2;
        let marker = if has_left_trim(self.rest()) { 2 } else { 0 };
        if self.rest()[marker..].starts_with(b"/*") {
            self.pos += marker;
            self.start = self.pos;
            return self.comment();
        }
        let token = self.token(TokenKind::LeftDelim);
        self.inside_action = true;
        self.paren_depth = 0;
        self.pos += marker;
        self.start = self.pos;
        Some(token)
    }

    fn comment(&mut self) -> Option<Token> {
        let Some(length) = memchr::memmem::find(&self.rest()[2..], b"*/") else {
            self.pos += 2;
            return Some(self.fail("unclosed comment"));
        };
        self.pos += 2 + length + 2;
        let Some(trims) = self.at_right_delim() else {
            return Some(self.fail("comment ends before closing delimiter"));
        };
        self.skip_right_delim(trims);
        None
    }

    fn skip_right_delim(&mut self, trims: bool) {
        self.pos += if trims { 4 } else { 2 };
        if trims {
            self.pos += self.rest().len() - self.rest().trim_ascii_start_go().len();
        }
        self.start = self.pos;
    }

    /// Whether a right delimiter follows, and whether it has a trim marker.
    fn at_right_delim(&self) -> Option<bool> {
        let rest = self.rest();
        if has_right_trim(rest) && rest[2..].starts_with(b"}}") {
            return Some(true);
        }
        rest.starts_with(b"}}").then_some(false)
    }

    fn right_delim(&mut self, trims: bool) -> Token {
        if trims {
            self.pos += 2;
            self.start = self.pos;
        }
        self.pos += 2;
        let token = self.token(TokenKind::RightDelim);
        self.pos -= if trims { 4 } else { 2 };
        self.skip_right_delim(trims);
        self.inside_action = false;
        token
    }

    /// A token inside an action.
    fn action(&mut self) -> Token {
        let may_end = matches!(self.peek_byte(), Some(b'}' | b' ' | b'\t' | b'\r' | b'\n'));
        if may_end && let Some(trims) = self.at_right_delim() {
            if self.paren_depth == 0 {
                return self.right_delim(trims);
            }
            return self.fail("unclosed left paren");
        }
        match self.next() {
            Some(rune) => self.action_token(rune),
            None => self.fail("unclosed action"),
        }
    }

    /// The token inside an action that starts with `rune`, which has been read.
    fn action_token(&mut self, rune: char) -> Token {
        match rune {
            ' ' | '\t' | '\r' | '\n' => self.space(),
            '=' => self.token(TokenKind::Assign),
            ':' if self.next() == Some('=') => self.token(TokenKind::Declare),
            ':' => self.fail("expected :="),
            '|' => self.token(TokenKind::Pipe),
            '"' => self.quoted(b'"', TokenKind::String, "unterminated quoted string"),
            '`' => self.raw_string(),
            '$' => self.field_or_variable(TokenKind::Variable),
            '\'' => self.quoted(b'\'', TokenKind::CharConstant, "unterminated character constant"),
            '.' if self.rest().first().is_some_and(|byte| !byte.is_ascii_digit()) => {
                self.field_or_variable(TokenKind::Field)
            }
            '.' | '+' | '-' | '0'..='9' => {
                self.pos -= 1;
                self.number()
            }
            _ if is_alphanumeric(rune) => self.identifier(),
            '(' => {
                self.paren_depth += 1;
                self.token(TokenKind::LeftParen)
            }
            ')' if self.paren_depth == 0 => self.fail("unexpected right paren"),
            ')' => {
                self.paren_depth -= 1;
                self.token(TokenKind::RightParen)
            }
            _ if rune.is_ascii() && is_print(rune) => self.token(TokenKind::Char),
            _ => self.fail(format!("unrecognized character in action: {}", code_point(rune))),
        }
    }

    /// A run of spaces, without the one that belongs to a right delimiter with a trim marker.
    fn space(&mut self) -> Token {
        let spaces = self.rest().len() - self.rest().trim_ascii_start_go().len();
        self.pos += spaces;
        let before = &self.input[self.pos - 1..];
        if has_right_trim(before) && before[2..].starts_with(b"}}") {
            self.pos -= 1;
            if spaces == 0 {
                return self.right_delim(true);
            }
        }
        self.token(TokenKind::Space)
    }

    fn identifier(&mut self) -> Token {
        self.skip_alphanumeric();
        let word = &self.input[self.start..self.pos];
        if !self.at_terminator() {
            return self.bad_character();
        }
        self.token(TokenKind::of_word(word))
    }

    /// A field or variable whose first character has been read; `.` and `$` can stand alone.
    fn field_or_variable(&mut self, kind: TokenKind) -> Token {
        if self.at_terminator() {
            let alone = if kind == TokenKind::Variable { kind } else { TokenKind::Dot };
            return self.token(alone);
        }
        self.skip_alphanumeric();
        if !self.at_terminator() {
            return self.bad_character();
        }
        self.token(kind)
    }

    fn skip_alphanumeric(&mut self) {
        loop {
            match self.peek_byte() {
                Some(b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'_') => self.pos += 1,
                Some(0x80..) if self.peek().is_some_and(is_alphanumeric) => {
                    self.next();
                }
                _ => return,
            }
        }
    }

    fn bad_character(&mut self) -> Token {
        let rune = self.peek().unwrap_or(char::REPLACEMENT_CHARACTER);
        self.fail(format!("bad character {}", code_point(rune)))
    }

    fn at_terminator(&self) -> bool {
        match self.peek_byte() {
            None | Some(b' ' | b'\t' | b'\r' | b'\n' | b'.' | b',' | b'|' | b':' | b')' | b'(') => {
                true
            }
            _ => self.rest().starts_with(b"}}"),
        }
    }

    fn quoted(&mut self, mark: u8, kind: TokenKind, unterminated: &str) -> Token {
        loop {
            self.pos +=
                memchr::memchr3(mark, b'\\', b'\n', self.rest()).unwrap_or(self.rest().len());
            match self.next() {
                Some('\\') if !matches!(self.next(), None | Some('\n')) => {}
                None | Some('\\' | '\n') => return self.fail(unterminated),
                Some(rune) if rune == char::from(mark) => return self.token(kind),
                Some(_) => {}
            }
        }
    }

    fn raw_string(&mut self) -> Token {
        let Some(length) = memchr::memchr(b'`', self.rest()) else {
            self.pos = self.input.len();
            return self.fail("unterminated raw quoted string");
        };
        self.pos += length + 1;
        self.token(TokenKind::RawString)
    }

    fn number(&mut self) -> Token {
        let mut valid = self.scan_number();
        let mut kind = TokenKind::Number;
        if valid && matches!(self.peek(), Some('+' | '-')) {
            kind = TokenKind::Complex;
            valid = self.scan_number() && self.input[self.pos - 1] == b'i';
        }
        if valid {
            return self.token(kind);
        }
        let text = quote(&self.input[self.start..self.pos]);
        self.fail(format!("bad number syntax: {text}"))
    }

    fn scan_number(&mut self) -> bool {
        self.accept(b"+-");
        let mut digits: &[u8] = b"0123456789_";
        if self.accept(b"0") {
            if self.accept(b"xX") {
                digits = b"0123456789abcdefABCDEF_";
            } else if self.accept(b"oO") {
                digits = b"01234567_";
            } else if self.accept(b"bB") {
                digits = b"01_";
            }
        }
        while self.accept(digits) {}
        if self.accept(b".") {
            while self.accept(digits) {}
        }
        let exponent: &[u8] = match digits.len() {
            11 => b"eE",
            23 => b"pP",
            _ => b"",
        };
        if self.accept(exponent) {
            self.accept(b"+-");
            while self.accept(b"0123456789_") {}
        }
        self.accept(b"i");
        if self.peek().is_some_and(is_alphanumeric) {
            self.next();
            return false;
        }
        true
    }

    fn accept(&mut self, valid: &[u8]) -> bool {
        let accepted = self.rest().first().is_some_and(|byte| valid.contains(byte));
        self.pos += usize::from(accepted);
        accepted
    }
}

/// A rune as `%#U` prints it.
fn code_point(rune: char) -> String {
    let code = u32::from(rune);
    if is_print(rune) { format!("U+{code:04X} '{rune}'") } else { format!("U+{code:04X}") }
}

fn has_left_trim(rest: &[u8]) -> bool {
    matches!(rest, [b'-', b' ' | b'\t' | b'\r' | b'\n', ..])
}

fn has_right_trim(rest: &[u8]) -> bool {
    matches!(rest, [b' ' | b'\t' | b'\r' | b'\n', b'-', ..])
}

/// Trims what Go's lexer calls space: unlike the standard library, it excludes form feeds.
trait TrimGo {
    fn trim_ascii_start_go(&self) -> &[u8];
    fn trim_ascii_end_go(&self) -> &[u8];
}

impl TrimGo for [u8] {
    fn trim_ascii_start_go(&self) -> &[u8] {
        let from = self.iter().position(|byte| !b" \t\r\n".contains(byte));
        &self[from.unwrap_or(self.len())..]
    }

    fn trim_ascii_end_go(&self) -> &[u8] {
        let to = self.iter().rposition(|byte| !b" \t\r\n".contains(byte));
        &self[..to.map_or(0, |last| last + 1)]
    }
}
