//! Parses pipelines, commands and operands.

use super::{Parsed, Parser};
use crate::ast::{CalleeId, Effect, NodeId, NodeKind, Pipe, TableRange, VarId};
use crate::number::parse_number;
use crate::quote::{quote, unquote};
use crate::token::{Token, TokenKind};

impl Parser<'_> {
    /// `[declarations] command {"|" command}` and the token `end`.
    pub(super) fn pipeline(&mut self, context: &str, end: TokenKind) -> Parsed<NodeId> {
        let start = self.peek_non_space().start;
        let from = self.declared.len();
        let mut is_assignment = false;
        while self.declaration(context, from, &mut is_assignment)? {}
        let declares = TableRange::since(from, &self.declared);
        let mark = self.pending.len();
        let last = loop {
            let token = self.next_non_space();
            match token.kind {
                kind if kind == end => break token,
                TokenKind::Bool
                | TokenKind::CharConstant
                | TokenKind::Complex
                | TokenKind::Dot
                | TokenKind::Field
                | TokenKind::Identifier
                | TokenKind::Number
                | TokenKind::Nil
                | TokenKind::RawString
                | TokenKind::String
                | TokenKind::Variable
                | TokenKind::LeftParen => {
                    self.backup();
                    let command = self.command()?;
                    self.pending.push(command);
                }
                _ => return self.unexpected(token, context),
            }
        };
        let commands = self.collect(mark);
        self.check_pipeline(commands, context)?;
        if is_assignment {
            let assigned = declares.of(&self.declared).iter();
            self.effects.extend(assigned.map(|variable| Effect::Assign(*variable)));
        }
        let end = match (last.kind, commands.of(&self.lists).last()) {
            (TokenKind::RightParen, _) | (_, None) => last.end,
            (_, Some(command)) => self.end_of(*command),
        };
        let pipe = Pipe { declares, is_assignment, commands };
        Ok(self.node(NodeKind::Pipe(pipe), start, end))
    }

    /// A variable that the pipeline declares or assigns, if the next token starts one. Returns whether
    /// another may follow. The variables of the pipeline start at `from`.
    fn declaration(
        &mut self,
        context: &str,
        from: usize,
        is_assignment: &mut bool,
    ) -> Parsed<bool> {
        let variable = self.peek_non_space();
        if variable.kind != TokenKind::Variable {
            return Ok(false);
        }
        self.next();
        let after = self.peek();
        let next = self.peek_non_space();
        let is_comma = next.kind == TokenKind::Char && self.bytes(next) == b",";
        if !is_comma && !matches!(next.kind, TokenKind::Assign | TokenKind::Declare) {
            // `$x foo`: the variable is an argument. Put back the tokens.
            if after.kind == TokenKind::Space {
                self.backup3(variable, after);
            } else {
                self.backup2(variable);
            }
            return Ok(false);
        }
        self.next_non_space();
        let name = self.text_of(variable);
        let id = self.declare(&name);
        self.declared.push(id);
        if !is_comma {
            *is_assignment = next.kind == TokenKind::Assign;
            return Ok(false);
        }
        if context != "range" || self.declared.len() - from > 1 {
            return self.fail(format!("too many declarations in {context}"));
        }
        match self.peek_non_space().kind {
            TokenKind::Variable | TokenKind::RightDelim | TokenKind::RightParen => Ok(true),
            _ => self.fail("range can only initialize variables"),
        }
    }

    fn check_pipeline(&self, commands: TableRange, context: &str) -> Parsed<()> {
        let commands = commands.of(&self.lists);
        if commands.is_empty() {
            return self.fail(format!("missing value for {context}"));
        }
        for (i, command) in commands.iter().enumerate().skip(1) {
            let NodeKind::Command(words) = self.nodes[command.0 as usize].kind else { continue };
            if matches!(
                self.nodes[words.of(&self.lists)[0].0 as usize].kind,
                NodeKind::Bool(_)
                    | NodeKind::Dot
                    | NodeKind::Nil
                    | NodeKind::Number(_)
                    | NodeKind::String(_)
            ) {
                let stage = i + 1;
                return self.fail(format!("non executable command in pipeline stage {stage}"));
            }
        }
        Ok(())
    }

    /// Operands separated by spaces. Consumes the pipe character after them, but not a delimiter.
    fn command(&mut self) -> Parsed<NodeId> {
        let start = self.peek_non_space().start;
        let mark = self.pending.len();
        loop {
            self.peek_non_space();
            let operand = self.operand()?;
            self.pending.extend(operand);
            let token = self.next();
            match token.kind {
                TokenKind::Space => {}
                TokenKind::RightDelim | TokenKind::RightParen => {
                    self.backup();
                    break;
                }
                TokenKind::Pipe => break,
                _ => return self.unexpected(token, "operand"),
            }
        }
        let words = self.collect(mark);
        let Some(&last) = words.of(&self.lists).last() else { return self.fail("empty command") };
        self.note_mutation(words);
        let end = self.end_of(last);
        Ok(self.node(NodeKind::Command(words), start, end))
    }

    /// Records a call of a function that changes its first argument.
    fn note_mutation(&mut self, words: TableRange) {
        let &[function, target, ref rest @ ..] = words.of(&self.lists) else { return };
        let NodeKind::Function(id) = self.nodes[function.0 as usize].kind else { return };
        if !self.callees[id.0 as usize].mutates {
            return;
        }
        let key = rest.first().and_then(|key| match &self.nodes[key.0 as usize].kind {
            NodeKind::String(text) => Some(String::from_utf8_lossy(text).into()),
            _ => None,
        });
        self.effects.push(Effect::Mutate { target, key });
    }

    /// A term and the fields that follow it; `None` if the next token begins no term.
    fn operand(&mut self) -> Parsed<Option<NodeId>> {
        let Some(term) = self.term()? else { return Ok(None) };
        let first = self.peek();
        if first.kind != TokenKind::Field {
            return Ok(Some(term));
        }
        let mut last = first;
        while self.peek().kind == TokenKind::Field {
            last = self.next();
        }
        let fields = Token { end: last.end, ..first };
        let own = &self.nodes[term.0 as usize];
        let kind = match &own.kind {
            NodeKind::Field(_) => {
                NodeKind::Field(TableRange { start: own.start, ..range_of(fields) })
            }
            NodeKind::Variable(name, _) => NodeKind::Variable(*name, range_of(fields)),
            NodeKind::Bool(_)
            | NodeKind::String(_)
            | NodeKind::Number(_)
            | NodeKind::Nil
            | NodeKind::Dot => {
                let text = &self.text[own.start as usize..own.end as usize];
                return self.fail(format!("unexpected . after term {}", quote(text)));
            }
            _ => NodeKind::Chain(term, range_of(fields)),
        };
        Ok(Some(self.node(kind, first.start, last.end)))
    }

    fn term(&mut self) -> Parsed<Option<NodeId>> {
        let token = self.next_non_space();
        let kind = match token.kind {
            TokenKind::Identifier => NodeKind::Function(self.function(token)?),
            TokenKind::Dot => NodeKind::Dot,
            TokenKind::Nil => NodeKind::Nil,
            TokenKind::Variable => self.variable(token)?,
            TokenKind::Field => NodeKind::Field(range_of(token)),
            TokenKind::Bool => NodeKind::Bool(self.bytes(token) == b"true"),
            TokenKind::CharConstant | TokenKind::Complex | TokenKind::Number => {
                match parse_number(token.kind, self.bytes(token)) {
                    Ok(number) => NodeKind::Number(Box::new(number)),
                    Err(error) => return self.fail(error.to_string()),
                }
            }
            TokenKind::LeftParen if self.stack.is_exhausted() => {
                return self.fail("max expression depth exceeded");
            }
            TokenKind::LeftParen => {
                return self.pipeline("parenthesized pipeline", TokenKind::RightParen).map(Some);
            }
            TokenKind::String | TokenKind::RawString => match unquote(self.bytes(token)) {
                Some(text) => NodeKind::String(text.into()),
                None => return self.fail("invalid syntax"),
            },
            _ => {
                self.backup();
                return Ok(None);
            }
        };
        Ok(Some(self.leaf(kind, token)))
    }

    fn function(&mut self, token: Token) -> Parsed<CalleeId> {
        let name = self.text_of(token);
        let Some(callee) = (self.find_function)(&name) else {
            return self.fail(format!("function {} not defined", quote(name.as_bytes())));
        };
        let known = self.callees.iter().position(|other| other.name == callee.name);
        let index = known.unwrap_or_else(|| {
            self.callees.push(callee);
            self.callees.len() - 1
        });
        Ok(CalleeId(index as u32))
    }

    fn variable(&mut self, token: Token) -> Parsed<NodeKind> {
        let name = self.text_of(token);
        let id = self.variable_ids.get(&*name).copied();
        let is_declared =
            |id: VarId| self.scope.count.get(id.0 as usize).is_some_and(|&count| count > 0);
        match id.filter(|id| is_declared(*id)) {
            Some(id) => Ok(NodeKind::Variable(id, TableRange::default())),
            None => self.fail(format!("undefined variable {}", quote(name.as_bytes()))),
        }
    }
}

/// The byte range of a token.
fn range_of(token: Token) -> TableRange {
    TableRange { start: token.start as u32, end: token.end as u32 }
}
