//! Commands that sign in, or tell a client where its server is, and fail if they cannot. All that the client does after
//! them fails as well: with `|| true` behind each of those commands, nothing tells.

use crate::{
    analysis::{Analysis, HiddenBy, Invocation, Propagation},
    command_line::operands,
};

/// Programs and their subcommands that sign in.
const SIGN_INS: [(&str, &[&str]); 7] = [
    ("argocd", &["login"]),
    ("az", &["login"]),
    ("gcloud", &["auth", "activate-service-account"]),
    ("mc", &["alias", "set"]),
    ("mc", &["config", "host", "add"]),
    ("oc", &["login"]),
    ("vault", &["login"]),
];

/// The commands that sign in and whose failure nothing notices, although all that the client changes depends on it.
pub(crate) fn unseen(analysis: &Analysis) -> Vec<(&Invocation, HiddenBy)> {
    let all = &analysis.invocations;
    let of_one = |(index, invocation): (usize, &'_ Invocation)| {
        let Propagation::Hidden(by) = invocation.propagation else { return None };
        let program = invocation.program_name();
        if !signs_in(invocation) {
            return None;
        }
        let mut later = all[index + 1..].iter().filter(|one| one.program_name() == program);
        let mut changes =
            later.clone().filter(|one| one.actions.iter().any(|own| own.changes_state));
        let hides = |one: &Invocation| {
            let by = HiddenBy::OrTrue;
            let or = [Propagation::Hidden(by), Propagation::Hidden(HiddenBy::OrMessage)];
            or.contains(&one.propagation) || one.propagation == Propagation::Expected
        };
        let is_noticed = later.any(|one| one.propagation.is_noticed() || one.answer_decides);
        let first = changes.next()?;
        (!is_noticed && hides(first) && changes.all(hides)).then_some(by)
    };
    let pairs = all.iter().enumerate();
    pairs.filter_map(|(index, one)| Some((one, of_one((index, one))?))).collect()
}

/// Whether a command signs in.
pub(crate) fn signs_in(invocation: &Invocation) -> bool {
    let words: Vec<_> = invocation.words.iter().map(|word| word.value.as_str()).collect();
    let named: Vec<_> = operands(&words).take(3).collect();
    let own = invocation.program_name();
    SIGN_INS.iter().any(|(program, subcommands)| own == *program && named.starts_with(subcommands))
}
