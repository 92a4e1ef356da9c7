//! Secrets that a controller makes of another object, once that exists.

use yaml_spans::Node;

use crate::object::Object;

struct Maker {
    group: &'static str,
    kind: &'static str,
    /// The field with the name of the Secret; without it, the Secret has the name of the object.
    name: &'static [&'static str],
    /// A field, and the values with which somebody else makes the Secret.
    otherwise: Option<(&'static [&'static str], &'static [&'static str])>,
}

const MAKERS: [Maker; 4] = [
    // https://external-secrets.io/latest/api/externalsecret/: `creationPolicy`
    Maker {
        group: "external-secrets.io",
        kind: "ExternalSecret",
        name: &["spec", "target", "name"],
        otherwise: Some((&["spec", "target", "creationPolicy"], &["Merge", "None"])),
    },
    // https://github.com/bitnami-labs/sealed-secrets#sealedsecrets-as-templates-for-secrets
    Maker {
        group: "bitnami.com",
        kind: "SealedSecret",
        name: &["spec", "template", "metadata", "name"],
        otherwise: None,
    },
    // https://cert-manager.io/docs/usage/certificate/
    Maker {
        group: "cert-manager.io",
        kind: "Certificate",
        name: &["spec", "secretName"],
        otherwise: None,
    },
    // https://github.com/1Password/onepassword-operator
    Maker { group: "onepassword.com", kind: "OnePasswordItem", name: &[], otherwise: None },
];

/// The name of the Secret that a controller makes of an object.
pub(super) fn made_secret(object: &Object) -> Option<&str> {
    let is_it = |one: &&Maker| one.group == object.group() && one.kind == object.kind();
    let maker = MAKERS.iter().find(is_it)?;
    let text = |path: &[&str]| object.root.at(path).and_then(Node::as_str);
    let is_made_otherwise =
        maker.otherwise.is_some_and(|(path, by)| text(path).is_some_and(|own| by.contains(&own)));
    let named = text(maker.name).filter(|_| !maker.name.is_empty());
    named.or_else(|| object.name()).filter(|_| !is_made_otherwise)
}
