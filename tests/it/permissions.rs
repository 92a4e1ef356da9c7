//! What may bind a role to the ServiceAccount of a Job, so that nothing is said of its `kubectl`.

use super::support::findings;

const JOB: &str = "apiVersion: batch/v1
kind: CronJob
metadata: {name: clean}
spec:
  schedule: '0 3 * * *'
  jobTemplate:
    spec:
      template:
        spec:
          restartPolicy: Never
          containers: [{name: a, image: 'alpine/k8s:1.34.1', command: [kubectl, delete, pods, --all]}]
";

const REPOSITORY: (&str, &str) = (".git/HEAD", "ref: refs/heads/main\n");

/// How often the rule is raised in a folder.
fn found(files: &[(&str, &str)]) -> usize {
    findings(files, &[]).iter().filter(|one| one["rule"] == "kubectl-forbidden").count()
}

fn with(path: &str, text: &str) -> usize {
    found(&[REPOSITORY, ("k8s/clean.yaml", JOB), (path, text)])
}

fn binding(subject: &str) -> String {
    format!(
        "apiVersion: rbac.authorization.k8s.io/v1\nkind: RoleBinding\nmetadata: {{name: a}}\n\
         roleRef: {{apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: edit}}\nsubjects:\n  - {subject}\n"
    )
}

#[test]
fn an_account_may_get_its_role_from_anywhere_in_the_repository() {
    assert_eq!(with("README.md", "Deploy it to the default namespace.\n"), 1);
    let script = "kubectl create clusterrolebinding a \\\n  --clusterrole=edit --serviceaccount=shop:default\n";
    for (path, text) in [
        ("deploy.sh", script),
        ("README.md", "    oc adm policy add-role-to-user edit -z default\n"),
        ("main.tf", "resource \"kubernetes_role_binding\" \"a\" {}\n"),
        ("other/rbac.yaml", &*binding("{kind: ServiceAccount, name: default, namespace: shop}")),
        ("other/rbac.yaml", &*binding("{kind: Group, name: 'system:serviceaccounts:shop'}")),
        ("other/rbac.yaml", &*binding("{kind: ServiceAccount, name: \"${ACCOUNT}\"}")),
    ] {
        assert_eq!(with(path, text), 0, "{path}: {text}");
    }
    assert_eq!(with("other/rbac.yaml", &binding("{kind: ServiceAccount, name: shop}")), 1);
}

/// Where the repository ends is not known.
#[test]
fn files_of_no_repository_may_be_bound_by_others() {
    assert_eq!(found(&[("k8s/clean.yaml", JOB)]), 0);
}
