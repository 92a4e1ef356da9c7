//! Lines of scripts, pipelines and guides that deploy something.

use crate::scripts::{PUBLISHERS, lines};

/// Programs that deploy what they are told, each with the words of its commands that do; none if all do.
const PROGRAMS: [(&str, &[&str]); 14] = [
    ("argocd", &["create", "set"]),
    ("flux", &["bootstrap", "build", "create", "install", "push"]),
    ("helm", &["install", "package", "push", "upgrade"]),
    ("helmfile", &["apply", "sync"]),
    ("k8s-deploy", &[]),
    ("kapp", &["deploy"]),
    ("kluctl", &["deploy"]),
    ("kubectl", &["apply", "create", "replace"]),
    ("kubernetes.core.helm", &[]),
    ("kubernetes.core.k8s", &[]),
    ("oc", &["apply", "create", "new-app", "process", "replace"]),
    ("skaffold", &["dev", "run"]),
    ("tilt", &["up"]),
    ("werf", &["converge"]),
];

/// Files in which each path is that of something to deploy: how their names begin, and how they end.
const DEFINITIONS: [(&str, &str); 9] = [
    ("", ".tf"),
    ("Tiltfile", ""),
    ("devspace", ".yaml"),
    ("garden", ".yml"),
    ("helmfile", ".yaml"),
    ("helmfile", ".gotmpl"),
    ("skaffold", ".yaml"),
    ("skaffold", ".yml"),
    ("werf", ".yaml"),
];

/// Endings of texts for people, and of data, in which only commands count.
const GUIDES: [&str; 5] = [".adoc", ".json", ".md", ".rst", ".txt"];

/// Whether a line runs a command that deploys.
pub(crate) fn deploys(line: &str) -> bool {
    let is_end = |c: char| !c.is_ascii_alphanumeric() && !"-_.".contains(c);
    let mut words = line.split(is_end).filter(|word| !word.is_empty());
    while let Some(word) = words.next() {
        let program = PROGRAMS.iter().find(|(program, _)| word.eq_ignore_ascii_case(program));
        if program.is_some_and(|(_, verbs)| {
            verbs.is_empty() || words.clone().any(|word| verbs.contains(&word))
        }) {
            return true;
        }
    }
    false
}

/// Whether a text runs such a command outside of comments.
pub(crate) fn are_in(text: &str) -> bool {
    PROGRAMS.iter().any(|(program, _)| text.contains(program)) && lines(text).any(deploys)
}

/// Whether a line applies what is below a folder, or goes through folders.
pub(super) fn descends(line: &str) -> bool {
    let is_deep = |word: &str| matches!(word, "-R" | "--recursive" | "find" | "-Rf");
    line.split_whitespace().any(is_deep)
}

/// Whether each path in a file of this name is that of something to deploy.
pub(crate) fn is_definition(name: &str) -> bool {
    DEFINITIONS.iter().any(|(start, end)| name.starts_with(start) && name.ends_with(end))
}

/// Whether only the commands of a file of this name count.
pub(crate) fn is_guide(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    GUIDES.iter().any(|end| name.ends_with(end))
}

/// Whether a script or pipeline publishes charts.
pub(crate) fn publishes(text: &str) -> bool {
    PUBLISHERS.iter().any(|words| text.contains(words))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_that_deploy_are_told_from_others() {
        for line in [
            "kubectl apply -k apps/shop",
            "  run: kustomize build apps/shop | kubectl apply -f -",
            "$(KUBECTL) -n shop create -f job.yaml",
            "helm upgrade --install shop ./charts/shop",
            "\t@helm --kube-context eu push shop.tgz oci://registry",
            "- uses: azure/k8s-deploy@v5",
        ] {
            assert!(deploys(line), "{line}");
        }
        for line in ["kustomize build apps/shop", "helm lint charts/shop", "apply kubectl"] {
            assert!(!deploys(line), "{line}");
        }
    }
}
