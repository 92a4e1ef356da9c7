//! Requests that remove what a later one makes again: `curl -X DELETE $API/topics/a; curl -X POST $API/topics -d …`.

use crate::{analysis::Invocation, effects::http::method_of, read_back::address};

/// Whether a request before the one at `index` removes what that makes, so that a second run makes it anew.
pub(crate) fn is_removed_before(all: &[Invocation], index: usize) -> bool {
    all[..index].iter().any(|one| is_pair(one, &all[index]))
}

/// Whether a later request makes again what the one at `index` removes, which is not there at first.
pub(crate) fn is_made_again(all: &[Invocation], index: usize) -> bool {
    all[index + 1..].iter().any(|one| is_pair(&all[index], one))
}

fn is_pair(removal: &Invocation, request: &Invocation) -> bool {
    let has = |one: &Invocation, method: &str| method_of(&one.values()) == Some(method);
    let (Some(gone), Some(made)) = (address(removal), address(request)) else { return false };
    let is_below = || gone.strip_prefix(made).is_some_and(|rest| rest.starts_with('/'));
    has(removal, "DELETE")
        && (has(request, "POST") && is_below() || has(request, "PUT") && gone == made)
}
