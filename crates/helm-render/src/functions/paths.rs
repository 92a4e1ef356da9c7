//! Go's `path` package; `path/filepath` behaves the same on Linux.

use go_template::{Executor, FunctionSpec, Value};

use super::args::{BOOL, Outcome, STRING};

pub(super) const SPECS: &[FunctionSpec] = &[
    FunctionSpec::new("base", &[STRING], STRING, |_, a| Ok(Value::from(base(a[0].bytes())))),
    FunctionSpec::new("dir", &[STRING], STRING, |_, a| Ok(Value::from(dir(a[0].bytes())))),
    FunctionSpec::new("clean", &[STRING], STRING, |_, a| Ok(Value::from(clean(a[0].bytes())))),
    FunctionSpec::new("ext", &[STRING], STRING, |_, a| Ok(Value::from(ext(a[0].bytes())))),
    FunctionSpec::new("isAbs", &[STRING], BOOL, is_absolute),
    FunctionSpec::new("osBase", &[STRING], STRING, |_, a| Ok(Value::from(base(a[0].bytes())))),
    FunctionSpec::new("osClean", &[STRING], STRING, |_, a| Ok(Value::from(clean(a[0].bytes())))),
    FunctionSpec::new("osDir", &[STRING], STRING, |_, a| Ok(Value::from(dir(a[0].bytes())))),
    FunctionSpec::new("osExt", &[STRING], STRING, |_, a| Ok(Value::from(ext(a[0].bytes())))),
    FunctionSpec::new("osIsAbs", &[STRING], BOOL, is_absolute),
];

fn is_absolute(_: &mut Executor<'_>, arguments: &[Value]) -> Outcome {
    Ok(Value::from(arguments[0].bytes().starts_with(b"/")))
}

fn base(path: &[u8]) -> Vec<u8> {
    if path.is_empty() {
        return b".".to_vec();
    }
    let Some(last) = path.iter().rposition(|&b| b != b'/') else { return b"/".to_vec() };
    let path = &path[..=last];
    let start = memchr::memrchr(b'/', path).map_or(0, |at| at + 1);
    path[start..].to_vec()
}

fn dir(path: &[u8]) -> Vec<u8> {
    clean(&path[..memchr::memrchr(b'/', path).map_or(0, |at| at + 1)])
}

fn ext(path: &[u8]) -> Vec<u8> {
    let start = memchr::memrchr2(b'/', b'.', path).filter(|&at| path[at] == b'.');
    start.map_or(Vec::new(), |at| path[at..].to_vec())
}

fn clean(path: &[u8]) -> Vec<u8> {
    let is_rooted = path.starts_with(b"/");
    let mut parts: Vec<&[u8]> = Vec::new();
    for part in path.split(|&b| b == b'/') {
        match part {
            b"" | b"." => {}
            b".." if parts.last().is_some_and(|last| *last != b"..") => {
                parts.pop();
            }
            b".." if is_rooted => {}
            _ => parts.push(part),
        }
    }
    let joined = parts.join(&b'/');
    match (is_rooted, joined.is_empty()) {
        (true, _) => [b"/", &joined[..]].concat(),
        (false, true) => b".".to_vec(),
        (false, false) => joined,
    }
}
