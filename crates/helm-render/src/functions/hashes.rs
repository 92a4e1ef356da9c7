//! Hashes and encodings of bytes. All inputs flow into the whole result.

use go_template::{Executor, FunctionSpec, Value};
use sha1::Sha1;
use sha2::{Digest, Sha256, Sha512};

use super::args::{Outcome, STRING, room};
use crate::encoding::{base32, base64, from_base32, from_base64, hex};

pub(super) const SPECS: &[FunctionSpec] = &[
    FunctionSpec::new("sha1sum", &[STRING], STRING, |_, a| Ok(hash::<Sha1>(&a[0]))),
    FunctionSpec::new("sha256sum", &[STRING], STRING, |_, a| Ok(hash::<Sha256>(&a[0]))),
    FunctionSpec::new("sha512sum", &[STRING], STRING, |_, a| Ok(hash::<Sha512>(&a[0]))),
    FunctionSpec::new("adler32sum", &[STRING], STRING, adler32),
    FunctionSpec::new("b64enc", &[STRING], STRING, |c, a| encode(c, a, base64)),
    FunctionSpec::new("b64dec", &[STRING], STRING, |_, a| Ok(decode(a, from_base64))),
    FunctionSpec::new("b32enc", &[STRING], STRING, |c, a| encode(c, a, base32)),
    FunctionSpec::new("b32dec", &[STRING], STRING, |_, a| Ok(decode(a, from_base32))),
];

fn hash<D: Digest>(value: &Value) -> Value {
    Value::from(hex(&D::digest(value.bytes())))
}

fn adler32(_: &mut Executor<'_>, arguments: &[Value]) -> Outcome {
    const MODULUS: u32 = 65_521;
    let (mut a, mut b) = (1_u32, 0_u32);
    for &byte in arguments[0].bytes() {
        a = (a + u32::from(byte)) % MODULUS;
        b = (b + a) % MODULUS;
    }
    Ok(Value::from((b << 16 | a).to_string()))
}

fn encode(context: &mut Executor<'_>, arguments: &[Value], encode: fn(&[u8]) -> String) -> Outcome {
    room(context, arguments[0].bytes().len(), 2)?;
    Ok(Value::from(encode(arguments[0].bytes())))
}

/// Decodes a text; an error's message becomes the result.
fn decode(arguments: &[Value], decode: fn(&[u8]) -> Result<Vec<u8>, String>) -> Value {
    decode(arguments[0].bytes()).map_or_else(Value::from, Value::from)
}
