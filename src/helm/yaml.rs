//! YAML and JSON in and out for template values, as the libraries that Helm uses read and print
//! them: sigs.k8s.io/yaml (go-yaml 2), go-yaml 3, encoding/json.
//!
//! Scalars keep the origin of their bytes on the way out, and on the way in where the text is that
//! of the value.

mod emit;
mod json;
mod order;
mod scalar;

pub use emit::{to_yaml, to_yaml_pretty};
pub use json::{JsonError, JsonStyle, json_number, to_json};
