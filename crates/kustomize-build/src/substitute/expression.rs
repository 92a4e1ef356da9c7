//! Reads `${…}` in a text as `fluxcd/pkg/envsubst` does. A port of its scanner and parser, quirks included: a text in
//! an operand ends where theirs ends, and the errors are theirs.

use std::ops::Range;

/// A part of a text.
#[derive(Debug)]
pub(super) enum Token {
    /// Text that stays, as byte ranges: escape characters between them are dropped.
    Text(Vec<Range<usize>>),
    /// `${…}`.
    Call(Call),
}

/// An expression.
#[derive(Debug)]
pub(super) struct Call {
    /// Its bytes, with braces.
    pub(super) span: Range<usize>,
    pub(super) name: String,
    /// `:-`, `//` and the like; empty for the bare variable.
    pub(super) operator: String,
    pub(super) operands: Vec<Token>,
}

/// Why a text cannot be read.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Failure {
    /// The error of envsubst.
    Syntax(&'static str),
    /// The expressions nest too deeply.
    Depth,
}

const BAD: Failure = Failure::Syntax("bad substitution");
const NO_NAME: Failure = Failure::Syntax("unable to parse variable name");
const NO_BRACE: Failure = Failure::Syntax("missing closing brace");
const NO_OPERAND: Failure = Failure::Syntax("unable to parse substitution within function");
const NO_DEFAULT: Failure = Failure::Syntax("unable to parse default function");

/// The deepest nesting of expressions.
const MOST_DEPTH: usize = 64;

/// The parts of a text, in order; else what is wrong, and where the expression with the flaw starts.
pub(super) fn parse(text: &str) -> Result<Vec<Token>, (Failure, usize)> {
    let mut parser = Parser { scanner: Scanner::new(text), depth: 0 };
    let mut tokens = Vec::new();
    loop {
        parser.scanner.escapes_backslash = false;
        match parser.scanner.scan(|_, _| true, IDENT | OPEN | ESCAPE) {
            Scanned::Ident => tokens.push(Token::Text(parser.scanner.kept())),
            Scanned::Open => {
                let start = parser.scanner.pos - 2;
                tokens.push(Token::Call(parser.call().map_err(|failure| (failure, start))?));
            }
            Scanned::End | Scanned::Close | Scanned::Other => return Ok(tokens),
        }
    }
}

struct Parser<'t> {
    scanner: Scanner<'t>,
    depth: usize,
}

impl Parser<'_> {
    /// What follows `${`.
    fn call(&mut self) -> Result<Call, Failure> {
        let start = self.scanner.pos - 2;
        self.depth += 1;
        if self.depth > MOST_DEPTH {
            return Err(Failure::Depth);
        }
        self.scanner.escapes_backslash = true;
        let (name, operator, operands) = match self.scanner.peek() {
            Some('#') => self.length()?,
            _ => self.named()?,
        };
        self.depth -= 1;
        Ok(Call { span: start..self.scanner.pos, name, operator, operands })
    }

    /// `${#name}`.
    fn length(&mut self) -> Result<(String, String, Vec<Token>), Failure> {
        let operator = self.ident(|c, index| c == '#' && index == 1).ok_or(BAD)?;
        let name = self.ident(is_name).ok_or(BAD)?;
        self.close()?;
        Ok((name, operator, Vec::new()))
    }

    fn named(&mut self) -> Result<(String, String, Vec<Token>), Failure> {
        let name = self.ident(is_name).ok_or(NO_NAME)?;
        let (operator, operands) = match self.scanner.peek() {
            Some(':') => self.default_or_part()?,
            Some('=') => self.default()?,
            Some(',' | '^') => {
                let operator =
                    self.ident(|c, index| matches!(c, ',' | '^') && index < 3).ok_or(BAD)?;
                self.close()?;
                (operator, Vec::new())
            }
            Some('/') => self.replacement()?,
            Some('#') => self.removal(|c, index| c == '#' && index < 3)?,
            Some('%') => self.removal(|c, index| c == '%' && index < 3)?,
            _ => match self.scanner.scan(is_name, CLOSE) {
                Scanned::Close => (String::new(), Vec::new()),
                _ => return Err(NO_BRACE),
            },
        };
        Ok((name, operator, operands))
    }

    fn default_or_part(&mut self) -> Result<(String, Vec<Token>), Failure> {
        self.scanner.read();
        let next = self.scanner.peek();
        self.scanner.unread();
        match next {
            Some('=' | '-' | '?' | '+') => self.default(),
            _ => self.part(),
        }
    }

    /// `:offset` and `:offset:length`.
    fn part(&mut self) -> Result<(String, Vec<Token>), Failure> {
        let operator = self.ident(|c, index| c == ':' && index == 1).ok_or(BAD)?;
        let mut operands = vec![self.operand(|c, _| !matches!(c, ':' | '}'), 0)?];
        match self.scanner.scan(|c, _| c == ':', IDENT | CLOSE) {
            Scanned::Close => return Ok((operator, operands)),
            Scanned::Ident => {}
            _ => return Err(BAD),
        }
        operands.push(self.operand(is_inside, 0)?);
        self.close()?;
        Ok((operator, operands))
    }

    /// `#pattern` and `%pattern`.
    fn removal(&mut self, accept: Accept) -> Result<(String, Vec<Token>), Failure> {
        let operator = self.ident(accept).ok_or(BAD)?;
        let operands = vec![self.operand(is_inside, 0)?];
        self.close()?;
        Ok((operator, operands))
    }

    /// `/old/new`.
    fn replacement(&mut self) -> Result<(String, Vec<Token>), Failure> {
        let accept: Accept = |c, index| match index {
            1 => c == '/',
            2 => matches!(c, '/' | '#' | '%'),
            _ => false,
        };
        let operator = self.ident(accept).ok_or(BAD)?;
        let mut operands = vec![self.operand(|c, _| c != '/', ESCAPE)?];
        self.ident(|c, _| c == '/').ok_or(BAD)?;
        if self.scanner.peek() != Some('}') {
            operands.push(self.operand(is_inside, ESCAPE)?);
        }
        self.close()?;
        Ok((operator, operands))
    }

    /// `:-text`, `:=text`, `=text`, `:?text` and `:+text`.
    fn default(&mut self) -> Result<(String, Vec<Token>), Failure> {
        let accept: Accept = match self.scanner.peek() {
            Some('=') => |c, index| c == '=' && index == 1,
            _ => |c, index| match index {
                1 => c == ':',
                2 => matches!(c, '=' | '-' | '?' | '+'),
                _ => false,
            },
        };
        let operator = self.ident(accept).ok_or(NO_DEFAULT)?;
        let mut operands = Vec::new();
        while self.scanner.peek() != Some('}') {
            operands.push(self.operand(is_inside, 0)?);
        }
        self.close()?;
        Ok((operator, operands))
    }

    fn operand(&mut self, accept: Accept, mode: u8) -> Result<Token, Failure> {
        match self.scanner.scan(accept, IDENT | OPEN | mode) {
            Scanned::Open => Ok(Token::Call(self.call()?)),
            Scanned::Ident => Ok(Token::Text(self.scanner.kept())),
            _ => Err(NO_OPERAND),
        }
    }

    fn ident(&mut self, accept: Accept) -> Option<String> {
        match self.scanner.scan(accept, IDENT) {
            Scanned::Ident => {
                Some(self.scanner.kept().into_iter().map(|one| &self.scanner.text[one]).collect())
            }
            _ => None,
        }
    }

    fn close(&mut self) -> Result<(), Failure> {
        match self.scanner.scan(is_name, CLOSE) {
            Scanned::Close => Ok(()),
            _ => Err(BAD),
        }
    }
}

fn is_name(c: char, _: usize) -> bool {
    c.is_alphabetic() || c.is_numeric() || c == '_'
}

fn is_inside(c: char, _: usize) -> bool {
    c != '}'
}

/// Whether a token goes on with a character, which ends at a number of bytes after the start of the token.
type Accept = fn(char, usize) -> bool;

/// What a scan looks for.
const IDENT: u8 = 1;
const OPEN: u8 = 2;
const CLOSE: u8 = 4;
const ESCAPE: u8 = 8;

enum Scanned {
    Ident,
    Open,
    Close,
    End,
    Other,
}

struct Scanner<'t> {
    text: &'t str,
    pos: usize,
    start: usize,
    /// The bytes of the character that was read last, also of one that was only looked at.
    width: usize,
    mode: u8,
    escapes_backslash: bool,
    /// The escape characters of the token, which are dropped.
    dropped: Vec<usize>,
}

impl<'t> Scanner<'t> {
    fn new(text: &'t str) -> Self {
        let dropped = Vec::new();
        Self { text, pos: 0, start: 0, width: 0, mode: 0, escapes_backslash: false, dropped }
    }

    fn read(&mut self) -> Option<char> {
        let next = match self.text.get(self.pos..) {
            Some(rest) => rest.chars().next(),
            None => Some(char::REPLACEMENT_CHARACTER),
        };
        self.width = match next {
            Some(c) if self.text.is_char_boundary(self.pos) => c.len_utf8(),
            Some(_) => 1,
            None => 0,
        };
        self.pos += self.width;
        next
    }

    fn unread(&mut self) {
        self.pos -= self.width;
    }

    fn peek(&mut self) -> Option<char> {
        let next = self.read();
        self.unread();
        next
    }

    /// The ranges of the token that was scanned last.
    fn kept(&self) -> Vec<Range<usize>> {
        let ends = self.dropped.iter().copied().chain([self.pos]);
        let starts = [self.start].into_iter().chain(self.dropped.iter().map(|at| at + 1));
        let ranges = starts.zip(ends).map(|(start, end)| start..end);
        ranges.filter(|range| !range.is_empty()).collect()
    }

    fn scan(&mut self, accept: Accept, mode: u8) -> Scanned {
        self.mode = mode;
        self.start = self.pos;
        self.dropped.clear();
        let Some(c) = self.read() else { return Scanned::End };
        if self.is_open(c) {
            return Scanned::Open;
        }
        if self.mode & CLOSE != 0 && c == '}' {
            return Scanned::Close;
        }
        if self.is_ident(c, accept) { Scanned::Ident } else { Scanned::Other }
    }

    fn is_ident(&mut self, first: char, accept: Accept) -> bool {
        if self.mode & IDENT == 0 {
            return false;
        }
        if self.is_escaped(first) {
            self.skip();
        } else if !accept(first, self.pos - self.start) {
            return false;
        }
        while let Some(c) = self.read() {
            if self.is_open(c) {
                self.unread();
                self.unread();
                break;
            }
            if self.is_escaped(c) {
                self.skip();
            } else if !accept(c, self.pos - self.start) {
                self.unread();
                break;
            }
        }
        true
    }

    fn is_open(&mut self, c: char) -> bool {
        if self.mode & OPEN == 0 || c != '$' {
            return false;
        }
        if self.read() == Some('{') {
            return true;
        }
        self.unread();
        false
    }

    fn is_escaped(&mut self, c: char) -> bool {
        if self.mode & ESCAPE == 0 {
            return false;
        }
        match c {
            '$' => self.peek() == Some('$'),
            '\\' if self.escapes_backslash => matches!(self.peek(), Some('/' | '\\')),
            _ => false,
        }
    }

    /// Drops the character that was read, and takes the next one as it is.
    fn skip(&mut self) {
        self.dropped.push(self.pos - 1);
        self.pos += 1;
    }
}
