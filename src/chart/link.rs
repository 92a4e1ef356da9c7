//! A link in a chart that is not followed, as a problem: it leads out of the repository, into a submodule that is not
//! checked out, or to nothing.

use std::{fs, path::Path};

use helm_render::{Error, Reason};

use crate::{
    discover::{normal, shown},
    unit::{Boundary, Failure, Problem, Unit},
};

/// The problem of a link in the chart of a unit, whose root is printed as `printed`; `None` if the chart fails for another
/// reason.
pub(super) fn problem(unit: &Unit, printed: &str, error: &Error) -> Option<Problem> {
    let at = error.at.clone().filter(|_| error.reason == Reason::Link)?;
    let name = at.source.path.strip_prefix(printed).unwrap_or(&at.source.path);
    let name = name.trim_start_matches('/').to_owned();
    let link = std::path::absolute(unit.root.join(&name)).ok()?;
    let written = fs::read_link(&link).ok()?;
    let target = normal(&link.parent()?.join(&written));
    if fs::metadata(&link).is_ok() || error.message.starts_with(&name) {
        let reason = error.message.clone();
        return Some(Problem {
            help: Some(
                "Replace the link with a copy, or with a link inside of the repository".into(),
            ),
            ..Problem::new(Failure::Unreadable, at, reason)
        });
    }
    let (reason, help) = match submodule(&link, &target, &unit.boundary) {
        Some(module) => (
            format!("submodule `{module}` is not checked out, and `{name}` is a link into it"),
            "Check it out with `git submodule update --init` to have the chart checked",
        ),
        None => (
            format!("`{name}` is a link to `{}`, which does not exist", shown(&written)),
            "Check the chart where that folder exists, or remove the link",
        ),
    };
    Some(Problem {
        headline: Some(format!("not rendered: {reason}")),
        help: Some(help.to_owned()),
        ..Problem::new(Failure::NotRendered, at, reason)
    })
}

/// The path of the submodule that the target of a link would be in.
fn submodule(link: &Path, target: &Path, boundary: &Boundary) -> Option<String> {
    let mut above = link.ancestors().skip(1);
    let root = above.find(|folder| boundary.has_file(&folder.join(".gitmodules")))?;
    let text = boundary.read_to_string(&root.join(".gitmodules")).ok()?;
    let mut paths = text.lines().filter_map(|line| {
        let (key, path) = line.split_once('=')?;
        (key.trim() == "path").then(|| path.trim().to_owned())
    });
    paths.find(|path| target.starts_with(normal(&root.join(path))))
}
