//! `joblint render`: the manifests of a chart, and where each line comes from.

mod origin;

use std::process::ExitCode;

use super::args::{Helm, OriginFormat, RenderArgs};
use super::{UNCHECKED, fail, note, print};
use crate::helm::values::{Flag, FlagKind, collect};
use crate::helm::{
    Chart, Error, HelmVersion, KubeVersion, Printed, Reason, Release, RenderOptions, Rendered,
    Selection, print as print_rendered, render,
};

/// Native stack: Helm's templates may include each other a thousand times.
const STACK: usize = 64 << 20;
/// The part of it that templates may use.
const MAX_STACK: usize = 48 << 20;

/// Renders the chart to standard output.
pub fn run(arguments: &RenderArgs) -> ExitCode {
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().stack_size(STACK);
        let work = || {
            reserve_heap();
            print_chart(arguments)
        };
        match thread.spawn_scoped(scope, work) {
            Ok(thread) => thread.join().unwrap_or(ExitCode::from(UNCHECKED)),
            Err(error) => fail(&error.to_string()),
        }
    })
}

/// Lets the heap of this thread grow in one step: glibc grows it by a system call for every few pages
/// otherwise, 4 % of a render.
fn reserve_heap() {
    // From the first one glibc learns that blocks of this size are usual; the second is from the heap then,
    // and stays there.
    for size in [8 << 20, 6 << 20] {
        drop(std::hint::black_box(Vec::<u8>::with_capacity(size)));
    }
}

fn print_chart(arguments: &RenderArgs) -> ExitCode {
    match rendered(arguments) {
        Ok((rendered, printed)) => {
            for warning in &rendered.warnings {
                note(&format!("warning: {warning}"));
            }
            match arguments.origin {
                None => print(&printed.text),
                Some(OriginFormat::Human) => print(&origin::human(&rendered, &printed)),
                Some(OriginFormat::Json) => print(&origin::json(&rendered, &printed)),
            }
            // The process ends: nobody needs the memory back.
            std::mem::forget(rendered);
            ExitCode::SUCCESS
        }
        Err(error) => {
            note(&format!("Error: {error}"));
            ExitCode::from(UNCHECKED)
        }
    }
}

fn rendered(arguments: &RenderArgs) -> Result<(Rendered, Printed), Error> {
    let version = match arguments.helm {
        Helm::V3 => HelmVersion::V3,
        Helm::V4 => HelmVersion::V4,
    };
    let options = options(arguments, version)?;
    let chart = Chart::load(&arguments.chart, version)?;
    options.release.check_name(version)?;
    let rendered = render(&chart, &options)?;
    let selection = Selection {
        include_crds: arguments.include_crds,
        skip_tests: arguments.skip_tests,
        no_hooks: arguments.no_hooks,
        show_only: arguments.show_only.clone(),
    };
    let printed = print_rendered(&rendered, &selection, version)?;
    Ok((rendered, printed))
}

fn options(arguments: &RenderArgs, version: HelmVersion) -> Result<RenderOptions, Error> {
    let kube_version = arguments.kube_version.as_deref();
    let kube_version = kube_version.map(|text| KubeVersion::parse(text, version)).transpose();
    let kube_version = kube_version.map_err(|problem| Error::new(Reason::Values, problem))?;
    let files: Vec<_> = arguments.values.iter().map(|path| &**path).collect();
    Ok(RenderOptions {
        version,
        release: Release {
            name: arguments.name.clone(),
            namespace: arguments.namespace.clone(),
            is_upgrade: arguments.is_upgrade,
            ..Release::default()
        },
        values: collect(&files, &flags(arguments), version)?,
        kube_version,
        api_versions: arguments.api_versions.clone(),
        skips_schema: arguments.skip_schema_validation,
        max_stack: MAX_STACK,
        ..RenderOptions::default()
    })
}

fn flags(arguments: &RenderArgs) -> Vec<Flag> {
    let kinds = [
        (FlagKind::Json, &arguments.set_json),
        (FlagKind::Set, &arguments.set),
        (FlagKind::String, &arguments.set_string),
        (FlagKind::File, &arguments.set_file),
        (FlagKind::Literal, &arguments.set_literal),
    ];
    let flag = |kind| move |text: &String| Flag { kind, text: text.clone() };
    kinds.into_iter().flat_map(|(kind, texts)| texts.iter().map(flag(kind))).collect()
}
