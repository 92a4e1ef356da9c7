//! Package managers that the security context of a container keeps from installing anything, and those of another
//! distribution.

use job_lifecycle::Workload;
use shell_effects::{ElementSpan, Invocation};
use yaml_spans::Node;

use crate::{
    command::Command,
    images::{Image, has_busybox, has_dash},
};

/// Package managers of distributions, and their commands that write to the system. They refuse to where they cannot.
const MANAGERS: [(&str, &[&str]); 6] = [
    // https://gitlab.alpinelinux.org/alpine/apk-tools/-/blob/master/src/database.c: "Unable to lock database"
    ("apk", &["add", "update", "upgrade"]),
    // https://salsa.debian.org/apt-team/apt/-/blob/main/apt-pkg/deb/debsystem.cc: "are you root?"
    ("apt", &["install", "update", "upgrade"]),
    ("apt-get", &["install", "update", "upgrade"]),
    // https://github.com/rpm-software-management/dnf: "This command has to be run with superuser privileges"
    ("dnf", &["install", "update", "upgrade"]),
    ("microdnf", &["install", "update", "upgrade"]),
    ("yum", &["install", "update", "upgrade"]),
];

/// Options that install to a place of their own.
const ELSEWHERE: [&str; 5] = ["--installroot", "--root", "--usermode", "-o", "-p"];

/// An installation that cannot work.
pub(super) struct Futile<'a> {
    /// The name of the package manager.
    pub(super) location: ElementSpan,
    /// What the script runs: `apk add`.
    pub(super) command: String,
    /// The field that forbids it.
    pub(super) field: &'a Node,
    /// What that says of the container: `runs as user 65534`.
    pub(super) because: String,
}

/// The first installation of a script, if it cannot work.
pub(super) fn futile<'a>(job: &Workload<'a>, command: &Command<'a>) -> Option<Futile<'a>> {
    let (field, because) = restriction(job, command.container)?;
    let becomes_root = |text: &str| ["sudo", "doas"].iter().any(|name| text.contains(name));
    if command.scripts(true).any(|(_, text)| becomes_root(text)) {
        return None;
    }
    let mut own = command.analysis.invocations.iter().filter(|one| one.is_required());
    let (location, name) = own.find_map(|one| Some((one.program(), installing(one)?)))?;
    Some(Futile { location, command: name, field, because })
}

/// The first command of a package manager that the distribution of the image does not have, and one that it has.
pub(super) fn foreign<'c>(command: &'c Command<'_>) -> Option<(&'c Invocation, &'static str)> {
    let image = command.stated_image()?.as_str()?;
    let own: &[&str] = match image {
        image if has_dash(image) => &["apt-get", "apt"],
        image if has_busybox(image) && Image::of(image).name != "busybox" => &["apk"],
        image if is_amazon_linux(Image::of(image)) => &["yum", "dnf", "microdnf"],
        _ => return None,
    };
    let is_foreign = |one: &&Invocation| {
        let is_own = one.words.first().is_some_and(|word| own.contains(&&*word.value));
        one.is_required() && !one.is_elsewhere() && installing(one).is_some() && !is_own
    };
    let one = command.analysis.invocations.iter().find(is_foreign)?;
    let asks = |text: &str| ["command -v", "which", "type"].iter().any(|word| text.contains(word));
    let may_ask = command.scripts(true).any(|(_, text)| asks(text));
    (!may_ask).then_some((one, own[0]))
}

/// Whether an image is Amazon Linux, or on it: <https://github.com/aws/aws-cli/blob/v2/docker/Dockerfile>.
fn is_amazon_linux(image: Image<'_>) -> bool {
    image.is_of("amazon") && image.name == "aws-cli"
        || image.is_official() && image.name == "amazonlinux"
}

/// Why no program of a container can write to the folders of the system, with the field that says so.
fn restriction<'a>(job: &Workload<'a>, container: &'a Node) -> Option<(&'a Node, String)> {
    let own = container.get("securityContext");
    let levels = [own, job.pod.get("securityContext")];
    let field = |name: &str| levels.iter().flatten().find_map(|level| level.set(name));
    let is_true = |field: &&Node| field.as_bool() == Some(true);
    let user = field("runAsUser");
    if let Some((field, number)) = user.and_then(|user| Some((user, user.as_int()?)))
        && number != 0
    {
        return Some((field, format!("runs as user {number}")));
    }
    let not_root = field("runAsNonRoot").filter(is_true).filter(|_| user.is_none());
    let read_only = || own?.get("readOnlyRootFilesystem").filter(is_true);
    not_root
        .map(|field| (field, "does not run as root".to_owned()))
        .or_else(|| Some((read_only()?, "cannot write to its root file system".to_owned())))
}

/// The package manager and its command: `apt-get install`.
fn installing(one: &Invocation) -> Option<String> {
    let first = one.words.first()?.value.as_str();
    let (manager, commands) = MANAGERS.iter().find(|(manager, _)| *manager == first)?;
    let mut words = one.words[1..].iter().map(|word| word.value.as_str());
    let is_elsewhere = |word: &str| ELSEWHERE.contains(&word.split('=').next().unwrap_or(word));
    if words.clone().any(is_elsewhere) {
        return None;
    }
    let verb = words.find(|word| commands.contains(word))?;
    Some(format!("{manager} {verb}"))
}
