//! No expression takes much time, memory or stack.

use std::time::{Duration, Instant};

use kubernetes_cel::{Budget, Environment, Program, Value, Variables};

use crate::{compile, short};

/// Compiles and evaluates an expression on a small stack. Returns the error, or the outcome.
fn outcome(expression: String) -> String {
    let evaluate = move || {
        let started = Instant::now();
        let outcome = match Program::compile(&expression, &Environment::admission(true)) {
            Err(issues) => format!("refused: {}", issues[0].message),
            Ok(program) => {
                let mut variables = Variables::new();
                variables.set("object", Value::map([("name", Value::from("x".repeat(10_000)))]));
                short(&program.evaluate(&variables, &mut Budget::default()).outcome)
            }
        };
        // Builds without optimisation are slow; none of these needs more than a fraction of this.
        assert!(started.elapsed() < Duration::from_secs(60), "{} s", started.elapsed().as_secs());
        outcome
    };
    std::thread::Builder::new().stack_size(2 << 20).spawn(evaluate).unwrap().join().unwrap()
}

const DEEP: &str = "refused: expression recursion limit exceeded: 250";
const COSTLY: &str = "error: operation cancelled: actual cost limit exceeded";

#[test]
fn nesting() {
    for (open, middle, close) in [
        ("(", "1", ")"),
        ("[", "1", "]"),
        ("size(", "'a'", ")"),
        ("{'a': ", "1", "}"),
        ("true ? ", "1", " : 2"),
        ("[1].map(x, ", "1", ")"),
        ("!(", "true", ")"),
        ("-(", "1", ")"),
        ("", "1", " + 1"),
        ("", "'a'", ".trim()"),
        ("", "object", ".a"),
        ("", "object", "[0]"),
        ("true ? 1 : ", "1", ""),
    ] {
        let text = format!("{}{middle}{}", open.repeat(10_000), close.repeat(10_000));
        let outcome = outcome(text);
        assert!(
            outcome == DEEP || outcome.starts_with("refused: expression code point size"),
            "{open}: {outcome}"
        );
    }
    // Chains of one operator nest no deeper than the API server's, which balances them.
    assert_eq!(outcome(format!("true{}", " && true".repeat(10_000))), "true");
    assert_eq!(outcome(format!("{}true", "!".repeat(50_000))), "true");
}

#[test]
fn sixty_levels_fit_the_stack() {
    // Of a build without optimisation; one with it has room for all 250.
    let text = format!("{}1{} > 0", "size(string(".repeat(30), "))".repeat(30));
    assert_eq!(outcome(text), "true");
    let text = format!("{}true{}", "[1].all(x, ".repeat(60), ")".repeat(60));
    assert_eq!(outcome(text), "true");
}

#[test]
fn length() {
    let refused = "refused: expression code point size exceeds limit: size: 200002, limit 100000";
    assert_eq!(outcome(format!("'{}'", "é".repeat(200_000))), refused);
    assert_eq!(outcome(format!("size('{}')", "é".repeat(99_000))), "99000");
    assert!(outcome(format!("[{}]", "1,".repeat(40_000))).starts_with("list"));
    assert_eq!(outcome(format!("size([{}])", "[],".repeat(30_000))), "30000");
}

#[test]
fn types_that_double() {
    let doubling = ".map(x, {x: x})".repeat(40);
    assert_eq!(outcome(format!("[1]{doubling}")), "refused: type has more than 500 parts");
}

#[test]
fn loops() {
    assert_eq!(outcome("lists.range(1000000000)".to_owned()), COSTLY);
    let nested =
        "lists.range(1000).all(a, lists.range(1000).all(b, lists.range(1000).all(c, true)))";
    assert_eq!(outcome(nested.to_owned()), COSTLY);
    let product = "lists.range(3000).map(a, lists.range(3000).map(b, a * b)).size()";
    assert_eq!(outcome(product.to_owned()), COSTLY);
    // What ends at once costs nothing more.
    assert_eq!(outcome("true || lists.range(1000000000).size() > 0".to_owned()), "true");
    // No operator absorbs that the limit is exceeded.
    assert_eq!(outcome("lists.range(1000000000).size() > 0 || true".to_owned()), COSTLY);
}

#[test]
fn texts() {
    let doubling = "lists.range(40).map(i, object.name.replace('x', object.name))";
    assert_eq!(outcome(doubling.to_owned()), COSTLY);
    assert_eq!(
        outcome("'%.100000f'.format([1.5])".to_owned()),
        "refused: could not parse formatting clause: precision is larger than 1000"
    );
    assert_eq!(
        outcome("quantity('1e999999999').add(quantity('1'))".to_owned()),
        "error: quantities are too far apart"
    );
    assert!(
        outcome("quantity('9e2000000000').isGreaterThan(quantity('1'))".to_owned())
            .contains("true")
    );
}

#[test]
fn regular_expressions() {
    let refused = "refused: invalid matches argument";
    assert_eq!(outcome("object.name.matches('((x{100}){100}){100}')".to_owned()), refused);
    assert_eq!(
        outcome(format!("object.name.matches('{}x{}')", "(".repeat(5000), ")".repeat(5000))),
        refused
    );
    let many = "lists.range(5000).all(i, object.name.matches('x(' + string(i) + ')?'))";
    assert_eq!(outcome(many.to_owned()), COSTLY);
    assert_eq!(outcome("object.name.matches('(x+x+)+y')".to_owned()), "false");
}

#[test]
fn definitions_that_use_each_other() {
    let evaluate = || {
        let mut environment = Environment::admission(false);
        let mut programs = Vec::new();
        for index in 0..3000 {
            let text =
                if index == 0 { "1".to_owned() } else { format!("variables.v{} + 1", index - 1) };
            let program = Program::compile(&text, &environment).unwrap();
            environment.define(&format!("v{index}"), program.output().clone());
            programs.push(program);
        }
        let mut variables = Variables::new();
        for (index, program) in programs.iter().enumerate() {
            variables.define(&format!("v{index}"), program);
        }
        let value = |name: &str| {
            let program = Program::compile(name, &environment).unwrap();
            short(&program.evaluate(&variables, &mut Budget::default()).outcome)
        };
        assert_eq!(value("variables.v20"), "21");
        assert_eq!(value("variables.v2999"), "error: expression recursion limit exceeded");
    };
    std::thread::Builder::new().stack_size(2 << 20).spawn(evaluate).unwrap().join().unwrap();
}

#[test]
fn a_budget_is_spent() {
    let program = compile("lists.range(1000).all(x, x >= 0)");
    let mut budget = Budget::new(9000);
    let variables = Variables::new();
    let first = program.evaluate(&variables, &mut budget);
    assert_eq!(short(&first.outcome), "true");
    assert_eq!(budget.remaining(), 9000 - first.cost);
    let outcome = short(&program.evaluate(&variables, &mut budget).outcome);
    assert_eq!(outcome, format!("error: {}", Budget::EXHAUSTED));
    assert_eq!(budget.remaining(), 0);
}

/// A definition has a limit of its own, and its cost counts once.
#[test]
fn definitions_are_paid_apart() {
    let environment = {
        let mut environment = Environment::admission(false);
        environment.define("long", kubernetes_cel::Type::Bool);
        environment
    };
    let long = "lists.range(300).all(a, lists.range(300).all(b, a + b >= 0))";
    let definition = compile(long);
    let mut variables = Variables::new();
    variables.define("long", &definition);
    let program = Program::compile(&format!("variables.long && {long}"), &environment).unwrap();
    let mut budget = Budget::default();
    let both = program.evaluate(&variables, &mut budget);
    assert_eq!(short(&both.outcome), "true");
    assert!(both.cost > Budget::PER_EXPRESSION, "{}", both.cost);
    let again = program.evaluate(&variables, &mut budget);
    assert!(again.cost < both.cost, "{} {}", again.cost, both.cost);
}
