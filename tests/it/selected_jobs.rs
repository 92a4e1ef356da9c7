//! Which Services are said to send requests to the pods of a Job, and what is to be done.

use super::support::findings;

const CHART: &str = "apiVersion: v2\nname: shop\nversion: 1.0.0\n";

/// A Service with this in its spec, a server whose port has this name, and a Job whose container has this.
fn found(service: &str, port: &str, container: &str) -> Vec<String> {
    let manifest = format!(
        "apiVersion: v1\nkind: Service\nmetadata: {{name: shop}}\nspec: {{selector: {{app: shop}}, {service}}}\n---\n\
         apiVersion: apps/v1\nkind: Deployment\nmetadata: {{name: shop}}\nspec:\n  selector: {{matchLabels: {{app: shop}}}}\n  \
         template:\n    metadata: {{labels: {{app: shop, tier: web}}}}\n    spec:\n      \
         containers: [{{name: a, image: 'app:1', ports: [{{containerPort: 8080{port}}}]}}]\n---\n\
         apiVersion: batch/v1\nkind: CronJob\nmetadata: {{name: report}}\nspec:\n  schedule: '0 3 * * *'\n  \
         jobTemplate:\n    spec:\n      template:\n        metadata: {{labels: {{app: shop}}}}\n        spec:\n          \
         restartPolicy: Never\n          containers: [{{name: a, image: 'app:1'{container}}}]\n"
    );
    let files = [("Chart.yaml", CHART), ("templates/all.yaml", &*manifest)];
    let found = findings(&files, &["--select", "service-selects-job"]);
    found.iter().map(|one| one["help"].as_str().unwrap_or_default().to_owned()).collect()
}

#[test]
fn a_service_that_numbers_the_port_finds_the_pods_of_a_job() {
    let port = "ports: [{port: 8080}]";
    assert_eq!(
        found(port, "", ""),
        ["Give the pods of the Job another value of one of the labels"]
    );
    let named = found("ports: [{port: 80, targetPort: 8080}]", ", name: web", "");
    assert!(named[0].starts_with("Let `targetPort` of the Service be `web`"), "{named:?}");
}

/// Each for a reason of its own: no address of its own, another host, a port by its name, no requests but those of Prometheus; pods
/// that may serve, and pods that are not ready at once.
#[test]
fn other_services_and_pods_are_left_out() {
    let port = "ports: [{port: 8080}]";
    for service in [
        "clusterIP: None, ports: [{port: 8080}]",
        "type: ExternalName, ports: [{port: 8080}]",
        "ports: [{port: 80, targetPort: web}]",
        "ports: [{name: http-metrics, port: 8080}]",
    ] {
        assert_eq!(found(service, "", ""), [""; 0], "{service}");
    }
    for container in
        [", ports: [{containerPort: 8080}]", ", readinessProbe: {httpGet: {path: /, port: 8080}}"]
    {
        assert_eq!(found(port, "", container), [""; 0], "{container}");
    }
}
