//! Nothing outside of the repository is written, and nothing in it but what was asked for.

use std::{
    ffi::OsStr,
    fs,
    os::unix::{
        ffi::OsStrExt,
        fs::{MetadataExt, PermissionsExt, chown},
    },
    path::Path,
    process::Stdio,
};

use super::{JOB, OUTSIDE, World, joblint, run};

const FIX: [&str; 6] = [
    "--fix",
    "--unsafe-fixes",
    "--select",
    "restart-policy-always,unreadable",
    "--output",
    "concise",
];

fn fixed() -> String {
    JOB.replace("Always", "Never")
}

/// `--fix` of some paths.
fn fix<'a>(paths: &[&'a str]) -> Vec<&'a str> {
    FIX.iter().chain(paths).copied().collect()
}

const OWN: &str = "the user's own text\n";

/// A world with a file of the user outside.
fn world(files: &[(&str, &str)]) -> World {
    let world = World::new(files);
    fs::write(world.outside().join("own"), OWN).unwrap();
    world
}

#[track_caller]
fn assert_own_is_untouched(world: &World) {
    assert_eq!(fs::read_to_string(world.outside().join("own")).unwrap(), OWN);
    assert!(world.left_behind().is_empty(), "{:?}", world.left_behind());
}

#[test]
fn a_guessed_name_of_a_temporary_file_is_not_written_through() {
    // The name was `.NAME.joblint-PID`. Every process number that is likely next is a link.
    let world = world(&[("job.yaml", JOB)]);
    let next = std::process::id();
    for pid in next..next + 400 {
        world.link("../outside/own", &format!(".job.yaml.joblint-{pid}"));
        world.link("../outside/own", &format!(".out.sarif.joblint-{pid}"));
    }
    let arguments = [&fix(&["job.yaml"])[..], &["--output", "sarif=out.sarif"]].concat();
    assert_eq!(world.run(&arguments).0, 0);
    assert_eq!(world.read("job.yaml"), fixed());
    assert!(world.read("out.sarif").contains("\"2.1.0\""));
    assert_eq!(fs::read_to_string(world.outside().join("own")).unwrap(), OWN);
}

#[test]
fn a_fix_does_not_follow_a_link_out_of_the_repository() {
    let world = world(&[]);
    fs::write(world.outside().join("job.yaml"), JOB).unwrap();
    world.link("../outside/job.yaml", "job.yaml");
    world.says(&fix(&["."]), 2, OUTSIDE);
    world.says(&fix(&["job.yaml"]), 2, OUTSIDE);
    assert_eq!(fs::read_to_string(world.outside().join("job.yaml")).unwrap(), JOB);
    assert_own_is_untouched(&world);
}

#[test]
fn a_fix_does_not_follow_a_folder_out_of_the_repository() {
    let world = world(&[]);
    fs::write(world.outside().join("job.yaml"), JOB).unwrap();
    world.link("../outside", "deploy");
    world.says(&fix(&["deploy"]), 2, "error: deploy: leads out of the repository");
    world.says(&fix(&["deploy/job.yaml"]), 2, "deploy/job.yaml: leads out of the repository");
    assert_eq!(fs::read_to_string(world.outside().join("job.yaml")).unwrap(), JOB);
}

#[test]
fn a_fix_keeps_links_inside_the_repository() {
    let world = world(&[("real/job.yaml", JOB)]);
    world.link("real/job.yaml", "job.yaml");
    assert_eq!(world.run(&fix(&["job.yaml"])).0, 0);
    assert_eq!(world.read("real/job.yaml"), fixed());
    assert!(world.repo().join("job.yaml").is_symlink());
}

#[test]
fn a_file_with_several_links_is_fixed_once() {
    let world = world(&[("real/job.yaml", JOB)]);
    world.link("real/job.yaml", "job.yaml");
    let (code, _, stderr) = world.run(&fix(&["."]));
    assert_eq!((code, world.read("real/job.yaml")), (0, fixed()), "{stderr}");
}

#[test]
fn a_fix_of_a_chart_does_not_follow_its_links_out() {
    let chart = "apiVersion: v2\nname: one\nversion: 0.1.0\n";
    let world = world(&[("chart/Chart.yaml", chart)]);
    fs::write(world.outside().join("job.yaml"), JOB).unwrap();
    world.link("../../../outside/job.yaml", "chart/templates/job.yaml");
    world.says(&fix(&["."]), 2, "templates/job.yaml: the link leads out of the repository");
    assert_eq!(fs::read_to_string(world.outside().join("job.yaml")).unwrap(), JOB);
}

#[test]
fn a_fix_does_not_write_into_the_folder_of_git() {
    let world = world(&[]);
    fs::write(world.repo().join(".git/job.yaml"), JOB).unwrap();
    world.link(".git/job.yaml", "job.yaml");
    world.says(&fix(&["."]), 2, "leads into the folder of Git");
    assert_eq!(world.read(".git/job.yaml"), JOB);
}

#[test]
fn a_hard_link_is_not_cut() {
    let world = world(&[("job.yaml", JOB), ("good.yaml", JOB)]);
    fs::hard_link(world.repo().join("job.yaml"), world.outside().join("twin")).unwrap();
    world.says(&fix(&["."]), 2, "job.yaml: has another name (a hard link): not fixed");
    assert_eq!(world.read("job.yaml"), JOB);
    assert_eq!(fs::metadata(world.outside().join("twin")).unwrap().nlink(), 2);
    // The others are fixed, and what is left is reported.
    assert_eq!(world.read("good.yaml"), fixed());
    assert!(world.run(&["--output", "concise"]).1.starts_with("job.yaml:8:22: error"));
}

#[test]
fn a_read_only_file_is_not_fixed() {
    let world = world(&[("job.yaml", JOB)]);
    let path = world.repo().join("job.yaml");
    fs::set_permissions(&path, fs::Permissions::from_mode(0o444)).unwrap();
    world.says(&fix(&["."]), 2, "error: job.yaml: is read-only: not fixed");
    assert_eq!(world.read("job.yaml"), JOB);
}

#[test]
fn a_fix_keeps_the_permissions() {
    for mode in [0o600, 0o755, 0o664] {
        let world = world(&[("job.yaml", JOB)]);
        let path = world.repo().join("job.yaml");
        fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
        assert_eq!(world.run(&fix(&["."])).0, 0);
        assert_eq!(world.read("job.yaml"), fixed());
        assert_eq!(fs::metadata(&path).unwrap().mode() & 0o7777, mode);
    }
}

#[test]
fn a_fix_keeps_the_owner() {
    let world = world(&[("job.yaml", JOB)]);
    let path = world.repo().join("job.yaml");
    // Only root can give a file away, and only root could take it over by replacing it.
    let given = chown(&path, Some(12_345), Some(12_345)).is_ok();
    let before = fs::metadata(&path).unwrap();
    assert_eq!(world.run(&fix(&["."])).0, 0);
    let after = fs::metadata(&path).unwrap();
    assert_eq!(world.read("job.yaml"), fixed());
    assert_eq!((after.uid(), after.gid()), (before.uid(), before.gid()));
    assert_eq!(after.uid() == 12_345, given);
}

#[test]
fn file_names_are_bytes() {
    let world = world(&[("job-\u{fffd}.yaml", "kind: Fine\napiVersion: v1\n")]);
    let odd = world.repo().join(OsStr::from_bytes(b"job-\xff.yaml"));
    fs::write(&odd, JOB).unwrap();
    world.says(&fix(&["."]), 1, "note: job-\\xFF.yaml: its name is not UTF-8: not fixed");
    assert_eq!(fs::read_to_string(odd).unwrap(), JOB);
    assert_eq!(world.read("job-\u{fffd}.yaml"), "kind: Fine\napiVersion: v1\n");
    assert!(world.run(&["--output", "concise"]).1.starts_with("job-\\xFF.yaml:8:22: error"));
}

#[test]
fn file_names_of_charts_are_bytes() {
    let chart = "apiVersion: v2\nname: one\nversion: 0.1.0\n";
    let config = "kind: ConfigMap\napiVersion: v1\nmetadata: {name: a}\n";
    let twin = "chart/templates/job-\u{fffd}.yaml";
    let world = world(&[("chart/Chart.yaml", chart), (twin, config)]);
    let odd = world.repo().join(OsStr::from_bytes(b"chart/templates/job-\xff.yaml"));
    fs::write(&odd, JOB).unwrap();
    let (code, stdout, _) = world.run(&fix(&["."]));
    assert_eq!(code, 1);
    assert!(stdout.starts_with("chart/templates/job-\\xFF.yaml:8:22: error"), "{stdout}");
    assert_eq!(fs::read_to_string(odd).unwrap(), JOB);
    assert_eq!(world.read(twin), config);
}

#[test]
fn names_that_look_the_same_are_said() {
    let world = world(&[("job-\\xFF.yaml", JOB)]);
    fs::write(world.repo().join(OsStr::from_bytes(b"job-\xff.yaml")), JOB).unwrap();
    world.says(&["."], 2, "error: job-\\xFF.yaml: two files are shown under this name");
}

#[test]
fn an_output_does_not_follow_a_link_out_of_the_repository() {
    let world = world(&[("job.yaml", JOB)]);
    world.link("../outside/own", "out.sarif");
    let refused = "error: out.sarif: leads out of the repository: not written";
    world.says(&["--output", "sarif=out.sarif", "."], 2, refused);
    world.says(&["--output", "sarif=out.sarif", "job.yaml"], 2, refused);
    world.link("../outside/new", "new.sarif");
    let refused = "error: new.sarif: leads out of the repository: not written";
    world.says(&["--output", "sarif=new.sarif"], 2, refused);
    assert!(!world.outside().join("new").exists());
    assert_own_is_untouched(&world);
}

#[test]
fn an_output_does_not_follow_a_folder_out_of_the_repository() {
    let world = world(&[("job.yaml", JOB)]);
    world.link("../outside", "reports");
    let refused = "error: reports/own: leads out of the repository: not written";
    world.says(&["--output", "json=reports/own"], 2, refused);
    assert_own_is_untouched(&world);
}

#[test]
fn an_output_does_not_follow_a_link_of_a_tree_without_git() {
    let world = world(&[("job.yaml", JOB)]);
    fs::remove_dir_all(world.repo().join(".git")).unwrap();
    world.link("../outside/own", "out.json");
    let refused = "error: out.json: leads out of the repository: not written";
    world.says(&["--output", "json=out.json"], 2, refused);
    assert_own_is_untouched(&world);
}

#[test]
fn an_output_does_not_write_into_the_folder_of_git() {
    let world = world(&[("job.yaml", JOB)]);
    world.link(".git/hooks/post-checkout", "out.json");
    fs::create_dir(world.repo().join(".git/hooks")).unwrap();
    world.says(&["--output", "json=out.json"], 2, "leads into the folder of Git: not written");
    assert!(!world.repo().join(".git/hooks/post-checkout").exists());
}

#[test]
fn the_command_line_may_name_any_place_for_an_output() {
    let world = world(&[("job.yaml", JOB)]);
    let place = world.outside().join("report.json");
    let argument = format!("json={}", place.display());
    for _ in 0..2 {
        assert_eq!(world.run(&["--output", &argument]).0, 1);
        assert!(fs::read_to_string(&place).unwrap().starts_with('{'));
    }
    world.link("real", "out");
    assert_eq!(world.run(&["--output", "json=out"]).0, 1);
    assert!(world.read("real").starts_with('{'));
    assert!(world.repo().join("out").is_symlink());
    assert_eq!(world.left_behind(), Vec::<std::path::PathBuf>::new());
}

#[test]
fn devices_stay_devices() {
    let world = world(&[("job.yaml", JOB)]);
    let null = || fs::metadata("/dev/null").unwrap();
    let before = (null().ino(), null().rdev());
    assert_eq!(world.run(&["--output", "json=/dev/null"]).0, 1);
    world.link("/dev/null", "out.json");
    assert_eq!(world.run(&["--output", "json=out.json"]).0, 1);
    assert_eq!((null().ino(), null().rdev()), before);
    assert!(world.repo().join("out.json").is_symlink());
    // Any other device is not the repository's to choose.
    world.link("/dev/zero", "zero");
    world.says(&["--output", "json=zero"], 2, "error: zero: leads out of the repository");
}

#[test]
fn pipes_are_written_in_place() {
    let world = world(&[("job.yaml", JOB)]);
    world.pipe("pipe");
    let path = world.repo().join("pipe");
    let reader = std::thread::spawn(move || fs::read_to_string(path).unwrap());
    assert_eq!(world.run(&["--output", "json=pipe"]).0, 1);
    assert!(reader.join().unwrap().starts_with('{'));
    let kind = fs::symlink_metadata(world.repo().join("pipe")).unwrap();
    assert!(!kind.is_file());
}

#[test]
fn standard_output_can_be_named() {
    let world = world(&[("job.yaml", JOB)]);
    let out = fs::File::create(world.repo().join("out.txt")).unwrap();
    let arguments = ["--output", "concise=/dev/stdout", "--output", "concise"];
    let mut command = joblint(&world.repo(), &arguments);
    assert_eq!(command.stdout(out).status().unwrap().code(), Some(1));
    assert_eq!(world.read("out.txt").matches("restart-policy-always").count(), 2);
}

#[test]
fn a_full_disk_is_an_error() {
    if !Path::new("/dev/full").exists() {
        return;
    }
    let world = world(&[("job.yaml", JOB)]);
    let full = "No space left on device (os error 28)";
    world.says(&["--output", "json=/dev/full"], 2, full);
    let mut command = joblint(&world.repo(), &["-q"]);
    command.stdout(Stdio::from(fs::OpenOptions::new().write(true).open("/dev/full").unwrap()));
    let (code, _, stderr) = run(&mut command);
    assert_eq!((code, &*stderr), (2, &*format!("error: standard output: {full}\n")));
}

#[test]
fn a_read_only_output_is_not_written() {
    let world = world(&[("job.yaml", JOB), ("out.json", "old")]);
    let path = world.repo().join("out.json");
    fs::set_permissions(&path, fs::Permissions::from_mode(0o444)).unwrap();
    world.says(&["--output", "json=out.json"], 2, "error: out.json: is read-only: not written");
    assert_eq!(world.read("out.json"), "old");
}

#[test]
fn the_settings_cannot_place_the_baseline_outside() {
    let world = world(&[("job.yaml", JOB), (".joblint.yaml", "baseline: ../outside/own\n")]);
    for verb in ["check", "baseline"] {
        world.says(&[verb], 2, "error: `../outside/own` leads out of the repository");
    }
    let absolute = format!("baseline: {}\n", world.outside().join("new").display());
    fs::write(world.repo().join(".joblint.yaml"), absolute).unwrap();
    world.says(&["baseline"], 2, OUTSIDE);
    assert!(!world.outside().join("new").exists());
    assert_own_is_untouched(&world);
}

#[test]
fn the_baseline_is_not_written_through_a_link() {
    let world = world(&[("job.yaml", JOB)]);
    let refused = "error: .joblint-baseline.json: leads out of the repository";
    for target in ["../outside/own", "../outside/new"] {
        world.link(target, ".joblint-baseline.json");
        world.says(&["baseline"], 2, refused);
        assert_eq!(world.run(&["check"]).0, 2);
        fs::remove_file(world.repo().join(".joblint-baseline.json")).unwrap();
    }
    assert!(!world.outside().join("new").exists());
    assert_own_is_untouched(&world);
}

#[test]
fn the_baseline_replaces_nothing_but_a_baseline() {
    let files =
        [("job.yaml", JOB), ("Makefile", "all:\n"), (".joblint.yaml", "baseline: Makefile\n")];
    let world = world(&files);
    world.says(&["baseline"], 2, "not written, because it is not a baseline");
    assert_eq!(world.read("Makefile"), "all:\n");
    fs::write(world.repo().join(".joblint.yaml"), "baseline: accepted.json\n").unwrap();
    for _ in 0..2 {
        assert_eq!(world.run(&["baseline"]).0, 0);
        assert!(world.read("accepted.json").contains("restart-policy-always"));
    }
}

#[test]
fn the_first_settings_file_is_not_written_through_a_link() {
    let world = world(&[]);
    world.link("../outside/new", ".joblint.yaml");
    world.says(&["config", "init"], 2, "error: .joblint.yaml already exists");
    assert!(!world.outside().join("new").exists());
}
