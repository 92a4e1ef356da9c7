//! Renders mutated charts: changed templates, changed values, calls of any function with any argument.

use std::{
    env, fs, panic,
    path::{Path, PathBuf},
};

use go_template::provenance::Provenance;
use helm_render::{
    Budget, Chart, Error, HelmVersion, Limits, Reason, RenderOptions, Rendered, Selection,
    functions::functions, print, render,
};

use super::{
    attempt,
    text::{Random, TOKENS, insert, mutate},
};

/// Larger charts make slow cases and find nothing new.
const LARGEST: usize = 64 << 10;

/// The files of a chart: path inside it and content.
pub(super) type Files = Vec<(String, Vec<u8>)>;

/// Renders `count` cases. Returns the number of failures; `None` without a chart.
pub fn run(seed: u64, count: u64, paths: &[PathBuf]) -> Option<usize> {
    let mut charts = Vec::new();
    paths.iter().for_each(|path| collect(path, &mut charts));
    charts.sort();
    let texts: Vec<Vec<u8>> = charts
        .iter()
        .flatten()
        .filter(|(path, _)| is_text(path))
        .map(|(_, text)| text.clone())
        .collect();
    if texts.is_empty() {
        return None;
    }
    panic::set_hook(Box::new(|_| {}));
    let calls = Calls::new();
    let mut failures = 0;
    for case in 0..count {
        let mut random = Random::new(seed, case);
        let chart = mutated(random.one_of(&charts).clone(), &texts, &calls, &mut random);
        let version = *random.one_of(&[HelmVersion::V3, HelmVersion::V4]);
        if let Some(problem) = attempt(case, panic::AssertUnwindSafe(|| check(&chart, version))) {
            failures += 1;
            let folder = env::temp_dir().join(format!("mutate-{seed}-{case}"));
            keep(&folder, &chart);
            println!("{} ({version:?}): {problem}", folder.display());
        }
    }
    Some(failures)
}

pub(super) fn collect(folder: &Path, charts: &mut Vec<Files>) {
    let mut files = Files::new();
    if folder.join("Chart.yaml").is_file() {
        read(folder, "", &mut files);
        files.sort();
        if files.iter().map(|(_, text)| text.len()).sum::<usize>() <= LARGEST {
            charts.push(files);
        }
    } else if let Ok(entries) = fs::read_dir(folder) {
        entries.flatten().for_each(|entry| collect(&entry.path(), charts));
    }
}

fn read(folder: &Path, prefix: &str, files: &mut Files) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let name = format!("{prefix}{}", entry.file_name().to_string_lossy());
        match entry.file_type() {
            Ok(kind) if kind.is_dir() => read(&entry.path(), &format!("{name}/"), files),
            Ok(kind) if kind.is_file() => {
                files.extend(fs::read(entry.path()).ok().map(|text| (name, text)));
            }
            _ => {}
        }
    }
}

pub(super) fn is_text(path: &str) -> bool {
    path.contains("templates/") || path.ends_with("values.yaml") || path.ends_with("Chart.yaml")
}

/// Changes one to three files, templates more often than others.
pub(super) fn mutated(
    mut files: Files,
    texts: &[Vec<u8>],
    calls: &Calls,
    random: &mut Random,
) -> Files {
    let all: Vec<usize> = (0..files.len()).filter(|n| is_text(&files[*n].0)).collect();
    let templates: Vec<usize> =
        all.iter().copied().filter(|n| files[*n].0.contains("templates/")).collect();
    for _ in 0..=random.below(3) {
        let from = if random.below(4) == 0 || templates.is_empty() { &all } else { &templates };
        if from.is_empty() {
            break;
        }
        let number = *random.one_of(from);
        let text = &mut files[number].1;
        if templates.contains(&number) && random.below(2) == 0 {
            let action = calls.action(random);
            let line = 1 + text.iter().filter(|byte| **byte == b'\n').count();
            let line = random.below(line);
            let mut ends = text.iter().enumerate().filter(|(_, byte)| **byte == b'\n');
            let at = if line == 0 { 0 } else { ends.nth(line - 1).map_or(0, |(at, _)| at + 1) };
            insert(text, at, action.as_bytes());
        } else {
            *text = mutate(std::mem::take(text), texts, calls.tokens(), random);
        }
    }
    files
}

/// Renders with small limits and checks what must hold for every render.
fn check(files: &Files, version: HelmVersion) {
    let Ok(chart) = Chart::from_files(files.clone(), "mutated", version) else { return };
    let limits = Limits { steps: 200_000, bytes_at_once: 4 << 20, ..Limits::default() };
    let options =
        || RenderOptions { version, budget: Budget::new(limits), ..RenderOptions::default() };
    let traced = render(&chart, &options());
    let plain = render(&chart, &RenderOptions { provenance: false, ..options() });
    let is_limit = |error: &Error| matches!(error.reason, Reason::Limit(_));
    match (traced, plain) {
        // Provenance counts too.
        (Err(error), _) | (_, Err(error)) if is_limit(&error) => {}
        (Ok(traced), Ok(plain)) => check_same(&traced, &plain, version),
        (Err(traced), Err(plain)) => assert_eq!(traced.message, plain.message),
        (Ok(_), Err(error)) => panic!("fails without provenance: {error}"),
        (Err(error), Ok(_)) => panic!("fails with provenance: {error}"),
    }
}

/// Checks that provenance does not change the output, covers all of it, and points at existing locations.
fn check_same(traced: &Rendered, plain: &Rendered, version: HelmVersion) {
    let selection = Selection { include_crds: true, ..Selection::default() };
    let text = |rendered| print(rendered, &selection, version).map(|printed| printed.text);
    assert_eq!(text(traced).ok(), text(plain).ok());
    for file in &traced.files {
        let Provenance { inputs, .. } = &traced.provenance;
        assert!(file.spans.is_empty() || file.spans.len() == file.text.len());
        for span in file.spans.trace(&traced.provenance, 0..file.text.len()) {
            for position in &span.chain {
                let at = traced.locate(*position);
                assert!(
                    at.span.start <= at.span.end && at.span.end as usize <= at.source.text.len()
                );
            }
            inputs.members(span.data).iter().for_each(|input| drop(inputs.path(*input)));
        }
    }
}

pub(super) fn keep(folder: &Path, files: &Files) {
    for (name, text) in files {
        let path = folder.join(name);
        let _ = path.parent().map(fs::create_dir_all);
        let _ = fs::write(path, text);
    }
}

/// Every function, and arguments to call it with.
pub(super) struct Calls {
    names: Vec<&'static str>,
    tokens: Vec<&'static str>,
}

const ARGUMENTS: &[&str] = &[
    ".",
    "$",
    "nil",
    "true",
    "false",
    "0",
    "1",
    "-1",
    "7",
    "1.5",
    "1e300",
    "9223372036854775807",
    "-9223372036854775808",
    "'a'",
    "\"\"",
    "\"a\"",
    "\"-\"",
    "\"é☃\\x80\"",
    "\"a: [1, {b: c}]\"",
    "\"{\\\"a\\\": [1, null]}\"",
    "\"(a|b)*?$\"",
    "\"{{ . }}\"",
    "\"1.2.3-rc.1+x\"",
    "\">=1.2 <2 || ~3\"",
    "\"2006-01-02T15:04:05Z07:00\"",
    "\"1h30m\"",
    "\"%[3]*.[2]*[1]f|%v|%T|%q|%x|%d|%!\"",
    "\"../a/./b//c\"",
    "\"http://u:p@h:80/p?q=1#f\"",
    "(list)",
    "(list 1 \"a\" nil)",
    "(list 3 1 2)",
    "(dict)",
    "(dict \"a\" 1 \"b\" (dict \"c\" nil))",
    "(dict \"a\" (list 1 2) \"d\" \"e\")",
    "(now)",
    "(until 5)",
    "(toString .Values)",
    "(int 3)",
    "(int64 3)",
    "(float64 2)",
    ".Values",
    ".Values.global",
    ".Values.missing",
    ".Values.a.b",
    ".Chart",
    ".Chart.Name",
    ".Release",
    ".Files",
    ".Files.Glob \"**\"",
    ".Capabilities",
    ".Capabilities.KubeVersion",
    ".Capabilities.APIVersions",
    ".Subcharts",
    ".Template",
    "$x",
];

const TEMPLATE_TOKENS: &[&str] = &[
    "{{ end }}",
    "{{ else }}",
    "{{ else if . }}",
    "{{ else with . }}",
    "{{ if . }}",
    "{{ with . }}",
    "{{ range . }}",
    "{{ range $i, $x := . }}",
    "{{ range 3 }}",
    "{{ break }}",
    "{{ continue }}",
    "{{ define \"a\" }}",
    "{{ block \"a\" . }}",
    "{{ template \"a\" . }}",
    "{{ include \"a\" . }}",
    "{{ $x := . }}",
    "{{ $x = . }}",
    "{{- ",
    " -}}",
    "{{/* ",
    " */}}",
    " | ",
    "(",
    ")",
    "`",
    "$",
    ".",
    ".Values",
    ":= ",
    "= ",
    "0x1p-2",
    "1i",
    "'\\u",
    "\n---\n",
    "helm.sh/hook-weight: \"-5\"",
];

impl Calls {
    pub(super) fn new() -> Self {
        let functions = functions(HelmVersion::V4);
        // Keys of several thousand bits are valid but slow.
        let is_slow = |name: &str| {
            name.starts_with("gen") || ["derivePassword", "htpasswd", "bcrypt"].contains(&name)
        };
        let mut names: Vec<_> = functions.names().filter(|name| !is_slow(name)).collect();
        names.sort_unstable();
        let mut tokens = [TOKENS, TEMPLATE_TOKENS, ARGUMENTS].concat();
        tokens.extend(&names);
        Self { names, tokens }
    }

    fn tokens(&self) -> &[&'static str] {
        &self.tokens
    }

    /// An action, or a block that contains one.
    fn action(&self, random: &mut Random) -> String {
        let call = self.call(random, 3);
        match random.below(10) {
            0 => format!("{{{{ range $x := {call} }}}}{{{{ $x }}}}{{{{ end }}}}\n"),
            1 => format!("{{{{ with {call} }}}}{{{{ {} }}}}{{{{ end }}}}\n", self.call(random, 1)),
            2 => format!("{{{{ if {call} }}}}{{{{ {} }}}}{{{{ end }}}}\n", self.call(random, 1)),
            3 => format!("{{{{- $x := {call} }}}}x{}: {{{{ $x }}}}\n", random.below(9)),
            4 => format!("{{{{- $x := {call} }}}}{{{{ $x = {} }}}}\n", self.call(random, 1)),
            5 => format!("{{{{- tpl (toYaml ({call})) . }}}}\n"),
            _ => format!("x{}: {{{{ {call} }}}}\n", random.below(9)),
        }
    }

    fn call(&self, random: &mut Random, depth: usize) -> String {
        let mut call = (*random.one_of(&self.names)).to_owned();
        for _ in 0..random.below(5) {
            call.push(' ');
            if depth > 0 && random.below(3) == 0 {
                call = format!("{call}({})", self.call(random, depth - 1));
            } else {
                let argument: &&str = random.one_of(ARGUMENTS);
                call.push_str(argument);
            }
        }
        if depth > 0 && random.below(3) == 0 {
            call = format!("{call} | {}", self.call(random, depth - 1));
        }
        call
    }
}
