//! Compound commands: groups, conditions, loops, functions.

use super::Parser;
use crate::ast::{Case, CommandKind, For, ForHead, Function, If, List, Loop, Simple, Span, Word};

impl Parser<'_> {
    /// The compound command at the current position.
    pub(super) fn compound(&mut self) -> Option<CommandKind> {
        let start = self.pos;
        let kind = match self.peek(0) {
            b'(' if self.peek(1) == b'(' && self.arithmetic(2) => Some(CommandKind::Arithmetic),
            b'(' => self.subshell(),
            b'{' if self.take_word("{") => self.group(),
            b'[' if self.take_word("[[") => self.test(),
            b'i' if self.take_word("if") => self.if_clause(),
            b'w' if self.take_word("while") => self.loop_clause(false),
            b'u' if self.take_word("until") => self.loop_clause(true),
            b'f' if self.take_word("for") => self.for_clause(false),
            b's' if self.take_word("select") => self.for_clause(true),
            b'c' if self.take_word("case") => self.case_clause(),
            b'f' if self.take_word("function") => self.function_clause(),
            _ => return None,
        };
        Some(kind.unwrap_or_else(|| {
            self.error(start);
            CommandKind::Unknown
        }))
    }

    /// `( )` and a body, if `simple` is the name that was just parsed.
    pub(super) fn function_after_name(&mut self, simple: &Simple) -> Option<CommandKind> {
        let name = simple.words.first()?.span;
        let start = self.pos;
        self.skip_blanks();
        if !self.take_parentheses() {
            self.pos = start;
            return None;
        }
        let function = self.function_body(name);
        Some(function.unwrap_or_else(|| {
            self.script.unknown.push(self.span_from(name.start as usize));
            CommandKind::Unknown
        }))
    }

    fn take_parentheses(&mut self) -> bool {
        self.take("(") && {
            self.skip_blanks();
            self.take(")")
        }
    }

    fn function_body(&mut self, name: Span) -> Option<CommandKind> {
        self.skip_space();
        let body = self.nested(|parser| Some(parser.command()))?;
        let empty = matches!(&body.kind, CommandKind::Simple(simple) if simple.words.is_empty());
        (!empty).then(|| CommandKind::Function(Box::new(Function { name, body })))
    }

    fn function_clause(&mut self) -> Option<CommandKind> {
        self.skip_blanks();
        let name = self.word(false)?.span;
        self.skip_blanks();
        self.take_parentheses();
        self.function_body(name)
    }

    fn subshell(&mut self) -> Option<CommandKind> {
        self.pos += 1;
        let list = self.list();
        self.take(")").then_some(CommandKind::Subshell(list))
    }

    fn group(&mut self) -> Option<CommandKind> {
        let list = self.list();
        self.take_word("}").then_some(CommandKind::Group(list))
    }

    /// A list and the keyword that ends it.
    fn list_before(&mut self, keyword: &str) -> Option<List> {
        let list = self.list();
        self.take_word(keyword).then_some(list)
    }

    fn if_clause(&mut self) -> Option<CommandKind> {
        let mut branches = Vec::new();
        let mut otherwise = None;
        loop {
            let condition = self.list_before("then")?;
            branches.push((condition, self.list()));
            if self.take_word("elif") {
                continue;
            }
            if self.take_word("else") {
                otherwise = Some(self.list());
            }
            let clause = If { branches, otherwise };
            return self.take_word("fi").then(|| CommandKind::If(Box::new(clause)));
        }
    }

    fn loop_clause(&mut self, until: bool) -> Option<CommandKind> {
        let condition = self.list_before("do")?;
        let body = self.list_before("done")?;
        Some(CommandKind::Loop(Box::new(Loop { until, condition, body })))
    }

    fn for_clause(&mut self, select: bool) -> Option<CommandKind> {
        self.skip_blanks();
        let start = self.pos;
        if self.starts_with("((") && self.arithmetic(2) {
            let head = ForHead::Arithmetic(Span::new(start + 2, self.pos - 2));
            let variable = Span::new(start, start);
            return self.for_body(variable, head);
        }
        self.pos = self.name_end(start);
        let variable = self.span_from(start);
        self.skip_space();
        let words = if self.take_word("in") { self.words_on_line() } else { Vec::new() };
        let head = if select { ForHead::Select(words) } else { ForHead::Words(words) };
        if variable.start == variable.end { None } else { self.for_body(variable, head) }
    }

    fn words_on_line(&mut self) -> Vec<Word> {
        let mut words = Vec::new();
        loop {
            self.skip_blanks();
            match self.word(false) {
                Some(word) => words.push(word),
                None => return words,
            }
        }
    }

    fn for_body(&mut self, variable: Span, head: ForHead) -> Option<CommandKind> {
        self.skip_blanks();
        self.take(";");
        self.skip_space();
        let close = if self.take_word("do") {
            "done"
        } else if self.take_word("{") {
            "}"
        } else {
            return None;
        };
        let body = self.list_before(close)?;
        Some(CommandKind::For(Box::new(For { variable, head, body })))
    }

    fn case_clause(&mut self) -> Option<CommandKind> {
        self.skip_blanks();
        let subject = self.word(false)?;
        self.skip_space();
        if !self.take_word("in") {
            return None;
        }
        let mut arms = Vec::new();
        loop {
            self.skip_space();
            if self.take_word("esac") {
                return Some(CommandKind::Case(Box::new(Case { subject, arms })));
            }
            arms.push(self.case_arm()?);
        }
    }

    fn case_arm(&mut self) -> Option<(Vec<Word>, List)> {
        self.take("(");
        let mut patterns = Vec::new();
        loop {
            self.skip_blanks();
            patterns.push(self.word(false)?);
            self.skip_blanks();
            if !self.take("|") {
                break;
            }
        }
        if !self.take(")") {
            return None;
        }
        let body = self.list();
        let ended = self.take(";;&") || self.take(";;") || self.take(";&");
        (ended || self.at_word("esac")).then_some((patterns, body))
    }

    /// `[[ … ]]`; operators count as words.
    fn test(&mut self) -> Option<CommandKind> {
        let mut words: Vec<Word> = Vec::new();
        loop {
            self.skip_space();
            if self.take_word("]]") {
                return Some(CommandKind::Test(words));
            }
            let regex = words.last().is_some_and(|word| word.span.text(self.text) == "=~");
            words.push(if regex { self.regex()? } else { self.test_word()? });
        }
    }

    fn test_word(&mut self) -> Option<Word> {
        let operators = ["&&", "||", "(", ")", "<", ">"];
        let start = self.pos;
        match operators.iter().any(|operator| self.take(operator)) {
            true => Some(Word { span: self.span_from(start), parts: Vec::new() }),
            false => self.word(false),
        }
    }

    /// The pattern after `=~`, in which parentheses and bars are literal, and blanks between parentheses too.
    fn regex(&mut self) -> Option<Word> {
        let start = self.pos;
        let mut parts = Vec::new();
        let mut open = 0_u32;
        loop {
            let from = self.pos;
            while open > 0 && matches!(self.peek(0), b' ' | b'\t') {
                self.pos += 1;
            }
            match self.peek(0) {
                b'(' => open += 1,
                b')' => open = open.saturating_sub(1),
                _ => {}
            }
            if matches!(self.peek(0), b'(' | b')' | b'|' | b'<' | b'>' | b'&' | b';') {
                self.pos += 1;
            } else if let Some(word) = self.word(false) {
                parts.extend(word.parts);
            }
            if self.pos == from {
                break;
            }
        }
        (self.pos > start).then(|| Word { span: self.span_from(start), parts })
    }
}
