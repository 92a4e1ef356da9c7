//! YAML, JSON and TOML in and out for template values, as the libraries that Helm uses read and
//! print them: sigs.k8s.io/yaml (go-yaml 2), go-yaml 3, encoding/json, BurntSushi/toml.
//!
//! Scalars keep the origin of their bytes on the way out, and on the way in where the text is that
//! of the value.

mod decode;
mod emit;
mod json;
mod order;
mod parse_json;
mod parse_toml;
mod scalar;
mod toml;

pub use decode::{from_json, from_yaml};
pub use emit::{to_yaml, to_yaml_pretty};
pub use json::{JsonError, JsonStyle, json_number, to_json};
pub use parse_toml::from_toml;
pub use toml::to_toml;
