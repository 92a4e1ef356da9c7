use globset::GlobMatcher;
use job_lifecycle::workload::Kind;
use regex::Regex;
use yaml_spans::{Node, Span, Value};

use super::{Check, Rule};
use crate::{
    finding::Finding,
    policy::{Bounds, Metadata, Number, Requirement, Wish},
    words::shown_name,
    workload::{IDEMPOTENT, Subject},
};

pub(crate) static RULE: Rule = Rule::new(
    "missing-required",
    include_str!("../../rules/missing-required.yaml"),
    Check::Workload(check),
);

/// The longest value that a pattern is matched with, in bytes.
const LONGEST: usize = 1024;

/// Why a wish is not fulfilled.
enum Unmet {
    /// What is required is not there.
    Absent,
    /// These values are not as required.
    Broken(Vec<Broken>),
}

/// A value that is not as required.
struct Broken {
    span: Span,
    /// What is wrong with it.
    label: String,
    /// The same for the headline, after the name of the workload.
    message: String,
    help: String,
}

fn check(job: &Subject<'_>, found: &mut Vec<Finding>) {
    for requirement in &job.context.policy.require {
        let unmet: Option<Vec<_>> = requirement.any.iter().map(|wish| unmet(job, wish)).collect();
        let findings = match (unmet.as_deref(), &*requirement.any) {
            (None, _) => continue,
            (Some([Unmet::Broken(values)]), _) => {
                values.iter().map(|broken| of_value(job, broken)).collect()
            }
            (Some(unmet), any) => Vec::from_iter(absent(job, any, unmet)),
        };
        found.extend(findings.into_iter().map(|finding| as_stated(job, requirement, finding)));
    }
}

fn of_value(job: &Subject<'_>, broken: &Broken) -> Finding {
    let message = format!("{} {}", job.title(), broken.message);
    Finding::new(broken.span, &broken.label).message(message).help(&broken.help)
}

/// The finding about a workload that fulfils none of the wishes: at the first value that is not as required, else
/// where the first wish would be written.
fn absent(job: &Subject<'_>, any: &[Wish], unmet: &[Unmet]) -> Option<Finding> {
    let value = unmet.iter().find_map(|unmet| match unmet {
        Unmet::Broken(values) => values.first().map(|value| value.span),
        Unmet::Absent => None,
    });
    let span = value.or_else(|| any.iter().find_map(|wish| location(job, wish)))?;
    let names: Vec<_> = any.iter().map(describe).collect();
    let name = shown_name(job.object);
    let label = match names.as_slice() {
        [one] => format!("`{name}` has no {one}"),
        [all @ .., last] => format!("`{name}` has neither {} nor {last}", all.join(", ")),
        [] => return None,
    };
    let names = names.join(" or ");
    let message = format!("{} lacks {names}, which the settings require", job.title());
    Some(Finding::new(span, label).message(message).help(format!("add {names}")))
}

/// What is required, as a noun: "label `team`".
fn describe(wish: &Wish) -> String {
    match wish {
        Wish::Hook => "hook annotation".to_owned(),
        Wish::GenerateName => "`generateName`".to_owned(),
        Wish::IdempotencyHint => format!("annotation `{IDEMPOTENT}`"),
        Wish::Number(number, bounds) if bounds.is_empty() => format!("`{}`", number.field()),
        Wish::Number(number, bounds) => format!("`{}` {bounds}", number.field()),
        Wish::Image(globs) => format!("image that matches {}", listed(globs)),
        Wish::Metadata(of, key, None) => format!("{} `{key}`", of.noun()),
        Wish::Metadata(of, key, Some(pattern)) => {
            format!("{} `{key}` that matches `{pattern}`", of.noun())
        }
    }
}

/// Globs as a list for a sentence.
fn listed(globs: &[GlobMatcher]) -> String {
    let shown: Vec<_> = globs.iter().map(|glob| format!("`{}`", glob.glob().glob())).collect();
    shown.join(" or ")
}

/// The finding with the severity and the message of the settings.
fn as_stated(job: &Subject<'_>, requirement: &Requirement, finding: Finding) -> Finding {
    let finding = Finding { stated_severity: requirement.severity, ..finding };
    match &requirement.message {
        Some(message) => finding.message(format!("{}: {message}", job.title())),
        None => finding,
    }
}

/// Why the workload does not fulfil a wish; `None` if it does, and for values that nobody knows yet. `ttl`, `hook` and
/// `generate-name` concern the replacement of a Job, which a CronJob does itself.
fn unmet(job: &Subject<'_>, wish: &Wish) -> Option<Unmet> {
    let of_cron = job.kind == Kind::CronJob;
    let present = match wish {
        Wish::Number(number, bounds) => return unmet_number(job, *number, bounds),
        Wish::Image(globs) => return unmet_image(job, globs),
        Wish::Metadata(of, key, pattern) => return unmet_text(job, *of, key, pattern.as_ref()),
        Wish::Hook => of_cron || job.object.is_annotated_hook(),
        Wish::GenerateName => of_cron || job.object.is_unnamed(),
        Wish::IdempotencyHint => job.idempotent_hint().is_some(),
    };
    (!present).then_some(Unmet::Absent)
}

fn unmet_number(job: &Subject<'_>, number: Number, bounds: &Bounds) -> Option<Unmet> {
    let field = number.field();
    let Some(node) = job.job.set(field) else { return unmet_default(job, number, bounds) };
    let value = node.as_int().filter(|_| is_known(job, node))?;
    let broken = bounds.broken_by(value)?;
    Some(Unmet::Broken(vec![Broken {
        span: node.span,
        label: format!("{value} is {broken}"),
        message: format!("has `{field}` {value}, which is {broken}"),
        help: format!("set it to a number {bounds}"),
    }]))
}

/// The same for a number that is not set.
fn unmet_default(job: &Subject<'_>, number: Number, bounds: &Bounds) -> Option<Unmet> {
    let default = match number {
        Number::Ttl if job.kind == Kind::CronJob => return None,
        Number::BackoffLimit if bounds.is_empty() => return Some(Unmet::Absent),
        Number::Ttl | Number::Deadline => return Some(Unmet::Absent),
        Number::BackoffLimit => job.default_backoff_limit(),
    };
    let broken = bounds.broken_by(default)?;
    let field = number.field();
    Some(Unmet::Broken(vec![Broken {
        span: job.job_key()?,
        label: format!("no `{field}`: the default of {default} is {broken}"),
        message: format!("has the default `{field}` of {default}, which is {broken}"),
        help: format!("add `{field}` {bounds}"),
    }]))
}

fn unmet_image(job: &Subject<'_>, globs: &[GlobMatcher]) -> Option<Unmet> {
    let allowed = listed(globs);
    let broken = |node: &Node| {
        let image = node.as_str().filter(|image| !image.is_empty() && !has_gap(image))?;
        let matches = names(image).iter().any(|name| globs.iter().any(|glob| glob.is_match(name)));
        (!matches && is_known(job, node)).then(|| Broken {
            span: node.span,
            label: format!("`{image}` does not match {allowed}"),
            message: format!("uses the image `{}`, which the settings do not allow", bare(image)),
            help: format!("use an image that matches {allowed}"),
        })
    };
    let images = job.all_containers().filter_map(|container| container.get("image"));
    let all: Vec<_> = images.filter_map(broken).collect();
    (!all.is_empty()).then_some(Unmet::Broken(all))
}

/// The names of an image: as written and with the registry that an absent one stands for, each also without tag and
/// digest.
fn names(image: &str) -> Vec<String> {
    let mut names = vec![image.to_owned()];
    let first = image.split('/').next().filter(|first| *first != image);
    if !first.is_some_and(|first| first.contains(['.', ':']) || first == "localhost") {
        let library = if first.is_none() { "library/" } else { "" };
        names.push(format!("docker.io/{library}{image}"));
    }
    let bare: Vec<_> = names.iter().map(|name| bare(name).to_owned()).collect();
    names.extend(bare);
    names
}

/// The name of an image without tag and digest.
fn bare(image: &str) -> &str {
    let name = image.split('@').next().unwrap_or_default();
    let start = name.rfind('/').map_or(0, |slash| slash + 1);
    let end = name[start..].find(':').map_or(name.len(), |colon| start + colon);
    &name[..end]
}

/// Whether a part is still to be filled in: `$(TAG)`, `${TAG}`, `<image>`, `{{ image }}`, or a registry that no value
/// sets, as in `/app:1.4.2`.
fn has_gap(image: &str) -> bool {
    image.contains(['$', '<', '{', ' ']) || image.starts_with('/')
}

/// A label or annotation that is absent, empty or not as the pattern says.
fn unmet_text(
    job: &Subject<'_>,
    of: Metadata,
    key: &str,
    pattern: Option<&Regex>,
) -> Option<Unmet> {
    let Some(node) = job.object.root.at(&["metadata", of.field(), key]) else {
        return Some(Unmet::Absent);
    };
    let text = match &node.value {
        Value::Null => "",
        Value::Str(text) => text,
        // The API server refuses other types, which `wrong-type` and `annotation-not-string` report.
        _ => return None,
    };
    let noun = of.noun();
    let broken = match pattern {
        None if text.is_empty() => "is empty".to_owned(),
        Some(_) if text.len() > LONGEST => format!("is longer than {LONGEST} bytes"),
        Some(pattern) if !pattern.is_match(text) => format!("does not match `{pattern}`"),
        _ => return None,
    };
    is_known(job, node).then(|| {
        let span = if text.is_empty() { key_of(job, of, key) } else { Some(node.span) };
        let value = if text.is_empty() || text.len() > LONGEST { key } else { text };
        Unmet::Broken(vec![Broken {
            span: span.unwrap_or(node.span),
            label: format!("`{value}` {broken}"),
            message: format!("has the {noun} `{key}`, which {broken}"),
            help: match pattern {
                Some(pattern) => format!("give it a value that matches `{pattern}`"),
                None => "give it a value".to_owned(),
            },
        }])
    })
}

fn key_of(job: &Subject<'_>, of: Metadata, key: &str) -> Option<Span> {
    let entry = job.object.root.at(&["metadata", of.field()])?.entry(key)?;
    Some(entry.key_span)
}

/// False for text that a placeholder of joblint fills, because the chart requires a value that nobody has set.
fn is_known(job: &Subject<'_>, node: &Node) -> bool {
    let origin = job.object.source.origin.as_deref();
    !origin.is_some_and(|origin| origin.is_placeholder(node.span))
}

/// Where a wish would be written.
fn location(job: &Subject<'_>, wish: &Wish) -> Option<Span> {
    match wish {
        Wish::Number(..) => job.job_key(),
        Wish::Image(_) => job.pod_key(),
        Wish::GenerateName => job.object.deepest_key(&["metadata"]),
        Wish::Metadata(of, ..) => job.object.deepest_key(&["metadata", of.field()]),
        Wish::IdempotencyHint if job.kind == Kind::CronJob => {
            job.object.deepest_key(&["spec", "jobTemplate", "metadata", "annotations"])
        }
        Wish::Hook | Wish::IdempotencyHint => job.object.deepest_key(&["metadata", "annotations"]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::glob;

    /// What a name stands for is from the normalisation of `github.com/distribution/reference`.
    #[test]
    fn a_glob_matches_an_image_however_it_is_written() {
        let cases = [
            ("registry.example.com/**", "registry.example.com/team/app:1.4.2", true),
            ("registry.example.com/**", "registry.example.com.example.net/app", false),
            ("registry.example.com/*", "registry.example.com/team/app", false),
            ("registry.example.com/team/app", "registry.example.com/team/app:1@sha256:ab", true),
            ("registry.example.com:5000/**", "registry.example.com:5000/app:1", true),
            ("docker.io/library/*", "busybox:1.36", true),
            ("docker.io/**", "bitnami/kubectl", true),
            ("docker.io/**", "localhost/kubectl", false),
            ("docker.io/**", "quay.io/kubectl", false),
            ("**/*@sha256:*", "quay.io/team/app@sha256:ab", true),
            ("**/*@sha256:*", "quay.io/team/app:1.4.2", false),
            ("**/*:1.*", "busybox:1.36", true),
        ];
        for (pattern, image, expected) in cases {
            let pattern = glob::compile(pattern, true).unwrap();
            let matches = names(image).iter().any(|name| pattern.is_match(name));
            assert_eq!(matches, expected, "{} {image}", pattern.glob().glob());
        }
    }
}
