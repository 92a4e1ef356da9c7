//! Queries that decide what a script does, and whose failure nothing notices: `for name in $(kubectl get …); do …; done`,
//! `kubectl get … | tail -1; if [ $? -ne 0 ]; then …; fi`, `bad=$(kubectl get … | jq …); [ -z "$bad" ] || exit 1`.

use crate::{
    analysis::{Analysis, Decides, HiddenBy, Invocation, Propagation, is_inside},
    catalogue::Verdict,
    dumps::is_dump,
    text::ElementSpan,
};

/// Clients of servers.
const CLIENTS: [&str; 24] = [
    "argocd",
    "aws",
    "az",
    "consul",
    "curl",
    "etcdctl",
    "flux",
    "gcloud",
    "gsutil",
    "helm",
    "kubectl",
    "mariadb",
    "mc",
    "mongo",
    "mongosh",
    "mysql",
    "oc",
    "psql",
    "redis-cli",
    "s3cmd",
    "valkey-cli",
    "vault",
    "velero",
    "wget",
];

/// Subcommands of theirs that ask no server.
const LOCAL: [&str; 4] = ["completion", "kustomize", "lint", "template"];

/// The queries, each with what hides its failure.
pub(crate) fn all(analysis: &Analysis) -> Vec<(ElementSpan, HiddenBy)> {
    let queries = analysis.invocations.iter().filter(|one| asks(one) && !one.never_succeeds);
    queries.filter_map(|one| Some((place(one), hidden_by(analysis, one)?))).collect()
}

/// Where a query says what it asks for.
fn place(query: &Invocation) -> ElementSpan {
    let own = query.actions.first().filter(|action| !action.is_request());
    own.map_or(query.program(), |action| action.location)
}

fn hidden_by(analysis: &Analysis, query: &Invocation) -> Option<HiddenBy> {
    match (query.decides?, query.propagation) {
        (Decides::Turns(body), Propagation::Hidden(by)) => {
            let piped = match by {
                HiddenBy::Substitution { piped } => piped,
                HiddenBy::Pipe { .. } => true,
                _ => return None,
            };
            let is_all = is_all_work(analysis) && !is_asked_again(analysis, query, body);
            (is_all && works_in(analysis, body)).then_some(HiddenBy::LoopList { piped })
        }
        (Decides::Branches(branches), Propagation::Hidden(by @ HiddenBy::PipeStatus { .. })) => {
            works_in(analysis, branches).then_some(by)
        }
        (Decides::Failure, Propagation::Hidden(by @ HiddenBy::Pipe { .. })) => {
            (!is_asked_again(analysis, query, query.location)).then_some(by)
        }
        _ => None,
    }
}

/// Whether a command only asks a server.
fn asks(one: &Invocation) -> bool {
    let is_local = || one.words.iter().any(|word| LOCAL.contains(&&*word.value));
    CLIENTS.contains(&one.program_name())
        && !is_local()
        && one.actions.iter().all(|own| own.verdict == Verdict::ReadOnly)
}

/// Whether somebody misses what a command leaves undone.
fn works(one: &Invocation) -> bool {
    is_dump(one, None)
        || one.actions.iter().any(|action| action.changes_more_than_files() && !action.minor)
}

fn works_in(analysis: &Analysis, span: ElementSpan) -> bool {
    analysis.invocations.iter().any(|one| works(one) && is_inside(one.location, span))
}

/// Whether the script does nothing outside the pod but what loops do with the items of queries.
fn is_all_work(analysis: &Analysis) -> bool {
    let bodies = || {
        analysis.invocations.iter().filter_map(|one| match one.decides {
            Some(Decides::Turns(body)) => Some(body),
            _ => None,
        })
    };
    let mut work = analysis.invocations.iter().filter(|one| works(one) || !one.recognised);
    work.all(|one| bodies().any(|body| is_inside(one.location, body)))
}

/// Whether the script fails where another call of the same client does, outside the loop.
fn is_asked_again(analysis: &Analysis, query: &Invocation, body: ElementSpan) -> bool {
    let mut others = analysis.invocations.iter();
    others.any(|one| {
        let decides = one.propagation.is_noticed() || one.answer_decides;
        decides && one.program_name() == query.program_name() && !is_inside(one.location, body)
    })
}
