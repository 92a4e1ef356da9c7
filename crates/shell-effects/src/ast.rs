//! The syntax tree of a shell script. It borrows nothing: every node knows its bytes in the script it
//! was parsed from.

/// A byte range of a script.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Span {
    pub start: u32,
    pub end: u32,
}

impl Span {
    /// A span from byte offsets.
    pub fn new(start: usize, end: usize) -> Self {
        Self { start: start as u32, end: end as u32 }
    }

    /// The bytes as a range, to slice the script with.
    pub fn range(self) -> std::ops::Range<usize> {
        self.start as usize..self.end as usize
    }

    /// The text of `script` that the span covers.
    pub fn text(self, script: &str) -> &str {
        script.get(self.range()).unwrap_or_default()
    }
}

/// A parsed script.
#[derive(Debug, Default)]
pub struct Script {
    pub body: List,
    /// The here-documents in order of appearance; redirections refer to them by index.
    pub heredocs: Vec<Heredoc>,
    /// Comments, from the `#` to the end of their line.
    pub comments: Vec<Span>,
    /// Stretches that no grammar rule took.
    pub unknown: Vec<Span>,
}

/// Statements that run one after the other.
#[derive(Debug, Default)]
pub struct List {
    pub statements: Vec<Statement>,
}

/// Pipelines joined by `&&` and `||`.
#[derive(Debug)]
pub struct Statement {
    pub span: Span,
    pub first: Pipeline,
    pub rest: Vec<(Connector, Pipeline)>,
    /// Ended by `&`.
    pub background: bool,
}

/// What stands between two pipelines of a statement.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Connector {
    And,
    Or,
}

/// Commands joined by `|`.
#[derive(Debug)]
pub struct Pipeline {
    pub span: Span,
    /// Preceded by `!`.
    pub negated: bool,
    pub commands: Vec<Command>,
}

/// A simple or compound command with its redirections.
#[derive(Debug)]
pub struct Command {
    pub span: Span,
    pub kind: CommandKind,
    pub redirects: Vec<Redirect>,
}

#[derive(Debug)]
pub enum CommandKind {
    Simple(Simple),
    /// `{ …; }`
    Group(List),
    /// `( … )`
    Subshell(List),
    If(Box<If>),
    Loop(Box<Loop>),
    For(Box<For>),
    Case(Box<Case>),
    Function(Box<Function>),
    /// `[[ … ]]`: operands and operators in order.
    Test(Vec<Word>),
    /// `(( … ))`
    Arithmetic,
    /// What could not be parsed.
    Unknown,
}

/// `NAME=value … program argument …`
#[derive(Debug, Default)]
pub struct Simple {
    pub assignments: Vec<Assignment>,
    pub words: Vec<Word>,
}

/// `NAME=value`, `NAME+=value` or `NAME=(value …)`.
#[derive(Debug)]
pub struct Assignment {
    pub span: Span,
    pub name: Span,
    /// One word, or the elements of an array.
    pub values: Vec<Word>,
    pub array: bool,
}

/// One branch per `if` and `elif`, then `else`.
#[derive(Debug)]
pub struct If {
    pub branches: Vec<(List, List)>,
    pub otherwise: Option<List>,
}

/// `while` and `until`.
#[derive(Debug)]
pub struct Loop {
    pub until: bool,
    pub condition: List,
    pub body: List,
}

/// `for` and `select`.
#[derive(Debug)]
pub struct For {
    pub variable: Span,
    pub head: ForHead,
    pub body: List,
}

#[derive(Debug)]
pub enum ForHead {
    /// `in word …`; without `in` the arguments of the script.
    Words(Vec<Word>),
    /// `for ((init; test; step))`: the span of the test.
    Arithmetic(Span),
    /// `select`, which asks until it is told to stop.
    Select(Vec<Word>),
}

#[derive(Debug)]
pub struct Case {
    pub subject: Word,
    pub arms: Vec<(Vec<Word>, List)>,
}

#[derive(Debug)]
pub struct Function {
    pub name: Span,
    pub body: Command,
}

/// One word: what expands to one argument or, unquoted, to several.
#[derive(Debug)]
pub struct Word {
    pub span: Span,
    pub parts: Vec<Part>,
}

/// A stretch of a word.
#[derive(Debug)]
pub struct Part {
    pub span: Span,
    /// Inside quotes: no field splitting, no globbing.
    pub quoted: bool,
    pub kind: PartKind,
}

#[derive(Debug)]
pub enum PartKind {
    /// The text of the span, as it is.
    Literal,
    /// An escape sequence that stands for one character.
    Escaped(char),
    /// `$name` or `${name…}`; the operand starts with its operator (`:-default`).
    Parameter { name: Span, operand: Option<Word> },
    /// `$( … )` or backticks.
    Command(List),
    /// `<( … )` or `>( … )`
    Process(List),
    /// `$(( … ))`
    Arithmetic,
    /// `( … )` after `name=` in an argument, as of `declare`.
    Array(Vec<Word>),
}

impl Word {
    /// The value when nothing is expanded at run time.
    pub fn literal(&self, script: &str) -> Option<String> {
        let mut value = String::new();
        for part in &self.parts {
            match part.kind {
                PartKind::Literal => value.push_str(part.span.text(script)),
                PartKind::Escaped(c) => value.push(c),
                _ => return None,
            }
        }
        Some(value)
    }
}

/// `2>file`, `<<EOF`, `<<<word`
#[derive(Debug)]
pub struct Redirect {
    pub span: Span,
    /// The descriptor when it is written out.
    pub descriptor: Option<Span>,
    pub operator: RedirectOperator,
    /// File, descriptor, delimiter of the here-document or here-string.
    pub target: Word,
    /// Index into [`Script::heredocs`].
    pub heredoc: Option<usize>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RedirectOperator {
    Read,
    Write,
    Append,
    ReadWrite,
    Duplicate,
    Heredoc,
    HereString,
}

/// The lines of a here-document.
#[derive(Debug)]
pub struct Heredoc {
    /// From the first line to the start of the delimiter line.
    pub span: Span,
    /// The text with its expansions; one literal per line when leading tabs are removed.
    pub body: Word,
}
