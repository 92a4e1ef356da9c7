//! The syntax tree of a shell script. Nodes own no text: each stores the byte range it was parsed from.

/// A byte range of a script.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Span {
    /// Offset of the first byte.
    pub start: u32,
    /// Offset after the last byte.
    pub end: u32,
}

impl Span {
    /// A span from byte offsets.
    pub fn new(start: usize, end: usize) -> Self {
        Self { start: start as u32, end: end as u32 }
    }

    /// The span as a range, for slicing the script.
    pub fn range(self) -> std::ops::Range<usize> {
        self.start as usize..self.end as usize
    }

    /// The text of `script` in this span; empty if the span does not fit the script.
    pub fn text(self, script: &str) -> &str {
        script.get(self.range()).unwrap_or_default()
    }
}

/// A parsed script.
#[derive(Debug, Default)]
pub struct Script {
    /// The statements of the script.
    pub body: List,
    /// The here-documents in source order. Redirections refer to them by index.
    pub heredocs: Vec<Heredoc>,
    /// Comments, each from its `#` to the end of the line.
    pub comments: Vec<Span>,
    /// Ranges that are not valid shell syntax.
    pub unknown: Vec<Span>,
    /// Those of them that every shell finds before it runs the first command.
    pub(crate) errors: Vec<SyntaxError>,
}

/// A syntax error that every shell finds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SyntaxError {
    /// What opens at the start of the span is never closed.
    Unclosed {
        /// From what opens to where the parser gave up.
        span: Span,
        /// `if`, `"`
        opens: &'static str,
        /// `fi`, `"`
        closes: &'static str,
    },
    /// A word that closes what nothing opens.
    Stray {
        /// The word.
        span: Span,
        /// `fi`
        word: &'static str,
    },
}

impl SyntaxError {
    /// Where it is.
    pub fn span(self) -> Span {
        match self {
            Self::Unclosed { span, .. } | Self::Stray { span, .. } => span,
        }
    }
}

/// Statements that run one after another.
#[derive(Debug, Default)]
pub struct List {
    /// The statements in source order.
    pub statements: Vec<Statement>,
}

impl List {
    /// From the first statement to the last; `0..0` for an empty list.
    pub(crate) fn span(&self) -> Span {
        let start = self.statements.first().map_or(0, |first| first.span.start);
        Span { start, end: self.statements.last().map_or(0, |last| last.span.end) }
    }
}

/// Pipelines joined by `&&` and `||`.
#[derive(Debug)]
pub struct Statement {
    /// The whole statement without its terminator.
    pub span: Span,
    /// The first pipeline.
    pub first: Pipeline,
    /// The other pipelines, each with the operator before it.
    pub rest: Vec<(Connector, Pipeline)>,
    /// Terminated by `&`.
    pub background: bool,
}

impl Statement {
    /// The assignment that it is, with no command.
    pub(crate) fn assignment(&self) -> Option<&Assignment> {
        let [Command { kind: CommandKind::Simple(simple), .. }] = self.first.commands.as_slice()
        else {
            return None;
        };
        match (simple.assignments.as_slice(), simple.words.as_slice()) {
            ([assignment], []) => Some(assignment),
            _ => None,
        }
    }

    /// The pipeline at `index`, counting [`Statement::first`] as 0.
    pub(crate) fn pipeline(&self, index: usize) -> &Pipeline {
        index.checked_sub(1).map_or(&self.first, |at| &self.rest[at].1)
    }

    /// The index of the pipeline that runs when the one at `index` fails.
    pub(crate) fn fallback(&self, index: usize) -> Option<usize> {
        let or =
            self.rest[index..].iter().position(|(connector, _)| *connector == Connector::Or)?;
        Some(index + or + 1)
    }
}

/// The operator between two pipelines of a statement.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Connector {
    /// `&&`
    And,
    /// `||`
    Or,
}

/// Commands joined by `|`.
#[derive(Debug)]
pub struct Pipeline {
    /// The whole pipeline.
    pub span: Span,
    /// Preceded by `!`.
    pub negated: bool,
    /// The commands in source order; at least one.
    pub commands: Vec<Command>,
}

impl Pipeline {
    /// Whether it is one `{ … }`, `if`, `case` or loop, which runs in the shell itself.
    pub(crate) fn is_compound(&self) -> bool {
        use CommandKind::{Case, For, Group, If, Loop};
        let [command] = self.commands.as_slice() else { return false };
        matches!(command.kind, Group(_) | If(_) | Case(_) | For(_) | Loop(_))
    }
}

/// A simple or compound command with its redirections.
#[derive(Debug)]
pub struct Command {
    /// The whole command, redirections included.
    pub span: Span,
    /// What kind of command it is.
    pub kind: CommandKind,
    /// The redirections in source order.
    pub redirects: Vec<Redirect>,
}

/// The kinds of commands.
#[derive(Debug)]
pub enum CommandKind {
    /// Assignments, a program and its arguments.
    Simple(Simple),
    /// `{ …; }`
    Group(List),
    /// `( … )`
    Subshell(List),
    /// `if`
    If(Box<If>),
    /// `while` or `until`
    Loop(Box<Loop>),
    /// `for` or `select`
    For(Box<For>),
    /// `case`
    Case(Box<Case>),
    /// A function definition.
    Function(Box<Function>),
    /// `[[ … ]]`: operands and operators in source order.
    Test(Vec<Word>),
    /// `(( … ))`
    Arithmetic,
    /// A syntax error.
    Unknown,
}

/// `NAME=value … program argument …`
#[derive(Debug, Default)]
pub struct Simple {
    /// The assignments before the program.
    pub assignments: Vec<Assignment>,
    /// The program and its arguments; empty if there are only assignments.
    pub words: Vec<Word>,
}

/// `NAME=value`, `NAME+=value` or `NAME=(value …)`.
#[derive(Debug)]
pub struct Assignment {
    /// The whole assignment.
    pub span: Span,
    /// The name of the variable.
    pub name: Span,
    /// At most one word, or the elements of an array.
    pub values: Vec<Word>,
    /// The value is an array.
    pub array: bool,
}

/// `if … then … elif … then … else … fi`
#[derive(Debug)]
pub struct If {
    /// Condition and body of the `if` and each `elif`.
    pub branches: Vec<(List, List)>,
    /// The body of the `else`.
    pub otherwise: Option<List>,
}

/// `while` or `until`.
#[derive(Debug)]
pub struct Loop {
    /// `until` rather than `while`.
    pub until: bool,
    /// The commands before `do`.
    pub condition: List,
    /// The commands after `do`.
    pub body: List,
}

/// `for` or `select`.
#[derive(Debug)]
pub struct For {
    /// The name of the loop variable; empty for `for ((…))`.
    pub variable: Span,
    /// What the loop iterates over.
    pub head: ForHead,
    /// The commands after `do`.
    pub body: List,
}

/// What a `for` or `select` loop iterates over.
#[derive(Debug)]
pub enum ForHead {
    /// `in word …`; empty without `in`, which means the script's arguments.
    Words(Vec<Word>),
    /// `for ((init; test; step))`: the span between the double parentheses.
    Arithmetic(Span),
    /// The words of `select`, which prompts until the script leaves the loop.
    Select(Vec<Word>),
}

/// `case subject in pattern) … ;; esac`
#[derive(Debug)]
pub struct Case {
    /// The word that is matched.
    pub subject: Word,
    /// Patterns and body of each arm.
    pub arms: Vec<(Vec<Word>, List)>,
}

/// A function definition.
#[derive(Debug)]
pub struct Function {
    /// The name of the function.
    pub name: Span,
    /// The command it runs.
    pub body: Command,
}

/// One word. It expands to one argument or, unquoted, to any number.
#[derive(Debug)]
pub struct Word {
    /// The whole word, quotes included.
    pub span: Span,
    /// The parts in source order. Quotes belong to no part.
    pub parts: Vec<Part>,
}

/// The statement of a value that is one command substitution of one statement, and the span of the substitution:
/// `$(date)`.
pub(crate) fn only_statement(value: &[Word]) -> Option<(&Statement, Span)> {
    let [Word { parts, .. }] = value else { return None };
    let [Part { kind: PartKind::Command(list), span, .. }] = parts.as_slice() else { return None };
    let [statement] = list.statements.as_slice() else { return None };
    Some((statement, *span))
}

/// A part of a word.
#[derive(Debug)]
pub struct Part {
    /// The bytes of the part.
    pub span: Span,
    /// Inside quotes: no field splitting and no globbing.
    pub quoted: bool,
    /// What kind of part it is.
    pub kind: PartKind,
}

/// The kinds of parts of a word.
#[derive(Debug)]
pub enum PartKind {
    /// Literal text: the bytes of the span.
    Literal,
    /// An escape sequence for one character.
    Escaped(char),
    /// `$name` or `${name…}`.
    Parameter {
        /// The name of the variable.
        name: Span,
        /// What follows the name in braces, operator included: `:-default`.
        operand: Option<Word>,
    },
    /// `$( … )` or backticks.
    Command(List),
    /// `<( … )` or `>( … )`
    Process(List),
    /// `$(( … ))`
    Arithmetic,
    /// `( … )` after `name=` in an argument, such as one of `declare`.
    Array(Vec<Word>),
}

impl Word {
    /// The value of the word; `None` if it contains an expansion.
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

/// A redirection: `2>file`, `<<EOF`, `<<<word`.
#[derive(Debug)]
pub struct Redirect {
    /// The whole redirection.
    pub span: Span,
    /// The explicit file descriptor: `2` or `{name}`.
    pub descriptor: Option<Span>,
    /// The operator.
    pub operator: RedirectOperator,
    /// The file, descriptor, here-string or delimiter of the here-document.
    pub target: Word,
    /// Index into [`Script::heredocs`].
    pub heredoc: Option<usize>,
}

impl Redirect {
    /// Truncates a file and writes standard output to it.
    pub(crate) fn writes_output(&self) -> bool {
        self.operator == RedirectOperator::Write && self.descriptor.is_none()
    }

    /// Adds standard output to a file.
    pub(crate) fn appends(&self) -> bool {
        self.operator == RedirectOperator::Append && self.descriptor.is_none()
    }
}

/// The operators of redirections.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RedirectOperator {
    /// `<`
    Read,
    /// `>`, `>|` or `&>`
    Write,
    /// `>>` or `&>>`
    Append,
    /// `<>`
    ReadWrite,
    /// `<&` or `>&`
    Duplicate,
    /// `<<` or `<<-`
    Heredoc,
    /// `<<<`
    HereString,
}

/// The body of a here-document.
#[derive(Debug)]
pub struct Heredoc {
    /// From the first line to the start of the delimiter line.
    pub span: Span,
    /// The text with its expansions. With `<<-` each line is a literal of its own, without its leading tabs.
    pub body: Word,
}
