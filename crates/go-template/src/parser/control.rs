//! Parses actions that begin with a keyword.

use super::{Item, Parsed, Parser};
use crate::ast::{Branch, BranchId, BranchKind, Effect, NodeId, NodeKind};
use crate::token::{Token, TokenKind};

impl Parser<'_> {
    /// An action, from behind its left delimiter.
    pub(super) fn action(&mut self) -> Parsed<Item> {
        let token = self.next_non_space();
        let node = match token.kind {
            TokenKind::Block => self.block()?,
            TokenKind::Break => self.escape(token, NodeKind::Break, "{{break}}")?,
            TokenKind::Continue => self.escape(token, NodeKind::Continue, "{{continue}}")?,
            TokenKind::Else => return self.else_control(),
            TokenKind::End => {
                self.expect(TokenKind::RightDelim, "end")?;
                return Ok(Item::End);
            }
            TokenKind::If => self.branch(BranchKind::If)?,
            TokenKind::Range => self.branch(BranchKind::Range)?,
            TokenKind::Template => self.template()?,
            TokenKind::With => self.branch(BranchKind::With)?,
            _ => {
                self.backup();
                let start = self.peek().start;
                let pipe = self.pipeline("command", TokenKind::RightDelim)?;
                let end = self.end_of(pipe);
                self.node(NodeKind::Action(pipe), start, end)
            }
        };
        Ok(Item::Node(node))
    }

    fn escape(&mut self, keyword: Token, kind: NodeKind, name: &str) -> Parsed<NodeId> {
        let token = self.next_non_space();
        if token.kind != TokenKind::RightDelim {
            return self.unexpected(token, name);
        }
        if self.scope.range_depth == 0 {
            return self.fail(format!("{name} outside {{{{range}}}}"));
        }
        self.effects.push(Effect::Escape);
        Ok(self.leaf(kind, keyword))
    }

    /// `{{else}}`. Leaves the second word of `{{else if` and `{{else with` unread.
    fn else_control(&mut self) -> Parsed<Item> {
        let next = self.peek_non_space().kind;
        if !matches!(next, TokenKind::If | TokenKind::With) {
            self.expect(TokenKind::RightDelim, "else")?;
        }
        Ok(Item::Else)
    }

    fn branch(&mut self, kind: BranchKind) -> Parsed<NodeId> {
        let context = match kind {
            BranchKind::If => "if",
            BranchKind::Range => "range",
            BranchKind::With => "with",
        };
        let scope = self.scope.declared.len();
        let pipe = self.pipeline(context, TokenKind::RightDelim)?;
        let effects = self.effects.len() as u32;
        let depth = usize::from(kind == BranchKind::Range);
        self.scope.range_depth += depth;
        let body = self.item_list()?;
        self.scope.range_depth -= depth;
        let otherwise = if body.is_else { Some(self.otherwise(kind)?) } else { None };
        self.undeclare_to(scope);
        let effects = (effects, self.effects.len() as u32);
        let branch = Branch { kind, pipe, body: body.list, otherwise, effects };
        let (start, end) = (self.nodes[pipe.0 as usize].start, self.end_of(pipe));
        self.branches.push(branch);
        let id = BranchId(self.branches.len() as u32 - 1);
        Ok(self.node(NodeKind::Branch(id), start as usize, end))
    }

    /// The list after `{{else}}`, or the branch after `{{else if` and `{{else with`, which shares
    /// the `{{end}}`.
    fn otherwise(&mut self, kind: BranchKind) -> Parsed<NodeId> {
        let next = self.peek();
        if matches!(
            (kind, next.kind),
            (BranchKind::If, TokenKind::If) | (BranchKind::With, TokenKind::With)
        ) {
            self.next();
            if self.stack.is_exhausted() {
                return self.fail("max nesting depth exceeded");
            }
            let mark = self.pending.len();
            let branch = self.branch(kind)?;
            self.pending.push(branch);
            return Ok(self.list(next.start, mark));
        }
        let end = self.item_list()?;
        if end.is_else {
            return self.fail("expected end; found {{else}}");
        }
        Ok(end.list)
    }

    fn block(&mut self) -> Parsed<NodeId> {
        const CONTEXT: &str = "block clause";
        let token = self.next_non_space();
        let name = self.template_name(token, CONTEXT)?;
        let pipe = self.pipeline(CONTEXT, TokenKind::RightDelim)?;
        let outer = self.open_scope();
        self.body(&name, CONTEXT)?;
        self.scope = outer;
        let kind = NodeKind::Template { name: name.into(), pipe: Some(pipe) };
        let end = self.end_of(pipe);
        Ok(self.node(kind, token.start, end))
    }

    fn template(&mut self) -> Parsed<NodeId> {
        const CONTEXT: &str = "template clause";
        let token = self.next_non_space();
        let name = self.template_name(token, CONTEXT)?.into();
        if self.next_non_space().kind == TokenKind::RightDelim {
            return Ok(self.leaf(NodeKind::Template { name, pipe: None }, token));
        }
        self.backup();
        let pipe = self.pipeline(CONTEXT, TokenKind::RightDelim)?;
        let end = self.end_of(pipe);
        Ok(self.node(NodeKind::Template { name, pipe: Some(pipe) }, token.start, end))
    }
}
