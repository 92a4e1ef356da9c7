//! Random functions: placeholders of the right form and length, reproducible by seed.

use std::hash::{DefaultHasher, Hash, Hasher};

use go_template::{Data, Executor, FunctionSpec, Value};

use super::{
    args::{INT, Outcome, STRING, failure, int, str},
    host::{Host, host, root_taint},
};
use crate::encoding::base64;

pub(super) const SPECS: &[FunctionSpec] = &[
    FunctionSpec::new("randAlphaNum", &[INT], STRING, |context, a| {
        text(context, "randAlphaNum", a, u8::is_ascii_alphanumeric)
    }),
    FunctionSpec::new("randAlpha", &[INT], STRING, |context, a| {
        text(context, "randAlpha", a, u8::is_ascii_alphabetic)
    }),
    FunctionSpec::new("randAscii", &[INT], STRING, |context, a| {
        text(context, "randAscii", a, |byte| (b' '..=b'~').contains(byte))
    }),
    FunctionSpec::new("randNumeric", &[INT], STRING, |context, a| {
        text(context, "randNumeric", a, u8::is_ascii_digit)
    }),
    FunctionSpec::new("randInt", &[INT, INT], INT, rand_int),
    FunctionSpec::new("randBytes", &[INT], STRING, rand_bytes),
    FunctionSpec::new("shuffle", &[STRING], STRING, shuffle),
    FunctionSpec::new("uuidv4", &[], STRING, uuid),
    FunctionSpec::new("bcrypt", &[STRING], STRING, |context, a| {
        let hash = bcrypt(context, a);
        Ok(marked(context, hash))
    }),
    FunctionSpec::new("htpasswd", &[STRING, STRING], STRING, htpasswd),
];

/// A pseudo-random stream (splitmix64).
pub(super) struct Stream(u64);

impl Stream {
    /// The stream of one call.
    ///
    /// It depends on the seed, the arguments, the position of the call, and how often the function
    /// was called there with these arguments, so that other calls do not change it.
    pub(super) fn new(context: &mut Executor<'_>, function: &str, arguments: &[Value]) -> Self {
        let mut hasher = DefaultHasher::new();
        context.tracker.site().hash(&mut hasher);
        function.hash(&mut hasher);
        arguments.iter().for_each(|argument| hash(argument, &mut hasher));
        let call = hasher.finish();
        let host = host(context);
        let count = host.draws.entry(call).or_default();
        *count += 1;
        let start = call ^ host.seed.wrapping_mul(0xd6e8_feb8_6659_fd93);
        let mut stream = Self(start.wrapping_add(*count));
        stream.0 = stream.next();
        stream
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number below `limit`, which must not be 0.
    pub(super) fn below(&mut self, limit: u64) -> u64 {
        self.next() % limit
    }

    pub(super) fn bytes(&mut self, len: usize) -> Vec<u8> {
        (0..len).map(|_| self.next() as u8).collect()
    }

    fn pick(&mut self, alphabet: &[u8], len: usize) -> String {
        let symbol = |stream: &mut Self| alphabet[stream.below(alphabet.len() as u64) as usize];
        (0..len).map(|_| char::from(symbol(self))).collect()
    }
}

/// Hashes what the result of a random function can depend on: texts, numbers, lists of them,
/// certificates.
fn hash(value: &Value, hasher: &mut DefaultHasher) {
    value.bytes().hash(hasher);
    value.as_int().hash(hasher);
    match value.data() {
        Data::List(list) => list.items().iter().for_each(|item| item.bytes().hash(hasher)),
        Data::Object(object) => {
            object.fields().iter().for_each(|(_, field)| field.bytes().hash(hasher));
        }
        _ => {}
    }
}

/// A result that depends on the seed.
pub(super) fn marked(context: &mut Executor<'_>, text: impl Into<Value>) -> Value {
    let taint = root_taint(&mut context.tracker, Host::RANDOM);
    text.into().with_taint(taint)
}

fn text(
    context: &mut Executor<'_>,
    function: &str,
    arguments: &[Value],
    is_allowed: fn(&u8) -> bool,
) -> Outcome {
    let len = usize::try_from(int(&arguments[0])).unwrap_or(0);
    context.check_size(len)?;
    let alphabet: Vec<u8> = (0..=127).filter(is_allowed).collect();
    let text = Stream::new(context, function, arguments).pick(&alphabet, len);
    Ok(marked(context, text))
}

fn rand_int(context: &mut Executor<'_>, arguments: &[Value]) -> Outcome {
    let (low, high) = (int(&arguments[0]), int(&arguments[1]));
    let Ok(width @ 1..) = u64::try_from(high.wrapping_sub(low)) else {
        return failure("invalid argument to Intn");
    };
    let drawn = Stream::new(context, "randInt", arguments).below(width);
    Ok(marked(context, Value::int(low.wrapping_add(drawn as i64))))
}

fn rand_bytes(context: &mut Executor<'_>, arguments: &[Value]) -> Outcome {
    let Ok(len) = usize::try_from(int(&arguments[0])) else {
        return failure("runtime error: makeslice: len out of range");
    };
    context.check_size(len)?;
    let bytes = Stream::new(context, "randBytes", arguments).bytes(len);
    Ok(marked(context, base64(&bytes)))
}

fn shuffle(context: &mut Executor<'_>, arguments: &[Value]) -> Outcome {
    let mut chars: Vec<char> = str(&arguments[0]).chars().collect();
    context.allocate(chars.len() * size_of::<char>())?;
    let mut stream = Stream::new(context, "shuffle", arguments);
    for i in (1..chars.len()).rev() {
        chars.swap(i, stream.below(i as u64 + 1) as usize);
    }
    Ok(marked(context, String::from_iter(chars)))
}

fn uuid(context: &mut Executor<'_>, arguments: &[Value]) -> Outcome {
    let mut bytes = Stream::new(context, "uuidv4", arguments).bytes(16);
    bytes[6] = bytes[6] & 0x0f | 0x40;
    bytes[8] = bytes[8] & 0x3f | 0x80;
    let hex = crate::encoding::hex(&bytes);
    let parts = [&hex[..8], &hex[8..12], &hex[12..16], &hex[16..20], &hex[20..]];
    Ok(marked(context, parts.join("-")))
}

/// `bcrypt`: a text of the form of a bcrypt hash with cost 10.
fn bcrypt(context: &mut Executor<'_>, arguments: &[Value]) -> String {
    const ALPHABET: &[u8] = b"./ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
    const MAX_LEN: usize = 72;
    if arguments.last().is_some_and(|password| password.bytes().len() > MAX_LEN) {
        let problem = "bcrypt: password length exceeds 72 bytes";
        return format!("failed to encrypt string with bcrypt: {problem}");
    }
    let hash = Stream::new(context, "bcrypt", arguments).pick(ALPHABET, 53);
    format!("$2a$10${hash}")
}

fn htpasswd(context: &mut Executor<'_>, arguments: &[Value]) -> Outcome {
    let user = str(&arguments[0]);
    if user.contains(':') {
        return Ok(Value::from(format!("invalid username: {user}")));
    }
    let hash = bcrypt(context, arguments);
    Ok(marked(context, format!("{user}:{hash}")))
}
