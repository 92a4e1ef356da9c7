//! Bodies between dollar signs, as PostgreSQL gets them from a container: played, and compared with what joblint says.
//!
//! Each script was given to `sh -ec` (dash 0.5.12), with psql and PostgreSQL 15.18. A script of a command line was given before that to
//! `Expand` of `k8s.io/kubernetes/third_party/forked/golang/expansion` 1.34.0, as the kubelet does with `command` and `args`.

use super::support::findings;

/// Scripts of a command line, and what `psql` said of the body.
const OF_COMMAND: [(&str, &str); 9] = [
    ("psql <<'SQL'\nDO $$ BEGIN PERFORM 1; END $$;\nSQL", "syntax error at or near \"$\""),
    ("psql <<'SQL'\nDO \\$\\$ BEGIN PERFORM 1; END \\$\\$;\nSQL", "invalid command \\$"),
    ("psql <<SQL\nDO \\$\\$ BEGIN PERFORM 1; END \\$\\$;\nSQL", "DO"),
    ("psql -c \"DO \\$\\$ BEGIN PERFORM 1; END \\$\\$;\"", "DO"),
    ("psql -c 'DO $$ BEGIN PERFORM 1; END $$;'", "syntax error at or near \"$\""),
    ("psql <<'SQL'\nDO $body$ BEGIN PERFORM 1; END $body$;\nSQL", "DO"),
    ("psql <<'SQL'\nDO $$$$ BEGIN PERFORM 1; END $$$$;\nSQL", "DO"),
    ("psql <<SQL\nDO $$$$ BEGIN PERFORM 1; END $$$$;\nSQL", "syntax error at or near \"15052\""),
    ("psql -c \"DO $$ BEGIN PERFORM 1; END $$;\"", "syntax error at or near \"$\""),
];

/// The same of a ConfigMap, in which Kubernetes changes nothing.
const OF_FILE: [(&str, &str); 6] = [
    ("psql <<SQL\nDO $$ BEGIN PERFORM 1; END $$;\nSQL", "syntax error at or near \"4886\""),
    ("psql <<'SQL'\nDO $$ BEGIN PERFORM 1; END $$;\nSQL", "DO"),
    ("psql <<'SQL'\nDO \\$\\$ BEGIN PERFORM 1; END \\$\\$;\nSQL", "invalid command \\$"),
    ("psql -c \"DO $$ BEGIN PERFORM 1; END $$;\"", "syntax error at or near \"4901\""),
    ("echo \"DO $$ BEGIN PERFORM 1; END $$;\" | psql", "syntax error at or near \"4910\""),
    ("sql='DO $$ BEGIN PERFORM 1; END $$;'\npsql -c \"$sql\"", "DO"),
];

/// The number of findings about a script, in a Job or in a ConfigMap that it mounts.
fn count(script: &str, is_file: bool) -> usize {
    let script = script.replace("psql", "psql -v ON_ERROR_STOP=1").replace('\n', "\n    ");
    let command = match is_file {
        true => "[sh, -e, /scripts/run.sh]",
        false => &format!("\n  - sh\n  - -ec\n  - |\n    {script}"),
    };
    let command = command.replace('\n', "\n          ");
    let job = format!(
        "apiVersion: batch/v1
kind: Job
metadata: {{name: grants}}
spec:
  template:
    spec:
      restartPolicy: Never
      containers:
        - name: grants
          image: postgres:17.6
          volumeMounts: [{{name: scripts, mountPath: /scripts}}]
          command: {command}
      volumes: [{{name: scripts, configMap: {{name: scripts}}}}]
---
apiVersion: v1
kind: ConfigMap
metadata: {{name: scripts}}
data:
  run.sh: |
    {}
",
        if is_file { script.as_str() } else { "true" }
    );
    findings(&[("job.yaml", &job)], &["--select", "broken-dollar-quotes"]).len()
}

#[test]
fn what_postgresql_refuses_is_reported() {
    for (scripts, is_file) in [(&OF_COMMAND[..], false), (&OF_FILE[..], true)] {
        for (script, answer) in scripts {
            let expected = usize::from(*answer != "DO");
            assert_eq!(count(script, is_file), expected, "{script}: {answer}");
        }
    }
}
