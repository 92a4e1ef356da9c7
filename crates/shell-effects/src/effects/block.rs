//! The conditions around a call in a program that is passed to an interpreter, by the indentation of its blocks.

/// Conditions that are the same on every run: the module's name, arguments and environment variables.
const CONSTANT: [&str; 6] = ["__name__", "environ", "getenv", "argv", "process.env", "ENV["];

/// Whether the call at `at` is in a block that runs only if a look-up says so, or whose failure is handled.
pub(super) fn is_guarded(program: &str, at: usize) -> bool {
    let start = program[..at].rfind('\n').map_or(0, |end| end + 1);
    let mut depth = indentation(&program[start..]);
    program[..start].lines().rev().any(|line| {
        let own = indentation(line);
        let encloses = own < depth && !line.trim().is_empty();
        if encloses {
            depth = own;
        }
        encloses && is_condition(line.trim())
    })
}

/// Whether a line starts a block that depends on more than constants. The condition of an `else` is above it, so it
/// counts as unknown.
fn is_condition(line: &str) -> bool {
    let line = line.trim_start_matches(['}', ' ']);
    let keyword = line.split(|c: char| !c.is_alphanumeric()).next().unwrap_or_default();
    match keyword {
        "if" | "elif" | "elsif" | "unless" => !CONSTANT.iter().any(|name| line.contains(name)),
        "else" | "try" | "except" | "catch" | "rescue" => true,
        _ => false,
    }
}

fn indentation(line: &str) -> usize {
    line.len() - line.trim_start_matches([' ', '\t']).len()
}
