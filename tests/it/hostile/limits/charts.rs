//! Charts: templates, functions, schemas, dependencies, archives.

use std::{fmt::Write as _, fs, io::Write as _, path::Path};

use flate2::{Compression, write::GzEncoder};

use super::{
    BYTES, CHART, HEALTHY, HEALTHY_FINDING, STEPS, assert_chart_limited, assert_limited,
    assert_template_limited, beside_healthy, run,
};
use crate::support::{tree, write};

#[test]
#[cfg_attr(debug_assertions, ignore = "needs an optimised build: .ci/run, CONTRIBUTING.md")]
fn endless_loop() {
    assert_template_limited("{{ range 9223372036854775807 }}{{ end }}", STEPS);
}

#[test]
#[cfg_attr(debug_assertions, ignore = "needs an optimised build: .ci/run, CONTRIBUTING.md")]
fn nested_loops() {
    let template = "{{ range until 100000 }}{{ range until 100000 }}{{ end }}{{ end }}";
    assert_template_limited(template, "more than");
}

#[test]
#[cfg_attr(debug_assertions, ignore = "needs an optimised build: .ci/run, CONTRIBUTING.md")]
fn recursion() {
    // In a chart without Jobs it would be a note.
    let template =
        "{{ define \"r\" }}{{ include \"r\" . }}{{ end }}{{ include \"r\" . }}\nkind: Job";
    assert_template_limited(template, "rendering template has a nested reference name");
}

#[test]
#[cfg_attr(debug_assertions, ignore = "needs an optimised build: .ci/run, CONTRIBUTING.md")]
fn recursion_of_texts() {
    let files = [
        ("values.yaml", "t: '{{ tpl .Values.t . }}'"),
        ("templates/a.yaml", "{{ tpl .Values.t . }}"),
    ];
    assert_chart_limited(&files, "exceeded maximum template depth");
}

#[test]
#[cfg_attr(debug_assertions, ignore = "needs an optimised build: .ci/run, CONTRIBUTING.md")]
fn branching_recursion() {
    let call = "{{ include \"r\" (print . \"x\") }}";
    let template = format!(
        "{{{{ define \"r\" }}}}{{{{ if lt (len .) 40 }}}}{call}{call}{{{{ end }}}}{{{{ end }}}}{{{{ include \"r\" \"\" \
         }}}}"
    );
    assert_template_limited(&template, "more than");
}

/// No value set alone needs more than the limit.
#[test]
#[cfg_attr(debug_assertions, ignore = "needs an optimised build: .ci/run, CONTRIBUTING.md")]
fn value_sets_share_a_budget() {
    let mut files = vec![
        ("values.yaml".to_owned(), "turns: 1\n".to_owned()),
        // Without a Job in sight, one value set would be enough.
        ("templates/a.yaml".to_owned(), "# Job\n{{ range int .Values.turns }}{{ end }}".to_owned()),
    ];
    // A step or more for each turn: at least a fifth of the budget for each set.
    let turns = 10_000_000;
    for number in 0..8 {
        files.push((format!("ci/{number}-values.yaml"), format!("turns: {}\n", turns + number)));
    }
    let files: Vec<_> = files.iter().map(|(path, text)| (&**path, &**text)).collect();
    assert_chart_limited(&files, STEPS);
}

/// The Job is rendered only with values that joblint explores; the loop around it is too long.
#[test]
#[cfg_attr(debug_assertions, ignore = "needs an optimised build: .ci/run, CONTRIBUTING.md")]
fn explored_guards() {
    let template = "{{ if .Values.on }}{{ range 9223372036854775807 }}{{ end }}\napiVersion: batch/v1\nkind: \
                    Job\nmetadata:\n  name: a\n{{ end }}";
    let files = [("values.yaml", "on: false\n"), ("templates/a.yaml", template)];
    assert_chart_limited(&files, "million template steps: not checked completely");
}

/// The first render needs a quarter of the limit; the predictions of the next releases need the rest. A label that several
/// inputs print together takes a render for each.
#[test]
#[cfg_attr(debug_assertions, ignore = "needs an optimised build: .ci/run, CONTRIBUTING.md")]
fn predictions() {
    let turns = 13_000_000;
    let template = format!(
        "{{{{ range {turns} }}}}{{{{ end }}}}\napiVersion: batch/v1\nkind: Job\nmetadata:\n  name: a\n  labels: {{v: \
         \"{{{{ .Chart.Version }}}}-{{{{ now | unixEpoch }}}}-{{{{ .Release.Revision }}}}\"}}\n"
    );
    let limit = "million template steps: not checked completely";
    assert_template_limited(&template, limit);
}

#[test]
#[cfg_attr(debug_assertions, ignore = "needs an optimised build: .ci/run, CONTRIBUTING.md")]
fn has() {
    let template =
        "{{ $l := until 10000 }}{{ range until 10000 }}{{ if has -1 $l }}{{ end }}{{ end }}";
    assert_template_limited(template, "more than");
}

#[test]
#[cfg_attr(debug_assertions, ignore = "needs an optimised build: .ci/run, CONTRIBUTING.md")]
fn uniq() {
    assert_template_limited("{{ uniq (until 20000) | len }}", STEPS);
}

#[test]
#[cfg_attr(debug_assertions, ignore = "needs an optimised build: .ci/run, CONTRIBUTING.md")]
fn sort_alpha() {
    let template = "{{ $l := until 100000 }}{{ range 10000 }}{{ $x := sortAlpha $l }}{{ end }}";
    assert_template_limited(template, "more than");
}

/// Forty levels, each of which contains the one below twice.
fn doubled(start: &str, step: &str) -> String {
    format!("{{{{ $a := {start} }}}}{{{{ $b := {start} }}}}{{{{ range 40 }}}}{step}{{{{ end }}}}")
}

const LISTS: &str = "{{ $a = list $a $a }}{{ $b = list $b $b }}";
const MAPS: &str = "{{ $a = dict \"l\" $a \"r\" $a }}{{ $b = dict \"l\" $b \"r\" $b }}";

#[test]
#[cfg_attr(debug_assertions, ignore = "needs an optimised build: .ci/run, CONTRIBUTING.md")]
fn deep_equal_of_shared_lists() {
    assert_template_limited(&(doubled("list 1", LISTS) + "{{ deepEqual $a $b }}"), STEPS);
}

#[test]
#[cfg_attr(debug_assertions, ignore = "needs an optimised build: .ci/run, CONTRIBUTING.md")]
fn has_of_shared_lists() {
    assert_template_limited(&(doubled("list 1", LISTS) + "{{ has $a (list $b) }}"), STEPS);
}

#[test]
#[cfg_attr(debug_assertions, ignore = "needs an optimised build: .ci/run, CONTRIBUTING.md")]
fn merge_of_shared_maps() {
    let merged = doubled("dict \"x\" 1", MAPS) + "{{ $_ := merge $a $b }}";
    assert_template_limited(&merged, "more than");
}

#[test]
#[cfg_attr(debug_assertions, ignore = "needs an optimised build: .ci/run, CONTRIBUTING.md")]
fn deep_copy_of_shared_maps() {
    let copied = doubled("dict \"x\" 1", MAPS) + "{{ $_ := deepCopy $a }}";
    assert_template_limited(&copied, BYTES);
}

#[test]
#[cfg_attr(debug_assertions, ignore = "needs an optimised build: .ci/run, CONTRIBUTING.md")]
fn to_json_of_shared_maps() {
    let text = doubled("dict \"x\" 1", MAPS) + "{{ toJson $a | len }}";
    assert_template_limited(&text, BYTES);
}

#[test]
#[cfg_attr(debug_assertions, ignore = "needs an optimised build: .ci/run, CONTRIBUTING.md")]
fn to_yaml_of_shared_maps() {
    let text = doubled("dict \"x\" 1", MAPS) + "{{ toYaml $a | len }}";
    assert_template_limited(&text, BYTES);
}

#[test]
#[cfg_attr(debug_assertions, ignore = "needs an optimised build: .ci/run, CONTRIBUTING.md")]
fn cat() {
    let template = "{{ $x := \"x\" }}{{ range 60 }}{{ $x = cat $x $x }}{{ end }}";
    assert_template_limited(template, BYTES);
}

#[test]
#[cfg_attr(debug_assertions, ignore = "needs an optimised build: .ci/run, CONTRIBUTING.md")]
fn repeat() {
    assert_template_limited("{{ repeat 2000000000 \"x\" | len }}", BYTES);
}

#[test]
#[cfg_attr(debug_assertions, ignore = "needs an optimised build: .ci/run, CONTRIBUTING.md")]
fn until() {
    assert_template_limited("{{ until 2000000000 | len }}", BYTES);
}

#[test]
#[cfg_attr(debug_assertions, ignore = "needs an optimised build: .ci/run, CONTRIBUTING.md")]
fn indent() {
    assert_template_limited("{{ indent 2000000000 \"x\" | len }}", BYTES);
}

#[test]
#[cfg_attr(debug_assertions, ignore = "needs an optimised build: .ci/run, CONTRIBUTING.md")]
fn replace() {
    let template = "{{ $x := \"a\" }}{{ range 60 }}{{ $x = replace \"a\" \"aa\" $x }}{{ end }}";
    assert_template_limited(template, BYTES);
}

/// At every `a`, the search reads the text to its end.
#[test]
#[cfg_attr(debug_assertions, ignore = "needs an optimised build: .ci/run, CONTRIBUTING.md")]
fn regex_replace_all() {
    let template =
        "{{ $x := repeat 300000 \"a\" }}{{ regexReplaceAll \"[^b]*b|a\" $x \"\" | len }}";
    assert_template_limited(template, STEPS);
}

/// Every expression is new, and large.
#[test]
#[cfg_attr(debug_assertions, ignore = "needs an optimised build: .ci/run, CONTRIBUTING.md")]
fn large_regexes() {
    let template = "{{ range until 100000 }}{{ $x := regexMatch (printf \"(a{1,900}){1,%d}\" .) \"b\" }}{{ end }}";
    assert_template_limited(template, "more than");
}

#[test]
#[cfg_attr(debug_assertions, ignore = "needs an optimised build: .ci/run, CONTRIBUTING.md")]
fn derive_password() {
    let template =
        "{{ range until 10000 }}{{ derivePassword 1 \"long\" \"x\" (print .) \"y\" }}{{ end }}";
    assert_template_limited(template, STEPS);
}

#[test]
#[cfg_attr(debug_assertions, ignore = "needs an optimised build: .ci/run, CONTRIBUTING.md")]
fn certificates() {
    let template = "{{ range 1000000 }}{{ $x := genSelfSignedCert \"a\" nil nil 365 }}{{ end }}";
    assert_template_limited(template, "more than");
}

/// Calls whose results are small but take microseconds.
#[test]
#[cfg_attr(debug_assertions, ignore = "needs an optimised build: .ci/run, CONTRIBUTING.md")]
fn calls() {
    for call in [
        "addf 1.5 2.5",
        "regexMatch \"a+b?\" \"aab\"",
        "ago now",
        "semverCompare \"~1 || ^2\" \"1.2.3\"",
    ] {
        let template = format!("{{{{ range 100000000 }}}}{{{{ $x := {call} }}}}{{{{ end }}}}");
        assert_template_limited(&template, "more than");
    }
}

/// Every result remembers where it was made.
#[test]
#[cfg_attr(debug_assertions, ignore = "needs an optimised build: .ci/run, CONTRIBUTING.md")]
fn places_of_texts() {
    let template = "{{ range 100000000 }}{{ $x := toDate \"2006-01-02\" \"2017-12-31\" }}{{ end }}";
    assert_template_limited(template, "more than");
}

#[test]
#[cfg_attr(debug_assertions, ignore = "needs an optimised build: .ci/run, CONTRIBUTING.md")]
fn hashes_of_a_large_text() {
    let template = "{{ $x := repeat 1000 (repeat 1000 \"x\") }}{{ range 100000 }}{{ $h := sha512sum $x }}{{ end }}";
    assert_template_limited(template, STEPS);
}

#[test]
#[cfg_attr(debug_assertions, ignore = "needs an optimised build: .ci/run, CONTRIBUTING.md")]
fn decoded_texts() {
    let template = "{{ $x := printf \"[%s1]\" (repeat 200000 \"1,\") }}{{ range 1000 }}{{ $l := fromJsonArray $x }}{{ \
                    end }}";
    assert_template_limited(template, BYTES);
}

#[test]
#[cfg_attr(debug_assertions, ignore = "needs an optimised build: .ci/run, CONTRIBUTING.md")]
fn growing_list() {
    let template = "{{ $l := list }}{{ range 100000000 }}{{ $l = append $l \"x\" }}{{ end }}";
    assert_template_limited(template, BYTES);
}

#[test]
#[cfg_attr(debug_assertions, ignore = "needs an optimised build: .ci/run, CONTRIBUTING.md")]
fn growing_map() {
    let template =
        "{{ $d := dict }}{{ range $i := until 3000000 }}{{ $_ := set $d (print $i) $i }}{{ end }}";
    assert_template_limited(template, "more than");
}

#[test]
#[cfg_attr(debug_assertions, ignore = "needs an optimised build: .ci/run, CONTRIBUTING.md")]
fn nested_list() {
    let template = "{{ $l := list }}{{ range 100000000 }}{{ $l = list $l }}{{ end }}";
    assert_template_limited(template, "more than");
}

/// The walk that finds the inputs of an argument meets the same map again and again.
#[test]
#[cfg_attr(debug_assertions, ignore = "needs an optimised build: .ci/run, CONTRIBUTING.md")]
fn map_that_contains_itself() {
    let template = "{{ $d := dict }}{{ range until 1000 }}{{ $_ := set $d (print \"k\" .) . }}{{ end }}{{ $_ := set $d \
                    \"z\" $d }}{{ range 1000000 }}{{ $x := has 1 (list $d) }}{{ end }}";
    assert_template_limited(template, "more than");
}

#[test]
#[cfg_attr(debug_assertions, ignore = "needs an optimised build: .ci/run, CONTRIBUTING.md")]
fn large_output() {
    let template = format!("{{{{ range 100000 }}}}\n# {}{{{{ end }}}}", "x".repeat(100_000));
    assert_template_limited(&template, BYTES);
}

#[test]
#[cfg_attr(debug_assertions, ignore = "needs an optimised build: .ci/run, CONTRIBUTING.md")]
fn output_of_many_values() {
    let template = "{{ range 3000000 }}- [a,b,c,d,e,f]\n{{ end }}";
    assert_template_limited(template, "more than");
}

/// The text is small; its parsed values are not.
#[test]
#[cfg_attr(debug_assertions, ignore = "needs an optimised build: .ci/run, CONTRIBUTING.md")]
fn a_job_of_many_values() {
    let template = "apiVersion: batch/v1\nkind: Job\nmetadata: {name: a}\nspec:\n{{ repeat 100 (repeat 30000 \"- \
                    []\\n\") | indent 1 }}";
    assert_template_limited(template, "more than");
}

/// Each piece of output has its own origin.
#[test]
#[cfg_attr(debug_assertions, ignore = "needs an optimised build: .ci/run, CONTRIBUTING.md")]
fn output_of_many_pieces() {
    assert_template_limited("{{ range 100000000 }}{{ 1 }}{{ end }}", "more than");
}

/// Each definition refers to the next one twice.
#[test]
#[cfg_attr(debug_assertions, ignore = "needs an optimised build: .ci/run, CONTRIBUTING.md")]
fn schema_references_that_double() {
    let mut schema = "{\"$ref\": \"#/$defs/s0\", \"$defs\": {".to_owned();
    for level in 0..60 {
        let below = format!("{{\"$ref\": \"#/$defs/s{}\"}}", level + 1);
        write!(schema, "\"s{level}\": {{\"allOf\": [{below}, {below}]}},").unwrap();
    }
    schema += "\"s60\": {\"type\": \"string\"}}}";
    let files = [("values.schema.json", &*schema), ("templates/a.yaml", "")];
    assert_chart_limited(&files, "more than");
}

/// Every chart imports the values of the one below ten times.
#[test]
#[cfg_attr(debug_assertions, ignore = "needs an optimised build: .ci/run, CONTRIBUTING.md")]
fn imported_values() {
    let folder = beside_healthy(&[]);
    let mut path = folder.path().join("hostile");
    for level in 0..12 {
        let mut chart = format!("apiVersion: v2\nname: c{level}\nversion: 0.1.0\n");
        if level < 11 {
            let below = level + 1;
            write!(
                chart,
                "dependencies:\n  - name: c{below}\n    version: 0.1.0\n    import-values:\n"
            )
            .unwrap();
            for number in 0..10 {
                writeln!(chart, "      - child: data\n        parent: data.p{number}").unwrap();
            }
        }
        write(&path, &[("Chart.yaml", &chart), ("values.yaml", "data: {a: 1}\n")]);
        path = path.join(format!("charts/c{}", level + 1));
    }
    assert_limited(folder.path(), "more than");
}

/// Every chart contains the one below under fifty names.
#[test]
#[cfg_attr(debug_assertions, ignore = "needs an optimised build: .ci/run, CONTRIBUTING.md")]
fn aliased_dependencies() {
    let folder = beside_healthy(&[]);
    let mut path = folder.path().join("hostile");
    for level in 0..6 {
        let mut chart = format!("apiVersion: v2\nname: c{level}\nversion: 0.1.0\n");
        if level < 5 {
            chart += "dependencies:\n";
            for number in 0..50 {
                let name = level + 1;
                writeln!(chart, "  - {{name: c{name}, version: 0.1.0, alias: a{number}}}").unwrap();
            }
        }
        write(&path, &[("Chart.yaml", &chart), ("templates/a.yaml", "a: 1")]);
        path = path.join(format!("charts/c{}", level + 1));
    }
    assert_limited(folder.path(), "more than");
}

/// A gzipped archive of files, with names of any length.
fn archive(path: &Path, entries: &[(&str, &[u8])]) {
    let mut encoder = GzEncoder::new(fs::File::create(path).unwrap(), Compression::best());
    for (name, data) in entries {
        let mut header = tar::Header::new_gnu();
        header.set_size(data.len() as u64);
        header.set_mode(0o644);
        if name.len() > 90 {
            let mut long = tar::Header::new_gnu();
            long.set_entry_type(tar::EntryType::GNULongName);
            long.set_path("././@LongLink").unwrap();
            long.set_size(name.len() as u64 + 1);
            long.set_cksum();
            encoder.write_all(long.as_bytes()).unwrap();
            encoder.write_all(name.as_bytes()).unwrap();
            encoder.write_all(&vec![0; 512 - name.len() % 512]).unwrap();
        }
        header.set_path(&name[..name.len().min(90)]).unwrap();
        header.set_cksum();
        encoder.write_all(header.as_bytes()).unwrap();
        encoder.write_all(data).unwrap();
        encoder.write_all(&vec![0; (512 - data.len() % 512) % 512]).unwrap();
    }
    encoder.write_all(&[0; 1024]).unwrap();
    encoder.finish().unwrap();
}

#[test]
#[cfg_attr(debug_assertions, ignore = "needs an optimised build: .ci/run, CONTRIBUTING.md")]
fn archives_by_their_total() {
    let folder = beside_healthy(&[("hostile/Chart.yaml", CHART)]);
    let charts = folder.path().join("hostile/charts");
    fs::create_dir(&charts).unwrap();
    let zeros = vec![b'\n'; 90 << 20];
    for name in ["a", "b", "c", "d"] {
        let chart = format!("apiVersion: v2\nname: {name}\nversion: 0.1.0\n");
        let (chart_path, data_path) = (format!("{name}/Chart.yaml"), format!("{name}/data"));
        let path = charts.join(format!("{name}.tgz"));
        archive(&path, &[(&chart_path, chart.as_bytes()), (&data_path, &zeros)]);
    }
    assert_limited(folder.path(), "unpacks to more than 200 MiB");
}

#[test]
#[cfg_attr(debug_assertions, ignore = "needs an optimised build: .ci/run, CONTRIBUTING.md")]
fn long_names_in_archives() {
    let folder = beside_healthy(&[("hostile/Chart.yaml", CHART)]);
    fs::create_dir(folder.path().join("hostile/charts")).unwrap();
    let name = format!("a/{}", "x".repeat(80 << 20));
    archive(&folder.path().join("hostile/charts/a.tgz"), &[(&name, b"")]);
    assert_limited(folder.path(), "longer than 4096 bytes");
}

#[cfg(unix)]
#[test]
#[cfg_attr(debug_assertions, ignore = "needs an optimised build: .ci/run, CONTRIBUTING.md")]
fn links_that_multiply_folders() {
    let folder = beside_healthy(&[("hostile/Chart.yaml", CHART)]);
    let root = folder.path().join("hostile/links");
    for number in 0..30 {
        let one = root.join(number.to_string());
        fs::create_dir_all(&one).unwrap();
        for name in ["a", "b"] {
            std::os::unix::fs::symlink(format!("../{}", number + 1), one.join(name)).unwrap();
        }
    }
    fs::create_dir(root.join("30")).unwrap();
    assert_limited(folder.path(), "more than 100000 files and folders");
}

/// Each of these charts stays below the limits of one chart; together they would take minutes.
#[test]
#[cfg_attr(debug_assertions, ignore = "takes minutes without optimisation")]
fn many_charts_share_a_pool() {
    let job = |body: &str| format!("{{{{ range 30000000 }}}}{{{{ end }}}}\n{body}");
    let text = "{{ $x := repeat 1500000 \"abcdefgh\" }}";
    let hostile = "apiVersion: batch/v1\nkind: Job\nmetadata: {name: a}\n";
    let mut files = Vec::new();
    for number in 0..200 {
        let (folder, is_text) = (format!("c{number:03}"), number % 2 == 1);
        let annotation =
            "metadata: {name: a, annotations: {x: \"{{ repeat 1500000 \"abcdefgh\" }}\"}}\n";
        let body = match is_text {
            true => hostile.replace("metadata: {name: a}\n", annotation) + text,
            false => job(hostile),
        };
        files.push((format!("{folder}/Chart.yaml"), CHART.to_owned()));
        files.push((format!("{folder}/templates/job.yaml"), body));
    }
    files.extend(HEALTHY.map(|(path, text)| (path.to_owned(), text.to_owned())));
    let files: Vec<_> = files.iter().map(|(path, text)| (&**path, &**text)).collect();
    let folder = tree(&files);
    let ran = run(folder.path(), &["--output", "concise"]);
    assert_eq!(ran.code, 2, "{}", ran.stderr);
    assert!(ran.stderr.contains("its share of the run's template steps"), "{}", ran.stderr);
    assert!(ran.stdout.contains(HEALTHY_FINDING), "{}", ran.stdout);
}
