//! What the help advises about a Job that cannot change under its name, where another run may do harm or something waits for it.

use super::support::findings;

const CHART: &str = "apiVersion: v2\nname: shop\nversion: 1.0.0\n";
const VALUES: &str = "tag: 1.4.2\n";

/// A chart with a Job whose image follows a value.
fn job(command: &str) -> String {
    format!(
        "apiVersion: batch/v1\nkind: Job\nmetadata:\n  name: shop-migrate\nspec:\n  template:\n    spec:\n      \
         restartPolicy: Never\n      containers:\n        - name: migrate\n          image: \"app:{{{{ .Values.tag }}}}\"\n          \
         command: [sh, -c, {command:?}]\n"
    )
}

/// The help of the finding about the change, and how many fixes it has; `None` without the finding.
fn advice(files: &[(&str, &str)]) -> Option<(String, usize)> {
    let all = findings(files, &[]);
    let own = all.iter().find(|one| one["rule"] == "template-changes-under-fixed-name")?;
    let fixes = own["fixes"].as_array().map_or(0, Vec::len);
    Some((own["help"].as_str().unwrap_or_default().to_owned(), fixes))
}

fn of_command(command: &str) -> (String, usize) {
    let job = job(command);
    advice(&[("Chart.yaml", CHART), ("values.yaml", VALUES), ("templates/job.yaml", &job)]).unwrap()
}

/// A dump drops the tables that it fills.
#[test]
fn what_fills_a_database_runs_once() {
    let (help, fixes) = of_command("alembic upgrade head");
    assert!(
        help.starts_with("Put a hash of what changes into the name, or make it a hook"),
        "{help}"
    );
    assert!(fixes > 0);
    for command in
        ["mysql -h db shop < /dump/shop.sql", "php artisan migrate:fresh --force", "flyway clean"]
    {
        let (help, fixes) = of_command(command);
        assert!(
            help.starts_with("Delete the finished Job before the upgrade"),
            "{command}: {help}"
        );
        assert_eq!(fixes, 0, "{command}");
    }
}

/// With `--wait`, Helm runs a hook behind the upgrade only once the Deployment is up, which waits for the hook.
#[test]
fn a_job_that_a_deployment_waits_for_becomes_no_hook() {
    let waiting = |name: &str| {
        format!(
            "apiVersion: apps/v1\nkind: Deployment\nmetadata: {{name: web}}\nspec:\n  selector: {{matchLabels: {{app: web}}}}\n  template:\n    \
             metadata: {{labels: {{app: web}}}}\n    spec:\n      initContainers: [{{name: wait, image: 'groundnuty/k8s-wait-for:v2.0', args: [job, {name}]}}]\n      \
             containers: [{{name: web, image: 'web:1.4.2'}}]\n"
        )
    };
    let job = job("alembic upgrade head");
    let help = |deployment: &str| {
        let files = [("Chart.yaml", CHART), ("values.yaml", VALUES), ("templates/job.yaml", &*job)];
        advice(&[&files[..], &[("templates/web.yaml", deployment)]].concat()).unwrap().0
    };
    assert!(!help(&waiting("shop-migrate")).contains("hook"));
    assert!(help(&waiting("shop-seed")).contains("hook"));
}

/// Whoever follows the guide never meets the old Job.
#[test]
fn a_guide_says_how_a_job_runs_again() {
    let job = job("alembic upgrade head");
    let found = |guide: &str| {
        let files = [("Chart.yaml", CHART), ("values.yaml", VALUES), ("templates/job.yaml", &*job)];
        advice(&[&files[..], &[("README.md", guide)]].concat()).is_some()
    };
    assert!(!found("Again:\n```\nkubectl delete job shop-migrate\nhelm upgrade shop .\n```\n"));
    assert!(found("```\nhelm upgrade shop .\n```\n```\nkubectl delete job shop-migrate\n```\n"));
    assert!(found("```\nhelm uninstall shop\nhelm install shop .\n```\n"));
}
