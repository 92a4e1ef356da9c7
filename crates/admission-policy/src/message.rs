//! The message of a validation that is not met.

use kubernetes_cel::{Budget, Outcome, Value, Variables};

use crate::policy::Validation;

/// The longest message of an expression, in bytes.
const LONGEST: usize = 5 * 1024;

impl Validation {
    /// The message, and whether it is the real one: the expression of the message may need what only a cluster knows.
    pub(crate) fn message(&self, variables: &Variables<'_>, budget: &mut Budget) -> (String, bool) {
        let Some(expression) = &self.message_expression else { return (self.fallback(), true) };
        match expression.program.evaluate(variables, budget).outcome {
            Outcome::Value(Value::String(text)) if is_fit(&text) => (text.trim().to_owned(), true),
            Outcome::Unknown(_) => (self.fallback(), false),
            _ => (self.fallback(), true),
        }
    }

    fn fallback(&self) -> String {
        match self.message.as_deref().map(str::trim).filter(|text| !text.is_empty()) {
            Some(text) => text.to_owned(),
            None => format!("failed expression: {}", self.expression.text()),
        }
    }
}

fn is_fit(text: &str) -> bool {
    let text = text.trim();
    !text.is_empty() && text.len() <= LONGEST && !text.contains('\n')
}
