//! The operands of `kubectl` and `oc`, and the objects that they name.

use crate::{analysis::Invocation, text::Text};

/// An object that a script deletes by name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeletedObject {
    /// The resource as the script writes it: `job`, `jobs.batch`.
    pub resource: String,
    /// The name, or the variable that holds it if the script does not state what that is.
    pub name: String,
}

impl DeletedObject {
    /// Whether it is an object of this kind, a singular in lower case.
    pub fn is_kind(&self, kind: &str) -> bool {
        is_kind(&self.resource, kind)
    }
}

/// Whether a resource, as a script writes it, is that of a kind, a singular in lower case.
pub(crate) fn is_kind(resource: &str, kind: &str) -> bool {
    let resource = resource.split('.').next().unwrap_or_default().to_ascii_lowercase();
    let plural = match kind.strip_suffix('y') {
        Some(stem) => format!("{stem}ies"),
        None if kind.ends_with('s') => format!("{kind}es"),
        None => format!("{kind}s"),
    };
    resource == kind
        || resource == plural
        || SHORT_NAMES.iter().any(|(short, full)| *short == resource && *full == kind)
}

/// The short names of kinds, see `kubectl api-resources`.
const SHORT_NAMES: [(&str, &str); 20] = [
    ("cj", "cronjob"),
    ("cm", "configmap"),
    ("crd", "customresourcedefinition"),
    ("deploy", "deployment"),
    ("ds", "daemonset"),
    ("hpa", "horizontalpodautoscaler"),
    ("ing", "ingress"),
    ("netpol", "networkpolicy"),
    ("no", "node"),
    ("ns", "namespace"),
    ("pc", "priorityclass"),
    ("pdb", "poddisruptionbudget"),
    ("po", "pod"),
    ("pv", "persistentvolume"),
    ("pvc", "persistentvolumeclaim"),
    ("rs", "replicaset"),
    ("sa", "serviceaccount"),
    ("sc", "storageclass"),
    ("sts", "statefulset"),
    ("svc", "service"),
];

/// Flags of `kubectl` whose value is the next word.
const VALUED: [&str; 14] = [
    "-n",
    "--namespace",
    "-l",
    "--selector",
    "-f",
    "--filename",
    "-k",
    "--kustomize",
    "-o",
    "--output",
    "--context",
    "--kubeconfig",
    "--timeout",
    "--grace-period",
];

pub(crate) fn is_client(invocation: &Invocation) -> bool {
    matches!(invocation.program_name(), "kubectl" | "oc")
}

/// The pod or workload in which a client runs another command: `kubectl exec deploy/shop -- ls`.
pub(crate) fn executed_in(words: &[Text]) -> Option<String> {
    let words: Vec<_> = words.iter().skip(1).map(|word| word.value.as_str()).collect();
    let own = words.split(|word| *word == "--").next()?;
    match operands(own).as_slice() {
        ["exec", target, ..] => Some((*target).to_owned()),
        _ => None,
    }
}

/// The verb and the operands of a `kubectl` or `oc` command; none of another one.
pub(crate) fn client_operands(invocation: &Invocation) -> Vec<&str> {
    if !is_client(invocation) {
        return Vec::new();
    }
    let words: Vec<_> = invocation.words.iter().skip(1).map(|word| word.value.as_str()).collect();
    operands(&words)
}

/// The words that are neither flags nor their values.
pub(crate) fn operands<'v>(words: &[&'v str]) -> Vec<&'v str> {
    let mut operands = Vec::new();
    let mut words = words.iter();
    while let Some(word) = words.next() {
        if VALUED.contains(word) {
            words.next();
        } else if !word.starts_with('-') {
            operands.push(*word);
        }
    }
    operands
}

/// `TYPE/NAME …` or `TYPE[,TYPE] NAME …`
pub(crate) fn named(operands: &[&str]) -> Vec<DeletedObject> {
    let object = |resource: &str, name: &str| DeletedObject {
        resource: resource.to_owned(),
        name: name.to_owned(),
    };
    if operands.iter().any(|operand| operand.contains('/')) {
        let pairs = operands.iter().filter_map(|operand| operand.split_once('/'));
        return pairs.map(|(resource, name)| object(resource, name)).collect();
    }
    let Some((resources, names)) = operands.split_first() else { return Vec::new() };
    let resources = || resources.split(',');
    names.iter().flat_map(|name| resources().map(|resource| object(resource, name))).collect()
}
