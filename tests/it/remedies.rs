//! What the help advises where the usual remedy would do harm, and what is not in use.

use serde_json::Value;

use super::support::findings;

/// The rules and helps of the findings in a folder.
fn helps(files: &[(&str, &str)], pedantic: bool) -> Vec<(String, String)> {
    let flags: &[&str] = if pedantic { &["--pedantic"] } else { &[] };
    let text = |one: &Value, key: &str| one[key].as_str().unwrap_or_default().to_owned();
    findings(files, flags).iter().map(|one| (text(one, "rule"), text(one, "help"))).collect()
}

/// A Job with the rest of its pod and the fields of its container.
fn job(pod: &str, container: &str) -> String {
    format!(
        "apiVersion: batch/v1
kind: Job
metadata: {{name: a}}
spec:
  template:
    spec:
      restartPolicy: Never
      containers: [{{name: a, image: 'app:1.4.2', {container}}}]
{pod}"
    )
}

/// The container does again what the init container has tried.
#[test]
fn a_first_try_in_an_init_container_is_not_reported() {
    let found = |first: &str, then: &str| {
        let init = format!(
            "      initContainers: [{{name: i, image: 'app:1.4.2', command: [sh, -c, \"{first}\"]}}]\n"
        );
        helps(&[("a.yaml", &job(&init, &format!("command: [sh, -c, '{then}']")))], false).len()
    };
    let first = "alembic upgrade head || echo later";
    assert_eq!(found(first, "set -e; alembic upgrade head; date"), 0);
    assert_eq!(found(first, "set -e; alembic upgrade other; date"), 1);
    assert_eq!(found(first, "alembic upgrade head; date"), 2);
}

/// A volume that each user adds by a name that the comments give is no mistake.
#[test]
fn a_mount_without_a_volume_needs_one() {
    let own = job("", "volumeMounts: [{name: data, mountPath: /d}]");
    let found = helps(&[("a.yaml", &own)], false);
    let [(rule, help)] = &found[..] else { panic!("{found:?}") };
    assert_eq!(rule, "invalid-job");
    assert_eq!(help, "Add the volume `data`, or correct the name");
    let commented = |name: &str| format!("{own}      # volumes:\n      #   - name: {name}\n");
    assert!(helps(&[("a.yaml", &commented("data"))], false).is_empty());
    assert_eq!(helps(&[("a.yaml", &commented("other"))], false).len(), 1);
}

/// A copy of a claim has nothing of what the volume holds.
#[test]
fn a_hook_that_needs_a_claim_gets_no_copy_of_it() {
    let hook = job("      volumes: [{name: d, persistentVolumeClaim: {claimName: b}}]\n", "").replace(
        "{name: a}\nspec",
        "{name: a, annotations: {helm.sh/hook: pre-install, helm.sh/hook-delete-policy: before-hook-creation}}\nspec",
    );
    let claim = "apiVersion: v1\nkind: PersistentVolumeClaim\nmetadata: {name: b}\nspec:\n  accessModes: [ReadWriteOnce]\n  resources: {requests: {storage: 1Gi}}\n";
    let files = [
        ("Chart.yaml", "apiVersion: v2\nname: a\nversion: 1.0.0\n"),
        ("templates/job.yaml", &*hook),
        ("templates/claim.yaml", claim),
    ];
    let found = helps(&files, false);
    let help = found.iter().find(|(rule, _)| rule == "hook-needs-later-object").map(|one| &one.1);
    assert!(help.is_some_and(|help| help.contains("empty volume")), "{found:?}");
}

/// The controller mounts the Secret that the hook makes: behind the sync it would wait for ever.
#[test]
fn a_hook_that_makes_what_a_deployment_mounts_stays_in_front_of_it() {
    let manifest = |mounted: &str| {
        format!(
            "apiVersion: v1
kind: ServiceAccount
metadata: {{name: certificates}}
---
apiVersion: batch/v1
kind: Job
metadata:
  name: certificates
  annotations: {{argocd.argoproj.io/hook: PreSync}}
spec:
  template:
    spec:
      restartPolicy: Never
      serviceAccountName: certificates
      containers: [{{name: a, image: 'certgen:1.4.2', args: [create, --secret-name=webhook]}}]
---
apiVersion: apps/v1
kind: Deployment
metadata: {{name: controller}}
spec:
  selector: {{matchLabels: {{app: a}}}}
  template:
    metadata: {{labels: {{app: a}}}}
    spec:
      containers: [{{name: a, image: 'controller:1.4.2'}}]
      volumes: [{{name: certificate, secret: {{secretName: {mounted}}}}}]
"
        )
    };
    for (mounted, waits) in [("webhook", true), ("other", false)] {
        let found = helps(&[("a.yaml", &manifest(mounted))], false);
        let [(rule, help)] = &found[..] else { panic!("{mounted}: {found:?}") };
        assert_eq!(rule, "hook-needs-later-object");
        assert_eq!(help.contains("`controller` waits for what the Job makes"), waits, "{help}");
        assert_eq!(help.contains("PostSync"), !waits, "{help}");
    }
    let waiting = manifest("other").replace(
        "      volumes:",
        "      initContainers: [{name: w, image: 'wait-for:1.4.2', args: [job, certificates]}]\n      volumes:",
    );
    let found = helps(&[("a.yaml", &waiting)], false);
    assert!(found[0].1.ends_with("Deployment `controller` waits for the Job"), "{found:?}");
}

/// `--fail` would end the script at a status that it knows what to do with.
#[test]
fn a_request_whose_status_is_compared_gets_no_fail() {
    let script = "set -e; code=$(curl -s -o /dev/null -w '%{http_code}' -X POST -d a http://a/users); \
                  if [ $code = 201 ]; then echo made; elif [ $code = 422 ]; then echo there; else echo \
                  \"failed: $code\"; fi; curl -s -X PATCH -d b http://a/users/1";
    let manifest = job("", &format!("command: [sh, -c, {script:?}]"));
    let found = helps(&[("a.yaml", &manifest)], false);
    let [(_, help)] = &found[..] else { panic!("{found:?}") };
    assert!(
        help.ends_with("add `--fail` to the `curl` that does not ask for the status"),
        "{help}"
    );
}

/// The pod has the volume once its list is in its place.
#[test]
fn a_volume_that_is_out_of_place_is_one_finding() {
    let mounts = "volumeMounts: [{name: data, mountPath: /data}]";
    let manifest = |volume: &str| job(&format!("    {volume}\n"), mounts);
    let rules = |volume: &str| {
        let found = helps(&[("a.yaml", &manifest(volume))], false);
        found.into_iter().map(|(rule, _)| rule).collect::<Vec<_>>()
    };
    assert_eq!(rules("volumes: [{name: data, emptyDir: {}}]"), ["misplaced-field"]);
    assert_eq!(rules(""), ["invalid-job"]);
}

/// Jobs of one chart that need the same objects: one cause.
#[test]
fn hooks_that_need_the_same_object_are_one_finding() {
    let hook = |name: &str, account: &str| {
        format!(
            "apiVersion: batch/v1
kind: Job
metadata:
  name: {name}
  annotations: {{helm.sh/hook: pre-install, helm.sh/hook-delete-policy: before-hook-creation}}
spec:
  template:
    spec:
      restartPolicy: Never
      serviceAccountName: {account}
      containers: [{{name: a, image: 'app:1.4.2'}}]
---
apiVersion: v1
kind: ServiceAccount
metadata: {{name: {account}}}
"
        )
    };
    let chart = "apiVersion: v2\nname: shop\nversion: 1.4.2\n";
    for (other, count) in [("a", 1), ("b", 2)] {
        let (one, two) = (hook("migrate", "a"), hook("seed", other));
        let two = if other == "a" { two.split("---").next().unwrap_or_default() } else { &two };
        let files = [
            ("Chart.yaml", chart),
            ("templates/migrate.yaml", &*one),
            ("templates/seed.yaml", two),
        ];
        assert_eq!(helps(&files, false).len(), count, "{other}");
    }
}

/// A folder that cannot be made is rare, and what needs it decides.
#[test]
fn a_folder_that_is_prepared_in_front_of_a_copy_is_not_reported() {
    let manifest = |command: &str| {
        let script = format!("if [ -f /a ]; then {command} && cp /a /b/a; fi; date");
        let mounts = "volumeMounts: [{name: b, mountPath: /b}]";
        job(
            "      volumes: [{name: b, persistentVolumeClaim: {claimName: b}}]\n",
            &format!("{mounts}, command: [sh, -ec, {script:?}]"),
        )
    };
    for (command, count) in [("mkdir -p /b/c", 0), ("kubectl apply -f /b", 1)] {
        assert_eq!(helps(&[("a.yaml", &manifest(command))], false).len(), count, "{command}");
    }
}

/// Versions of a chart that were kept beside the newest.
#[test]
fn only_the_newest_version_of_a_chart_is_in_use() {
    let old_job = job("", "command: [sh, -c, 'alembic upgrade head; echo done']");
    let chart =
        |name: &str, version: &str| format!("apiVersion: v2\nname: {name}\nversion: {version}\n");
    for (other, count) in [("shop", 1), ("stall", 2)] {
        let (old, new) = (chart("shop", "0.9.0"), chart(other, "0.10.0"));
        let new_job =
            old_job.replace("name: a}\nspec", "name: b}\nspec").replace("echo done", "date");
        let files = [
            ("charts/0.9.0/Chart.yaml", &*old),
            ("charts/0.9.0/templates/job.yaml", &*old_job),
            ("charts/0.10.0/Chart.yaml", &*new),
            ("charts/0.10.0/templates/job.yaml", &*new_job),
        ];
        let is_hidden = |found: &[(String, String)]| {
            found.iter().filter(|(rule, _)| rule == "failure-hidden").count()
        };
        assert_eq!(is_hidden(&helps(&files, false)), count, "{other}");
        assert_eq!(is_hidden(&helps(&files, true)), 2, "{other}");
    }
}

/// The helps about a CronJob with an image and a script, and whether it has a fix.
fn script_helps(image: &str, env: &str, script: &str) -> Vec<(String, String)> {
    let manifest = format!(
        "apiVersion: batch/v1
kind: CronJob
metadata: {{name: a}}
spec:
  schedule: '0 3 * * *'
  jobTemplate:
    spec:
      template:
        spec:
          restartPolicy: Never
          volumes: [{{name: b, persistentVolumeClaim: {{claimName: b}}}}]
          containers:
            - {{name: a, image: '{image}', env: [{env}], command: [sh, -c, {script:?}], volumeMounts: [{{name: b, mountPath: /b}}]}}
"
    );
    helps(&[("a.yaml", &manifest)], false)
}

/// busybox has the option that dash lacks, and it needs `set -e` where another command follows.
#[test]
fn a_pipeline_is_checked_as_its_shell_can() {
    let help = |image: &str, script: &str| script_helps(image, "", script)[0].1.clone();
    let pipe = "pg_dump a | gzip > /b/a.gz";
    assert_eq!(help("postgres:17-alpine", pipe), "Start the script with `set -o pipefail`");
    let tested = format!("{pipe}; gzip -t /b/a.gz || exit 1");
    assert_eq!(help("postgres:17-alpine", &tested), "Start the script with `set -eo pipefail`");
    assert!(help("postgres:17", pipe).starts_with("Write the output to a file first"));
}

/// What other requests of the script have was left out of this one.
#[test]
fn a_request_without_the_fail_of_others_may_be_refused() {
    let made = "curl -s -X POST http://a/index/b";
    let found = |first: &str| script_helps("app:1", "", &format!("set -e; {first}; {made}")).len();
    assert_eq!(found("curl -sf -X PUT http://a/policy -d c"), 0);
    assert_eq!(found("date"), 1);
}

/// A table may be there when another run executes the file.
#[test]
fn statements_of_a_file_are_made_safe_to_repeat_first() {
    let script = "command: [sh, -c, 'psql -f /s/a.sql; echo done']";
    let found = helps(&[("a.yaml", &job("", script))], false);
    let [(_, help)] = &found[..] else { panic!("{found:?}") };
    assert!(help.starts_with("Make the statements of the file safe to repeat"), "{help}");
    assert!(help.contains("`set -e`") && help.contains("ON_ERROR_STOP"), "{help}");
    // Nothing executes it again.
    let once = job("", script).replace("spec:\n  template", "spec:\n  backoffLimit: 0\n  template");
    let found = helps(&[("a.yaml", &once)], false);
    let [(_, help)] = &found[..] else { panic!("{found:?}") };
    assert!(help.starts_with("Start the script with `set -e`"), "{help}");
}

/// The container says that the branch is not taken.
#[test]
fn what_a_variable_switches_off_loses_no_data() {
    let script = "if [ \"$RESET\" = true ]; then npx prisma migrate reset --force; fi; npx prisma migrate deploy";
    let found = |env: &str| {
        let own = job("", &format!("env: [{env}], command: [sh, -c, {script:?}]")).replace(
            "metadata: {name: a}",
            "metadata: {name: a, annotations: {argocd.argoproj.io/hook: PreSync}}",
        );
        helps(&[("a.yaml", &own)], false).iter().any(|(rule, _)| rule == "destroys-data")
    };
    assert!(found("{name: RESET, value: 'true'}"));
    assert!(!found("{name: RESET, value: 'false'}"));
    assert!(!found(""));
}

/// What a kustomization adds to a mapping is not in the file.
#[test]
fn a_field_moves_into_a_mapping_that_only_a_kustomization_fills() {
    let help = |metadata: &str| {
        let manifest = format!(
            "apiVersion: batch/v1
kind: CronJob
metadata: {{name: a}}
spec:
  schedule: '0 3 * * *'
  jobTemplate:
    metadata:{metadata}
    labels: {{a: b}}
    spec:
      template:
        spec:
          restartPolicy: Never
          containers: [{{name: a, image: 'app:1.4.2'}}]
"
        );
        let kustomization = "commonLabels: {app: a}\nresources: [a.yaml]\n";
        let found = helps(&[("a.yaml", &manifest), ("kustomization.yaml", kustomization)], false);
        found.into_iter().find(|(rule, _)| rule == "misplaced-field").unwrap().1
    };
    assert_eq!(help(""), "Move `labels` to `spec.jobTemplate.metadata`");
    assert!(help(" {labels: {c: d}}").starts_with("Merge `labels` into that of"));
}

/// A script that needs another remedy is another finding, whatever hides the failure.
#[test]
fn one_finding_has_one_remedy() {
    let found = |second: &str| {
        let one = |name: &str, script: &str| {
            job("", &format!("command: [sh, -c, {script:?}]"))
                .replace("{name: a}", &format!("{{name: {name}}}"))
        };
        let files =
            [("a.yaml", one("a", "alembic upgrade head; date")), ("b.yaml", one("b", second))];
        helps(&[("a.yaml", &files[0].1), ("b.yaml", &files[1].1)], false)
    };
    assert_eq!(found("python manage.py migrate; date").len(), 1);
    assert_eq!(found("grep -q a /c; python manage.py migrate; date").len(), 2);
}

/// The annotation of Argo CD says who deploys the Job.
const ARGOCD: &str = "metadata: {name: a, annotations: {argocd.argoproj.io/sync-wave: '1'}}";

/// The same for Flux, which puts a Job back that its TTL has removed.
const FLUX: &str =
    "metadata: {name: a, annotations: {kustomize.toolkit.fluxcd.io/prune: disabled}}";

/// Where it works, it would let Argo CD run the Job again and again.
#[test]
fn a_ttl_in_the_wrong_place_is_removed_under_a_gitops_controller() {
    let own = job("      ttlSecondsAfterFinished: 300\n", "args: [a]");
    let help = |manifest: &str| {
        let found = helps(&[("a.yaml", manifest)], false);
        found.into_iter().find(|(rule, _)| rule == "misplaced-field").unwrap().1
    };
    assert!(help(&own).starts_with("Move `ttlSecondsAfterFinished`"));
    let help = help(&own.replace("metadata: {name: a}", ARGOCD));
    assert!(help.starts_with("Remove `ttlSecondsAfterFinished`"), "{help}");
}

/// A Job that only asks a controller to look again is meant to run each time.
#[test]
fn a_nudge_may_run_again() {
    let found = |command: &str| {
        let manifest = job("", &format!("command: [{command}]"))
            .replace("metadata: {name: a}", FLUX)
            .replace("spec:\n  template", "spec:\n  ttlSecondsAfterFinished: 300\n  template");
        let all = helps(&[("a.yaml", &manifest)], false);
        all.iter().filter(|(rule, _)| rule == "ttl-reruns").count()
    };
    assert_eq!(found("flux, reconcile, source, git, shop"), 0);
    assert_eq!(found("kubectl, rollout, restart, deploy/shop"), 0);
    assert_eq!(found("flux, install"), 1);
}

/// Without the key, the last command fails, too.
#[test]
fn a_file_that_the_last_command_needs_tells_that_it_was_not_made() {
    let found = |last: &str| {
        let script = format!("python manage.py export --out /work/a.json; {last}");
        helps(&[("a.yaml", &job("", &format!("command: [sh, -c, {script:?}]")))], false).len()
    };
    assert_eq!(found("chown 1001 /work/a.json"), 0);
    assert_eq!(found("chown 1001 /work/b.json"), 1);
}

/// Another container names the same folder, and nobody knows what its program does there.
#[test]
fn what_an_unknown_program_may_write_is_there_to_be_moved() {
    let found = |first: &str| {
        let script = format!("{first}; mv /b/a.mmdb /b/current.mmdb");
        let all = script_helps("app:1", "", &script);
        all.iter().filter(|(rule, _)| rule == "not-idempotent").count()
    };
    assert_eq!(found("geoipupdate -d /b -f /etc/a.conf"), 0);
    assert_eq!(found("geoipupdate -d /c -f /etc/a.conf"), 1);
}

/// The comment below the statement says why.
#[test]
fn a_failure_may_be_explained_below() {
    let found = |comment: &str| {
        let script = format!("set -e\npython manage.py migrate || true\n# {comment}\ndate");
        script_helps("app:1", "", &script).len()
    };
    assert_eq!(found("it ends with 1 for warnings, hence || true"), 0);
    assert_eq!(found("the date"), 1);
}

/// What no other file of the repository names is made by nothing there.
#[test]
fn a_config_map_is_missing_that_nothing_else_names() {
    let own = job("      volumes: [{name: sql, configMap: {name: shop-sql}}]\n", "args: [a]");
    let found = |files: &[(&str, &str)]| {
        let all: Vec<_> =
            [("k8s/a.yaml", &*own)].into_iter().chain(files.iter().copied()).collect();
        helps(&all, true).iter().filter(|(rule, _)| rule == "config-map-not-found").count()
    };
    let repository = (".git/HEAD", "ref: refs/heads/main\n");
    let other = ("k8s/other.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: shop}\n");
    assert_eq!(found(&[repository, other]), 1);
    assert_eq!(found(&[repository, other, ("README.md", "Make shop-sqlite first.\n")]), 1);
    // Nobody knows what else there is.
    assert_eq!(found(&[other]), 0);
    assert_eq!(found(&[repository]), 0);
    for (path, text) in [
        ("chart/Chart.yaml", "apiVersion: v2\nname: a\nversion: 1.0.0\n"),
        ("a.tf", "resource kubernetes_config_map a {}\n"),
        ("deploy.sh", "kubectl create configmap shop-sql --from-file sql/\n"),
        ("README.md", "Make the ConfigMap `shop-sql` first.\n"),
        ("k8s/b.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: shop-sql}\n"),
    ] {
        assert_eq!(found(&[repository, other, (path, text)]), 0, "{path}");
    }
}

/// On an object that its Application replaces anyway, the option would have it deleted at each sync.
#[test]
fn an_option_of_objects_moves_to_them_unless_the_application_replaces() {
    let help = |options: &str| {
        let text = format!(
            "apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {{name: shop}}\nspec:\n  source: {{repoURL: a, path: b}}\n  \
             syncPolicy: {{syncOptions: [{options}]}}\n"
        );
        let found = helps(&[("app.yaml", &text)], false).into_iter();
        found
            .filter(|(rule, _)| rule == "sync-option-unknown")
            .map(|(_, help)| help)
            .collect::<Vec<_>>()
    };
    assert!(help("Force=true")[0].starts_with("Move `Force=true` to the annotation"));
    assert!(help("Force=true, Replace=true")[0].starts_with("Remove `Force=true`"));
}

/// What a script in a ConfigMap lacks is what the same script in `args` lacks.
#[test]
fn a_mounted_script_is_advised_as_one_in_the_manifest_is() {
    let script = "pg_dump a | gzip | aws s3 cp - s3://b/a.gz\naws s3 ls s3://b\n";
    let lines = script.replace('\n', "\\n");
    let mounted = format!(
        "{}---\napiVersion: v1\nkind: ConfigMap\nmetadata: {{name: s}}\ndata: {{a.sh: \"#!/bin/bash\\n{lines}\"}}\n",
        job(
            "      volumes: [{name: s, configMap: {name: s, defaultMode: 0755}}]\n",
            "command: [/s/a.sh], volumeMounts: [{name: s, mountPath: /s}]",
        )
    );
    let written = job("", &format!("command: [bash, -c, \"{lines}\"]"));
    let helps = [written, mounted].map(|text| helps(&[("a.yaml", &text)], false));
    assert_eq!(helps[0], helps[1]);
    let hidden = helps[0].iter().find(|(rule, _)| rule == "failure-hidden").unwrap();
    assert_eq!(hidden.1, "Start the script with `set -eo pipefail`");
}

const CHART: (&str, &str) = ("Chart.yaml", "apiVersion: v2\nname: shop\nversion: 0.1.0\n");

/// Quotes in a file of values are not printed, but for what `toYaml` prints.
#[test]
fn a_number_that_a_template_prints_is_quoted_there() {
    let found = |value: &str, values: &str| {
        let job = job("", &format!("env: [{{name: LEVEL, value: {value}}}]"));
        helps(&[CHART, ("values.yaml", values), ("templates/a.yaml", &job)], false)
    };
    let of = |help: &str| vec![("wrong-type".to_owned(), help.to_owned())];
    let printed = found("{{ .Values.level }}", "level: 3\n");
    assert_eq!(printed, of("Pipe it through `quote` in the template"));
    assert_eq!(found("{{ .Values.level | quote }}", "level: 3\n"), []);
    assert_eq!(found("3", ""), of("Put it in quotes"));
    let list = "env: {{ toYaml .Values.env | nindent 8 }}";
    let job = job("", "env: []").replace("[{name: a, image: 'app:1.4.2', env: []}]", "LIST");
    let container = format!("\n      - name: a\n        image: app:1.4.2\n        {list}");
    let job = job.replace(" LIST", &container);
    let values = ("values.yaml", "env:\n  - name: LEVEL\n    value: 3\n");
    assert_eq!(helps(&[CHART, values, ("templates/a.yaml", &job)], false), of("Put it in quotes"));
}

/// Helm runs the hook of a release only while that is there.
#[test]
fn a_hook_may_uninstall_its_own_release() {
    let found = |release: &str| {
        let hook = job("", &format!("command: [helm, uninstall, {release}]"));
        let hook =
            hook.replace("{name: a}\n", "{name: a, annotations: {helm.sh/hook: post-upgrade}}\n");
        let all = helps(&[CHART, ("templates/a.yaml", &hook)], false);
        all.iter().filter(|(rule, _)| rule == "not-idempotent").count()
    };
    assert_eq!(found("\"{{ .Release.Name }}\""), 0);
    assert_eq!(found("other"), 1);
}

/// `psql` starts in the database of its user, which is `postgres` where nothing says otherwise.
#[test]
fn a_restore_in_no_database_may_be_one_of_all() {
    let help = |restore: &str| {
        let all = script_helps("postgres:17", "", &format!("set -e\n{restore}"));
        all.iter().filter(|(_, help)| help.contains("pg_dumpall")).count()
    };
    for restore in
        ["zcat /b/a.sql.gz | psql", "psql -U postgres -f /b/a.sql", "psql -f /b/a.sql postgres"]
    {
        assert_eq!(help(restore), 1, "{restore}");
    }
    for restore in ["psql -U shop -f /b/a.sql", "psql -f /b/a.sql shop", "psql -d shop -f /b/a.sql"]
    {
        assert_eq!(help(restore), 0, "{restore}");
    }
}
