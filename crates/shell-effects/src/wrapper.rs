//! Programs that run another program, such as `env`, `timeout`, `sh -c` and `npx`.

use crate::{command_line::program_name, text::Text};

/// How a wrapper names the command it runs.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Then {
    /// The command follows the wrapper's own flags and operands.
    Words,
    /// As `Words`, unless the first of them is an option: then all are the wrapper's own.
    Entrypoint,
    /// The command follows `--`.
    Dashes,
    /// The value of `-c` is a script.
    Script,
    /// As `Script` with `-c`, otherwise as `Words`.
    ScriptOrWords,
    /// The operands, joined by spaces, are a script.
    Joined,
}

struct Wrapper {
    names: &'static [&'static str],
    /// Flags that take a value in the next word.
    valued: &'static [&'static str],
    /// Operands before the command.
    operands: usize,
    then: Then,
}

const fn row(
    names: &'static [&'static str],
    valued: &'static [&'static str],
    operands: usize,
    then: Then,
) -> Wrapper {
    Wrapper { names, valued, operands, then }
}

const SHELLS: &[&str] = &["sh", "bash", "dash", "ash", "ksh", "zsh"];

#[rustfmt::skip]
const WRAPPERS: &[Wrapper] = &[
    row(SHELLS, &["-o", "+o", "-O", "+O", "--rcfile"], 0, Then::Script),
    row(&["env"], &["-u", "--unset", "-C", "--chdir"], 0, Then::Words),
    row(&["command", "builtin", "nohup", "setsid", "time", "eatmydata", "fakeroot", "busybox"], &[], 0, Then::Words),
    row(&["exec"], &["-a"], 0, Then::Words),
    row(&["nice", "ionice", "chrt", "taskset"], &["-n", "-c", "-p", "--adjustment"], 0, Then::Words),
    row(&["stdbuf"], &["-i", "-o", "-e"], 0, Then::Words),
    row(&["timeout", "gtimeout"], &["-k", "-s", "--kill-after", "--signal"], 1, Then::Words),
    row(&["sudo", "doas"], &["-u", "-g", "-h", "-p", "-C", "--user", "--group"], 0, Then::Words),
    row(&["su"], &["-c", "-s", "-g", "-G", "--command", "--shell"], 1, Then::Script),
    row(&["runuser"], &["-u", "-g", "-G", "-c", "-s"], 0, Then::ScriptOrWords),
    row(&["gosu", "su-exec", "chroot"], &["--userspec", "--groups"], 1, Then::Words),
    row(&["setpriv", "unshare", "nsenter", "capsh"], &["-t", "--target", "--reuid", "--regid"], 0, Then::Words),
    row(&["flock"], &["-w", "--timeout", "-E"], 1, Then::ScriptOrWords),
    row(&["xargs"], &["-I", "-n", "-P", "-L", "-d", "-s", "-a", "-E", "--max-args"], 0, Then::Words),
    row(&["watch"], &["-n", "--interval"], 0, Then::Joined),
    row(&["tini", "tini-static", "dumb-init", "catatonit", "s6-setuidgid"], &["-p", "-r", "--rewrite"], 0, Then::Words),
    row(&["eval"], &[], 0, Then::Joined),
    row(&["sshpass"], &["-p", "-f", "-d", "-P"], 0, Then::Words),
    row(&["ssh"], &["-i", "-p", "-l", "-o", "-F", "-J", "-L", "-R"], 1, Then::Joined),
    row(&["bundle"], &[], 1, Then::Words),
    row(&["npx", "bunx", "pnpx", "dotenv", "dotenvx", "with-contenv", "exec-with-env"], &["-p", "--package", "-e", "-f", "-c"], 0, Then::Words),
    row(&["poetry", "pipenv", "uv", "pdm", "hatch", "rye", "conda"], &["-n", "--name", "--with", "--directory"], 1, Then::Words),
    row(&["opentelemetry-instrument", "ddtrace-run", "coverage", "with-env"], &[], 0, Then::Words),
    row(&["newrelic-admin"], &[], 1, Then::Words),
    row(&["docker-entrypoint.sh", "entrypoint.sh", "entrypoint", "docker-entrypoint", "launcher", "container-entrypoint", "run.sh"], &[], 0, Then::Entrypoint),
    row(&["chamber", "aws-vault", "doppler", "op", "infisical", "teller", "berglas", "summon", "vault-env", "sops", "wait-for-it.sh", "wait-for-it", "wait-for", "wait-for.sh", "dockerize", "wait", "start-stop-daemon"], &[], 0, Then::Dashes),
    row(&["k3s", "k0s", "microk8s", "rke2"], &[], 0, Then::Words),
    row(&["retry", "retry.sh", "with-retry", "retries"], &["-t", "-d", "-n", "--tries", "--delay", "--times", "--sleep"], 0, Then::Dashes),
    row(&["kubectl", "oc"], &[], 0, Then::Dashes),
    row(&["docker", "podman"], &["-e", "-u", "-w", "--env", "--user"], 2, Then::Words),
];

/// Programs that are wrappers only with one of these subcommands.
const SUBCOMMANDS: &[(&str, &[&str])] = &[
    ("bundle", &["exec"]),
    ("k3s", &["kubectl", "crictl", "ctr"]),
    ("k0s", &["kubectl"]),
    ("microk8s", &["kubectl", "helm"]),
    ("rke2", &["kubectl"]),
    ("poetry", &["run"]),
    ("pipenv", &["run"]),
    ("uv", &["run"]),
    ("pdm", &["run"]),
    ("hatch", &["run"]),
    ("rye", &["run"]),
    ("conda", &["run"]),
    ("coverage", &["run"]),
    ("kubectl", &["exec"]),
    ("oc", &["exec", "rsh"]),
    ("docker", &["exec"]),
    ("podman", &["exec"]),
    ("newrelic-admin", &["run-program"]),
];

/// Interpreters whose first operand the catalogue may know: `python manage.py`, `php artisan`.
const INTERPRETERS: &[&str] = &[
    "python",
    "php",
    "ruby",
    "node",
    "perl",
    "rake",
    "bun",
    "deno",
    "ts-node",
    "tsx",
    "babel-node",
];

/// Of their scripts the catalogue knows only those in packages.
const JAVASCRIPT_INTERPRETERS: [&str; 4] = ["node", "ts-node", "tsx", "babel-node"];

/// Package managers, their subcommands that run a local program, and their own options that take a value
/// (<https://docs.npmjs.com/cli/v11/using-npm/config>, <https://pnpm.io/filtering>, <https://pnpm.io/pnpm-cli>,
/// <https://classic.yarnpkg.com/en/docs/cli>, <https://bun.com/docs/pm/filter>).
const RUNNERS: &[(&str, &[&str], &[&str])] = &[
    ("npm", &["exec"], &["-w", "--workspace", "-C", "--prefix"]),
    ("pnpm", &["exec", "dlx"], &["-F", "--filter", "--filter-prod", "-C", "--dir"]),
    ("yarn", &["exec", "run", "dlx", "node"], &["--cwd"]),
    ("bun", &["x"], &["-F", "--filter", "--cwd"]),
];

/// Built-in subcommands of yarn and pnpm.
const BUILT_IN: &[&str] = &["install", "add", "ci", "build", "test", "start", "workspace", "run"];

/// The command that a command line runs.
pub(crate) enum Inner {
    /// Another command line.
    Words(Vec<Text>),
    /// A script, the flags of the shell separated by spaces, and the name of the shell.
    Script { text: Text, flags: String, shell: String },
    /// A script file at a path.
    File { path: Text, flags: String, shell: String },
    /// A script on standard input.
    Stdin { flags: String, shell: String },
    /// Not a wrapper.
    None,
}

/// What a shell takes the first word behind its options for, with the index of that word in the command line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ShellOperand {
    /// The path of a script.
    File(usize),
    /// With `-c`, the script itself; the words behind it are `$0`, `$1` and so on.
    Script(usize),
}

/// The first operand of a shell; `None` for a shell that reads its input, and for another program.
pub fn shell_operand(argv: &[&str]) -> Option<ShellOperand> {
    if !is_shell(argv.first()?) {
        return None;
    }
    let words: Vec<_> = argv.iter().enumerate().map(|(at, word)| Text::element(at, word)).collect();
    match inner(&words, false) {
        Inner::Script { text, .. } => Some(ShellOperand::Script(text.location.element)),
        Inner::File { path, .. } => Some(ShellOperand::File(path.location.element)),
        Inner::Words(_) | Inner::Stdin { .. } | Inner::None => None,
    }
}

/// Whether a program is a shell, whatever its path.
pub fn is_shell(program: &str) -> bool {
    SHELLS.contains(&program_name(program))
}

/// Removes one wrapper. Words after `--` are a command, unless the program is `known` to the catalogue.
pub(crate) fn inner(words: &[Text], known: bool) -> Inner {
    let Some(first) = words.first() else { return Inner::None };
    let name = program_name(&first.value);
    if let Some(rest) = interpreter(name, words).or_else(|| runner(name, words)) {
        return Inner::Words(rest);
    }
    let Some(wrapper) = WRAPPERS.iter().find(|wrapper| wrapper.names.contains(&name)) else {
        return if known { Inner::None } else { after_dashes(words) };
    };
    let wanted = SUBCOMMANDS.iter().find(|(program, _)| *program == name);
    let called = |names: &[&str]| words[1..].iter().any(|word| names.contains(&&*word.value));
    if wanted.is_some_and(|(_, names)| !called(names)) {
        return Inner::None;
    }
    wrapper.unwrap(name, words)
}

/// Removes all wrappers except shells.
pub(crate) fn innermost(words: &[Text], knows: impl Fn(&str) -> bool) -> Vec<Text> {
    let mut words = words.to_vec();
    for _ in 0..8 {
        let known = words.first().is_some_and(|first| knows(program_name(&first.value)));
        let Inner::Words(inner) = inner(&words, known) else { break };
        words = inner;
    }
    words
}

impl Wrapper {
    fn unwrap(&self, name: &str, words: &[Text]) -> Inner {
        let (flags, script, rest) = self.split(words);
        let shell = if name == "su" { "sh" } else { name }.to_owned();
        match (self.then, script) {
            (Then::Script | Then::ScriptOrWords, Some(text)) => {
                Inner::Script { text, flags, shell }
            }
            (Then::Script, None) if shell == "sh" && name == "su" => Inner::None,
            (Then::Script, None) => match rest.first() {
                Some(path) if !flags.contains('s') => {
                    Inner::File { path: path.clone(), flags, shell }
                }
                _ => Inner::Stdin { flags, shell },
            },
            (Then::Dashes, _) => after_dashes(words),
            (Then::Entrypoint, _) if words.get(1).is_some_and(|one| one.value.starts_with('-')) => {
                after_dashes(words)
            }
            (Then::Joined, _) => match Text::join(rest.get(self.operands..).unwrap_or_default()) {
                Some(text) => Inner::Script { text, flags: String::new(), shell: "sh".to_owned() },
                None if self.operands > 0 => {
                    Inner::Stdin { flags: String::new(), shell: "sh".to_owned() }
                }
                None => Inner::None,
            },
            _ => match rest.get(self.operands..) {
                Some(inner) if !inner.is_empty() => Inner::Words(inner.to_vec()),
                _ => Inner::None,
            },
        }
    }

    /// The flags separated by spaces, the value of `-c`, and the operands.
    fn split<'t>(&self, words: &'t [Text]) -> (String, Option<Text>, &'t [Text]) {
        let scripts = matches!(self.then, Then::Script | Then::ScriptOrWords);
        let (mut flags, mut script, mut at) = (String::new(), None, 1);
        while let Some(word) = words.get(at) {
            let value = word.value.as_str();
            if value == "--" {
                at += 1;
                break;
            }
            let assignment = self.names[0] == "env" && value.contains('=');
            let flag = value.len() > 1 && value.starts_with(['-', '+']);
            if !assignment && !flag {
                if script.is_some() || !scripts || self.operands == 0 || at + 1 >= words.len() {
                    break;
                }
                // `su user -c script`, `flock file -c script`.
                let later = words[at..].iter().position(|w| w.value == "-c");
                script = later.and_then(|c| words.get(at + c + 1)).cloned();
                break;
            }
            flags.push_str(value);
            flags.push(' ');
            at += 1;
            let takes_script = scripts && takes_script(value);
            if self.valued.contains(&value) || takes_script || ends_with_option(scripts, value) {
                let Some(next) = words.get(at) else { break };
                if takes_script {
                    // `sh -ec -o pipefail SCRIPT`: options may follow `-c`.
                    script = Some(script_word(&words[at..]).unwrap_or(next).clone());
                    break;
                }
                flags.push_str(&next.value);
                flags.push(' ');
                at += 1;
            }
        }
        (flags, script, words.get(at..).unwrap_or_default())
    }
}

/// `-c`, or a cluster like `-ec`.
fn takes_script(flag: &str) -> bool {
    let letters = flag.trim_start_matches('-');
    flag == "--command" || (!flag.starts_with("--") && letters.len() < 8 && letters.contains('c'))
}

/// A cluster of shell options whose last takes a value: `-euo pipefail`.
fn ends_with_option(shell: bool, flag: &str) -> bool {
    shell && !flag.starts_with("--") && flag.len() > 2 && flag.ends_with('o')
}

fn script_word(words: &[Text]) -> Option<&Text> {
    let mut words = words.iter();
    while let Some(word) = words.next() {
        if word.value == "-o" || ends_with_option(true, &word.value) && word.value.starts_with('-')
        {
            words.next();
        } else if word.value != "--" && !(word.value.len() < 8 && word.value.starts_with('-')) {
            return Some(word);
        }
    }
    None
}

fn interpreter(name: &str, words: &[Text]) -> Option<Vec<Text>> {
    if !INTERPRETERS.contains(&name) {
        return None;
    }
    let mut at = 1;
    while words.get(at)?.value.starts_with('-') && words[at].value != "-m" {
        let value = words[at].value.as_str();
        // `perl -wle 'print …'`
        let cluster = matches!(name, "perl" | "ruby") && value.ends_with('e');
        let requires = JAVASCRIPT_INTERPRETERS.contains(&name)
            && matches!(value, "-r" | "--require" | "--loader");
        if cluster || !requires && matches!(value, "-c" | "-e" | "-r" | "-") {
            return None;
        }
        at += 1 + usize::from(requires);
    }
    at += usize::from(words[at].value == "-m");
    let file = words.get(at)?;
    let package = package_of(&file.value);
    let known =
        !JAVASCRIPT_INTERPRETERS.contains(&name) || package.is_some() || file.value == "ace";
    let mut rest = (known && name != "rake").then(|| words[at..].to_vec())?;
    if let Some(package) = package {
        rest[0] = rest[0].replaced(package);
    }
    Some(rest)
}

/// The package of a file in `node_modules`, or the name of a program in `node_modules/.bin`.
fn package_of(path: &str) -> Option<&str> {
    let (_, inside) = path.rsplit_once("node_modules/")?;
    let inside = inside.strip_prefix(".bin/").unwrap_or(inside);
    inside.trim_start_matches('@').split('/').next()
}

fn runner(name: &str, words: &[Text]) -> Option<Vec<Text>> {
    let (_, subcommands, valued) = RUNNERS.iter().find(|(program, ..)| *program == name)?;
    let mut first = 1;
    while words.get(first)?.value.starts_with('-') {
        first += 1 + usize::from(valued.contains(&&*words[first].value));
    }
    let is_built_in = BUILT_IN.contains(&&*words[first].value);
    let at = match words.iter().position(|word| subcommands.contains(&&*word.value)) {
        Some(at) => at + 1,
        // `yarn prisma …` runs a program of the package.
        None if matches!(name, "yarn" | "pnpm") && !is_built_in => first,
        None => return None,
    };
    let at = at + words[at..].iter().take_while(|word| word.value.starts_with('-')).count();
    (at < words.len()).then(|| words[at..].to_vec())
}

/// `anything … -- command …`
fn after_dashes(words: &[Text]) -> Inner {
    match words.iter().position(|word| word.value == "--") {
        Some(at) if at + 1 < words.len() => Inner::Words(words[at + 1..].to_vec()),
        _ => Inner::None,
    }
}
