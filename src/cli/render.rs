//! `joblint render`: prints the manifests of a chart or kustomization, with `--origin` also the source of each line.

mod kustomization;
mod origin;

use std::{cell::LazyCell, process::ExitCode, sync::Arc};

use helm_render::{
    Chart, Error, HelmVersion, KubeVersion, Printed, Reason, Release, RenderOptions, Rendered,
    RenderedFile, Selection, print as print_rendered, render,
    values::{Table, collect},
};

use super::{
    Error as CliError, UNCHECKED,
    args::{Helm, OriginFormat, RenderArgs},
    note, print,
};
use crate::{
    chart,
    redact::{Redactor, SecretValues},
    report::safe,
    settings::Values,
    unit::Boundary,
};

/// The hint that Helm appends to errors of templates.
const DEBUG_HINT: &str = "\n\nUse --debug flag to render out invalid YAML";

/// Renders the chart to standard output, on a thread whose stack is large enough for nested includes.
///
/// The manifests are printed as Helm prints them, with the Secrets in them; standard error shows none of their values.
pub(crate) fn run(arguments: &RenderArgs) -> Result<ExitCode, CliError> {
    if let Some(folder) = kustomization::folder_of(&arguments.chart) {
        let build = || kustomization::run(arguments, folder);
        return chart::with_stack(build).map_err(CliError::Thread);
    }
    let task = || {
        let mut inputs = Inputs::from(arguments);
        let result = rendered(arguments, &mut inputs);
        print_chart(arguments, result, &inputs)
    };
    chart::with_stack(task).map_err(CliError::Thread)
}

/// What a chart is rendered with, as far as it has been loaded. Its secrets must not appear on standard error.
struct Inputs {
    path: String,
    arguments: Values,
    merged: Table,
    chart: Option<Arc<Chart>>,
}

impl From<&RenderArgs> for Inputs {
    fn from(arguments: &RenderArgs) -> Self {
        let path = arguments.chart.to_string_lossy().into_owned();
        let arguments = Values::from(&arguments.values);
        Self { path, arguments, merged: Table::default(), chart: None }
    }
}

impl Inputs {
    fn redactor(&self) -> Redactor {
        let mut secrets = SecretValues::of_environment();
        secrets.add_public(&self.path);
        secrets.extend(&chart::secrets::of_flags(&self.arguments));
        secrets.add_table(&self.merged);
        if let Some(chart) = &self.chart {
            secrets.extend(&chart::secrets::of_values(chart, &[], &self.arguments));
        }
        Redactor::default().with_values(secrets)
    }
}

fn print_chart(
    arguments: &RenderArgs,
    result: Result<(Rendered, Printed), Error>,
    inputs: &Inputs,
) -> ExitCode {
    let redactor = LazyCell::new(|| inputs.redactor());
    let note = |mut text: String| {
        redactor.hide(&mut text);
        note(&text);
    };
    match result {
        Ok((rendered, printed)) => {
            for warning in &rendered.warnings {
                note(format!("warning: {warning}"));
            }
            match arguments.origin {
                None => print(&printed.text),
                Some(OriginFormat::Human) => print(&safe(&origin::human(&rendered, &printed))),
                Some(OriginFormat::Json) => print(&origin::json(&rendered, &printed)),
            }
            // The process ends, so freeing the memory would only take time.
            std::mem::forget(rendered);
            ExitCode::SUCCESS
        }
        Err(error) => {
            let is_hint_due = error.reason.is_of_templates() && !arguments.debug;
            let hint = if is_hint_due { DEBUG_HINT } else { "" };
            note(format!("Error: {error}{hint}"));
            if let (true, Some(at)) = (error.is_for_helm_3(), &error.at) {
                let (path, line) = (&at.source.path, at.start().line);
                note(format!("{path}:{line}: {}: add `--helm 3`", chart::for_helm_3(&error)));
            }
            ExitCode::from(UNCHECKED)
        }
    }
}

/// Renders the chart and keeps in `inputs` what it loads, even if the chart does not render.
fn rendered(arguments: &RenderArgs, inputs: &mut Inputs) -> Result<(Rendered, Printed), Error> {
    let version = match arguments.helm {
        Helm::V3 => HelmVersion::V3,
        Helm::V4 => HelmVersion::V4,
    };
    let options = options(arguments, &inputs.arguments, version)?;
    inputs.merged.clone_from(&options.values);
    let chart = Chart::load_within(
        &arguments.chart,
        &arguments.chart.display().to_string().replace('\\', "/"),
        &[],
        version,
        &Boundary::around([&*arguments.chart]),
    )?;
    inputs.chart = Some(chart.clone());
    options.release.check_name(version)?;
    let rendered = render(&chart, &options).inspect_err(|error| {
        if arguments.debug && matches!(error.reason, Reason::Manifest | Reason::Unset) {
            print(&unchecked(&chart, &options));
        }
    })?;
    let selection = Selection {
        include_crds: arguments.include_crds,
        skip_tests: arguments.skip_tests,
        no_hooks: arguments.no_hooks,
        show_only: arguments.show_only.clone(),
    };
    let printed = print_rendered(&rendered, &selection, version)?;
    Ok((rendered, printed))
}

/// The output of the templates even if it is not valid YAML, as `helm template --debug` prints it.
fn unchecked(chart: &Arc<Chart>, options: &RenderOptions) -> String {
    let options = RenderOptions { is_tolerant: true, ..options.clone() };
    let Ok(Rendered { files, templates, .. }) = render(chart, &options) else {
        return String::new();
    };
    let name = |file: &RenderedFile| templates[file.template.0 as usize].name.clone();
    let show = |file| format!("---\n# Source: {}\n{}\n", name(file), file.text);
    let text: String = files.iter().map(show).collect();
    format!("{}\n", text.trim())
}

fn options(
    arguments: &RenderArgs,
    Values { files, flags }: &Values,
    version: HelmVersion,
) -> Result<RenderOptions, Error> {
    let kube_version = arguments.kube_version.as_deref();
    let kube_version = kube_version.map(|text| KubeVersion::parse(text, version)).transpose()?;
    let files: Vec<_> = files.iter().map(|path| &**path).collect();
    Ok(RenderOptions {
        version,
        release: Release {
            name: arguments.name.clone(),
            namespace: arguments.namespace.clone(),
            is_upgrade: arguments.is_upgrade,
            ..Release::default()
        },
        values: collect(&files, flags, version)?,
        kube_version,
        api_versions: arguments.api_versions.clone(),
        skips_schema: arguments.skip_schema_validation,
        max_stack: chart::MAX_STACK,
        ..RenderOptions::default()
    })
}
