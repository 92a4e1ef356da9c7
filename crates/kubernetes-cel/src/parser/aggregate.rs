//! Lists, maps and messages.

use crate::ast::{Id, Kind};
use crate::issue::Issue;
use crate::lexer::Token;

use super::{Parsed, Parser};

impl Parser<'_> {
    pub(super) fn list(&mut self) -> Parsed {
        let start = self.advance().start;
        let mut items = Vec::new();
        while self.accept("]").is_none() {
            let optional = self.accept("?").is_some();
            items.push((self.expression()?, optional));
            if self.accept(",").is_none() && !self.is("]") {
                return Err(self.unexpected("{']', ','}"));
            }
        }
        self.add(Kind::List(items), start..self.end(), start)
    }

    pub(super) fn map(&mut self) -> Parsed {
        let start = self.advance().start;
        let mut entries = Vec::new();
        while self.accept("}").is_none() {
            let optional = self.accept("?").is_some();
            let key = self.expression()?;
            self.expect(":")?;
            entries.push((key, self.expression()?, optional));
            if self.accept(",").is_none() && !self.is("}") {
                return Err(self.unexpected("{'}', ','}"));
            }
        }
        self.add(Kind::Map(entries), start..self.end(), start)
    }

    /// `name.name{field: value}`, if the text goes on so.
    pub(super) fn message(&mut self, first: &str, start: usize) -> Result<Option<Id>, Issue> {
        let mut name = first.to_owned();
        let mut next = self.next;
        let token = |at: usize| self.tokens.get(at).map_or(Token::End, |lexed| lexed.token);
        while token(next) == Token::Symbol(".") && token(next + 1) == Token::Identifier {
            name = format!("{name}.{}", &self.text[self.tokens[next + 1].range.clone()]);
            next += 2;
        }
        if token(next) != Token::Symbol("{") {
            return Ok(None);
        }
        self.next = next;
        let at = self.advance().start;
        while self.accept("}").is_none() {
            self.accept("?");
            if self.token() != Token::Identifier {
                return Err(self.unexpected("IDENTIFIER"));
            }
            self.advance();
            self.expect(":")?;
            self.expression()?;
            if self.accept(",").is_none() && !self.is("}") {
                return Err(self.unexpected("{'}', ','}"));
            }
        }
        self.add(Kind::Message(name), start..self.end(), at).map(Some)
    }
}
