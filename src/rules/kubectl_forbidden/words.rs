//! What a finding says about permissions, and the rules that it advises to add.

use std::collections::BTreeSet;

use job_lifecycle::workload::Kind;

use super::{
    account::{Account, DEFAULT},
    grants::Grant,
    needs::{Need, Place, Which},
};
use crate::{
    words::{joined, quoted},
    workload::Subject,
};

/// The needs without repetitions.
pub(super) fn distinct<'n>(needs: impl Iterator<Item = &'n Need>) -> Vec<&'n Need> {
    let mut all: Vec<&Need> = Vec::new();
    for need in needs {
        if !all.contains(&need) {
            all.push(need);
        }
    }
    all
}

/// What becomes of the run.
#[derive(Clone, Copy)]
pub(super) enum Outcome {
    Fails,
    Hangs,
    /// The script goes on with the next command.
    GoesOn,
}

/// The headline.
pub(super) fn message(
    job: &Subject<'_>,
    account: &Account<'_>,
    outcome: Outcome,
    needs: &[&Need],
    has_role: bool,
) -> String {
    let (title, name) = (job.title(), account.name);
    let what = may(needs.iter().copied(), "or");
    let fails = match (outcome, job.kind) {
        (Outcome::GoesOn, _) => {
            let why = match has_role {
                true => format!("no role of ServiceAccount `{name}` allows it"),
                false => format!("no role is bound to ServiceAccount `{name}`"),
            };
            return format!("{title} cannot {what}: {why}");
        }
        (Outcome::Hangs, _) => "never gets past `kubectl rollout status`",
        (Outcome::Fails, Kind::CronJob) => "fails each run",
        (Outcome::Fails, Kind::Job) => "fails",
    };
    let why = if has_role { "" } else { " (no role is bound to it)" };
    format!("{title} {fails}: ServiceAccount `{name}` may not {what}{why}")
}

/// What the needs come to in words: "list and watch deployments, and delete pods".
pub(super) fn may<'n>(needs: impl IntoIterator<Item = &'n Need>, and: &str) -> String {
    let mut groups: Vec<(String, Vec<&str>)> = Vec::new();
    for need in needs {
        let (what, verb) = (shown(need), need.verbs[0]);
        match groups.iter_mut().find(|(own, _)| *own == what) {
            Some((_, verbs)) if verbs.contains(&verb) => {}
            Some((_, verbs)) => verbs.push(verb),
            None => groups.push((what, vec![verb])),
        }
    }
    let each = groups.into_iter().map(|(what, verbs)| match &verbs[..] {
        [most @ .., last] if !most.is_empty() => {
            format!("{} {and} {last} {what}", most.join(", "))
        }
        _ => format!("{} {what}", verbs.concat()),
    });
    let each: Vec<_> = each.collect();
    match &each[..] {
        [one, other] => format!("{one}, {and} {other}"),
        _ => joined(&each),
    }
}

/// The resource of a need, and where.
fn shown(need: &Need) -> String {
    let resource = match need.subresource {
        "" => need.resource(),
        _ => format!("`{}`", need.resource()),
    };
    match &need.place {
        Place::Cluster if !need.kind.is_of_cluster => format!("{resource} of all namespaces"),
        _ => resource,
    }
}

/// A rule of a role.
struct Row {
    group: &'static str,
    resources: Vec<String>,
    /// The objects that it is about; none for all.
    names: Vec<String>,
    verbs: Vec<&'static str>,
}

/// The permissions to add, as rules of roles.
fn rules(needs: &[&Need], is_of_chart: bool) -> Vec<String> {
    let mut rows: Vec<Row> = Vec::new();
    for need in needs {
        let names = match &need.object {
            // A release makes up its own names.
            Which::One(name) if !is_of_chart => vec![name.clone()],
            _ => Vec::new(),
        };
        let (group, resources, verb) = (need.kind.group, vec![need.resource()], need.verbs[0]);
        let is_own =
            |row: &&mut Row| row.group == group && row.resources == resources && row.names == names;
        match rows.iter_mut().find(is_own) {
            Some(row) if row.verbs.contains(&verb) => {}
            Some(row) => row.verbs.push(verb),
            None => rows.push(Row { group, resources, names, verbs: vec![verb] }),
        }
    }
    merged(rows).iter().map(Row::text).collect()
}

/// The rules without those that differ from another only by their resource, or by the names of its objects.
fn merged(rows: Vec<Row>) -> Vec<Row> {
    rows.into_iter().fold(Vec::new(), |mut all: Vec<Row>, row| {
        let is_like = |one: &Row| one.group == row.group && one.verbs == row.verbs;
        let has_names = !row.names.is_empty();
        let of_resource = all.iter().position(|one| {
            is_like(one) && has_names && !one.names.is_empty() && one.resources == row.resources
        });
        let of_names = all.iter().position(|one| is_like(one) && one.names == row.names);
        match (of_resource, of_names) {
            (Some(at), _) => all[at].names.extend(row.names),
            (None, Some(at)) => all[at].resources.extend(row.resources),
            (None, None) => all.push(row),
        }
        all
    })
}

impl Row {
    fn text(&self) -> String {
        let group = if self.group.is_empty() { "\"\"" } else { self.group };
        let names = match self.names.is_empty() {
            true => String::new(),
            false => format!("resourceNames: [{}], ", self.names.join(", ")),
        };
        let (resources, verbs) = (self.resources.join(", "), self.verbs.join(", "));
        format!("{{apiGroups: [{group}], resources: [{resources}], {names}verbs: [{verbs}]}}")
    }
}

/// What to add, and where.
pub(super) fn help(
    job: &Subject<'_>,
    account: &Account<'_>,
    grants: &[Grant<'_>],
    needs: &[&Need],
) -> String {
    let own = job.object.namespace();
    let mut parts: Vec<String> = Vec::new();
    let mut rest: Vec<&Need> = needs.to_vec();
    for grant in grants {
        let (here, other): (Vec<_>, Vec<_>) = rest.into_iter().partition(|need| {
            let is_wide = grant.is_of_cluster() && need.place != Place::Cluster;
            grant.reaches(need, own) && (!is_wide || grants.len() == 1)
        });
        rest = other;
        if !here.is_empty() {
            let rules = quoted_all(rules(&here, job.context.from_chart()));
            let (kind, name) = (grant.role.kind(), grant.role.name().unwrap_or_default());
            parts.push(format!("add {rules} to {kind} `{name}`"));
        }
    }
    let (wide, near): (Vec<_>, Vec<_>) =
        rest.into_iter().partition(|need| need.place == Place::Cluster);
    for (needs, kind) in [(near, "Role"), (wide, "ClusterRole")] {
        if needs.is_empty() {
            continue;
        }
        let rules = quoted_all(rules(&needs, job.context.from_chart()));
        let whom = match account.name {
            DEFAULT if grants.is_empty() => {
                format!("a ServiceAccount of the {}'s own", job.kind.name())
            }
            name => format!("ServiceAccount `{name}`"),
        };
        parts.push(format!("bind a {kind} with {rules}{} to {whom}", places(&needs)));
    }
    crate::words::sentence(&parts.join(", and "))
}

/// The namespaces in which a Role has to be.
fn places(needs: &[&Need]) -> String {
    let stated = needs.iter().filter_map(|need| match &need.place {
        Place::Namespace(name) => Some(name.clone()),
        _ => None,
    });
    let names: Vec<_> = stated.collect::<BTreeSet<_>>().into_iter().collect();
    match names.len() {
        0 => String::new(),
        1 => format!(" in namespace {}", quoted(&names)),
        _ => format!(" in the namespaces {}", quoted(&names)),
    }
}

fn quoted_all(rules: Vec<String>) -> String {
    rules.iter().map(|rule| format!("`{rule}`")).collect::<Vec<_>>().join(" and ")
}
