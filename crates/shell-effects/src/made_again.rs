//! Requests that remove what a later one makes again: `curl -X DELETE $API/topics/a; curl -X POST $API/topics -d …`.

use crate::{analysis::Invocation, effects::http::method_of, read_back::address};

/// How many commands around one are searched for the other of the two.
const WINDOW: usize = 100;

/// Whether a request before the one at `index` removes what that makes, so that a second run makes it anew.
pub(crate) fn is_removed_before(all: &[Invocation], index: usize) -> bool {
    let Some(request) = Request::of(&all[index]).filter(|one| one.method != "DELETE") else {
        return false;
    };
    let mut near = all[index.saturating_sub(WINDOW)..index].iter().filter_map(Request::of);
    near.any(|removal| removal.goes_with(&request))
}

/// Whether a later request makes again what the one at `index` removes, which is not there at first.
pub(crate) fn is_made_again(all: &[Invocation], index: usize) -> bool {
    let Some(removal) = Request::of(&all[index]).filter(|one| one.method == "DELETE") else {
        return false;
    };
    let mut near = all[index + 1..].iter().take(WINDOW).filter_map(Request::of);
    near.any(|request| removal.goes_with(&request))
}

/// An HTTP request, as far as it is about an object.
struct Request<'a> {
    method: &'static str,
    address: &'a str,
}

impl<'a> Request<'a> {
    fn of(one: &'a Invocation) -> Option<Self> {
        let method = method_of(&one.values())?;
        Some(Self { method, address: address(one)? })
    }

    /// Whether this removes what the other one makes.
    fn goes_with(&self, request: &Self) -> bool {
        let rest = self.address.strip_prefix(request.address);
        self.method == "DELETE"
            && match request.method {
                "POST" => rest.is_some_and(|rest| rest.starts_with('/')),
                "PUT" => rest == Some(""),
                _ => false,
            }
    }
}
