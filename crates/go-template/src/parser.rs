//! Parses a source into nodes. Follows Go's `text/template/parse/parse.go`, messages included.

mod control;
mod pipeline;

use std::borrow::Cow;
use std::sync::Arc;

use foldhash::HashMap;

use crate::ast::{Branch, Callee, Effect, Node, NodeId, NodeKind, Source, TableRange, Tree, VarId};
use crate::error::ParseError;
use crate::lexer::Lexer;
use crate::provenance::{FileId, Position};
use crate::quote::{quote, unquote};
use crate::runes;
use crate::stack::StackGuard;
use crate::token::{Token, TokenKind};

/// Bytes of stack for nested blocks and parentheses: enough for thousands of them. Go allows 10,000
/// parentheses.
const MAX_STACK: usize = 512 << 10;

/// Finds a function by name.
type FindFunction<'s> = &'s dyn Fn(&str) -> Option<Callee>;

/// Parses a source into its templates: those it defines, and last the one called `name`.
pub(crate) fn parse(
    name: &str,
    text: Arc<[u8]>,
    file: FileId,
    find_function: FindFunction<'_>,
) -> Result<Vec<Tree>, ParseError> {
    let mut parser = Parser::new(name, &text, file, find_function);
    let root = parser.source()?;
    parser.add(name, root)?;
    let Parser { nodes, lists, branches, declared, variables, callees, effects, trees, .. } =
        parser;
    let source = Arc::new(Source {
        name: name.into(),
        file,
        nodes,
        lists,
        branches,
        declared,
        variables,
        callees,
        effects,
        text: text.clone(),
    });
    let tree = |(name, root, is_blank)| Tree { name, source: source.clone(), root, is_blank };
    Ok(trees.into_iter().map(tree).collect())
}

struct Parser<'s> {
    name: &'s str,
    text: &'s [u8],
    file: FileId,
    find_function: FindFunction<'s>,
    lexer: Lexer<'s>,
    /// The last token read and up to two tokens of look-ahead.
    tokens: [Token; 3],
    peeked: usize,
    nodes: Vec<Node>,
    lists: Vec<NodeId>,
    branches: Vec<Branch>,
    declared: Vec<VarId>,
    /// Nodes whose parent is not complete yet: a stack, because lists nest.
    pending: Vec<NodeId>,
    trees: Vec<(Arc<str>, NodeId, bool)>,
    effects: Vec<Effect>,
    callees: Vec<Callee>,
    variables: Vec<Arc<str>>,
    variable_ids: HashMap<Arc<str>, VarId>,
    scope: Scope,
    stack: StackGuard,
}

/// The state that belongs to one template of the source.
#[derive(Default)]
struct Scope {
    /// Variables in the order of their declarations.
    declared: Vec<VarId>,
    /// The number of occurrences of each variable in `declared`.
    count: Vec<u32>,
    range_depth: usize,
    /// The offset at which the action being parsed starts.
    action: Option<usize>,
}

type Parsed<T> = Result<T, ParseError>;

/// A node list and the `{{else}}` or `{{end}}` that ends it.
struct ListEnd {
    list: NodeId,
    is_else: bool,
}

impl<'s> Parser<'s> {
    fn new(name: &'s str, text: &'s [u8], file: FileId, find_function: FindFunction<'s>) -> Self {
        let mut parser = Self {
            name,
            text,
            file,
            find_function,
            lexer: Lexer::new(text),
            tokens: [Token::default(); 3],
            peeked: 0,
            nodes: Vec::new(),
            lists: Vec::new(),
            branches: Vec::new(),
            declared: Vec::new(),
            pending: Vec::new(),
            trees: Vec::new(),
            effects: Vec::new(),
            callees: Vec::new(),
            variables: Vec::new(),
            variable_ids: HashMap::default(),
            scope: Scope::default(),
            stack: StackGuard::new(MAX_STACK),
        };
        parser.open_scope();
        parser
    }

    /// The top level: text, actions, and definitions.
    fn source(&mut self) -> Parsed<NodeId> {
        let start = self.peek().start;
        let mark = self.pending.len();
        while self.peek().kind != TokenKind::Eof {
            if self.peek().kind == TokenKind::LeftDelim {
                let delim = self.next();
                if self.next_non_space().kind == TokenKind::Define {
                    self.definition()?;
                    continue;
                }
                self.backup2(delim);
            }
            match self.text_or_action()? {
                Item::Node(node) => self.pending.push(node),
                end => return self.fail(format!("unexpected {}", end.name())),
            }
        }
        Ok(self.list(start, mark))
    }

    fn definition(&mut self) -> Parsed<()> {
        const CONTEXT: &str = "define clause";
        let outer = self.open_scope();
        let token = self.next_non_space();
        let name = self.template_name(token, CONTEXT)?;
        self.expect(TokenKind::RightDelim, CONTEXT)?;
        self.body(&name, CONTEXT)?;
        self.scope = outer;
        Ok(())
    }

    /// The body of a definition or block, up to its `{{end}}`.
    fn body(&mut self, name: &str, context: &str) -> Parsed<()> {
        let end = self.item_list()?;
        if end.is_else {
            return self.fail(format!("unexpected {{{{else}}}} in {context}"));
        }
        self.add(name, end.list)
    }

    /// Opens the scope of a template, which sees no variables of others; returns the outer scope.
    fn open_scope(&mut self) -> Scope {
        let outer = std::mem::take(&mut self.scope);
        self.declare("$");
        outer
    }

    fn add(&mut self, name: &str, root: NodeId) -> Parsed<()> {
        let is_blank = self.is_blank(root);
        match self.trees.iter_mut().find(|(other, ..)| **other == *name) {
            None => self.trees.push((name.into(), root, is_blank)),
            Some(tree) if tree.2 => *tree = (name.into(), root, is_blank),
            Some(_) if is_blank => {}
            Some(_) => {
                let name = quote(name.as_bytes());
                return self.fail(format!("template: multiple definition of template {name}"));
            }
        }
        Ok(())
    }

    fn is_blank(&self, list: NodeId) -> bool {
        let NodeKind::List(nodes) = self.nodes[list.0 as usize].kind else { return false };
        nodes.of(&self.lists).iter().all(|node| {
            let Node { kind, start, end } = &self.nodes[node.0 as usize];
            let text = &self.text[*start as usize..*end as usize];
            matches!(kind, NodeKind::Text)
                && runes::runes(text).all(|(_, rune, _)| rune.is_whitespace())
        })
    }

    fn item_list(&mut self) -> Parsed<ListEnd> {
        if self.stack.is_exhausted() {
            return self.fail("max nesting depth exceeded");
        }
        let start = self.peek_non_space().start;
        let mark = self.pending.len();
        while self.peek_non_space().kind != TokenKind::Eof {
            match self.text_or_action()? {
                Item::Node(node) => self.pending.push(node),
                end => {
                    let is_else = matches!(end, Item::Else);
                    return Ok(ListEnd { list: self.list(start, mark), is_else });
                }
            }
        }
        self.fail("unexpected EOF")
    }

    fn text_or_action(&mut self) -> Parsed<Item> {
        let token = self.next_non_space();
        match token.kind {
            TokenKind::Text => Ok(Item::Node(self.leaf(NodeKind::Text, token))),
            TokenKind::LeftDelim => {
                self.scope.action = Some(token.start);
                let item = self.action();
                if item.is_ok() {
                    self.scope.action = None;
                }
                item
            }
            _ => self.unexpected(token, "input"),
        }
    }

    /// A list of the pending nodes from `mark` on.
    fn list(&mut self, start: usize, mark: usize) -> NodeId {
        let nodes = self.collect(mark);
        self.node(NodeKind::List(nodes), start, start)
    }

    fn collect(&mut self, mark: usize) -> TableRange {
        let from = self.lists.len();
        self.lists.extend(self.pending.drain(mark..));
        TableRange::since(from, &self.lists)
    }

    fn leaf(&mut self, kind: NodeKind, token: Token) -> NodeId {
        self.node(kind, token.start, token.end)
    }

    fn node(&mut self, kind: NodeKind, start: usize, end: usize) -> NodeId {
        self.nodes.push(Node { kind, start: start as u32, end: end as u32 });
        NodeId(self.nodes.len() as u32 - 1)
    }

    fn end_of(&self, node: NodeId) -> usize {
        self.nodes[node.0 as usize].end as usize
    }

    fn template_name(&mut self, token: Token, context: &str) -> Parsed<String> {
        if !matches!(token.kind, TokenKind::String | TokenKind::RawString) {
            return self.unexpected(token, context);
        }
        match unquote(self.bytes(token)) {
            Some(name) => Ok(String::from_utf8_lossy(&name).into_owned()),
            None => self.fail("invalid syntax"),
        }
    }

    fn declare(&mut self, name: &str) -> VarId {
        let id = self.variable_ids.get(name).copied().unwrap_or_else(|| {
            let id = VarId(self.variables.len() as u32);
            self.variables.push(name.into());
            self.variable_ids.insert(name.into(), id);
            id
        });
        let Scope { declared, count, .. } = &mut self.scope;
        count.resize(self.variables.len(), 0);
        count[id.0 as usize] += 1;
        declared.push(id);
        id
    }

    fn undeclare_to(&mut self, len: usize) {
        for id in self.scope.declared.drain(len..) {
            self.scope.count[id.0 as usize] -= 1;
        }
    }

    fn bytes(&self, token: Token) -> &'s [u8] {
        &self.text[token.start..token.end]
    }

    fn text_of(&self, token: Token) -> Cow<'s, str> {
        String::from_utf8_lossy(self.bytes(token))
    }

    fn next(&mut self) -> Token {
        if self.peeked > 0 {
            self.peeked -= 1;
        } else {
            self.tokens[0] = self.lexer.next_token();
        }
        self.tokens[self.peeked]
    }

    fn backup(&mut self) {
        self.peeked += 1;
    }

    fn backup2(&mut self, first: Token) {
        self.tokens[1] = first;
        self.peeked = 2;
    }

    fn backup3(&mut self, first: Token, second: Token) {
        self.tokens[1] = second;
        self.tokens[2] = first;
        self.peeked = 3;
    }

    fn peek(&mut self) -> Token {
        if self.peeked == 0 {
            self.tokens[0] = self.lexer.next_token();
            self.peeked = 1;
        }
        self.tokens[self.peeked - 1]
    }

    fn next_non_space(&mut self) -> Token {
        loop {
            let token = self.next();
            if token.kind != TokenKind::Space {
                return token;
            }
        }
    }

    fn peek_non_space(&mut self) -> Token {
        let token = self.next_non_space();
        self.backup();
        token
    }

    fn expect(&mut self, kind: TokenKind, context: &str) -> Parsed<Token> {
        let token = self.next_non_space();
        if token.kind == kind { Ok(token) } else { self.unexpected(token, context) }
    }

    fn unexpected<T>(&self, token: Token, context: &str) -> Parsed<T> {
        if token.kind != TokenKind::Error {
            return self.fail(format!("unexpected {} in {context}", self.describe(token)));
        }
        let error = &self.lexer.error;
        let line = self.scope.action.map(|start| self.line(start));
        let Some(line) = line.filter(|line| *line != self.line(token.start)) else {
            return self.fail(error.clone());
        };
        let action = if error.ends_with(" action") { "" } else { " in action" };
        self.fail(format!("{error}{action} started at {}:{line}", self.name))
    }

    /// The number of the line, from 1, that holds an offset.
    fn line(&self, offset: usize) -> usize {
        1 + memchr::memchr_iter(b'\n', &self.text[..offset]).count()
    }

    /// The token as messages show it.
    fn describe(&self, token: Token) -> String {
        let bytes = self.bytes(token);
        match token.kind {
            TokenKind::Eof => "EOF".into(),
            kind if kind.is_keyword() => format!("<{}>", self.text_of(token)),
            _ if bytes.len() > 10 => {
                let cut = runes::runes(bytes).nth(10).map_or(bytes.len(), |(at, ..)| at);
                format!("{}...", quote(&bytes[..cut]))
            }
            _ => quote(bytes),
        }
    }

    fn fail<T>(&self, message: impl Into<String>) -> Parsed<T> {
        let Token { start, end, .. } = self.tokens[0];
        let position = Position { file: self.file, start: start as u32, end: end as u32 };
        let line = self.line(start);
        Err(ParseError { name: self.name.into(), line, position, message: message.into() })
    }
}

/// A node, or an action that ends a list.
enum Item {
    Node(NodeId),
    Else,
    End,
}

impl Item {
    fn name(&self) -> &'static str {
        if matches!(self, Self::Else) { "{{else}}" } else { "{{end}}" }
    }
}
