//! All that is wrong in one view of a unit: what the rules find, what the user's admission policies refuse, and which
//! rules of one's own are broken.

use crate::{
    admission,
    context::Context,
    finding::{Finding, Label, Severity},
    own_rules,
    results::Undecided,
    rules::{self, Raised, Rule},
};

/// The findings of the rules in `active` and of the user's in `own`, and what cannot be decided without a cluster.
pub(crate) fn all<'a>(
    context: &Context<'a>,
    active: &[&'static Rule],
    own: &[&'static Rule],
) -> (Vec<Raised<'a>>, Undecided) {
    let mut raised = rules::run(context, active);
    explain(&mut raised);
    let admission = admission::of_unit(context, own);
    let (of_rules, more) = own_rules::of_unit(context, own);
    raised.extend(admission.raised.into_iter().chain(of_rules));
    let mut undecided = admission.undecided;
    undecided.extend(more);
    (raised, undecided)
}

/// A rule whose finding is the cause of what another says about the same object.
const CAUSES: [(&str, &str); 1] =
    [("hook-annotation-without-hook", "template-changes-under-fixed-name")];

/// Makes the causes of findings labels of these, so that a cause is one finding.
fn explain(raised: &mut Vec<Raised<'_>>) {
    for (cause, effect) in CAUSES {
        let (causes, mut others): (Vec<_>, Vec<_>) =
            raised.drain(..).partition(|one| one.rule.id == cause);
        for cause in causes {
            let is_effect = |one: &&mut Raised<'_>| {
                let severity = one.finding.severity.unwrap_or(one.rule.meta().severity);
                one.rule.id == effect
                    && std::ptr::eq(one.object, cause.object)
                    && severity >= Severity::Warning
                    && !one.is_pedantic()
            };
            match others.iter_mut().find(is_effect) {
                Some(effect) => {
                    let Finding { span, label, .. } = cause.finding;
                    effect.finding.secondary.push(Label { source: None, span, text: label });
                }
                None => others.push(cause),
            }
        }
        *raised = others;
    }
}
