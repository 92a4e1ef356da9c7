//! What a text holds, told by searches at memory speed instead of a parse.

use std::sync::LazyLock;

use memchr::memmem::{self, Finder};

/// The API groups of the objects that matter, before [`VERSION`].
const GROUPS: &[&[u8]] = &[b"argoproj", b"toolkit.fluxcd", b"source.extensions.fluxcd"];

/// How an API group goes on to its version. Built once: every file of every tree is searched for it.
static VERSION: LazyLock<Finder<'_>> = LazyLock::new(|| Finder::new(".io/v"));

/// True for a text with an object of Argo CD or Flux. CRDs name the groups too, and are large.
pub fn is_gitops(bytes: &[u8]) -> bool {
    let is_ours = |at: usize| GROUPS.iter().any(|group| bytes[..at].ends_with(group));
    VERSION.find_iter(bytes).any(is_ours)
        && memmem::find(bytes, b"kind: CustomResourceDefinition").is_none()
}

/// What every file is searched for, built once.
static JOB: LazyLock<Finder<'_>> = LazyLock::new(|| Finder::new("Job"));
static HOOK: LazyLock<Finder<'_>> = LazyLock::new(|| Finder::new("/hook"));

/// A file or document holds no work when no line of it speaks of a `kind` and a Job, or of a hook, and no
/// API group of GitOps: searches at
/// memory speed instead of a parse. (`"\x4aob"`, or a `kind` with its value on the next line, would
/// slip through; nobody writes that.)
pub fn may_hold_work(bytes: &[u8]) -> bool {
    speaks_of_a_job(bytes)
        || is_gitops(bytes)
        || HOOK.find(bytes).is_some()
        || bytes.starts_with(&[0xFF, 0xFE])
        || bytes.starts_with(&[0xFE, 0xFF])
}

/// Every line is looked at once, however long it is and however many Jobs it names.
fn speaks_of_a_job(bytes: &[u8]) -> bool {
    let mut at = 0;
    while let Some(found) = JOB.find(&bytes[at..]) {
        let job = at + found;
        let start = memchr::memrchr(b'\n', &bytes[at..job]).map_or(at, |line| at + line + 1);
        let end = memchr::memchr(b'\n', &bytes[job..]).map_or(bytes.len(), |line| job + line);
        let line = &bytes[start..end];
        let kind = memchr::memmem::find(line, b"kind");
        if kind.is_some_and(|kind| JOB.find(&line[kind..]).is_some()) {
            return true;
        }
        at = end;
    }
    false
}

/// True for a text that names a hook annotation.
pub(super) fn holds_hook(bytes: &[u8]) -> bool {
    HOOK.find(bytes).is_some()
}

/// The number of lines that say `kind:`, which is the number of objects.
pub(super) fn kinds(bytes: &[u8]) -> usize {
    let inner = memchr::memmem::find_iter(bytes, "\nkind:").count();
    inner + usize::from(bytes.starts_with(b"kind:"))
}
