//! The grammar of CEL, read by precedence. Bounded in length and depth, so that no expression overflows the stack.

use std::ops::Range;

use crate::ast::{Ast, Id, Kind, Mode, Node, children};
use crate::issue::Issue;
use crate::lexer::{Lexed, Token, tokens};
use crate::literal;
use crate::macros;
use crate::stack::Stack;
use crate::value::Value;

/// Code points that the API server accepts in an expression.
const LONGEST: usize = 100_000;

/// Levels of nesting. The API server allows as many of each grammar rule.
const DEEPEST: usize = 250;

/// Words that only select fields.
const RESERVED: &[&str] = &[
    "as",
    "break",
    "const",
    "continue",
    "else",
    "for",
    "function",
    "if",
    "import",
    "let",
    "loop",
    "package",
    "namespace",
    "return",
    "var",
    "void",
    "while",
];

/// Binary operators with their levels from weak to strong, and the names of their functions.
const OPERATORS: &[(&str, usize, &str)] = &[
    ("||", 0, "_||_"),
    ("&&", 1, "_&&_"),
    ("<", 2, "_<_"),
    ("<=", 2, "_<=_"),
    (">=", 2, "_>=_"),
    (">", 2, "_>_"),
    ("==", 2, "_==_"),
    ("!=", 2, "_!=_"),
    ("in", 2, "@in"),
    ("+", 3, "_+_"),
    ("-", 3, "_-_"),
    ("*", 4, "_*_"),
    ("/", 4, "_/_"),
    ("%", 4, "_%_"),
];

/// The tokens that can begin an operand, as the API server lists them.
const OPERAND: &str = "{'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, \
                       BYTES, IDENTIFIER}";

type Parsed = Result<Id, Issue>;

/// The tree of an expression, with macros expanded.
pub(crate) fn parse(text: &str) -> Result<Ast, Issue> {
    let size = text.chars().count();
    if size > LONGEST {
        let message =
            format!("expression code point size exceeds limit: size: {size}, limit {LONGEST}");
        return Err(Issue::new(0..text.len(), message));
    }
    let mut parser = Parser {
        text,
        tokens: tokens(text)?,
        next: 0,
        nodes: Vec::new(),
        nesting: 0,
        stack: Stack::here(),
    };
    let root = parser.expression()?;
    if parser.token() != Token::End {
        return Err(parser.unexpected("<EOF>"));
    }
    Ok(Ast { nodes: parser.nodes, root })
}

pub(crate) struct Parser<'t> {
    text: &'t str,
    tokens: Vec<Lexed>,
    next: usize,
    nodes: Vec<Node>,
    nesting: usize,
    stack: Stack,
}

impl Parser<'_> {
    fn token(&self) -> Token {
        self.tokens[self.next].token
    }

    fn range(&self) -> Range<usize> {
        self.tokens[self.next].range.clone()
    }

    /// The text of the next token.
    fn text(&self) -> &str {
        &self.text[self.range()]
    }

    /// The end of the token before the next one.
    fn end(&self) -> usize {
        self.tokens[self.next.saturating_sub(1)].range.end
    }

    /// The position of the next token, which is passed.
    fn advance(&mut self) -> Range<usize> {
        let range = self.range();
        if self.token() != Token::End {
            self.next += 1;
        }
        range
    }

    fn is(&self, symbol: &str) -> bool {
        matches!(self.token(), Token::Symbol(own) if own == symbol)
    }

    fn accept(&mut self, symbol: &str) -> Option<usize> {
        self.is(symbol).then(|| self.advance().start)
    }

    fn expect(&mut self, symbol: &str) -> Result<usize, Issue> {
        self.accept(symbol).ok_or_else(|| self.unexpected(&format!("'{symbol}'")))
    }

    fn unexpected(&self, expected: &str) -> Issue {
        let (range, found) = match self.token() {
            Token::End => (self.text.len()..self.text.len(), "<EOF>"),
            _ => (self.range(), self.text()),
        };
        let is_last = self.next + 2 == self.tokens.len();
        let is_end = self.token() == Token::End;
        Issue::new(
            range,
            match expected {
                "IDENTIFIER" => {
                    format!("Syntax error: no viable alternative at input '.{}'", self.text())
                }
                "')'" if is_end => format!("Syntax error: missing {expected} at '{found}'"),
                "':'" if self.is_operand() => {
                    format!("Syntax error: missing {expected} at '{found}'")
                }
                "<EOF>" if is_last => {
                    format!("Syntax error: extraneous input '{found}' expecting {expected}")
                }
                _ if expected == OPERAND && !is_end => {
                    format!("Syntax error: extraneous input '{found}' expecting {expected}")
                }
                _ => format!("Syntax error: mismatched input '{found}' expecting {expected}"),
            },
        )
    }

    /// Whether the next token can begin an operand.
    fn is_operand(&self) -> bool {
        match self.token() {
            Token::Symbol(symbol) => {
                matches!(symbol, "(" | "[" | "{" | "." | "-" | "!" | "true" | "false" | "null")
            }
            Token::End => false,
            _ => true,
        }
    }

    fn too_deep(&self, range: Range<usize>) -> Issue {
        Issue::new(range, format!("expression recursion limit exceeded: {DEEPEST}"))
    }

    pub(crate) fn node(&self, id: Id) -> &Node {
        &self.nodes[id]
    }

    pub(crate) fn issue(&self, at: Id, message: impl Into<String>) -> Issue {
        let node = self.node(at);
        Issue { at: node.at, ..Issue::new(node.range.clone(), message) }
    }

    /// Adds a node.
    pub(crate) fn add(&mut self, kind: Kind, range: Range<usize>, at: usize) -> Parsed {
        let depth =
            1 + children(&kind).into_iter().map(|id| self.nodes[id].depth).max().unwrap_or(0);
        if depth > DEEPEST {
            return Err(self.too_deep(range));
        }
        self.nodes.push(Node { kind, range, at, depth });
        Ok(self.nodes.len() - 1)
    }

    fn expression(&mut self) -> Parsed {
        self.nesting += 1;
        if self.nesting > DEEPEST || self.stack.is_exhausted() {
            return Err(self.too_deep(self.range()));
        }
        let start = self.range().start;
        let condition = self.binary(0)?;
        let result = match self.accept("?") {
            None => condition,
            Some(at) => {
                let yes = self.binary(0)?;
                self.expect(":")?;
                let no = self.expression()?;
                self.add(Kind::Conditional([condition, yes, no]), start..self.end(), at)?
            }
        };
        self.nesting -= 1;
        Ok(result)
    }

    /// Operands with operators that are at least as strong as a level.
    fn binary(&mut self, weakest: usize) -> Parsed {
        let start = self.range().start;
        let mut left = self.unary()?;
        // The terms of `a && b && …` or `a || b || …` so far, with the level and the position of the first operator.
        let mut chain: Option<(usize, usize, Vec<Id>)> = None;
        loop {
            let next = self.operator().filter(|(level, _)| *level >= weakest);
            let goes_on =
                |chain: &(usize, usize, Vec<Id>)| next.is_some_and(|(level, _)| level == chain.0);
            if let Some((level, at, terms)) = chain.take_if(|chain| !goes_on(chain)) {
                let kind = if level == 0 { Kind::Or(terms) } else { Kind::And(terms) };
                left = self.add(kind, start..self.end(), at)?;
            }
            let Some((level, function)) = next else { return Ok(left) };
            let at = self.advance().start;
            let right = self.binary(level + 1)?;
            match (&mut chain, level) {
                (Some((.., terms)), _) => terms.push(right),
                (None, 0 | 1) => chain = Some((level, at, vec![left, right])),
                (None, _) => {
                    left = self.call(function, None, vec![left, right], start..self.end(), at)?
                }
            }
        }
    }

    fn operator(&self) -> Option<(usize, &'static str)> {
        let Token::Symbol(symbol) = self.token() else { return None };
        OPERATORS
            .iter()
            .find(|(own, ..)| *own == symbol)
            .map(|(_, level, function)| (*level, *function))
    }

    fn unary(&mut self) -> Parsed {
        let range = self.range();
        for (symbol, function) in [("!", "!_"), ("-", "-_")] {
            if !self.is(symbol) || (symbol == "-" && self.is_negative_number()) {
                continue;
            }
            let mut odd = false;
            while self.is(symbol) && !(symbol == "-" && self.is_negative_number() && !odd) {
                self.advance();
                odd = !odd;
            }
            let operand = self.member()?;
            if !odd {
                return Ok(operand);
            }
            return self.call(function, None, vec![operand], range.start..self.end(), range.start);
        }
        self.member()
    }

    fn is_negative_number(&self) -> bool {
        let next = self.tokens.get(self.next + 1).map(|lexed| lexed.token);
        self.is("-") && matches!(next, Some(Token::Int | Token::Float))
    }

    fn call(
        &mut self,
        function: &str,
        target: Option<Id>,
        arguments: Vec<Id>,
        range: Range<usize>,
        at: usize,
    ) -> Parsed {
        self.add(Kind::Call { function: function.to_owned(), target, arguments }, range, at)
    }

    fn member(&mut self) -> Parsed {
        let start = self.range().start;
        let mut operand = self.primary()?;
        loop {
            if let Some(at) = self.accept(".") {
                operand = self.after_dot(operand, start, at)?;
            } else if let Some(at) = self.accept("[") {
                let function = if self.accept("?").is_some() { "_[?_]" } else { "_[_]" };
                let index = self.expression()?;
                self.expect("]")?;
                operand = self.call(function, None, vec![operand, index], start..self.end(), at)?;
            } else {
                return Ok(operand);
            }
        }
    }

    fn after_dot(&mut self, operand: Id, start: usize, at: usize) -> Parsed {
        let optional = self.accept("?").is_some();
        if self.token() != Token::Identifier {
            return Err(self.unexpected("IDENTIFIER"));
        }
        let field = self.text().to_owned();
        self.advance();
        if optional || !self.is("(") {
            let mode = if optional { Mode::Optional } else { Mode::Plain };
            return self.add(Kind::Select { operand, field, mode }, start..self.end(), at);
        }
        let at = self.advance().start;
        let arguments = self.arguments()?;
        let range = start..self.end();
        match macros::expand(self, &field, Some(operand), &arguments, range.clone(), at)? {
            Some(expanded) => Ok(expanded),
            None => self.call(&field, Some(operand), arguments, range, at),
        }
    }

    /// Arguments and the closing parenthesis.
    fn arguments(&mut self) -> Result<Vec<Id>, Issue> {
        let mut arguments = Vec::new();
        if self.accept(")").is_some() {
            return Ok(arguments);
        }
        loop {
            arguments.push(self.expression()?);
            if self.accept(",").is_none() {
                self.expect(")")?;
                return Ok(arguments);
            }
        }
    }

    fn primary(&mut self) -> Parsed {
        let range = self.range();
        match self.token() {
            Token::Symbol("(") => {
                self.advance();
                let inner = self.expression()?;
                self.expect(")")?;
                Ok(inner)
            }
            Token::Symbol("[") => self.list(),
            Token::Symbol("{") => self.map(),
            Token::Identifier | Token::Symbol(".") => self.name(),
            Token::End => Err(self.unexpected(OPERAND)),
            _ => {
                let value = self.value()?;
                self.add(Kind::Literal(value), range.start..self.end(), range.start)
            }
        }
    }

    fn value(&mut self) -> Result<Value, Issue> {
        let range = self.range();
        let negative = self.is_negative_number() && self.accept("-").is_some();
        let (token, text) = (self.token(), self.text());
        let value = match token {
            Token::Symbol("true") => Ok(Value::Bool(true)),
            Token::Symbol("false") => Ok(Value::Bool(false)),
            Token::Symbol("null") => Ok(Value::Null),
            Token::Int => literal::int(text, negative).ok_or("invalid int literal"),
            Token::Uint => literal::uint(text).ok_or("invalid uint literal"),
            Token::Float => literal::double(text, negative).ok_or("invalid double literal"),
            Token::String => literal::string(text),
            Token::Bytes => literal::bytes(text),
            _ => return Err(self.unexpected(OPERAND)),
        };
        self.advance();
        value.map_err(|message| Issue::new(range.start..self.end(), message))
    }

    fn list(&mut self) -> Parsed {
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

    fn map(&mut self) -> Parsed {
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

    fn name(&mut self) -> Parsed {
        let start = self.range().start;
        self.accept(".");
        if self.token() != Token::Identifier {
            return Err(self.unexpected("IDENTIFIER"));
        }
        let name = self.text().to_owned();
        let range = self.advance();
        if let Some(message) = self.message(&name, start)? {
            return Ok(message);
        }
        if RESERVED.contains(&&*name) {
            return Err(Issue::new(range, format!("reserved identifier: {name}")));
        }
        let Some(at) = self.accept("(") else {
            return self.add(Kind::Name(name), start..self.end(), start);
        };
        let arguments = self.arguments()?;
        let range = start..self.end();
        match macros::expand(self, &name, None, &arguments, range.clone(), at)? {
            Some(expanded) => Ok(expanded),
            None => self.call(&name, None, arguments, range, at),
        }
    }

    /// `name.name{field: value}`, if the text goes on so.
    fn message(&mut self, first: &str, start: usize) -> Result<Option<Id>, Issue> {
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
