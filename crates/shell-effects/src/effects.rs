//! Judges one command line by the catalogue.

use super::{
    analysis::{Act, Edit, Fate, Hide, Invocation, Setting},
    ast::{Redirect, RedirectOperator},
    catalogue::{Effect, Entry, Verdict},
    client,
    flow::{Flow, Walk},
    guard, http,
    pattern::{self, Match, flag_values, program_name},
    shell::Shell,
    text::{Place, Text},
};
use crate::Confidence;

/// What the catalogue says about a command line.
pub(super) struct Judged {
    pub acts: Vec<Act>,
    pub recognised: bool,
}

/// Judges a command line whose wrappers are gone.
pub(super) fn judge(
    walk: &Walk<'_>,
    shell: &Shell<'_>,
    words: &[Text],
    redirects: &[Redirect],
    flow: &Flow,
) -> Judged {
    let values: Vec<_> = words.iter().map(|word| word.value.as_str()).collect();
    let mut judged = match client::statements(walk, shell, words, flow) {
        Some(judged) => judged,
        None => match http::request(&values, flow.captured) {
            Some(request) => http_act(walk, shell, words, &values, &request),
            None => of_command(walk, shell, words, &values),
        },
    };
    if flow.tested {
        judged.acts.iter_mut().for_each(Act::answer_is_read);
    }
    if let (Some(input), [act]) = (&flow.stdin, judged.acts.as_mut_slice()) {
        act.name_anew(&input.value);
    }
    let written = redirects.iter().filter(|redirect| redirect.operator == RedirectOperator::Write);
    for redirect in written {
        let target = shell.source.word(&redirect.target).value;
        judged.acts.iter_mut().for_each(|act| act.objects.push(target.clone()));
    }
    let appended = redirects.iter().filter_map(|redirect| append(walk, shell, redirect));
    judged.acts.extend(appended);
    judged
}

fn of_command(walk: &Walk<'_>, shell: &Shell<'_>, words: &[Text], values: &[&str]) -> Judged {
    let found = pattern::command(walk.catalogue, values);
    let mut act = found.map(|found| from_match(walk, shell, words, values, &found));
    // Its manager of clusters has an exit status; a client has one only with `-e`.
    let replies = values.first().is_some_and(|name| program_name(name) == "redis-cli")
        && !["-e", "--cluster"].iter().any(|flag| pattern::has_flag(values, flag));
    if let Some(act) = act.as_mut().filter(|act| replies && act.changes_state) {
        act.hidden = Some(Hide::Client("`redis-cli` without `-e` exits with 0 after an error"));
    }
    Judged { recognised: act.is_some(), acts: act.into_iter().collect() }
}

fn http_act(
    walk: &Walk<'_>,
    shell: &Shell<'_>,
    words: &[Text],
    values: &[&str],
    request: &http::Request,
) -> Judged {
    let found = pattern::request(walk.catalogue, request.method, values);
    let act = found.map(|found| Act {
        hidden: request.hidden,
        key: format!("request {}", request.method),
        ..from_match(walk, shell, words, values, &found)
    });
    Judged { recognised: act.is_some(), acts: act.into_iter().collect() }
}

fn from_match(
    walk: &Walk<'_>,
    shell: &Shell<'_>,
    words: &[Text],
    values: &[&str],
    found: &Match<'_>,
) -> Act {
    let entry = found.entry;
    let at = found.last.0;
    let random = entry.secret && values.iter().any(|value| guard::is_random(shell, value));
    let mut act = Act::new(entry, words[at].place, found.excused);
    act.random = random;
    if lost_with_the_pod(walk, shell, entry, values) {
        act.verdict = act.verdict.min(Verdict::ReadOnly);
        act.changes_state = false;
    } else if random && act.verdict < Verdict::Rotates {
        act.verdict = Verdict::Rotates;
        "a new random value is written at every run".clone_into(&mut act.why);
    }
    let operands = || values.iter().skip(at + 1).filter(|word| !word.starts_with('-') || at == 0);
    if act.verdict == Verdict::FailsWhenRepeated
        && operands().any(|name| guard::is_dated(shell, name))
    {
        act.verdict = Verdict::Idempotent;
        "the date makes the name new at every run".clone_into(&mut act.why);
    }
    if act.verdict.is_hazard() {
        act.fix = edit(entry, &words[at], None);
    }
    let objects = operands().filter(|word| !word.starts_with('-'));
    act.objects = objects.map(|word| (*word).to_owned()).collect();
    wipe(walk, shell, values, &mut act);
    let words = values.iter().skip(1).filter(|word| !word.starts_with('-'));
    let program = program_name(values[0]);
    act.key = words.fold(program.to_owned(), |key, word| key + " " + word);
    act
}

/// `rm -r` of all that is on a volume which outlives the pod, unless something fills it again.
fn wipe(walk: &Walk<'_>, shell: &Shell<'_>, values: &[&str], act: &mut Act) {
    let recursive = ["-r", "-R", "--recursive"].iter().any(|flag| pattern::has_flag(values, flag));
    let roots = values.iter().skip(1).filter_map(|value| {
        let path = shell.path(value)?;
        let path = path.trim_end_matches(['*', '.', '/', '?', '[', ']', '!', '{', '}', ',']);
        let kept = |mount: &&String| mount.trim_end_matches('/') == path;
        walk.setting.kept.iter().find(kept).cloned()
    });
    let roots: Vec<_> = roots.collect();
    if program_name(values[0]) == "rm" && recursive && !roots.is_empty() {
        act.verdict = Verdict::Destroys;
        "everything on a volume that outlives the pod is deleted".clone_into(&mut act.why);
        act.fix = None;
        act.pairs.before = vec!["*".to_owned()];
    }
    if act.effect == Effect::Files {
        act.objects.extend(roots);
    }
}

/// Whether nothing of what the command does is there for the next try.
fn lost_with_the_pod(walk: &Walk<'_>, shell: &Shell<'_>, entry: &Entry, values: &[&str]) -> bool {
    match entry.effect {
        Effect::Remote => false,
        Effect::Container => true,
        Effect::Files => {
            let mut targets = Vec::new();
            for flag in &entry.files {
                targets.extend(flag_values(values, flag));
            }
            if entry.files.is_empty() {
                let operands = values.iter().skip(1).filter(|word| !word.starts_with('-'));
                targets.extend(operands.copied());
            }
            let here = targets.is_empty().then_some(".");
            let mut targets = targets.into_iter().chain(here);
            let fails = entry.verdict == Verdict::FailsWhenRepeated;
            let stays = |path: &str| {
                lies_on(&walk.setting.kept, path) || fails && is_kept(walk.setting, path)
            };
            !targets.any(|path| shell.path(path).is_some_and(|path| stays(&path)))
        }
    }
}

/// Whether the next try sees what is at the path.
pub(super) fn is_kept(setting: &Setting, path: &str) -> bool {
    lies_on(&setting.kept, path) || lies_on(&setting.restarted, path)
}

fn lies_on(mounts: &[String], path: &str) -> bool {
    mounts.iter().any(|mount| {
        let mount = mount.trim_end_matches('/');
        path.strip_prefix(mount).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    })
}

/// Whether the words are a request that only asks how a server is.
pub(super) fn asks_health(values: &[&str]) -> bool {
    let paths = ["health", "ready", "ping", "alive", "/-/"];
    let request = http::request(values, false).is_some_and(|request| request.method == "GET");
    request && values.iter().any(|word| paths.iter().any(|path| word.contains(path)))
}

/// `>> file` on a volume that stays, unless the script itself began the file anew.
fn append(walk: &Walk<'_>, shell: &Shell<'_>, redirect: &Redirect) -> Option<Act> {
    let target = shell.source.word(&redirect.target);
    let path = shell.path(&target.value)?;
    let kept = lies_on(&walk.setting.kept, &path) && !path.ends_with(".log");
    let grows = kept && !shell.begun.contains(&target.value);
    (redirect.operator == RedirectOperator::Append && grows).then(|| Act {
        verdict: Verdict::Duplicates,
        changes_state: true,
        place: target.place,
        why: "`>>` adds the same lines again on a volume that outlives the pod".to_owned(),
        help: Some("write the whole file with `>`, or test with `grep -qxF` first".to_owned()),
        source: None,
        confidence: Confidence::High,
        fix: None,
        effect: Effect::Files,
        may_overlap: false,
        endless: false,
        hidden: None,
        key: String::new(),
        objects: Vec::new(),
        pairs: Default::default(),
        random: false,
    })
}

/// The edit that makes the command safe, at `bytes` of the text or at all of it.
pub(super) fn edit(
    entry: &Entry,
    text: &Text,
    bytes: Option<std::ops::Range<usize>>,
) -> Option<Edit> {
    if text.computed {
        return None;
    }
    let place = bytes.map_or(text.place, |bytes| text.place_of(bytes));
    if let Some(new) = &entry.replace {
        return Some(Edit { place, text: new.clone() });
    }
    let end = super::ast::Span { start: place.span.end, end: place.span.end };
    let text = format!(" {}", entry.insert.as_ref()?);
    Some(Edit { place: Place { span: end, ..place }, text })
}

/// Commands of the same script that change what another one means.
#[derive(Debug, Clone, Default)]
pub(super) struct Pairs {
    after: Vec<String>,
    before: Vec<String>,
    destroys_before: Vec<String>,
}

impl Act {
    /// `kubectl create -f -` of objects that the API server names: new ones at every run.
    fn name_anew(&mut self, input: &str) {
        let creates = self.key.starts_with("kubectl create") || self.key.starts_with("oc create");
        if creates && self.verdict == Verdict::FailsWhenRepeated && input.contains("generateName:")
        {
            self.verdict = Verdict::Duplicates;
            "`generateName` makes another object at every run".clone_into(&mut self.why);
            (self.help, self.fix) = (None, None);
        }
    }

    /// The script looks at what a client answers that exits with 0 after an error: whether a second run
    /// fails is up to that.
    fn answer_is_read(&mut self) {
        if self.hidden.take().is_some() && self.verdict == Verdict::FailsWhenRepeated {
            self.verdict = Verdict::Depends;
        }
    }

    pub(super) fn new(entry: &Entry, place: Place, excused: bool) -> Self {
        let verdict = if excused { entry.verdict.min(Verdict::Idempotent) } else { entry.verdict };
        Self {
            verdict,
            changes_state: verdict.changes_state(),
            place,
            why: entry.why.clone(),
            help: entry.help.clone(),
            source: entry.source.clone(),
            confidence: entry.confidence,
            fix: None,
            effect: entry.effect,
            may_overlap: entry.may_overlap() || excused,
            endless: entry.endless,
            hidden: None,
            key: String::new(),
            objects: Vec::new(),
            pairs: Pairs {
                after: entry.after.clone(),
                before: entry.before.clone(),
                destroys_before: entry.destroys_before.clone(),
            },
            random: false,
        }
    }

    fn is_one_of(&self, keys: &[String], other: &Self) -> bool {
        let shared = self.objects.iter().any(|object| other.objects.contains(object));
        let unnamed = self.objects.is_empty() || other.objects.is_empty();
        keys.iter().any(|key| match key.as_str() {
            "*" => shared,
            key => (shared || unnamed) && self.is_key(key),
        })
    }

    /// Whether its words hold those of `key` in order, the first at the start; `a|b` matches either.
    fn is_key(&self, key: &str) -> bool {
        let mut words = self.key.split_whitespace();
        let mut wanted = key.split_whitespace().map(|wanted| wanted.split('|'));
        let is = |mut names: std::str::Split<'_, char>, word: &str| names.any(|name| name == word);
        let first = wanted.next().zip(words.next());
        first.is_some_and(|(names, word)| is(names, word))
            // The value of a flag may stand between: `kubectl -n app delete`.
            && wanted.all(|names| words.any(|word| is(names.clone(), word)))
    }
}

/// One invocation per place, with what commands before and after it change.
pub(super) fn settle(found: Vec<Invocation>) -> Vec<Invocation> {
    let mut settled: Vec<Invocation> = Vec::new();
    let mut places = std::collections::HashMap::new();
    for invocation in found {
        match places.get(&invocation.place) {
            Some(&index) => merge(&mut settled[index], invocation),
            None => {
                places.insert(invocation.place, settled.len());
                settled.push(invocation);
            }
        }
    }
    let acts: Vec<_> = settled.iter().flat_map(|invocation| invocation.acts.clone()).collect();
    let settling = settled.iter_mut().flat_map(|invocation| &mut invocation.acts);
    for (position, act) in settling.enumerate() {
        pair(act, &acts[..position], &acts[position + 1..]);
    }
    settled
}

/// A function that is called twice: the call that is worse off counts.
fn merge(one: &mut Invocation, other: Invocation) {
    let rank = |fate: Fate| match fate {
        Fate::Fatal => 3,
        Fate::Retried => 2,
        Fate::Hidden(_) => 1,
        Fate::Handled => 0,
    };
    let guarded = |guards: &[super::Guard]| guards.iter().any(|guard| guard.kind.remembers());
    let worse = rank(other.fate) > rank(one.fate);
    if guarded(&one.guards) && !guarded(&other.guards) || worse && !guarded(&other.guards) {
        one.guards = other.guards;
        one.fate = other.fate;
    }
}

/// At most this many commands on either side are looked at for a pair.
const NEAR: usize = 200;

fn pair(act: &mut Act, earlier: &[Act], later: &[Act]) {
    let earlier = &earlier[earlier.len().saturating_sub(NEAR)..];
    let later = &later[..later.len().min(NEAR)];
    let pairs = act.pairs.clone();
    if later.iter().any(|other| other.is_one_of(&pairs.destroys_before, act)) {
        act.verdict = Verdict::Destroys;
        "it is made anew after this: what was in it is lost at every run".clone_into(&mut act.why);
        act.fix = None;
        return;
    }
    let prepared = earlier.iter().any(|other| other.is_one_of(&pairs.after, act));
    let refilled = later.iter().any(|other| other.is_one_of(&pairs.before, act));
    if act.verdict.is_hazard() && (prepared || refilled) {
        act.verdict = Verdict::Idempotent;
        if act.random {
            act.verdict = Verdict::Rotates;
            "a new random value is written at every run".clone_into(&mut act.why);
        }
    }
}

impl Hide {
    /// How the failure is hidden, for a message.
    pub fn reason(self) -> &'static str {
        match self {
            Self::OrTrue => "what follows `||` succeeds",
            Self::ExitZero => "the script exits with 0 whatever happens",
            Self::LaterCommand => {
                "without `set -e` the script goes on, and a later command decides"
            }
            Self::AndList => "`set -e` does not see a failure before `&&`",
            Self::Pipe { .. } => "the last command of the pipeline decides",
            Self::Background => "nothing looks at the status of the background command",
            Self::Substitution => "the status of a command substitution among arguments is lost",
            Self::Loop => "without `set -e` a later turn of the loop decides",
            Self::Client(reason) => reason,
        }
    }
}
