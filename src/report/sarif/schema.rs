//! The part of SARIF 2.1.0 that joblint writes.

use serde::Serialize;

use crate::finding::Confidence;

#[derive(Serialize)]
pub struct Log {
    #[serde(rename = "$schema")]
    pub schema: &'static str,
    pub version: &'static str,
    pub runs: [Run; 1],
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Run {
    pub tool: Tool,
    pub invocations: [Invocation; 1],
    pub original_uri_base_ids: BaseIds,
    pub column_kind: &'static str,
    pub results: Vec<ResultOut>,
}

#[derive(Serialize)]
pub struct Tool {
    pub driver: Driver,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Driver {
    pub name: &'static str,
    pub semantic_version: &'static str,
    pub information_uri: &'static str,
    pub rules: Vec<Descriptor>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Descriptor {
    pub id: &'static str,
    pub short_description: Text,
    pub full_description: Text,
    pub help: Help,
    pub help_uri: String,
    pub default_configuration: Configuration,
    pub properties: RuleProperties,
}

#[derive(Serialize)]
pub struct Help {
    pub text: String,
    pub markdown: String,
}

#[derive(Serialize)]
pub struct Configuration {
    pub level: &'static str,
}

/// The names that GitHub reads.
#[derive(Serialize)]
pub struct RuleProperties {
    pub tags: Vec<&'static str>,
    pub precision: &'static str,
    #[serde(rename = "problem.severity")]
    pub problem_severity: &'static str,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Invocation {
    pub execution_successful: bool,
    pub exit_code: u8,
    pub exit_code_description: &'static str,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub tool_execution_notifications: Vec<Notification>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub tool_configuration_notifications: Vec<Notification>,
}

#[derive(Serialize)]
pub struct Notification {
    pub level: &'static str,
    pub message: Text,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub locations: Vec<Place>,
}

#[derive(Serialize)]
pub struct BaseIds {
    #[serde(rename = "%SRCROOT%")]
    pub root: Base,
}

#[derive(Serialize)]
pub struct Base {
    pub description: Text,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ResultOut {
    pub rule_id: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rule_index: Option<usize>,
    pub level: &'static str,
    pub message: Text,
    pub locations: [Place; 1],
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub related_locations: Vec<Place>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub partial_fingerprints: Option<Fingerprints>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub fixes: Vec<FixOut>,
    pub properties: ResultProperties,
}

#[derive(Serialize)]
pub struct ResultProperties {
    pub confidence: Confidence,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub deployers: Vec<&'static str>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub assumed: bool,
}

#[derive(Serialize)]
pub struct Fingerprints {
    #[serde(rename = "joblint/v1")]
    pub own: String,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Place {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<usize>,
    pub physical_location: Physical,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message: Option<Text>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub logical_locations: Vec<Logical>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Logical {
    pub name: String,
    pub fully_qualified_name: String,
    pub kind: &'static str,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Physical {
    pub artifact_location: Artifact,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub region: Option<Region>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Artifact {
    pub uri: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub uri_base_id: Option<&'static str>,
}

/// Lines and columns from 1, ends exclusive.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Region {
    pub start_line: usize,
    #[serde(skip_serializing_if = "is_zero")]
    pub start_column: usize,
    #[serde(skip_serializing_if = "is_zero")]
    pub end_line: usize,
    #[serde(skip_serializing_if = "is_zero")]
    pub end_column: usize,
}

impl Region {
    /// A whole line.
    pub fn line(line: usize) -> Self {
        Self { start_line: line, start_column: 0, end_line: 0, end_column: 0 }
    }
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct FixOut {
    pub description: Text,
    pub artifact_changes: [ArtifactChange; 1],
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ArtifactChange {
    pub artifact_location: Artifact,
    pub replacements: Vec<Replacement>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Replacement {
    pub deleted_region: Region,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub inserted_content: Option<Text>,
}

#[derive(Serialize)]
pub struct Text {
    pub text: String,
}

fn is_zero(number: &usize) -> bool {
    *number == 0
}
