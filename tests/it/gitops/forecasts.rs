//! Forecasts under the options that GitOps objects state.

use super::*;

#[test]
fn forecasts_point_at_the_deciding_option() {
    let folder = repository(&format!("=== app.yaml\n{APPLICATION}=== jobs/migrate.yaml\n{JOB}"));
    let outlook = forecast::forecast(&request(folder.path()), &Settings::default(), &Event::ALL);
    let [column] = &outlook.blocks[0].columns[..] else { panic!("Argo CD alone") };
    let cell = column.at(Event::AfterTtl).unwrap();
    let places: Vec<_> = cell.labels.iter().map(|(at, _)| written(at)).collect();
    assert_eq!(
        places,
        [
            "jobs/migrate.yaml:6 ttlSecondsAfterFinished: 60",
            "app.yaml:15 selfHeal: true",
            "app.yaml:13 automated",
        ]
    );
}

/// A GitOps object over `jobs/migrate.yaml` or the chart `jobs`, an event, and the place that decides it.
#[test]
fn every_option_that_decides_is_labelled() {
    let app = |policy: &str| {
        let (head, _) = APPLICATION.split_once("    automated:").unwrap();
        format!("=== app.yaml\n{head}{policy}=== jobs/migrate.yaml\n{JOB}")
    };
    let with = |files: String, option: &str| {
        let line = format!(
            "  name: migrate\n  annotations: {{argocd.argoproj.io/sync-options: \"{option}\"}}\n"
        );
        files.replace("  name: migrate\n", &line)
    };
    let flux = |more: &str, prune: bool| {
        let spec = KUSTOMIZATION.replace("prune: true", &format!("prune: {prune}{more}"));
        format!("=== flux.yaml\n{spec}=== jobs/migrate.yaml\n{JOB}")
    };
    let release = |more: &str| {
        let source =
            "chart: {spec: {chart: ./jobs, sourceRef: {kind: GitRepository, name: flux-system}}}";
        format!(
            "=== release.yaml\napiVersion: helm.toolkit.fluxcd.io/v2\nkind: HelmRelease\nmetadata: {{name: shop}}\n\
             spec:\n  interval: 5m\n  {source}\n{more}=== jobs/Chart.yaml\napiVersion: v2\nname: shop\n\
             version: 1.0.0\n=== jobs/templates/migrate.yaml\n{JOB}"
        )
    };
    let bundle = |more: &str| format!("=== jobs/fleet.yaml\n{more}=== jobs/migrate.yaml\n{JOB}");
    let heals = "    automated:\n      selfHeal: true\n";
    let drift = "  driftDetection:\n    mode: enabled\n";
    let forced = "correctDrift:\n  enabled: true\n  force: true\n";
    let options = |option: &str| app(&format!("    syncOptions: [\"{option}=true\"]\n"));
    let client = "  upgrade:\n    force: true\n    serverSideApply: disabled\n";
    let remediated = "  upgrade:\n    remediation:\n      retries: 1\n      strategy: uninstall\n";
    let cases = [
        (app(heals), Event::AfterTtl, "selfHeal: true"),
        (app(heals), Event::SelfHeal, "selfHeal: true"),
        (app("    automated: {}\n"), Event::AfterTtl, "automated"),
        (app("    automated: {prune: true}\n"), Event::Removed, "prune: true"),
        (app("    automated: {prune: false}\n"), Event::Removed, "prune: false"),
        (options("Replace"), Event::Redeploy, "Replace=true"),
        (with(options("ServerSideApply"), "Force=true"), Event::Upgrade, "ServerSideApply=true"),
        (
            with(options("ApplyOutOfSyncOnly"), "Force=true,Replace=true"),
            Event::Redeploy,
            "ApplyOutOfSyncOnly=true",
        ),
        (flux("\n  force: true", true), Event::Upgrade, "force: true"),
        (flux("", true), Event::AfterTtl, "interval: 10m"),
        (flux("", true), Event::Removed, "prune: true"),
        (flux("", false), Event::Uninstall, "prune: false"),
        (release(drift), Event::AfterTtl, "mode: enabled"),
        (release(drift), Event::AfterTtl, "interval: 5m"),
        (release(drift), Event::SelfHeal, "mode: enabled"),
        (release(client), Event::Upgrade, "force: true"),
        (release(client), Event::Upgrade, "serverSideApply: disabled"),
        (release(remediated), Event::AfterFailure, "strategy: uninstall"),
        (bundle("correctDrift: {enabled: true}\n"), Event::AfterTtl, "enabled: true"),
        (bundle("correctDrift: {enabled: true}\n"), Event::SelfHeal, "enabled: true"),
        (bundle(forced), Event::SelfHeal, "force: true"),
        (bundle("helm: {force: true}\n"), Event::Upgrade, "force: true"),
    ];
    for (files, event, place) in cases {
        let folder = repository(&files);
        let outlook = forecast::forecast(&request(folder.path()), &Settings::default(), &[event]);
        let [column] = &outlook.blocks[0].columns[..] else { panic!("one deployer: {files}") };
        let cell = column.at(event).unwrap_or_else(|| panic!("{event:?}: {files}"));
        let text = |at: &Location| at.source.slice(at.span).trim_matches('"').to_owned();
        let places: Vec<_> = cell.labels.iter().map(|(at, _)| text(at)).collect();
        assert!(
            places.contains(&place.to_owned()),
            "{event:?}: {places:?} without {place}\n{files}"
        );
    }
}

#[test]
fn flags_win_over_gitops_objects() {
    let folder = repository(&format!("=== app.yaml\n{APPLICATION}=== jobs/migrate.yaml\n{JOB}"));
    let settings = Settings { deployers: vec!["helm3".parse().unwrap()], ..Settings::default() };
    let report = check::check(&request(folder.path()), &settings);
    assert!(findings(&report, "ttl-reruns").is_empty());
}

#[test]
fn the_json_forecast_names_the_gitops_object() {
    let gone = APPLICATION.replace("name: shop", "name: lost").replace("path: jobs", "path: gone");
    let folder = repository(&format!(
        "=== app.yaml\n{APPLICATION}=== lost.yaml\n{gone}=== jobs/migrate.yaml\n{JOB}"
    ));
    let outlook = forecast::forecast(&request(folder.path()), &Settings::default(), &[]);
    let text = report::print_forecast(&outlook, report::ForecastFormat::Json, &Default::default());
    let json: serde_json::Value = serde_json::from_str(&text).unwrap();
    let deployment = |index: usize| {
        let mut one = json["gitops"][index].clone();
        one["path"] = inside(one["path"].as_str().unwrap()).into();
        one
    };
    let options = serde_json::json!({"automated": true, "prune": true, "selfHeal": true});
    assert_eq!(
        deployment(0),
        serde_json::json!({
            "title": "Application shop", "path": "app.yaml", "line": 2, "deployer": "argocd",
            "options": options, "files": 1,
        })
    );
    assert_eq!(deployment(1)["unresolved"], "there is no folder `gone` here");
}
