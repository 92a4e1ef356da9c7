//! All that is wrong in one view of a unit: what the rules find, what the user's admission policies refuse, and which
//! rules of one's own are broken.

use crate::{
    admission,
    context::Context,
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
    let admission = admission::of_unit(context, own);
    let (of_rules, more) = own_rules::of_unit(context, own);
    raised.extend(admission.raised.into_iter().chain(of_rules));
    let mut undecided = admission.undecided;
    undecided.extend(more);
    (raised, undecided)
}
