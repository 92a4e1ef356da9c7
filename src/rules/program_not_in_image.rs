mod applets;
mod contents;
mod installing;
mod starting;

use shell_effects::{Invocation, is_shell};
use yaml_spans::Node;

use super::{Check, Rule};
use crate::{
    command::{Command, switches::is_switched_off},
    finding::Finding,
    images::Image,
    workload::Subject,
};

pub(crate) static RULE: Rule = Rule::new(
    "program-not-in-image",
    include_str!("../../rules/program-not-in-image.yaml"),
    Check::Workload(check),
);

fn check(job: &Subject<'_>, found: &mut Vec<Finding>) {
    // A runtime of its own may bring programs along.
    if job.pod.get("runtimeClassName").is_some() {
        return;
    }
    let of = |command| {
        without_shell(job, command)
            .or_else(|| lacking(job, command))
            .or_else(|| of_another_distribution(job, command))
            .or_else(|| not_installed(job, command))
            .or_else(|| of_busybox(job, command))
    };
    found.extend(job.commands().iter().filter_map(of));
}

/// The finding about a container that starts a shell which its image does not have.
fn without_shell(job: &Subject<'_>, command: &Command<'_>) -> Option<Finding> {
    let (word, shell) = starting::absent(command)?;
    if has_other_programs(command.container) {
        return None;
    }
    let image = command.stated_image()?;
    let name = image.as_str()?;
    let message = format!("{} never starts: image `{name}` has no `{shell}`", job.title());
    let help = match shell {
        "bash" if !starting::has_no_shell(Image::of(name)) => {
            "Run the script with `sh`, if it needs nothing of bash, or use an image that has bash"
        }
        _ => "Call the program of the image without a shell, or use an image that has one",
    };
    let finding = Finding::new(word.span, "not in this image").message(message).help(help);
    Some(finding.label(image.span, format!("has no `{shell}`")))
}

/// The finding about an option that only the program of GNU has.
fn of_busybox(job: &Subject<'_>, command: &Command<'_>) -> Option<Finding> {
    let unknown = applets::unknown(command)?;
    if has_other_programs(command.container) {
        return None;
    }
    let image = command.stated_image()?;
    let (name, words) = (image.as_str()?, &unknown.words);
    let message = format!("{} cannot run `{words}`: image `{name}` has busybox", job.title());
    let label = "the program of busybox does not understand this";
    let finding = command.finding(unknown.location, label).message(message);
    let help = "Install the program of GNU first (`apk add coreutils findutils grep`), or write it as POSIX has it";
    Some(finding.label(image.span, "has busybox").help(help))
}

/// The finding about the package manager of another distribution.
fn of_another_distribution(job: &Subject<'_>, command: &Command<'_>) -> Option<Finding> {
    let (one, own) = installing::foreign(command)?;
    if has_other_programs(command.container) || command.is_made_up(one.location.element) {
        return None;
    }
    let image = command.stated_image()?;
    let (name, program) = (image.as_str()?, program(one)?);
    let message =
        format!("{} cannot run `{program}`: image `{name}` does not have it", job.title());
    let finding = command.finding(one.program(), "not in this image").message(message);
    Some(finding.label(image.span, format!("has `{own}`")).help(format!("Install with `{own}`")))
}

/// The finding about programs that a container may not install.
fn not_installed(job: &Subject<'_>, command: &Command<'_>) -> Option<Finding> {
    let futile = installing::futile(job, command)?;
    if has_other_programs(command.container) || command.is_made_up(futile.location.element) {
        return None;
    }
    let name = &futile.command;
    let message = format!("{} cannot run `{name}`: the container {}", job.title(), futile.because);
    let finding = command.finding(futile.location, format!("the container {}", futile.because));
    let help =
        "Use an image that has the programs: installing them needs root and a writable file system";
    Some(finding.label(futile.field.span, "forbids it").message(message).help(help))
}

/// The finding about the first program of a container that its image does not have.
fn lacking(job: &Subject<'_>, command: &Command<'_>) -> Option<Finding> {
    let image = command.stated_image()?;
    let one = missing(command)?;
    let (name, program) = (image.as_str()?, program(one)?);
    let message =
        format!("{} cannot run `{program}`: image `{name}` does not have it", job.title());
    let help = match contents::renamed(Image::of(name), program) {
        Some(new) => format!("Call it by its new name, `{new}`"),
        None => format!("Use an image that has `{program}`, or install it before this command"),
    };
    let finding = command.finding(one.program(), "not in this image");
    Some(finding.label(image.span, format!("has no `{program}`")).message(message).help(help))
}

/// The first command of a container whose program its image does not have.
pub(super) fn missing<'c>(command: &'c Command<'_>) -> Option<&'c Invocation> {
    let known = Image::of(command.stated_image()?.as_str()?);
    let mut invocations = command.analysis.invocations.iter();
    let one = invocations.find(|one| {
        !one.is_elsewhere()
            && program(one).is_some_and(|program| contents::lacks(known, program))
            && !command.is_made_up(one.location.element)
            && !one.conditions().any(|test| is_switched_off(command, command.text(test)))
    })?;
    let may_run = has_other_programs(command.container) || may_find(command, program(one)?);
    (!may_run).then_some(one)
}

/// The program that is looked up in `PATH`.
fn program(invocation: &Invocation) -> Option<&str> {
    let first = invocation.words.first()?;
    let is_name = |name: &&str| !name.is_empty() && !name.contains(['/', '$', '`', '*']);
    Some(first.value.as_str()).filter(is_name)
}

/// Whether the container may get programs from elsewhere: by a volume over a folder of programs, or by `PATH`.
fn has_other_programs(container: &Node) -> bool {
    let mounts = container.get("volumeMounts").map(Node::items).unwrap_or_default();
    let paths = mounts.iter().filter_map(|mount| mount.get("mountPath")?.as_str());
    let mut folders = paths.map(|path| path.trim_end_matches('/'));
    let variables = container.get("env").map(Node::items).unwrap_or_default();
    let mut names = variables.iter().filter_map(|one| one.get("name")?.as_str());
    let is_of_programs = |path: &str| {
        path.is_empty() || path == "/usr" || path == "/usr/local" || is_folder_of_programs(path)
    };
    folders.any(is_of_programs) || names.any(|name| name == "PATH")
}

/// `/bin`, `/usr/local/bin/kubectl`, `/opt/tools/bin`.
fn is_folder_of_programs(path: &str) -> bool {
    path.split('/').any(|part| part == "bin" || part == "sbin")
}

/// What installs programs, or runs commands that nobody states.
const INSTALLERS: [&str; 23] = [
    ".", "apk", "apt", "apt-get", "brew", "cargo", "conda", "dnf", "dpkg", "gem", "go", "make",
    "microdnf", "nix", "npm", "npx", "pip", "pip3", "pipx", "rpm", "source", "uv", "yum",
];

/// What comes before the name of a program that a script asks for or defines.
const ASKING: [&str; 6] = ["alias", "command -v", "function", "hash", "type", "which"];

/// Where programs are found, and what runs those of another system.
const ELSEWHERE: [&str; 3] = ["PATH", "chroot", "nsenter"];

/// The names in a text: `PATH` in `export PATH=/tools`, but not in `BACKUP_PATH=`.
fn words_in(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_alphanumeric() && c != '_')
}

/// Whether the script may find the program elsewhere: it installs something, asks whether the program is there, or changes
/// where programs are found.
fn may_find(command: &Command<'_>, program: &str) -> bool {
    let invocations = &command.analysis.invocations;
    let installs = invocations.iter().any(|one| {
        let Some(first) = one.words.first() else { return false };
        let first = first.value.as_str();
        let is_own = first.contains('/') && !is_folder_of_programs(first);
        let asks =
            first == program && one.words.get(1).is_some_and(|word| word.value.contains("version"));
        is_own
            || asks
            || is_shell(first)
            || INSTALLERS.contains(&first)
            || first == "python" && one.words.iter().any(|word| word.value == "pip")
            || one.words[1..].iter().any(|word| is_folder_of_programs(&word.value))
    });
    installs
        || command.scripts(true).any(|(_, text)| {
            let asks = |ask: &&str| text.contains(&format!("{ask} {program}"));
            let defines = |text: &str| ["()", " ()"].iter().any(|end| text.starts_with(end));
            ASKING.iter().any(asks)
                || ELSEWHERE.iter().any(|word| words_in(text).any(|own| own == *word))
                || text.split(program).skip(1).any(defines)
        })
}
