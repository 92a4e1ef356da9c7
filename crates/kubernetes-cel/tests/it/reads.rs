//! An evaluation says which parts of the object decided its outcome.

use kubernetes_cel::{Budget, Environment, Program, Variables};

use crate::{evaluate, json, short};

const JOB: &str = r#"{
    "metadata": {"name": "import", "labels": {"team": "data"}},
    "spec": {
        "ttl": 5,
        "containers": [
            {"name": "main", "image": "quay.io/a:1", "env": [{"name": "A"}]},
            {"name": "side", "image": "docker.io/b"}
        ]
    }
}"#;

/// The outcome, and the reads as `object.a.b`, with a bar after the last part that is there.
fn reads(expression: &str) -> String {
    let evaluated = evaluate(expression, JOB);
    let reads = evaluated.reads.iter().map(|read| {
        let missing = read.steps.len() - read.present;
        if missing == 0 { read.to_string() } else { format!("{read} (-{missing})") }
    });
    format!("{} <- {}", short(&evaluated.outcome), reads.collect::<Vec<_>>().join(", "))
}

#[test]
fn fields() {
    assert_eq!(reads("object.spec.ttl <= 3"), "false <- object.spec.ttl");
    assert_eq!(
        reads("object.metadata.labels['team'] == 'shop'"),
        "false <- object.metadata.labels.team"
    );
    assert_eq!(
        reads("object.spec.containers[1].image"),
        "docker.io/b <- object.spec.containers[1].image"
    );
    assert_eq!(reads("1 == 2"), "false <- ");
}

#[test]
fn missing_fields() {
    assert_eq!(reads("has(object.spec.deadline)"), "false <- object.spec.deadline (-1)");
    assert_eq!(
        reads("object.spec.deadline.x"),
        "error: no such key: deadline <- object.spec.deadline (-1)"
    );
    assert_eq!(
        reads("object.spec.containers[5].x"),
        "error: index out of bounds: 5 <- object.spec.containers[5] (-1)"
    );
    assert_eq!(reads("object.spec.?deadline.orValue(0) > 0"), "false <- object.spec.deadline (-1)");
    assert_eq!(reads("object.spec.?ttl.orValue(0) > 9"), "false <- object.spec.ttl");
}

#[test]
fn only_the_operand_that_decides() {
    assert_eq!(
        reads("object.metadata.name != '' && object.spec.ttl < 3"),
        "false <- object.spec.ttl"
    );
    assert_eq!(
        reads("object.spec.ttl < 3 && object.metadata.name != ''"),
        "false <- object.spec.ttl"
    );
    assert_eq!(
        reads("object.spec.ttl < 3 || object.metadata.name == ''"),
        "false <- object.spec.ttl, object.metadata.name"
    );
    assert_eq!(
        reads("object.spec.ttl < 3 || object.metadata.name != ''"),
        "true <- object.metadata.name"
    );
    assert_eq!(reads("object.nothing == 1 && object.spec.ttl < 3"), "false <- object.spec.ttl");
    assert_eq!(
        reads("object.spec.ttl > 3 ? object.metadata.name == '' : true"),
        "false <- object.spec.ttl, object.metadata.name"
    );
}

#[test]
fn only_the_item_that_decides() {
    assert_eq!(
        reads("object.spec.containers.all(c, c.image.startsWith('quay.io/'))"),
        "false <- object.spec.containers[1].image"
    );
    assert_eq!(
        reads("object.spec.containers.all(c, has(c.env))"),
        "false <- object.spec.containers[1].env (-1)"
    );
    assert_eq!(
        reads("object.spec.containers.exists(c, c.name == 'x')"),
        "false <- object.spec.containers"
    );
    assert_eq!(
        reads("!object.spec.containers.exists(c, c.name == 'side')"),
        "false <- object.spec.containers[1].name"
    );
    assert_eq!(
        reads("object.spec.containers.filter(c, c.image.startsWith('docker.io/')).size() == 0"),
        "false <- object.spec.containers[1].image"
    );
    assert_eq!(
        reads("object.spec.containers.filter(c, c.name == 'x').size() == 1"),
        "false <- object.spec.containers"
    );
    assert_eq!(
        reads("object.metadata.labels.all(k, v, k != 'team')"),
        "false <- object.metadata.labels.team"
    );
    assert_eq!(
        reads("object.spec.containers.map(c, c.name).join(',')"),
        "main,side <- object.spec.containers[0].name, object.spec.containers[1].name"
    );
}

#[test]
fn definitions_are_read_through() {
    let mut environment = Environment::admission(false);
    let containers = Program::compile("object.spec.containers", &environment).unwrap();
    environment.define("containers", containers.output().clone());
    let first = Program::compile("variables.containers[0]", &environment).unwrap();
    environment.define("first", first.output().clone());
    let mut variables = Variables::new();
    variables.set("object", json(JOB));
    variables.define("containers", &containers);
    variables.define("first", &first);
    for expression in ["variables.first.image == ''", "variables.containers.all(c, c.image == '')"]
    {
        let program = Program::compile(expression, &environment).unwrap();
        // The second time, the value of the definition is known.
        for _ in 0..2 {
            let evaluated = program.evaluate(&variables, &mut Budget::default());
            assert_eq!(short(&evaluated.outcome), "false");
            let reads: Vec<_> = evaluated.reads.iter().map(ToString::to_string).collect();
            assert_eq!(reads, ["object.spec.containers[0].image"], "{expression}");
        }
    }
}

#[test]
fn definitions_that_fail_do_no_harm_until_they_are_read() {
    let mut environment = Environment::admission(false);
    let broken = Program::compile("object.nothing", &environment).unwrap();
    environment.define("broken", broken.output().clone());
    let mut variables = Variables::new();
    variables.set("object", json(JOB));
    variables.define("broken", &broken);
    let outcome = |expression: &str| {
        let program = Program::compile(expression, &environment).unwrap();
        short(&program.evaluate(&variables, &mut Budget::default()).outcome)
    };
    assert_eq!(outcome("true || variables.broken == 1"), "true");
    assert_eq!(outcome("has(variables.broken)"), "true");
    assert_eq!(outcome("variables.broken == 1"), "error: no such key: nothing");
}
