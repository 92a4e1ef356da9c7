//! A `kubectl` command by its verb, operands and options.

use shell_effects::{ElementSpan, Invocation, Text, ast::Span};

use crate::command::Command;

/// The parts of a command that joblint understands.
#[derive(Debug)]
pub(super) struct Call<'w> {
    /// The verb, with its subcommand: `get`, `rollout status`.
    pub verb: String,
    /// What follows the verb, without options.
    pub operands: Vec<&'w str>,
    options: Vec<(&'w str, &'w str)>,
}

/// Options that lead to another cluster or user, or keep the command from the server.
const ELSEWHERE: [&str; 19] = [
    "--as",
    "--as-group",
    "--certificate-authority",
    "--client-certificate",
    "--client-key",
    "--cluster",
    "--context",
    "--dry-run",
    "--help",
    "--kubeconfig",
    "--list",
    "--local",
    "--password",
    "--raw",
    "--server",
    "--subresource",
    "--token",
    "--user",
    "-h",
];

/// Options whose value is the next word (`kubectl help VERB`).
const VALUED: [&str; 30] = [
    "--chunk-size",
    "--container",
    "--field-selector",
    "--for",
    "--from",
    "--from-env-file",
    "--from-file",
    "--from-literal",
    "--grace-period",
    "--image",
    "--label-columns",
    "--limit-bytes",
    "--namespace",
    "--output",
    "--patch",
    "--patch-file",
    "--replicas",
    "--request-timeout",
    "--schedule",
    "--selector",
    "--since",
    "--sort-by",
    "--tail",
    "--timeout",
    "--type",
    "--v",
    "-L",
    "-l",
    "-n",
    "-o",
];

/// Options without a value.
const PLAIN: [&str; 27] = [
    "--all",
    "--all-containers",
    "--all-namespaces",
    "--follow",
    "--force",
    "--ignore-not-found",
    "--insecure-skip-tls-verify",
    "--no-headers",
    "--now",
    "--overwrite",
    "--prefix",
    "--previous",
    "--quiet",
    "--record",
    "--retries",
    "--show-labels",
    "--stdin",
    "--timestamps",
    "--tty",
    "--wait",
    "--watch",
    "-A",
    "-i",
    "-it",
    "-ti",
    "-t",
    "-w",
];

/// Verbs that have subcommands.
const GROUPS: [&str; 3] = ["create", "rollout", "set"];

impl<'w> Call<'w> {
    /// The command that an invocation is, and where; `None` for other programs, and for what is not understood.
    pub(super) fn of(
        command: &'w Command<'_>,
        invocation: &'w Invocation,
    ) -> Option<(Self, ElementSpan)> {
        let location = invocation.location;
        if let Some(target) = invocation.target() {
            return Some(Self::around(command.script(location.element), location, target));
        }
        let is_client = matches!(invocation.program_name(), "kubectl" | "oc");
        let call = Self::parse(invocation.words.iter().skip(1).map(Text::held));
        call.filter(|_| is_client).map(|call| (call, location))
    }

    /// The `kubectl exec` that runs a command in another pod.
    fn around(script: &'w str, inner: ElementSpan, target: &'w str) -> (Self, ElementSpan) {
        let before = script.get(..inner.span.range().start).unwrap_or_default();
        let start = ["kubectl ", "oc "].iter().filter_map(|name| before.rfind(name)).max();
        let written = start.and_then(|start| {
            let words = before[start..].split_whitespace().skip(1);
            let call = Self::parse(words.map(|word| word.trim_matches(['"', '\''])))?;
            let is_own = call.verb == "exec" && call.operands.first() == Some(&target);
            let end = start + before[start..].trim_end().len();
            let span = Span::new(start, end);
            is_own.then_some((call, ElementSpan { span, ..inner }))
        });
        let unknown = || {
            let options = vec![("-n", "$")];
            let call = Self { verb: "exec".to_owned(), operands: vec![target], options };
            (call, inner)
        };
        written.unwrap_or_else(unknown)
    }

    fn parse(words: impl Iterator<Item = &'w str>) -> Option<Self> {
        let mut words = words.take_while(|word| *word != "--");
        let (mut operands, mut options) = (Vec::new(), Vec::new());
        while let Some(word) = words.next() {
            if !word.starts_with('-') || word == "-" {
                operands.push(word);
                continue;
            }
            let verb = operands.first().copied().unwrap_or_default();
            let option = option(word, verb)?;
            options.push(match option {
                (name, Some(value)) => (name, value),
                (name, None) if is_valued(name, verb) => (name, words.next()?),
                (name, None) => (name, ""),
            });
        }
        let is_group = GROUPS.contains(operands.first()?);
        let at = if is_group && operands.len() > 1 { 2 } else { 1 };
        let verb = operands[..at].join(" ");
        (!verb.contains('$')).then(|| Self { verb, operands: operands.split_off(at), options })
    }

    /// Whether one of the options is given.
    pub(super) fn has(&self, names: &[&str]) -> bool {
        self.options.iter().any(|(name, value)| names.contains(name) && *value != "false")
    }

    /// The value of an option.
    pub(super) fn value(&self, names: &[&str]) -> Option<&'w str> {
        self.options.iter().rev().find(|(name, _)| names.contains(name)).map(|(_, value)| *value)
    }
}

/// The name of an option, and its value if that is in the same word; `None` for an option that is not known.
fn option<'w>(word: &'w str, verb: &str) -> Option<(&'w str, Option<&'w str>)> {
    let (name, value) = match word.split_once('=') {
        Some((name, value)) => (name, Some(value)),
        None => (word, None),
    };
    // `-nshop`, `-oyaml`
    let short = word.get(..2).filter(|short| {
        !word.starts_with("--") && word.len() > 2 && is_valued(short, verb) && value.is_none()
    });
    if let Some(short) = short {
        return Some((short, word.get(2..)));
    }
    let is_known = is_valued(name, verb) || PLAIN.contains(&name) || is_of_logs(name, verb);
    (is_known && !ELSEWHERE.contains(&name) && !name.contains('$')).then_some((name, value))
}

fn is_valued(name: &str, verb: &str) -> bool {
    VALUED.contains(&name) || name == "-c" || name == "-p" && verb == "patch" || name == "-v"
}

/// `kubectl logs -f -p`
fn is_of_logs(name: &str, verb: &str) -> bool {
    verb == "logs" && matches!(name, "-f" | "-p")
}

#[cfg(test)]
mod tests {
    use super::Call;

    #[test]
    fn verbs_operands_and_options() {
        let of = |line: &'static str| Call::parse(line.split(' '));
        let call = of("-n shop rollout status deploy/web --timeout 5m -w").unwrap();
        assert_eq!((&*call.verb, &call.operands[..]), ("rollout status", &["deploy/web"][..]));
        assert!(call.has(&["-w", "--watch"]) && !call.has(&["-A"]));
        assert_eq!(call.value(&["-n", "--namespace"]), Some("shop"));
        assert_eq!(of("get pods -nshop -o=name").unwrap().value(&["-n"]), Some("shop"));
        assert!(of("logs -f web").is_some() && of("delete -f web.yaml").is_none());
        assert!(of("get pods --context a").is_none() && of("get pods --made-up").is_none());
        assert_eq!(of("exec web -- ls -l").unwrap().operands, ["web"]);
    }
}
