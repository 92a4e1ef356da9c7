//! The ways in which a secret gets into the files that joblint reads.

pub(super) const CHART: &str = "apiVersion: v2\nname: shop\nversion: 0.1.0\n";

/// A chart whose Job repeats a value in its name, labels, image and arguments.
pub(super) const TEMPLATE: &str = "apiVersion: batch/v1
kind: Job
metadata:
  name: init-{{ .Chart.Version }}-{{ .Values.x.password | lower }}
spec:
  template:
    spec:
      restartPolicy: Always
      containers: [{name: a, image: 'app:{{ .Values.x.password }}'}]
---
apiVersion: batch/v1
kind: Job
metadata:
  name: fixed
  labels: {v: '{{ .Values.x.password }}'}
spec:
  template:
    spec:
      restartPolicy: Never
      containers:
        - name: a
          image: 'app:{{ .Chart.Version }}-{{ .Values.x.password }}'
          args: ['{{ .Chart.Version }}-{{ .Values.x.password | b64enc }}']
";

/// A Job that repeats the canary in places that do not look secret.
pub(super) const JOB: &str = "apiVersion: batch/v1
kind: Job
metadata:
  name: init-kanarie7vogel
  labels: {v: 0.1.0-Kanarie7Vogel} # was Kanarie7Vogel
spec:
  template:
    spec:
      restartPolicy: Always
      containers: [{name: a, image: 'app:Kanarie7Vogel', args: [S2FuYXJpZTdWb2dlbA==]}]
";

/// A way in: the files, the flags, and an excerpt of the output that shows where the canary was.
pub(super) struct Way {
    pub(super) name: &'static str,
    pub(super) files: Vec<(&'static str, String)>,
    pub(super) flags: &'static [&'static str],
    pub(super) shown: &'static str,
}

fn chart(values: &str, more: &[(&'static str, &str)]) -> Vec<(&'static str, String)> {
    let own = [("Chart.yaml", CHART), ("values.yaml", values), ("templates/job.yaml", TEMPLATE)];
    let more = more.iter().map(|(path, text)| (*path, (*text).to_owned()));
    own.into_iter().map(|(path, text)| (path, text.to_owned())).chain(more).collect()
}

/// The Job and the file of the secret.
fn beside(path: &'static str, text: &str) -> Vec<(&'static str, String)> {
    vec![("job.yaml", JOB.to_owned()), (path, text.to_owned())]
}

pub(super) fn failing(template: &str) -> Vec<(&'static str, String)> {
    // A failure without a Job would be a remark.
    let template = format!("kind: Job\n{template}");
    chart("x: {password: Kanarie7Vogel}\n", &[("templates/fail.yaml", &template)])
}

pub(super) fn ways() -> Vec<Way> {
    let way = |name, files, flags, shown| Way { name, files, flags, shown };
    vec![
        way("values.yaml", chart("x: {password: Kanarie7Vogel}\n", &[]), &[], "app:0.1.0-***"),
        way(
            "a quoted value",
            chart("x: {password: \"Kanarie7Vogel\"}\n", &[]),
            &[],
            "app:0.1.0-***",
        ),
        way(
            "an anchor",
            chart("a: &a Kanarie7Vogel\nx: {password: *a}\n", &[]),
            &[],
            "app:0.1.0-***",
        ),
        way(
            "a value under a secret key",
            chart("x: {password: Kanarie7Vogel}\ncredentials: {main: Kanarie7Vogel}\n", &[]),
            &[],
            "app:0.1.0-***",
        ),
        way(
            "values of ci/",
            chart("x: {}\n", &[("ci/a-values.yaml", "x: {password: Kanarie7Vogel}\n")]),
            &[],
            "0.1.0-***",
        ),
        way(
            "-f",
            chart("x: {password: x}\n", &[("prod.txt", "x: {password: Kanarie7Vogel}\n")]),
            &["-f", "prod.txt"],
            "app:0.1.0-***",
        ),
        way("--set", chart("", &[]), &["--set", "x.password=Kanarie7Vogel"], "app:0.1.0-***"),
        way(
            "--set-json",
            chart("", &[]),
            &["--set-json", "x={\"password\":\"Kanarie7Vogel\"}"],
            "app:0.1.0-***",
        ),
        way(
            "--set-file",
            chart("", &[("secret.txt", "Kanarie7Vogel")]),
            &["--set-file", "x.password=secret.txt"],
            "app:0.1.0-***",
        ),
        way(
            "a bad --set",
            chart("x: {password: x}\n", &[]),
            &["--set", "x.password=Kanarie7Vogel,Kanarie7Vogel"],
            "key \"***\" has no value",
        ),
        way(
            "the text of fail",
            failing("{{ fail (printf \"bad %s\" .Values.x.password) }}\n"),
            &["--set", "a=b"],
            "bad ***",
        ),
        way(
            "the text of fail, quoted and in base64",
            failing(
                "{{ fail (printf \"bad %q %s\" .Values.x.password (b64enc .Values.x.password)) }}\n",
            ),
            &["--set", "a=b"],
            "bad \"***\" ***",
        ),
        way(
            "a Secret",
            beside(
                "db.yaml",
                "apiVersion: v1\nkind: Secret\nmetadata: {name: db}\nstringData: {user: Kanarie7Vogel}\n",
            ),
            &[],
            "init-***",
        ),
        way(
            "a Secret in base64",
            beside(
                "db.yaml",
                "apiVersion: v1\nkind: Secret\nmetadata: {name: db}\ndata: {user: S2FuYXJpZTdWb2dlbA==}\n",
            ),
            &[],
            "init-***",
        ),
        way(
            "a Secret in JSON",
            beside(
                "db.json",
                "{\"apiVersion\": \"v1\", \"kind\": \"Secret\", \"stringData\": {\"user\": \"Kanarie7Vogel\"}}",
            ),
            &[],
            "init-***",
        ),
        way(
            "a Secret with a tagged kind",
            beside(
                "db.yaml",
                "apiVersion: v1\nkind: !!str Secret\nmetadata: {name: db}\nstringData: {user: Kanarie7Vogel}\n",
            ),
            &[],
            "init-***",
        ),
        way(
            "a typed list of Secrets",
            beside(
                "db.yaml",
                "apiVersion: v1\nkind: SecretList\nitems: [{stringData: {user: Kanarie7Vogel}}]\n",
            ),
            &[],
            "init-***",
        ),
        way(
            "a broken Secret",
            beside(
                "db.yaml",
                "apiVersion: v1\nkind: Secret\nstringData:\n  user: [Kanarie7Vogel\n  b: Kanarie7Vogel\n",
            ),
            &[],
            "init-***",
        ),
        way(
            "a broken Secret in JSON",
            beside(
                "db.json",
                "{\"kind\": \"Secret\",\n\"stringData\": {\"user\": \"Kanarie7Vogel\"},\n\"x\": [}",
            ),
            &[],
            "init-***",
        ),
        way(
            "a broken Secret in flow style",
            beside(
                "db.yaml",
                "{apiVersion: v1, kind: Secret,\nstringData: {user: Kanarie7Vogel, b: [\n",
            ),
            &[],
            "init-***",
        ),
        way(
            "a broken Secret with a tagged kind",
            beside(
                "db.yaml",
                "apiVersion: v1\nkind: !!str \"Secret\" # x\nstringData:\n  user: [Kanarie7Vogel\n",
            ),
            &[],
            "init-***",
        ),
        way(
            "the configuration of a registry in a Secret",
            beside(
                "db.yaml",
                // {"auths":{"r":{"username":"u","password":"Kanarie7Vogel"}}}
                "apiVersion: v1\nkind: Secret\nmetadata: {name: r}\ntype: kubernetes.io/dockerconfigjson\ndata:\n  \
                 .dockerconfigjson: eyJhdXRocyI6eyJyIjp7InVzZXJuYW1lIjoidSIsInBhc3N3b3JkIjoiS2FuYXJpZTdWb2dlbCJ9fX0=\n",
            ),
            &[],
            "init-***",
        ),
        way(
            "a variable of another Job",
            beside(
                "other.yaml",
                "apiVersion: batch/v1\nkind: Job\nmetadata: {name: other}\nspec: {template: {spec: {restartPolicy: Always, \
                 containers: [{name: a, image: 'a:1', env: [{name: DB_PASSWORD, value: Kanarie7Vogel}]}]}}}\n",
            ),
            &[],
            "init-***",
        ),
        way(
            "a generator of Secrets",
            beside(
                "kustomization.yaml",
                "resources: [job.yaml]\nsecretGenerator: [{name: a, literals: [u=Kanarie7Vogel]}]\n",
            ),
            &[],
            "init-***",
        ),
    ]
}
