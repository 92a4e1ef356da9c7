//! Which paths name something remote. Nothing is ever fetched. kustomize `api/internal/git/repospec.go`.

/// Whether a file is read over HTTP.
pub(crate) fn is_http(path: &str) -> bool {
    let scheme = path.split_once(':').map(|(scheme, _)| scheme.to_ascii_lowercase());
    matches!(scheme.as_deref(), Some("http" | "https"))
}

/// Whether a folder is cloned from a git repository.
pub(crate) fn is_repository(path: &str) -> bool {
    if path.starts_with('/') {
        return false;
    }
    let path = path.split_once('?').map_or(path, |(path, _)| path);
    let path = without_prefix(path, "git::").unwrap_or(path);
    let schemes = ["ssh://", "https://", "http://", "file://"];
    let scheme = schemes.into_iter().find(|scheme| without_prefix(path, scheme).is_some());
    let rest = scheme.and_then(|scheme| without_prefix(path, scheme)).unwrap_or(path);
    let (has_user, rest) = match rest.split_once('@') {
        Some((user, after)) if is_user(user) => (true, after),
        _ => (false, rest),
    };
    let lower = rest.to_ascii_lowercase();
    let is_github = lower.starts_with("github.com/") || lower.starts_with("github.com:");
    let is_scp = scheme.is_none() && (has_user || is_github);
    match scheme {
        None if !is_scp => return false,
        Some("file://") => return !rest.is_empty(),
        _ => {}
    }
    let slash = rest.find('/');
    let colon = rest.find(':').filter(|colon| is_scp && *colon > 0);
    let end = match (slash, colon) {
        (Some(slash), Some(colon)) => slash.min(colon),
        (Some(at), None) | (None, Some(at)) => at,
        (None, None) => return is_github && has_segments(""),
    };
    (end > 0 || is_github) && has_segments(&rest[end + 1..])
}

/// Whether the path after the host names a repository, and a folder inside it.
fn has_segments(path: &str) -> bool {
    let (repository, folder) = if let Some(at) = path.find("_git/") {
        let after = &path[at + 5..];
        let end = after.find('/').map_or(path.len(), |slash| at + 5 + slash);
        path.split_at(end)
    } else if let Some((repository, folder)) = path.split_once("//") {
        (repository, folder)
    } else if let Some(at) = path.find(".git") {
        path.split_at(at + 4)
    } else {
        let Some((first, rest)) = path.split_once('/') else { return false };
        let end = rest.find('/').map_or(path.len(), |slash| first.len() + 1 + slash);
        path.split_at(end)
    };
    let folder = crate::files::clean(std::path::Path::new(folder.trim_start_matches('/')));
    !repository.is_empty() && !folder.starts_with("..")
}

fn is_user(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_alphabetic())
        && text.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-')
}

fn without_prefix<'a>(text: &'a str, prefix: &str) -> Option<&'a str> {
    let start = text.get(..prefix.len())?;
    start.eq_ignore_ascii_case(prefix).then(|| &text[prefix.len()..])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn repositories() {
        for path in [
            "https://github.com/org/repo?ref=v1",
            "github.com/org/repo/folder",
            "git@github.com:org/repo.git",
            "git::https://example.com/org/repo//folder",
            "ssh://git@example.com/org/repo",
            "https://dev.azure.com/org/project/_git/repo/folder",
            "user@example.com:org/repo",
        ] {
            assert!(is_repository(path), "{path}");
        }
        for path in [
            "../base",
            "base",
            "example.com/org/repo",
            "/abs",
            "https://host",
            "a@b",
            "github.com/org",
        ] {
            assert!(!is_repository(path), "{path}");
        }
    }
}
