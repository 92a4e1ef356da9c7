//! Where a fix of a page is withheld or another one, and why.

use super::{Name, Outcome};

/// Examples that are not fixed in some forms as they are on the page.
#[derive(Debug)]
pub struct Exception {
    what: What,
    /// The id of the rule; empty for all.
    rule: &'static str,
    /// A part of the name of the example; empty for all.
    example: &'static str,
    forms: &'static [&'static str],
    _why: &'static str,
}

#[derive(Clone, Copy, Debug)]
enum What {
    Withheld,
    Silent,
    Other,
}

use What::{Other, Silent, Withheld};

impl Exception {
    pub fn covers(&self, (rule, example, form): &Name, outcome: &Outcome) -> bool {
        let is_what = matches!(
            (self.what, outcome),
            (Withheld, Outcome::Withheld) | (Silent, Outcome::Silent) | (Other, Outcome::Other(_))
        );
        is_what
            && (self.rule.is_empty() || self.rule == *rule)
            && example.contains(self.example)
            && self.forms.contains(form)
    }
}

const fn row(
    what: What,
    (rule, example): (&'static str, &'static str),
    forms: &'static [&'static str],
    why: &'static str,
) -> Exception {
    Exception { what, rule, example, forms, _why: why }
}

const MERGED: &[&str] = &["merge keys"];
const SPEC: &[&str] = &["toYaml of the spec"];
const PRINTED: &[&str] = &["values", "toYaml of the spec", "with and toYaml of annotations"];
const BUILT: &[&str] = &["kustomization", "base", "patch"];
const CHARTS: &[&str] = &[
    "template",
    "template with CRLF",
    "template with a condition",
    "helper",
    "helper with the spec",
    "toYaml of the spec",
    "with and toYaml of annotations",
    "values",
];

const LIST: &[&str] = &["a list"];
const WRITTEN_ANEW: &[&str] = &[
    "JSON on a line",
    "JSON over lines",
    "braces",
    "braces over lines",
    "double quotes",
    "single quotes",
    "folded scripts",
    "indentation indicators",
    "quotes over lines",
    "anchors",
    "merge keys",
];

const NO_HOOK: &str = "Helm takes no item of a list for a hook";
const NO_PLACE: &str = "an action prints the fields: none can be added, moved or removed there";
const OTHER_TEXT: &str = "the number is printed in another way than it is written";
const OTHER_LINES: &str = "the file has braces where the build has lines";

pub const EXCEPTIONS: &[Exception] = &[
    row(Withheld, ("", ""), MERGED, "other mappings may have the entry of a merge key too"),
    row(Withheld, ("annotation-not-string", ""), PRINTED, OTHER_TEXT),
    row(Withheld, ("annotation-not-string", ""), BUILT, OTHER_TEXT),
    row(Withheld, ("wrong-type", ""), PRINTED, "the quotes are those of the template"),
    row(Withheld, ("failure-hidden", ""), SPEC, NO_PLACE),
    row(Withheld, ("generate-name-leaks", ""), SPEC, NO_PLACE),
    row(Withheld, ("hook-keep-policy", ""), &["with and toYaml of annotations"], NO_PLACE),
    row(Withheld, ("misplaced-field", ""), PRINTED, NO_PLACE),
    row(Withheld, ("overlap", ""), SPEC, NO_PLACE),
    row(
        Withheld,
        ("restart-policy-always", "in the container"),
        &["values", "toYaml of the spec"],
        NO_PLACE,
    ),
    row(Withheld, ("restart-policy-always", "missing"), SPEC, NO_PLACE),
    row(Withheld, ("selector-set-by-hand", ""), SPEC, NO_PLACE),
    row(Withheld, ("misplaced-field", ""), BUILT, OTHER_LINES),
    row(Withheld, ("missing-ttl", ""), BUILT, OTHER_LINES),
    row(Withheld, ("selector-set-by-hand", ""), BUILT, OTHER_LINES),
    row(Withheld, ("stale-hook-blocks", "a past success"), BUILT, OTHER_LINES),
    row(Withheld, ("removed-api-version", ""), &["patch"], "the base has the version too"),
    row(
        Withheld,
        ("ttl-reruns", ""),
        &["helper with the spec"],
        "the annotations are in another file than the TTL",
    ),
    row(
        Withheld,
        ("ttl-reruns", ""),
        PRINTED,
        "without a TTL nothing lets the deployer replace it",
    ),
    row(Withheld, ("unknown-delete-policy", "empty"), PRINTED, "nothing printed has a place"),
    row(Other, ("unreplaceable-job", "Flux"), CHARTS, "a HelmRelease replaces it as a hook"),
    row(
        Other,
        ("annotation-not-string", "Kustomize"),
        CHARTS,
        "Helm writes no annotation as a string",
    ),
    row(
        Other,
        ("template-changes-under-fixed-name", ""),
        &["comments"],
        "a label with a comment stays",
    ),
    row(Silent, ("unreplaceable-job", ""), SPEC, "the version of the image is a value"),
    row(Silent, ("unreplaceable-job", ""), BUILT, "the version of the image is one of a base"),
    row(
        Silent,
        ("missing-ttl", "kubectl"),
        SPEC,
        "that nothing can replace the Job is the finding",
    ),
    row(
        Silent,
        ("missing-ttl", "kubectl"),
        BUILT,
        "that nothing can replace the Job is the finding",
    ),
    row(Silent, ("substituted-by-flux", ""), CHARTS, "Flux substitutes nothing in charts"),
    row(Silent, ("unused-ignore", "below"), WRITTEN_ANEW, "the comment is not there"),
    row(Withheld, ("unreplaceable-job", "Fleet"), LIST, NO_HOOK),
    row(Withheld, ("ttl-reruns", "HelmRelease"), LIST, NO_HOOK),
    row(Withheld, ("ttl-reruns", ""), &["patch"], "the annotations are in the base"),
    row(Silent, ("hook-duplicate-event", ""), LIST, NO_HOOK),
    row(Silent, ("hook-keep-policy", ""), LIST, NO_HOOK),
    row(Silent, ("install-only-hook", ""), LIST, NO_HOOK),
    row(Silent, ("stale-hook-blocks", ""), LIST, NO_HOOK),
    row(Silent, ("unknown-delete-policy", ""), LIST, NO_HOOK),
    row(Silent, ("unknown-hook-event", ""), LIST, NO_HOOK),
];
