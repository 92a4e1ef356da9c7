//! The hash that a generated name ends with.

use sha2::{Digest, Sha256};

use crate::{
    Origin,
    error::{Error, Reason, Result},
    json,
    node::Data,
    resource::Resource,
};

/// The hash of a resource, and the origins of what it covers.
pub(crate) fn of(resource: &Resource) -> Result<(String, Origin)> {
    let node = &resource.node;
    let (fields, kind): (&[&str], _) = match resource.kind() {
        "ConfigMap" => (&["binaryData", "data", "kind", "name"], "ConfigMap"),
        "Secret" => (&["data", "kind", "name", "stringData", "type"], "Secret"),
        kind => {
            let message = format!("the hash of a {kind} depends on kustomize's internals");
            return Err(Error::new(Reason::Unsupported, message));
        }
    };
    let mut text = String::from("{");
    let mut covered = Origin::default();
    for field in fields {
        let value = node.get(field).filter(|_| !matches!(*field, "kind" | "name"));
        let is_optional = matches!(*field, "binaryData" | "stringData");
        if is_optional && !value.is_some_and(|value| matches!(value.data, Data::Map(_))) {
            continue;
        }
        if text.len() > 1 {
            text.push(',');
        }
        json::string(field, &mut text);
        text.push(':');
        match (*field, value) {
            ("kind", _) => json::string(kind, &mut text),
            (_, None) => text.push_str("\"\""),
            (_, Some(value)) => {
                covered = covered.and(&value.all_origins());
                match value.data {
                    Data::Scalar(_) => json::string(value.text(), &mut text),
                    _ => json::print(value, &mut text)?,
                }
            }
        }
    }
    text.push('}');
    Ok((encode(&text), covered))
}

/// The first ten hexadecimal digits of the SHA-256, with letters that form no words.
fn encode(text: &str) -> String {
    let digest = Sha256::digest(text.as_bytes());
    let hex: String = digest.iter().take(5).map(|byte| format!("{byte:02x}")).collect();
    hex.chars()
        .map(|c| match c {
            '0' => 'g',
            '1' => 'h',
            '3' => 'k',
            'a' => 'm',
            'e' => 't',
            c => c,
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::node::{Kind, Node};

    fn config_map(pairs: &[(&str, &str)]) -> Resource {
        let none = Origin::default();
        let mut node = Node::map();
        node.set("kind", Node::string("ConfigMap", none.clone()), &none);
        for (key, value) in pairs {
            let data = node.get_or_create("data", Kind::Map);
            data.set(key, Node::string(*value, none.clone()), &none);
        }
        Resource::new(node)
    }

    /// `api/hasher/hasher_test.go`, and observed with kustomize.
    #[test]
    fn vectors_of_kustomize() {
        let hash = |pairs: &[(&str, &str)]| of(&config_map(pairs)).unwrap().0;
        assert_eq!(hash(&[]), "6ct58987ht");
        assert_eq!(hash(&[("one", "")]), "9g67k2htb6");
        assert_eq!(hash(&[("A", "1")]), "89g4tffbfk");
        assert_eq!(hash(&[("x", "<&>")]), "77fg4g5dd2");
    }
}
