//! Hostile charts end in a clear error, in bounded time and memory.

use std::{
    fs,
    io::Write,
    path::Path,
    sync::Arc,
    time::{Duration, Instant},
};

use flate2::{Compression, write::GzEncoder};
use helm_render::{Budget, Chart, HelmVersion, Limits, RenderOptions, render};

const CHART: &str = "apiVersion: v2\nname: hostile\nversion: 0.1.0\n";
/// Far more than a render needs; a loop without a limit never ends.
const LONG: Duration = Duration::from_secs(60);

fn chart(template: &str, values: &str) -> Result<Arc<Chart>, String> {
    let files = [("Chart.yaml", CHART), ("templates/a.yaml", template), ("values.yaml", values)];
    let files = files.map(|(name, text)| (name.to_owned(), text.as_bytes().to_vec()));
    Chart::from_files(files, "hostile", HelmVersion::V4).map_err(|error| error.message)
}

/// The error of a render with limits a hundredth of the usual ones.
fn failure(template: &str, values: &str) -> String {
    let start = Instant::now();
    let options = RenderOptions {
        budget: Budget::new(Limits { steps: 500_000, bytes_at_once: 4 << 20, ..Limits::default() }),
        max_stack: 512 << 10,
        ..RenderOptions::default()
    };
    let rendered = chart(template, values)
        .and_then(|chart| render(&chart, &options).map_err(|error| error.message));
    assert!(start.elapsed() < LONG, "{template}");
    rendered.map(|_| ()).unwrap_err()
}

#[track_caller]
fn assert_fails(template: &str, values: &str, want: &str) {
    let error = failure(template, values);
    assert!(error.contains(want), "{:.300}", error);
}

#[test]
fn loops_end() {
    for template in [
        "{{ range 9223372036854775807 }}{{ end }}",
        "{{ range until 100000 }}{{ range until 100000 }}{{ end }}{{ end }}",
        "{{ range $i := .Values.l }}{{ range $.Values.l }}{{ range $.Values.l }}{{ range $.Values.l }}{{ range \
         $.Values.l }}{{ range $.Values.l }}x{{ end }}{{ end }}{{ end }}{{ end }}{{ end }}{{ end }}",
    ] {
        assert_fails(template, &format!("l: [{}]", "1,".repeat(40)), "more than");
    }
}

#[test]
fn recursion_ends() {
    let define = |body: &str| format!("{{{{ define \"h\" }}}}{body}{{{{ end }}}}");
    let include = define("{{ include \"h\" . }}") + "{{ include \"h\" . }}";
    assert_fails(&include, "", "exceeded maximum template depth");
    let template = define("{{ template \"h\" . }}") + "{{ template \"h\" . }}";
    assert_fails(&template, "", "exceeded maximum template depth");
    assert_fails("{{ tpl .Values.t . }}", "t: '{{ tpl .Values.t . }}'", "exceeded maximum");
}

#[test]
fn output_is_limited() {
    for template in [
        "{{ repeat 1000000000 \"x\" }}",
        "{{ indent 1000000000 \"x\" }}",
        "{{ until 2147483647 | len }}",
        "{{ untilStep 0 2147483647 1 | len }}",
        "{{ seq 1 2147483647 }}",
        "{{ randAlphaNum 2147483647 }}",
        "{{ $x := \"x\" }}{{ range until 60 }}{{ $x = print $x $x }}{{ end }}",
        "{{ $x := list 1 }}{{ range until 60 }}{{ $x = concat $x $x }}{{ end }}",
        "{{ $x := dict }}{{ range until 60 }}{{ $x = dict \"a\" $x \"b\" $x }}{{ end }}{{ toYaml $x }}",
    ] {
        let error = failure(template, "");
        let is_limit =
            ["makes more than 4 MiB of text in one render", "template steps", "out of range"];
        assert!(is_limit.iter().any(|word| error.contains(word)), "{template}\n{error:.300}");
    }
}

#[test]
fn values_that_contain_themselves_are_an_error() {
    let template =
        |print: &str| format!("{{{{ $_ := set .Values \"v\" .Values }}}}{{{{ {print} }}}}");
    for print in
        [".Values", "toYaml .Values", "toJson .Values", "deepCopy .Values", "toToml .Values"]
    {
        failure(&template(print), "");
    }
}

#[test]
fn documents_that_grow_when_read_are_rejected() {
    let level = |name: char, below: char| {
        format!("{name}: &{name} [{}]\n", format!("*{below},").repeat(10))
    };
    let mut bomb = String::from("a: &a [x,x,x,x,x,x,x,x,x,x]\n");
    for (below, name) in ('a'..'j').zip('b'..='j') {
        bomb.push_str(&level(name, below));
    }
    assert_fails("a: 1", &bomb, "excessive aliasing");
    let indented = bomb.replace('\n', "\n  ");
    let text = format!("text: |\n  {}\n", indented.trim_end());
    let template = "a: {{ (fromYaml .Values.text).Error | quote }}";
    let options = RenderOptions::default();
    let rendered = render(&chart(template, &text).unwrap(), &options).unwrap();
    assert!(rendered.files[0].text.contains("excessive aliasing"));
    let deep = format!("a: {}", "[".repeat(100_000));
    assert!(chart("a: 1", &deep).is_err());
    assert!(failure(&deep, "").contains("YAML parse error"));
}

#[test]
fn a_broken_file_counts_up_to_the_field_if_files_are_trusted() {
    let values = "text: |\n  metadata: {name: a}\n  spec: [\n";
    let chart = chart("name: {{ (fromYaml .Values.text).metadata.name }}", values).unwrap();
    let text = |trusts_files| {
        let options = RenderOptions { trusts_files, ..RenderOptions::default() };
        render(&chart, &options).map(|rendered| rendered.files[0].text.to_string())
    };
    assert!(text(true).unwrap().contains("name: a"));
    // As Helm does: what `fromYaml` returns then has the field `Error` alone.
    assert!(text(false).unwrap_err().message.contains("nil pointer evaluating"));
}

/// An archive of entries: path, kind and content.
fn archive(path: &Path, entries: &[(&str, tar::EntryType, &[u8])]) {
    let file = fs::File::create(path).unwrap();
    let mut encoder = GzEncoder::new(file, Compression::fast());
    for (name, kind, data) in entries {
        let mut header = tar::Header::new_gnu();
        header.as_old_mut().name[..name.len()].copy_from_slice(name.as_bytes());
        header.set_entry_type(*kind);
        header.set_size(data.len() as u64);
        header.set_mode(0o644);
        if kind.is_symlink() {
            header.set_link_name("/etc/passwd").unwrap();
        }
        header.set_cksum();
        encoder.write_all(header.as_bytes()).unwrap();
        encoder.write_all(data).unwrap();
        encoder.write_all(&vec![0; (512 - data.len() % 512) % 512]).unwrap();
    }
    encoder.write_all(&[0; 1024]).unwrap();
    encoder.finish().unwrap();
}

fn load(path: &Path, version: HelmVersion) -> Result<Arc<Chart>, String> {
    let start = Instant::now();
    let chart = Chart::load(path, version).map_err(|error| error.message);
    assert!(start.elapsed() < LONG);
    chart
}

/// Helm 3.22.0 and 4.3.1 say this about the same archives; Helm 4 hides the reason.
#[test]
fn archives_stay_where_they_are() {
    use tar::EntryType::Regular;
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("hostile.tgz");
    let chart = ("hostile/Chart.yaml", Regular, CHART.as_bytes());
    for (name, problem) in [
        ("hostile/../../../etc/x", "chart illegally references parent directory"),
        ("hostile//etc/x", "chart illegally contains absolute paths"),
        ("hostile/c:/x", "chart contains illegally named files"),
    ] {
        archive(&path, &[chart, (name, Regular, b"x")]);
        assert_eq!(load(&path, HelmVersion::V3).unwrap_err(), problem);
        assert_eq!(load(&path, HelmVersion::V4).unwrap_err(), "unable to load chart archive");
    }
    archive(&path, &[chart, ("hostile/templates/link.yaml", tar::EntryType::Symlink, b"")]);
    let chart = load(&path, HelmVersion::V4).unwrap();
    assert!(chart.templates.iter().all(|file| file.data.is_empty()), "links are not followed");
}

#[test]
fn archives_do_not_explode() {
    use tar::EntryType::Regular;
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("hostile.tgz");
    let zeros = vec![0; 101 << 20];
    let chart = ("hostile/Chart.yaml", Regular, CHART.as_bytes());
    archive(&path, &[chart, ("hostile/zeros", Regular, &zeros)]);
    assert!(fs::metadata(&path).unwrap().len() < 1 << 20);
    let problem = "decompressed chart is larger than the maximum file size 104857600";
    assert_eq!(load(&path, HelmVersion::V3).unwrap_err(), problem);
    assert_eq!(load(&path, HelmVersion::V4).unwrap_err(), "unable to load chart archive");
    fs::write(&path, b"\x1f\x8b\x08\x00broken").unwrap();
    assert!(load(&path, HelmVersion::V3).is_err());
}

#[cfg(unix)]
#[test]
fn links_that_lead_in_circles_end() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    fs::write(root.join("Chart.yaml"), CHART).unwrap();
    for name in ["one", "two"] {
        std::os::unix::fs::symlink(".", root.join(name)).unwrap();
    }
    assert!(load(root, HelmVersion::V4).is_err());
}

/// There is no cycle, but each of thirty directories is reachable by twice as many paths as the one
/// before.
#[cfg(unix)]
#[test]
fn links_that_multiply_folders_end() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    fs::write(root.join("Chart.yaml"), CHART).unwrap();
    let outside = tempfile::tempdir().unwrap();
    for number in 0..30 {
        let one = outside.path().join(number.to_string());
        fs::create_dir(&one).unwrap();
        for name in ["a", "b"] {
            let next = outside.path().join((number + 1).to_string());
            std::os::unix::fs::symlink(next, one.join(name)).unwrap();
        }
    }
    fs::create_dir(outside.path().join("30")).unwrap();
    std::os::unix::fs::symlink(outside.path().join("0"), root.join("start")).unwrap();
    let error = load(root, HelmVersion::V4).unwrap_err();
    assert!(error.contains("more than 100000 files and folders"), "{error}");
}

/// A device never ends.
#[cfg(unix)]
#[test]
fn links_to_devices_are_not_read() {
    for (name, version, expected) in [
        ("Chart.yaml", HelmVersion::V4, "not a regular file"),
        ("Chart.yaml", HelmVersion::V3, "cannot load irregular file"),
        (".helmignore", HelmVersion::V4, "cannot load irregular file"),
        ("values.yaml", HelmVersion::V4, "cannot load irregular file"),
    ] {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("Chart.yaml"), CHART).unwrap();
        let _ = fs::remove_file(folder.path().join(name));
        std::os::unix::fs::symlink("/dev/zero", folder.path().join(name)).unwrap();
        let error = load(folder.path(), version).unwrap_err();
        assert!(error.contains(expected), "{name}: {error}");
    }
}
