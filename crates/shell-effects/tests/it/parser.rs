//! The shell parser: small scripts, an independent parser as oracle, and invalid input.

use brush_parser::{Parser, ParserOptions, ast as brush};
use shell_effects::{
    Catalogue, Container, analyse,
    ast::{Command, CommandKind, ForHead, List, PartKind, Pipeline, Script, Word},
    parse,
};

use crate::scripts::labelled_scripts;

/// The commands of a script in source order: words as written, compound commands by name.
fn outline(text: &str) -> Vec<String> {
    let script = parse(text);
    let mut lines = Vec::new();
    Outline { text, lines: &mut lines }.list(&script.body);
    lines
}

struct Outline<'a> {
    text: &'a str,
    lines: &'a mut Vec<String>,
}

impl Outline<'_> {
    fn list(&mut self, list: &List) {
        for statement in &list.statements {
            self.pipeline(&statement.first);
            statement.rest.iter().for_each(|(_, pipeline)| self.pipeline(pipeline));
        }
    }

    fn pipeline(&mut self, pipeline: &Pipeline) {
        pipeline.commands.iter().for_each(|command| self.command(command));
    }

    fn words(&self, words: &[Word]) -> String {
        words.iter().map(|word| word.span.text(self.text)).collect::<Vec<_>>().join(" ")
    }

    fn command(&mut self, command: &Command) {
        match &command.kind {
            CommandKind::Simple(simple) => {
                let assigned =
                    simple.assignments.iter().map(|assignment| assignment.span.text(self.text));
                let words = simple.words.iter().map(|word| word.span.text(self.text));
                self.lines.push(assigned.chain(words).collect::<Vec<_>>().join(" "));
            }
            CommandKind::Group(list) => self.compound("group", list),
            CommandKind::Subshell(list) => self.compound("subshell", list),
            CommandKind::If(clause) => {
                self.lines.push("if".to_owned());
                for (condition, body) in &clause.branches {
                    self.list(condition);
                    self.list(body);
                }
                clause.otherwise.iter().for_each(|list| self.list(list));
            }
            CommandKind::Loop(clause) => {
                self.compound(if clause.until { "until" } else { "while" }, &clause.condition);
                self.list(&clause.body);
            }
            CommandKind::For(clause) => {
                let head = match &clause.head {
                    ForHead::Words(words) | ForHead::Select(words) => self.words(words),
                    ForHead::Arithmetic(_) => "((".to_owned(),
                };
                self.compound(
                    &format!("for {} {head}", clause.variable.text(self.text)),
                    &clause.body,
                );
            }
            CommandKind::Case(clause) => {
                self.lines.push(format!("case {}", clause.subject.span.text(self.text)));
                for (patterns, body) in &clause.arms {
                    self.compound(&self.words(patterns), body);
                }
            }
            CommandKind::Function(function) => {
                self.lines.push(format!("function {}", function.name.text(self.text)));
                self.command(&function.body);
            }
            CommandKind::Test(_) => self.lines.push("[[".to_owned()),
            CommandKind::Arithmetic => self.lines.push("((".to_owned()),
            CommandKind::Unknown => self.lines.push("unknown".to_owned()),
        }
    }

    fn compound(&mut self, name: &str, list: &List) {
        self.lines.push(name.to_owned());
        self.list(list);
    }
}

/// The same outline, from the other parser.
fn oracle(text: &str) -> Option<Vec<String>> {
    let program = Parser::new(text.as_bytes(), &ParserOptions::default()).parse_program().ok()?;
    let mut lines = Vec::new();
    program.complete_commands.iter().for_each(|list| brush_list(list, &mut lines));
    Some(lines)
}

fn brush_list(list: &brush::CompoundList, lines: &mut Vec<String>) {
    for brush::CompoundListItem(and_or, _) in &list.0 {
        for (_, pipeline) in and_or {
            pipeline.seq.iter().for_each(|command| brush_command(command, lines));
        }
    }
}

fn brush_command(command: &brush::Command, lines: &mut Vec<String>) {
    match command {
        brush::Command::Simple(simple) => lines.push(brush_simple(simple)),
        brush::Command::Compound(compound, _) => brush_compound(compound, lines),
        brush::Command::Function(function) => {
            lines.push(format!("function {}", function.fname.value));
            brush_compound(&function.body.0, lines);
        }
        brush::Command::ExtendedTest(..) => lines.push("[[".to_owned()),
    }
}

fn brush_simple(simple: &brush::SimpleCommand) -> String {
    let prefix = simple.prefix.iter().flat_map(|prefix| &prefix.0);
    let suffix = simple.suffix.iter().flat_map(|suffix| &suffix.0);
    let item = |item: &brush::CommandPrefixOrSuffixItem| match item {
        brush::CommandPrefixOrSuffixItem::Word(word)
        | brush::CommandPrefixOrSuffixItem::AssignmentWord(_, word) => Some(word.value.clone()),
        brush::CommandPrefixOrSuffixItem::IoRedirect(_) => None,
        brush::CommandPrefixOrSuffixItem::ProcessSubstitution(..) => Some("<(…)".to_owned()),
    };
    let name = simple.word_or_name.iter().map(|word| word.value.clone());
    prefix.filter_map(item).chain(name).chain(suffix.filter_map(item)).collect::<Vec<_>>().join(" ")
}

fn brush_compound(compound: &brush::CompoundCommand, lines: &mut Vec<String>) {
    match compound {
        brush::CompoundCommand::Arithmetic(_) => lines.push("((".to_owned()),
        brush::CompoundCommand::ArithmeticForClause(clause) => {
            lines.push("for  ((".to_owned());
            brush_list(&clause.body.list, lines);
        }
        brush::CompoundCommand::BraceGroup(group) => {
            lines.push("group".to_owned());
            brush_list(&group.list, lines);
        }
        brush::CompoundCommand::Subshell(group) => {
            lines.push("subshell".to_owned());
            brush_list(&group.list, lines);
        }
        brush::CompoundCommand::ForClause(clause) => {
            let words = clause.values.iter().flatten().map(|word| word.value.clone());
            let words = words.collect::<Vec<_>>().join(" ");
            lines.push(format!("for {} {words}", clause.variable_name));
            brush_list(&clause.body.list, lines);
        }
        brush::CompoundCommand::CaseClause(clause) => brush_case(clause, lines),
        brush::CompoundCommand::IfClause(clause) => {
            lines.push("if".to_owned());
            brush_list(&clause.condition, lines);
            brush_list(&clause.then, lines);
            for branch in clause.elses.iter().flatten() {
                branch.condition.iter().for_each(|list| brush_list(list, lines));
                brush_list(&branch.body, lines);
            }
        }
        brush::CompoundCommand::WhileClause(clause) => brush_loop("while", clause, lines),
        brush::CompoundCommand::UntilClause(clause) => brush_loop("until", clause, lines),
        brush::CompoundCommand::Coprocess(_) => lines.push("coproc".to_owned()),
    }
}

fn brush_case(clause: &brush::CaseClauseCommand, lines: &mut Vec<String>) {
    lines.push(format!("case {}", clause.value.value));
    for case in &clause.cases {
        let patterns = case.patterns.iter().map(|word| word.value.clone());
        lines.push(patterns.collect::<Vec<_>>().join(" "));
        case.cmd.iter().for_each(|list| brush_list(list, lines));
    }
}

fn brush_loop(name: &str, clause: &brush::WhileOrUntilClauseCommand, lines: &mut Vec<String>) {
    lines.push(name.to_owned());
    brush_list(&clause.0, lines);
    brush_list(&clause.1.list, lines);
}

/// The labelled scripts that a shell runs.
fn scripts() -> impl Iterator<Item = String> {
    let scripts = labelled_scripts().into_iter().filter(|script| script.is_shell);
    scripts.filter_map(|mut script| script.argv.pop())
}

/// Syntax that the labelled scripts do not use.
const SYNTAX: &str = r#"
A=1 B="x $(echo "in $(date)") y" cmd 'single' "double \"q\"" plain\ word $'a\n' `back tick` >out 2>&1 <in
arr=(a "b c" $d); declare -a list=(x y); echo ${arr[@]} ${#arr[@]} ${x:-${y:-z}} ${p##*/} $((1 + (2*3)))
[[ -f a && ( $b == c* || $d =~ ^(x|y)+$ ) ]] && (( n++ ))
select o in a b; do break; done
function f { echo f; }
g() ( echo g )
if a; then b; elif c; then d; else e; fi
case $x in (a|b) one ;; c*) two ;& *) three ;; esac
! a | b |& c && d || e & wait
for i; do echo $i; done
for i in a b
do
  echo "$i" # comment
done
diff <(sort a) <(sort b)
cat <<A <<-'B' | tr a b
$(date) text
A
	literal $x
	B
{ a; b; } >log; (c; d) | e
x=$(case y in y) echo y;; esac)
echo a\
b "c\
d"
"#;

/// A word as written, without the layout that the other parser drops: line continuations, and blanks between the
/// elements of an array.
fn without_layout(word: &str) -> String {
    let word = word.replace("\\\n", "");
    if !word.contains("=(") {
        return word;
    }
    let items = word.split_whitespace().collect::<Vec<_>>().join(" ");
    items.replace("=( ", "=(").replace(" )", ")")
}

#[test]
fn agrees_with_an_independent_parser() {
    let (mut compared, mut rejected) = (0, 0);
    for text in scripts() {
        let Some(wanted) = oracle(&text) else {
            rejected += 1;
            continue;
        };
        // Process substitutions are part of a word here and commands of their own there.
        let given = outline(&text);
        let plain = |lines: Vec<String>| {
            let kept = lines.into_iter().filter(|line| !line.contains("<("));
            kept.map(|line| without_layout(&line)).collect::<Vec<_>>()
        };
        assert_eq!(plain(given), plain(wanted), "{text}");
        compared += 1;
    }
    println!("{compared} scripts agree, {rejected} rejected by the other parser");
    assert!(rejected * 100 <= compared, "{rejected} of {compared} rejected");
}

#[test]
fn labelled_scripts_have_no_syntax_errors() {
    for text in scripts().chain([SYNTAX.to_owned()]) {
        let script = parse(&text);
        let unknown: Vec<_> = script.unknown.iter().map(|span| span.text(&text)).collect();
        assert_eq!(unknown, [""; 0], "{text}");
    }
}

#[test]
fn every_construct_has_its_outline() {
    let lines = outline(SYNTAX);
    for wanted in [
        "A=1 B=\"x $(echo \"in $(date)\") y\" cmd 'single' \"double \\\"q\\\"\" plain\\ word $'a\\n' `back tick`",
        "arr=(a \"b c\" $d)",
        "declare -a list=(x y)",
        "[[",
        "((",
        "for o a b",
        "function f",
        "function g",
        "case $x",
        "a b",
        "c*",
        "for i ",
        "diff <(sort a) <(sort b)",
        "x=$(case y in y) echo y;; esac)",
        "echo a\\\nb \"c\\\nd\"",
    ] {
        assert!(lines.iter().any(|line| line == wanted), "{wanted}\n{}", lines.join("\n"));
    }
}

/// POSIX 2.3, rule 9: a comment is an unquoted `#` that starts a word, up to the end of the line.
#[test]
fn comments_may_follow_a_command() {
    let words = |text: &str| outline(text).join(" / ");
    for (text, expected) in [
        ("echo a # it's\necho b", "echo a\necho b"),
        ("echo a; # (\necho b", "echo a\necho b"),
        ("if a; then # it's\n b # \"\nfi # `", "if a; then\n b\nfi"),
        ("for x in a b # it's\ndo echo; done", "for x in a b\ndo echo; done"),
        ("cat <<E # it's\ntext\nE\necho b", "cat <<E\ntext\nE\necho b"),
    ] {
        let script = parse(text);
        assert_eq!(words(text), words(expected), "{text}");
        assert!(!script.comments.is_empty() && script.unknown.is_empty(), "{text}");
    }
    for text in ["echo a#b", "x=#b", "echo ${#x} $#", "echo '#' \"#\" \\#"] {
        assert!(parse(text).comments.is_empty(), "{text}");
    }
}

#[test]
fn words_have_values() {
    let text = r#"echo 'a b' "c\"d\$e" f\ g $'h\ti' "" j"k"'l' "$m" n$(o) "a\
b""#;
    let script = parse(text);
    let CommandKind::Simple(simple) = &script.body.statements[0].first.commands[0].kind else {
        panic!()
    };
    let values: Vec<_> = simple.words.iter().map(|word| word.literal(text)).collect();
    let wanted = [
        Some("echo"),
        Some("a b"),
        Some("c\"d$e"),
        Some("f g"),
        Some("h\ti"),
        Some(""),
        Some("jkl"),
        None,
        None,
        Some("ab"),
    ];
    assert_eq!(values, wanted.map(|value| value.map(str::to_owned)));
}

#[test]
fn heredocs_have_bodies() {
    let script = parse("cat <<A <<-'B'\none $x\nA\n\t\ttwo $y\n\tB\necho after\n");
    assert_eq!(script.heredocs.len(), 2);
    let expands = |index: usize| {
        let parts = &script.heredocs[index].body.parts;
        parts.iter().any(|part| matches!(part.kind, PartKind::Parameter { .. }))
    };
    assert!(expands(0) && !expands(1));
    let text = "cat <<-A\n\tone\n\t\ttwo\n\tA\n";
    assert_eq!(parse(text).heredocs[0].body.literal(text).unwrap(), "one\ntwo\n");
    assert_eq!(script.body.statements.len(), 2);
}

#[test]
fn syntax_errors_are_unknown() {
    for text in [
        "if a; then b",
        "done",
        "echo \"open",
        "case x in",
        "a; fi; b",
        "$(",
        "${x",
        "`",
        "for",
        "((",
        ")",
        "{",
        "a | | b",
        ";;",
    ] {
        let script = parse(text);
        assert!(!script.unknown.is_empty() || text == "a | | b" || text == "((", "{text}");
        check_spans(&script, text);
    }
}

/// `bash -n` and `dash -n` agree.
#[test]
fn errors_that_every_shell_finds() {
    let found = |argv: &[&str]| {
        let analysis = analyse(Catalogue::built_in(), argv, &Container::default());
        analysis.errors.first().map(|(at, _)| argv[at.element][at.span.range()].to_owned())
    };
    for (script, expected) in [
        ("if a; then b", Some("if a; then b")),
        ("a; done", Some("done")),
        ("a) b", Some(")")),
        ("echo 'it is\n", Some("'it is\n")),
        ("while a; do if b; then c; done", Some("if b; then c; ")),
        ("f() { a; b", Some("{ a; b")),
        ("a=(b c)\nif d; then e", Some("if d; then e")),
        // Only read when they run, or read in different ways.
        ("cat <<A\n${x\nA\n", None),
        ("echo `if a`", None),
        ("exec app\nif a", None),
        ("echo ${x\"}\"} if", None),
        ("i\\\nf a; then b; done", None),
        ("function f { if a; }", None),
        ("a=(b c)\necho d", None),
    ] {
        assert_eq!(found(&["sh", "-c", script]).as_deref(), expected, "{script}");
    }
    assert_eq!(found(&["bash", "-c", "[[ a =~ (^|b)c ]] && ! d"]), None);
    assert!(found(&["bash", "-c", "function f { if a; }"]).is_some());
    assert_eq!(found(&["zsh", "-c", "if a"]), None);
    assert_eq!(found(&["bash", "-c", "bash -c 'if a'"]), None);
}

#[test]
fn parsing_ends_for_any_input() {
    let marks = [
        "(",
        "((",
        "$(",
        "$((",
        "${",
        "{ ",
        "\"",
        "'",
        "`",
        "if ",
        "case x in a) ",
        "for i in ",
        "<<A\n",
        "f() ",
        "\\",
        "[[ ",
        "! ",
        "<(",
        "a=(",
        "é",
        "\0",
        "while a; do ",
    ];
    for mark in marks {
        parse(&mark.repeat(20_000));
        for other in marks {
            parse(&format!("{mark}{other}").repeat(500));
        }
    }
    // Every prefix of a script, and the script with `)}` inserted anywhere.
    for end in (0..SYNTAX.len()).filter(|&end| SYNTAX.is_char_boundary(end)) {
        check_spans(&parse(&SYNTAX[..end]), &SYNTAX[..end]);
        let changed = format!("{}){}", &SYNTAX[..end], &SYNTAX[end..]);
        check_spans(&parse(&changed), &changed);
    }
}

fn check_spans(script: &Script, text: &str) {
    for span in script.unknown.iter().chain(&script.comments) {
        assert!(text.get(span.range()).is_some(), "{span:?} of {text:?}");
    }
}
