//! Go's `fmt.Sprint`, `fmt.Sprintln` and `fmt.Sprintf`. The pieces of string arguments keep their origin.

mod float;
mod number;
mod printer;
mod values;
mod verbs;

pub use float::format_float;

use self::printer::Printer;
use crate::error::FuncError;
use crate::text::Text;
use crate::tracker::Tracker;
use crate::value::{Data, Object, Value};

/// The value as `%v` prints it (`fmt.Sprint(value)`). Returns a string as it is.
///
/// # Errors
///
/// The value is nested too deeply, contains itself, or its text is larger than 16 MiB.
pub fn sprint(tracker: &mut Tracker, value: &Value) -> Result<Text, FuncError> {
    if let Data::String(text) = value.data() {
        return Ok(text.clone());
    }
    let mut printer = Printer::new(tracker);
    printer.print_argument(value, 'v');
    printer.finish().map(into_text)
}

/// The fields of a struct or of the struct behind a pointer, ignoring its `String` method.
pub(crate) fn sprint_fields(tracker: &mut Tracker, object: &dyn Object) -> Result<Text, FuncError> {
    let mut printer = Printer::new(tracker);
    printer.print_fields(object, 'v');
    printer.finish().map(into_text)
}

/// `fmt.Sprint`: spaces between operands when neither is a string.
pub(crate) fn sprint_all(tracker: &mut Tracker, values: &[Value]) -> Result<Value, FuncError> {
    let mut printer = Printer::new(tracker);
    let mut after_string = true;
    for value in values {
        let is_string = value.as_text().is_some();
        if !is_string && !after_string {
            printer.put(" ");
        }
        printer.print_argument(value, 'v');
        after_string = is_string;
    }
    printer.finish()
}

/// `fmt.Sprintln`: spaces between operands, and a newline.
pub(crate) fn sprintln(tracker: &mut Tracker, values: &[Value]) -> Result<Value, FuncError> {
    let mut printer = Printer::new(tracker);
    for (i, value) in values.iter().enumerate() {
        printer.put(if i > 0 { " " } else { "" });
        printer.print_argument(value, 'v');
    }
    printer.put("\n");
    printer.finish()
}

/// `fmt.Sprintf`; `format` must be a string.
pub(crate) fn sprintf(
    tracker: &mut Tracker,
    format: &Value,
    arguments: &[Value],
) -> Result<Value, FuncError> {
    let mut printer = Printer::new(tracker);
    verbs::print_formatted(&mut printer, format, arguments);
    printer.finish()
}

fn into_text(value: Value) -> Text {
    match value.into_data() {
        Data::String(text) => text,
        _ => Text::from(""),
    }
}
