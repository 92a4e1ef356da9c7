//! What one command line does, according to the catalogue.

mod block;
pub(crate) mod client;
mod cycle;
mod dollar_quotes;
pub(crate) mod http;
mod provided;
mod related;
mod scratch;
mod stake;
pub(crate) mod statement;

pub(crate) use http::{
    fails_by_status, is_connection, is_health_check, is_probe, names_status, prints_status,
};
pub(crate) use related::resolve;

use crate::{
    analysis::{Action, Edit, HiddenBy, RelatedCommands},
    ast::{Redirect, RedirectOperator},
    catalogue::{Effect, Entry, Match, Verdict},
    command_line::{flag_values, has_flag, operands, program_name},
    confidence::Confidence,
    context::Context,
    shell::Shell,
    text::{ElementSpan, Text},
};

/// What a command line does.
pub(crate) struct Judgement {
    pub(crate) actions: Vec<Action>,
    /// The catalogue knows the command.
    pub(crate) recognised: bool,
}

/// Judges a command line without wrappers.
pub(crate) fn judge(
    shell: &Shell<'_>,
    words: &[Text],
    redirects: &[Redirect],
    context: &Context,
) -> Judgement {
    let values: Vec<_> = words.iter().map(|word| word.value.as_str()).collect();
    let mut judgement = match client::statements(shell, words, context) {
        Some(actions) => Judgement { actions, recognised: true },
        None => {
            let action = match http::request(&values, context.captured) {
                Some(request) => of_request(shell, words, &values, &request),
                None => of_command(shell, words, &values, context),
            };
            Judgement { recognised: action.is_some(), actions: action.into_iter().collect() }
        }
    };
    if context.tested {
        judgement.actions.iter_mut().for_each(output_is_tested);
    }
    if let [action] = judgement.actions.as_mut_slice() {
        let files = ["-f", "--filename"].iter().flat_map(|flag| flag_values(&values, flag));
        let files = files.filter_map(|path| shell.file(path));
        files.chain(context.stdin.clone()).for_each(|text| generates_name(action, &text.value));
    }
    let written = redirects.iter().filter(|redirect| redirect.operator == RedirectOperator::Write);
    for redirect in written {
        let target = shell.source.word(&redirect.target).value;
        judgement.actions.iter_mut().for_each(|action| action.objects.push(target.clone()));
    }
    if context.reads_log && program_name(values.first().unwrap_or(&"")) == "tee" {
        judgement.actions.iter_mut().for_each(writes_log);
    }
    // What a program prints while it works is a log, which grows with each run.
    let is_log = redirects.iter().any(|redirect| shell.is_errors(redirect));
    let appended = redirects.iter().filter(|_| !is_log).filter_map(|one| append(shell, one));
    judgement.actions.extend(appended);
    judgement
}

fn of_command(
    shell: &Shell<'_>,
    words: &[Text],
    values: &[&str],
    context: &Context,
) -> Option<Action> {
    let found = shell.inputs.catalogue.command(values)?;
    let mut action = from_match(shell, words, values, &found);
    // `redis-cli --cluster` sets an exit status; other commands do only with `-e`.
    let replies = values.first().is_some_and(|name| program_name(name) == "redis-cli")
        && !["-e", "--cluster"].iter().any(|flag| has_flag(values, flag));
    if replies && action.changes_state && !context.answer_decides {
        action.hidden =
            Some(HiddenBy::Client("`redis-cli` without `-e` exits with 0 after an error"));
    }
    if uploads(shell, values, context) {
        action.verdict = Verdict::Idempotent;
        action.changes_state = true;
    }
    if client::reads_unknown_file(words, context) {
        action.changes_state = true;
        action.hidden = client::hides_errors_of_file(words);
    }
    Some(action)
}

fn of_request(
    shell: &Shell<'_>,
    words: &[Text],
    values: &[&str],
    request: &http::Request,
) -> Option<Action> {
    let found = shell.inputs.catalogue.request(request.method, values)?;
    let action = from_match(shell, words, values, &found);
    Some(Action {
        hidden: request.hidden,
        key: format!("request {}", request.method),
        changes_state: (action.changes_state || http::is_mutation(values))
            && !http::is_message(values),
        ..action
    })
}

/// Whether `scp` or `rsync` copies files to another host: `host:path`, `rsync://host/path`.
fn copies_out(values: &[&str]) -> bool {
    let program = values.first().map_or("", |name| program_name(name));
    let target = operands(values).last().filter(|_| matches!(program, "scp" | "rsync"));
    target.is_some_and(|target| {
        // In `${DIR:-/backup}` the colon is not that of a host.
        let mut known = target.to_owned();
        while let Some((start, length)) =
            known.find("${").and_then(|start| Some((start, known[start..].find('}')?)))
        {
            known.replace_range(start..=start + length, "X");
        }
        known.contains("://") || known.split('/').next().is_some_and(|host| host.contains(':'))
    })
}

/// Whether `sftp` reads commands that write files on the other host.
fn uploads(shell: &Shell<'_>, values: &[&str], context: &Context) -> bool {
    const WRITES: [&str; 6] = ["put", "mput", "reput", "rename", "rm", "mkdir"];
    if values.first().is_none_or(|name| program_name(name) != "sftp") {
        return false;
    }
    let batch = flag_values(values, "-b").first().and_then(|path| shell.file(path));
    let text = batch.or_else(|| context.stdin.clone());
    text.is_some_and(|text| {
        let mut commands = text.value.lines().filter_map(|line| line.split_whitespace().next());
        commands.any(|command| WRITES.contains(&command.trim_start_matches(['-', '@'])))
    })
}

/// Programs that remove files.
pub(crate) const FILE_REMOVERS: [&str; 3] = ["rm", "rmdir", "unlink"];

/// Verbs that remove what an operand names.
pub(crate) const REMOVES: [&str; 6] = ["delete", "destroy", "drop", "remove", "rm", "uninstall"];

fn from_match(shell: &Shell<'_>, words: &[Text], values: &[&str], found: &Match<'_>) -> Action {
    let entry = found.entry;
    let at = found.last.0;
    let random = entry.secret && values.iter().any(|value| shell.is_random(value));
    let mut action = Action::new(entry, words[at].location, found.excused);
    action.random = random;
    let named: Vec<_> = found.words.iter().map(|at| values[*at]).collect();
    action.minor = stake::is_minor(values, &named);
    if !named.iter().any(|word| word.starts_with('-')) {
        action.subcommands = named.join(" ");
    }
    let copies_out = copies_out(values);
    if copies_out {
        action.effect = Effect::Remote;
    } else if entry.effect == Effect::Files {
        // Nobody misses a file that is gone with the pod, and only a retry in the same pod finds it.
        let is_kept = touches(shell, entry, values, |path| is_kept(shell, values, path));
        action.changes_state &= is_kept;
        action.after_failure = !is_kept;
    }
    if !copies_out && is_lost(shell, entry, values) {
        action.verdict = action.verdict.min(Verdict::ReadOnly);
        action.changes_state = false;
    } else if random && action.verdict < Verdict::Rotates {
        action.verdict = Verdict::Rotates;
        "a new random value is written at every run".clone_into(&mut action.why);
    }
    let arguments = || values.iter().skip(at + 1).filter(|word| !word.starts_with('-') || at == 0);
    let is_new = |name: &&str| shell.is_dated(name) || name.contains("$RANDOM");
    if action.verdict == Verdict::FailsWhenRepeated && arguments().any(is_new) {
        action.verdict = Verdict::Idempotent;
        "the name is new at every run".clone_into(&mut action.why);
    }
    let removes = FILE_REMOVERS.contains(&program_name(values[0]))
        || found.words.last().is_some_and(|at| REMOVES.contains(&values[*at]));
    action.removes = removes && action.verdict == Verdict::FailsWhenRepeated;
    if action.removes && arguments().any(|name| shell.is_asked_for(name)) {
        action.verdict = Verdict::Idempotent;
        "each run asks anew what there is to remove".clone_into(&mut action.why);
    }
    if action.verdict.is_hazard() {
        let behind = words.last().filter(|_| !random);
        action.fix = Edit::from_entry(entry, &words[at], None)
            .or_else(|| Edit::behind(entry.append.as_ref()?, behind?));
    }
    let objects = arguments().filter(|word| !word.starts_with('-'));
    action.objects = objects.map(|word| (*word).to_owned()).collect();
    wipe(shell, values, &mut action);
    let program = program_name(values[0]);
    action.key = operands(values).fold(program.to_owned(), |key, word| key + " " + word);
    action
}

/// `rm -r` of everything on a volume that outlives the pod, unless a later command or container fills it again.
fn wipe(shell: &Shell<'_>, values: &[&str], action: &mut Action) {
    let recursive = ["-r", "-R", "--recursive"].iter().any(|flag| has_flag(values, flag));
    let roots = values.iter().skip(1).filter_map(|value| {
        let path = shell.path(value)?;
        let path = path.trim_end_matches(['*', '.', '/', '?', '[', ']', '!', '{', '}', ',']);
        let is_root = |mount: &&String| mount.trim_end_matches('/') == path;
        shell.inputs.container.persistent_mounts.iter().find(is_root).cloned()
    });
    let roots: Vec<_> = roots.collect();
    let refilled = &shell.inputs.container.refilled_mounts;
    let is_lost = roots.iter().any(|root| !refilled.contains(root));
    if program_name(values[0]) == "rm" && recursive && is_lost {
        action.verdict = Verdict::Destroys;
        "everything on a volume that outlives the pod is deleted".clone_into(&mut action.why);
        action.fix = None;
        action.related.before = vec!["*".to_owned()];
    }
    if action.effect == Effect::Files {
        action.objects.extend(roots);
        action.objects.extend(filled_volume(shell, values));
    }
}

/// The volume that outlives the pod in which a command puts files from elsewhere, in whatever folder: `cp -R /app/. /data/app`.
fn filled_volume(shell: &Shell<'_>, values: &[&str]) -> Option<String> {
    let all: Vec<_> = operands(values).collect();
    let target = match program_name(values[0]) {
        "cp" | "rsync" => *all.last()?,
        "git" if all.first() == Some(&"clone") => *all.last()?,
        "tar" => *flag_values(values, "-C").first()?,
        "unzip" => *flag_values(values, "-d").first()?,
        _ => return None,
    };
    let container = shell.inputs.container;
    let is_kept = |word: &str| shell.path(word).is_some_and(|path| container.outlives_pod(&path));
    if all.iter().any(|word| *word != target && is_kept(word)) {
        return None;
    }
    let target = shell.path(target)?;
    let mounts = container.persistent_mounts.iter();
    let own = mounts.filter(|mount| {
        let rest = target.strip_prefix(mount.trim_end_matches('/'));
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    });
    own.max_by_key(|mount| mount.len()).cloned()
}

/// Whether the next try finds nothing of what the command did.
fn is_lost(shell: &Shell<'_>, entry: &Entry, values: &[&str]) -> bool {
    match entry.effect {
        Effect::Remote => return false,
        Effect::Container => return true,
        Effect::Files => {}
    }
    let container = shell.inputs.container;
    // A retry in the same pod fails on files that it would otherwise overwrite.
    !touches(shell, entry, values, |path| match entry.verdict {
        Verdict::FailsWhenRepeated => container.outlives_container(path),
        _ => is_kept(shell, values, path),
    })
}

/// Whether what a command does to a file outlives the pod. `mkdir -p` does nothing to the place where a volume is mounted.
fn is_kept(shell: &Shell<'_>, values: &[&str], path: &str) -> bool {
    let container = shell.inputs.container;
    let is_made = || {
        let only_makes = program_name(values[0]) == "mkdir"
            && ["-p", "--parents"].iter().any(|flag| has_flag(values, flag));
        !(only_makes && container.is_mount(path))
    };
    container.outlives_pod(path) && is_made()
}

/// Whether one of the files that a command names satisfies a condition.
fn touches(
    shell: &Shell<'_>,
    entry: &Entry,
    values: &[&str],
    holds: impl Fn(&str) -> bool,
) -> bool {
    let mut targets: Vec<_> =
        entry.files.iter().flat_map(|flag| flag_values(values, flag)).collect();
    if entry.files.is_empty() {
        targets.extend(operands(values));
    }
    if targets.is_empty() {
        targets.push(".");
    }
    targets.into_iter().any(|path| shell.path(path).is_some_and(|path| holds(&path)))
}

/// `>> file` on a volume that outlives the pod, unless the script has truncated the file before.
fn append(shell: &Shell<'_>, redirect: &Redirect) -> Option<Action> {
    let target = shell.source.word(&redirect.target);
    let path = shell.path(&target.value)?;
    let kept = shell.inputs.container.outlives_pod(&path) && !path.ends_with(".log");
    let grows = kept && !shell.has_truncated(&target.value);
    (redirect.operator == RedirectOperator::Append && grows).then(|| Action {
        verdict: Verdict::Duplicates,
        why: "`>>` adds the same lines again on a volume that outlives the pod".to_owned(),
        help: Some("write the whole file with `>`, or test with `grep -qxF` first".to_owned()),
        may_overlap: false,
        ..of_files(target.location)
    })
}

/// A log grows with each run.
fn writes_log(action: &mut Action) {
    action.verdict = action.verdict.min(Verdict::Idempotent);
}

/// `cd` before a command that changes files there.
pub(crate) fn enters_directory(location: ElementSpan) -> Action {
    Action { verdict: Verdict::Idempotent, ..of_files(location) }
}

/// An action on files that the catalogue does not describe.
fn of_files(location: ElementSpan) -> Action {
    Action {
        verdict: Verdict::Idempotent,
        changes_state: true,
        location,
        subcommands: String::new(),
        why: String::new(),
        help: None,
        source: None,
        confidence: Confidence::High,
        fix: None,
        effect: Effect::Files,
        may_overlap: true,
        endless: false,
        hidden: None,
        key: String::new(),
        objects: Vec::new(),
        related: RelatedCommands::default(),
        random: false,
        after_failure: false,
        removes: false,
        minor: false,
    }
}

/// `kubectl create` of a manifest with `generateName` creates another object on every run.
fn generates_name(action: &mut Action, input: &str) {
    let creates = action.key.starts_with("kubectl create") || action.key.starts_with("oc create");
    let generates = input.contains("generateName:");
    if creates && generates && action.verdict == Verdict::FailsWhenRepeated {
        action.verdict = Verdict::Duplicates;
        "`generateName` makes another object at every run".clone_into(&mut action.why);
        (action.help, action.fix) = (None, None);
    }
}

/// The script tests the output of a client that exits with 0 after an error. Whether a second run fails depends on
/// that test.
fn output_is_tested(action: &mut Action) {
    if action.hidden.take().is_some() && action.verdict == Verdict::FailsWhenRepeated {
        action.verdict = Verdict::Depends;
    }
}
