//! Parses a script into its syntax tree: lists, pipelines and simple commands here, compound commands, redirections
//! and words in the submodules. It is a recursive descent over bytes without a lexer, because the meaning of a byte
//! depends on its context.

mod compound;
mod error;
mod redirect;
mod word;

use crate::ast::{
    Assignment, Command, CommandKind, Connector, List, Pipeline, Redirect, Script, Simple, Span,
    Statement,
};

pub(crate) use error::certain_error;

/// Nesting deeper than this ends the parse; the rest of the script is unknown.
const MAX_DEPTH: u32 = 64;

/// Words that end the current list if they are the first word of a command.
const CLOSERS: [&str; 8] = ["then", "elif", "else", "fi", "do", "done", "esac", "}"];

/// Builtins whose arguments may assign arrays.
const DECLARERS: [&str; 5] = ["declare", "local", "readonly", "export", "typeset"];

/// Parses a script. It never fails: syntax errors are listed in [`Script::unknown`].
pub fn parse(text: &str) -> Script {
    let mut parser = Parser::new(text);
    let body = parser.list_to_end();
    Script { body, ..parser.script }
}

struct Parser<'s> {
    text: &'s str,
    bytes: &'s [u8],
    pos: usize,
    /// The parser reads up to this offset: the end of the script, or of the enclosing backticks or here-document.
    end: usize,
    depth: u32,
    /// In how many here-documents and backticks the position is, which shells read later or not at all.
    lenient: u32,
    /// Here-documents whose bodies follow the current line.
    pending: Vec<redirect::PendingHeredoc>,
    script: Script,
}

impl<'s> Parser<'s> {
    fn new(text: &'s str) -> Self {
        // Spans are 32 bits wide.
        let end = if text.len() > u32::MAX as usize { 0 } else { text.len() };
        let bytes = text.as_bytes();
        let (pending, script) = (Vec::new(), Script::default());
        Self { text, bytes, pos: 0, end, depth: 0, lenient: 0, pending, script }
    }

    /// The byte at `ahead` from the current position; 0 past the end.
    fn peek(&self, ahead: usize) -> u8 {
        let at = self.pos + ahead;
        if at < self.end { self.bytes[at] } else { 0 }
    }

    fn starts_with(&self, prefix: &str) -> bool {
        self.bytes[self.pos..self.end].starts_with(prefix.as_bytes())
    }

    fn take(&mut self, prefix: &str) -> bool {
        let taken = self.starts_with(prefix);
        if taken {
            self.pos += prefix.len();
        }
        taken
    }

    fn span_from(&self, start: usize) -> Span {
        Span::new(start, self.pos)
    }

    /// Runs `inner` one level deeper. At the depth limit it gives up the rest of the script.
    fn nested<T: Default>(&mut self, inner: impl FnOnce(&mut Self) -> T) -> T {
        if self.depth == MAX_DEPTH {
            if self.pos < self.end {
                self.script.unknown.push(Span::new(self.pos, self.end));
            }
            self.pos = self.end;
            return T::default();
        }
        self.depth += 1;
        let value = inner(self);
        self.depth -= 1;
        value
    }

    /// All statements up to the end. Unmatched closing words and delimiters are unknown.
    fn list_to_end(&mut self) -> List {
        let mut all = self.list();
        while self.pos < self.end {
            all.statements.push(self.stray());
            all.statements.extend(self.list().statements);
        }
        self.read_heredocs();
        all
    }

    /// Statements up to the end, a closing word or a closing delimiter.
    fn list(&mut self) -> List {
        self.nested(|parser| {
            let mut list = List::default();
            loop {
                parser.skip_space();
                if parser.pos >= parser.end || parser.at_closer() {
                    return list;
                }
                let start = parser.pos;
                let statement = parser.statement();
                let stuck = parser.pos == start;
                list.statements.push(if stuck { parser.stray() } else { statement });
            }
        })
    }

    /// Skips blanks, line ends, comments and line continuations.
    fn skip_space(&mut self) {
        loop {
            self.skip_blanks();
            match self.peek(0) {
                b'\n' => {
                    self.pos += 1;
                    self.read_heredocs();
                }
                b'#' => self.comment(),
                _ => return,
            }
        }
    }

    fn skip_blanks(&mut self) {
        loop {
            match self.peek(0) {
                b' ' | b'\t' | b'\r' => self.pos += 1,
                b'\\' if self.peek(1) == b'\n' => self.pos += 2,
                b'\\' if self.peek(1) == b'\r' && self.peek(2) == b'\n' => self.pos += 3,
                _ => return,
            }
        }
    }

    fn comment(&mut self) {
        let start = self.pos;
        let rest = &self.bytes[start..self.end];
        self.pos += memchr::memchr(b'\n', rest).unwrap_or(rest.len());
        self.script.comments.push(self.span_from(start));
    }

    /// Skips an unmatched closing word or an unexpected character.
    fn stray(&mut self) -> Statement {
        let start = self.pos;
        let closer = CLOSERS.iter().find(|word| self.at_word(word));
        self.pos += closer.map_or(1, |word| word.len());
        while !self.text.is_char_boundary(self.pos) {
            self.pos += 1;
        }
        self.error(start);
        Statement::unknown(self.span_from(start))
    }

    fn at_closer(&self) -> bool {
        match self.peek(0) {
            b')' => true,
            b';' => self.peek(1) == b';' || self.peek(1) == b'&',
            b'}' | b't' | b'e' | b'f' | b'd' => CLOSERS.iter().any(|word| self.at_word(word)),
            _ => false,
        }
    }

    /// Whether the current word is exactly `word`, unquoted.
    fn at_word(&self, word: &str) -> bool {
        self.starts_with(word) && is_delimiter(self.peek(word.len()))
    }

    fn take_word(&mut self, word: &str) -> bool {
        let taken = self.at_word(word);
        if taken {
            self.pos += word.len();
        }
        taken
    }

    fn statement(&mut self) -> Statement {
        let start = self.pos;
        let first = self.pipeline();
        let mut rest = Vec::new();
        let mut end = self.pos;
        loop {
            self.skip_blanks();
            let connector = match (self.peek(0), self.peek(1)) {
                (b'&', b'&') => Connector::And,
                (b'|', b'|') => Connector::Or,
                _ => break,
            };
            self.pos += 2;
            self.skip_space();
            rest.push((connector, self.pipeline()));
            end = self.pos;
        }
        let background = self.end_of_statement();
        Statement { span: Span::new(start, end), first, rest, background }
    }

    /// Takes `;` or `&` and returns whether it was `&`.
    fn end_of_statement(&mut self) -> bool {
        match (self.peek(0), self.peek(1)) {
            (b';', b';' | b'&') => false,
            (b';', _) => {
                self.pos += 1;
                false
            }
            (b'&', _) => {
                self.pos += 1;
                true
            }
            _ => false,
        }
    }

    fn pipeline(&mut self) -> Pipeline {
        let start = self.pos;
        let mut negated = false;
        loop {
            if self.take_word("!") {
                negated = !negated;
            } else if !self.take_word("time") {
                break;
            }
            self.skip_blanks();
        }
        let mut commands = vec![self.command()];
        let mut end = self.pos;
        loop {
            self.skip_blanks();
            if self.peek(0) != b'|' || self.peek(1) == b'|' {
                break;
            }
            self.pos += if self.peek(1) == b'&' { 2 } else { 1 };
            self.skip_space();
            commands.push(self.command());
            end = self.pos;
        }
        Pipeline { span: Span::new(start, end), negated, commands }
    }

    fn command(&mut self) -> Command {
        let start = self.pos;
        let mut redirects = Vec::new();
        let kind = match self.compound() {
            Some(kind) => {
                self.skip_blanks();
                while let Some(redirect) = self.redirect() {
                    redirects.push(redirect);
                    self.skip_blanks();
                }
                kind
            }
            None => self.simple(&mut redirects),
        };
        while self.pos > start && matches!(self.bytes[self.pos - 1], b' ' | b'\t') {
            self.pos -= 1;
        }
        Command { span: self.span_from(start), kind, redirects }
    }

    fn simple(&mut self, redirects: &mut Vec<Redirect>) -> CommandKind {
        let start = self.pos;
        let mut simple = Simple::default();
        loop {
            self.skip_blanks();
            if let Some(redirect) = self.redirect() {
                redirects.push(redirect);
                continue;
            }
            if simple.words.is_empty()
                && let Some(assignment) = self.assignment()
            {
                simple.assignments.push(assignment);
                continue;
            }
            let arrays = self.declares(&simple);
            let Some(word) = self.word(arrays) else { break };
            simple.words.push(word);
            if simple.words.len() == 1
                && self.pos > start
                && let Some(function) = self.function_after_name(&simple)
            {
                return function;
            }
        }
        CommandKind::Simple(simple)
    }

    fn declares(&self, simple: &Simple) -> bool {
        simple.words.first().is_some_and(|word| DECLARERS.contains(&word.span.text(self.text)))
    }

    fn assignment(&mut self) -> Option<Assignment> {
        let start = self.pos;
        let name = self.assigned_name()?;
        if self.peek(0) == b'(' {
            let values = self.nested(Self::array);
            return Some(Assignment { span: self.span_from(start), name, values, array: true });
        }
        let values = self.word(false).into_iter().collect();
        Some(Assignment { span: self.span_from(start), name, values, array: false })
    }

    /// Takes `name=`, `name+=` or `name[…]=`; on anything else the position does not change.
    fn assigned_name(&mut self) -> Option<Span> {
        let start = self.pos;
        let mut at = self.name_end(start);
        let name = Span::new(start, at);
        if at == start {
            return None;
        }
        if self.bytes.get(at) == Some(&b'[') {
            let line = memchr::memchr2(b']', b'\n', &self.bytes[at..self.end])?;
            at += line + 1;
        }
        if self.bytes.get(at) == Some(&b'+') {
            at += 1;
        }
        if at >= self.end || self.bytes[at] != b'=' {
            return None;
        }
        self.pos = at + 1;
        Some(name)
    }

    /// The end of the identifier that starts at `start`.
    fn name_end(&self, start: usize) -> usize {
        let letters = |b: &&u8| b.is_ascii_alphanumeric() || **b == b'_';
        if self.bytes.get(start).is_none_or(u8::is_ascii_digit) {
            return start;
        }
        start + self.bytes[start..self.end].iter().take_while(letters).count()
    }
}

impl Statement {
    /// A syntax error.
    fn unknown(span: Span) -> Self {
        let command = Command { span, kind: CommandKind::Unknown, redirects: Vec::new() };
        let first = Pipeline { span, negated: false, commands: vec![command] };
        Self { span, first, rest: Vec::new(), background: false }
    }
}

/// Whether a byte ends an unquoted word; 0 is the end of the script.
fn is_delimiter(byte: u8) -> bool {
    matches!(
        byte,
        0 | b' ' | b'\t' | b'\r' | b'\n' | b';' | b'&' | b'|' | b'<' | b'>' | b'(' | b')'
    )
}
