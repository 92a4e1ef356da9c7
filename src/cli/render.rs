//! `joblint render`: prints the manifests of a chart or kustomization, with `--origin` also the source of each line.

mod kustomization;
mod origin;

use std::{process::ExitCode, sync::Arc};

use helm_render::{
    Chart, Error, HelmVersion, KubeVersion, Printed, Reason, Release, RenderOptions, Rendered,
    RenderedFile, Selection, print as print_rendered, render, values::collect,
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
    if kustomization::is_kustomization(&arguments.chart) {
        return chart::with_stack(|| kustomization::run(&arguments.chart, arguments.origin))
            .map_err(CliError::Thread);
    }
    let task = || {
        let mut secrets = SecretValues::of_environment();
        secrets.add_public(&arguments.chart.to_string_lossy());
        let result = rendered(arguments, &mut secrets);
        print_chart(arguments, result, &Redactor::default().with_values(secrets))
    };
    chart::with_stack(task).map_err(CliError::Thread)
}

fn print_chart(
    arguments: &RenderArgs,
    result: Result<(Rendered, Printed), Error>,
    redactor: &Redactor,
) -> ExitCode {
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
            ExitCode::from(UNCHECKED)
        }
    }
}

/// Adds the secrets of the values and templates to `secrets`, even if the chart does not render.
fn rendered(
    arguments: &RenderArgs,
    secrets: &mut SecretValues,
) -> Result<(Rendered, Printed), Error> {
    let version = match arguments.helm {
        Helm::V3 => HelmVersion::V3,
        Helm::V4 => HelmVersion::V4,
    };
    let values = Values::from(&arguments.values);
    secrets.extend(&chart::secrets::of_flags(&values));
    let options = options(arguments, &values, version)?;
    secrets.add_table(&options.values);
    let chart = Chart::load_within(
        &arguments.chart,
        &arguments.chart.display().to_string().replace('\\', "/"),
        &[],
        version,
        &Boundary::around([&*arguments.chart]),
    )?;
    secrets.extend(&chart::secrets::of_values(&chart, &[], &values));
    options.release.check_name(version)?;
    let rendered = render(&chart, &options).inspect_err(|error| {
        if arguments.debug && error.reason == Reason::Manifest {
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
