//! Keys, certificates, passwords and AES. Keys and certificates are placeholders in PEM; the rest
//! is real.

use std::cell::RefCell;

use aes::{
    Aes256,
    cipher::{Block, BlockCipherDecrypt, BlockCipherEncrypt, KeyInit},
};
use go_template::{Data, Executor, FuncError, FunctionSpec, Type, Value};
use hmac::{Hmac, Mac};
use sha2::Sha256;

use super::{
    args::{ANY, INT, LIST, Outcome, STRING, failure, sprint, str},
    host::host,
    random::{Stream, marked},
};
use crate::{
    encoding::{base64, from_base64},
    go_objects::{CERTIFICATE, Certificate},
};

const UINT32: &Type = &Type::UINT32;
const CERT: &Type = &CERTIFICATE;

pub(super) const SPECS: &[FunctionSpec] = &[
    FunctionSpec::new("genPrivateKey", &[STRING], STRING, private_key),
    FunctionSpec::new(
        "derivePassword",
        &[UINT32, STRING, STRING, STRING, STRING],
        STRING,
        derive_password,
    ),
    FunctionSpec::new("buildCustomCert", &[STRING, STRING], ANY, custom_certificate).own_taint(),
    FunctionSpec::new("genCA", &[STRING, INT], ANY, |c, a| certificate(c, "genCA", a, None)),
    FunctionSpec::new("genCAWithKey", &[STRING, INT, STRING], ANY, |c, a| {
        check_key(&a[2])?;
        certificate(c, "genCAWithKey", a, Some(&a[2]))
    }),
    FunctionSpec::new("genSelfSignedCert", &[STRING, LIST, LIST, INT], ANY, |c, a| {
        check_names(c, &a[1], &a[2])?;
        certificate(c, "genSelfSignedCert", a, None)
    }),
    FunctionSpec::new(
        "genSelfSignedCertWithKey",
        &[STRING, LIST, LIST, INT, STRING],
        ANY,
        |c, a| {
            check_key(&a[4])?;
            check_names(c, &a[1], &a[2])?;
            certificate(c, "genSelfSignedCertWithKey", a, Some(&a[4]))
        },
    ),
    FunctionSpec::new("genSignedCert", &[STRING, LIST, LIST, INT, CERT], ANY, |c, a| {
        check_names(c, &a[1], &a[2])?;
        certificate(c, "genSignedCert", a, None)
    }),
    FunctionSpec::new(
        "genSignedCertWithKey",
        &[STRING, LIST, LIST, INT, CERT, STRING],
        ANY,
        |c, a| {
            check_key(&a[5])?;
            check_names(c, &a[1], &a[2])?;
            certificate(c, "genSignedCertWithKey", a, Some(&a[5]))
        },
    ),
    FunctionSpec::new("encryptAES", &[STRING, STRING], STRING, encrypt),
    FunctionSpec::new("decryptAES", &[STRING, STRING], STRING, decrypt),
];

/// Key types with the PEM type and the length of the DER data of Go's keys.
const KEYS: [(&str, &str, usize); 5] = [
    ("", "RSA PRIVATE KEY", 2349),
    ("rsa", "RSA PRIVATE KEY", 2349),
    ("dsa", "DSA PRIVATE KEY", 858),
    ("ecdsa", "EC PRIVATE KEY", 121),
    ("ed25519", "PRIVATE KEY", 48),
];
const RSA_2048: usize = 1192;
const CERTIFICATE_LEN: usize = 800;
/// Steps that stand for the time of making a certificate and its key.
const CERTIFICATE_STEPS: u64 = 500;

/// A PEM block of `len` pseudo-random bytes that starts like an ASN.1 sequence.
fn pem(stream: &mut Stream, kind: &str, len: usize) -> String {
    let mut der = match len {
        ..132 => vec![0x30, len as u8 - 2],
        132..260 => vec![0x30, 0x81, (len - 3) as u8],
        _ => {
            let [high, low] = ((len - 4) as u16).to_be_bytes();
            vec![0x30, 0x82, high, low]
        }
    };
    der.extend(stream.bytes(len - der.len()));
    let text = base64(&der);
    let mut pem = format!("-----BEGIN {kind}-----\n");
    for start in (0..text.len()).step_by(64) {
        pem.push_str(&text[start..text.len().min(start + 64)]);
        pem.push('\n');
    }
    pem + &format!("-----END {kind}-----\n")
}

fn private_key(context: &mut Executor<'_>, arguments: &[Value]) -> Outcome {
    let name = str(&arguments[0]);
    let Some((_, kind, len)) = KEYS.iter().find(|(known, ..)| *known == name) else {
        return Ok(Value::from(format!("Unknown type {name}")));
    };
    let text = pem(&mut Stream::new(context, "genPrivateKey", arguments), kind, *len);
    Ok(marked(context, text))
}

/// A certificate with the given key, or with a new one.
fn certificate(
    context: &mut Executor<'_>,
    function: &str,
    arguments: &[Value],
    key: Option<&Value>,
) -> Outcome {
    context.spend(CERTIFICATE_STEPS)?;
    let mut stream = Stream::new(context, function, arguments);
    let cert = pem(&mut stream, "CERTIFICATE", CERTIFICATE_LEN);
    let new_key = pem(&mut stream, "RSA PRIVATE KEY", RSA_2048);
    context.allocate(cert.len() + new_key.len())?;
    let mut cert = marked(context, cert);
    for argument in arguments {
        let taint = argument.observed_deep(&mut context.tracker);
        cert.add_taint(&mut context.tracker, taint);
    }
    let key = match key {
        Some(key) => key.clone(),
        None => marked(context, new_key),
    };
    Ok(Value::object(Certificate { cert, key }))
}

/// Go's validation of IP addresses and DNS names.
fn check_names(context: &mut Executor<'_>, ips: &Value, names: &Value) -> Result<(), FuncError> {
    let items = |value: &Value| value.as_list().map_or(Vec::new(), |list| list.items().to_vec());
    context.spend(items(ips).len() as u64 + items(names).len() as u64)?;
    for ip in items(ips) {
        let Data::String(text) = ip.data() else {
            let shown = shown(context, &ip)?;
            return failure(format!("error parsing ip: {shown} is not a string"));
        };
        let text = text.to_str();
        if text.parse::<std::net::IpAddr>().is_err() {
            return failure(format!("error parsing ip: {text}"));
        }
    }
    for name in items(names) {
        if name.as_text().is_none() {
            let shown = shown(context, &name)?;
            let problem = "error processing alternate dns name";
            return failure(format!("{problem}: {shown} is not a string"));
        }
    }
    Ok(())
}

fn shown(context: &mut Executor<'_>, value: &Value) -> Result<String, FuncError> {
    Ok(str(&sprint(context, value)?).into_owned())
}

/// The type and content of the first PEM block.
fn decode_pem(text: &str) -> Option<(&str, Vec<u8>)> {
    let start = text.find("-----BEGIN ")? + 11;
    let (kind, rest) = text[start..].split_once("-----")?;
    let (body, _) = rest.split_once(&format!("-----END {kind}-----"))?;
    let base64 = body.rsplit("\n\n").next().unwrap_or(body);
    let compact: String = base64.chars().filter(|c| !c.is_whitespace()).collect();
    Some((kind, from_base64(compact.as_bytes()).ok()?))
}

fn check_key(key: &Value) -> Result<(), FuncError> {
    parse_key(&str(key)).map_err(|error| FuncError::new(format!("parsing private key: {error}")))
}

fn parse_key(text: &str) -> Result<(), String> {
    let Some((kind, _)) = decode_pem(text) else { return Err("no PEM data in input".into()) };
    if kind == "PRIVATE KEY" {
        return Ok(());
    }
    match kind.strip_suffix(" PRIVATE KEY") {
        Some("RSA" | "EC" | "DSA") => Ok(()),
        Some(_) => Err(format!("invalid private key type {kind}")),
        None => Err(format!("no private key data in PEM block of type {kind}")),
    }
}

/// Returns the given certificate and key after checking them.
fn custom_certificate(context: &mut Executor<'_>, arguments: &[Value]) -> Outcome {
    let [cert, key] = arguments else { return Ok(Value::NIL) };
    let decoded = |value: &Value, what: &str| {
        from_base64(value.bytes())
            .map_err(|_| FuncError::new(format!("unable to decode base64 {what}")))
    };
    let (cert_text, key_text) = (decoded(cert, "certificate")?, decoded(key, "private key")?);
    let Some((_, der)) = decode_pem(&String::from_utf8_lossy(&cert_text)) else {
        return failure("unable to decode certificate");
    };
    if der.first() != Some(&0x30) {
        let problem = "x509: malformed certificate";
        return failure(format!("error parsing certificate: decodedCert.Bytes: {problem}"));
    }
    parse_key(&String::from_utf8_lossy(&key_text))
        .map_err(|error| FuncError::new(format!("error parsing private key: {error}")))?;
    let mut value = |text: Vec<u8>, source: &Value| {
        let taint = source.observed(&mut context.tracker);
        Value::from(text).with_taint(taint)
    };
    let (cert, key) = (value(cert_text, cert), value(key_text, key));
    Ok(Value::object(Certificate { cert, key }))
}

/// The characters that each letter of a password template stands for.
const CHARACTERS: [(u8, &[u8]); 9] = [
    (b'V', b"AEIOU"),
    (b'C', b"BCDFGHJKLMNPQRSTVWXYZ"),
    (b'v', b"aeiou"),
    (b'c', b"bcdfghjklmnpqrstvwxyz"),
    (b'A', b"AEIOUBCDFGHJKLMNPQRSTVWXYZ"),
    (b'a', b"AEIOUaeiouBCDFGHJKLMNPQRSTVWXYZbcdfghjklmnpqrstvwxyz"),
    (b'n', b"0123456789"),
    (b'o', b"@&%?,=[]_:-+*$#!'^~;()/."),
    (b'x', b"AEIOUaeiouBCDFGHJKLMNPQRSTVWXYZbcdfghjklmnpqrstvwxyz0123456789!@#$%^&*()"),
];

const TEMPLATES: [(&str, &[&str]); 6] = [
    ("maximum", &["anoxxxxxxxxxxxxxxxxx", "axxxxxxxxxxxxxxxxxno"]),
    (
        "long",
        &[
            "CvcvnoCvcvCvcv",
            "CvcvCvcvnoCvcv",
            "CvcvCvcvCvcvno",
            "CvccnoCvcvCvcv",
            "CvccCvcvnoCvcv",
            "CvccCvcvCvcvno",
            "CvcvnoCvccCvcv",
            "CvcvCvccnoCvcv",
            "CvcvCvccCvcvno",
            "CvcvnoCvcvCvcc",
            "CvcvCvcvnoCvcc",
            "CvcvCvcvCvccno",
            "CvccnoCvccCvcv",
            "CvccCvccnoCvcv",
            "CvccCvccCvcvno",
            "CvcvnoCvccCvcc",
            "CvcvCvccnoCvcc",
            "CvcvCvccCvccno",
            "CvccnoCvcvCvcc",
            "CvccCvcvnoCvcc",
            "CvccCvcvCvccno",
        ],
    ),
    ("medium", &["CvcnoCvc", "CvcCvcno"]),
    ("short", &["Cvcn"]),
    ("basic", &["aaanaaan", "aannaaan", "aaannaaa"]),
    ("pin", &["nnnn"]),
];

/// Steps that stand for the time of one scrypt, which is slow by design, and for what follows it.
const SCRYPT_STEPS: u64 = 1_000_000;
const SITE_STEPS: u64 = 1_000;

/// The Master Password algorithm.
fn derive_password(context: &mut Executor<'_>, arguments: &[Value]) -> Outcome {
    let [counter, kind, password, user, site] = arguments else { return Ok(Value::NIL) };
    let kind = str(kind);
    let Some((_, templates)) = TEMPLATES.iter().find(|(name, _)| *name == kind) else {
        return Ok(Value::from(format!("cannot find password template {kind}")));
    };
    const SEED: &[u8] = b"com.lyndir.masterpassword";
    let len = |value: &Value| (value.bytes().len() as u32).to_be_bytes();
    let salt = [SEED, &len(user), user.bytes()].concat();
    let of = Some((password.bytes().to_vec(), salt.clone()));
    let is_known = std::mem::replace(&mut host(context).derived, of.clone()) == of;
    context.spend(if is_known { SITE_STEPS } else { SCRYPT_STEPS })?;
    let key = master_key(password.bytes(), &salt);
    let counter = match counter.data() {
        Data::Uint(_, counter) => (*counter as u32).to_be_bytes(),
        _ => [0; 4],
    };
    let mut mac = Hmac::<Sha256>::new_from_slice(&key).expect("HMAC takes keys of any length");
    [SEED, &len(site), site.bytes(), &counter].iter().for_each(|part| mac.update(part));
    let seed = mac.finalize().into_bytes();
    let template = templates[usize::from(seed[0]) % templates.len()];
    let derived = template.bytes().zip(&seed[1..]).filter_map(|(letter, &byte)| {
        let (_, characters) = CHARACTERS.iter().find(|(known, _)| *known == letter)?;
        Some(char::from(characters[usize::from(byte) % characters.len()]))
    });
    Ok(Value::from(derived.collect::<String>()))
}

/// A password and its salt, with the key derived from them.
type Derived = (Vec<u8>, Vec<u8>, [u8; 64]);

/// The master key of the algorithm. Charts derive the passwords of all sites from one, so the last one is remembered.
fn master_key(password: &[u8], salt: &[u8]) -> [u8; 64] {
    thread_local! {
        static LAST: RefCell<Option<Derived>> = const { RefCell::new(None) };
    }
    LAST.with_borrow_mut(|last| match last {
        Some((of, salted, key)) if of == password && salted == salt => *key,
        _ => {
            let key = scrypt(password, salt);
            *last = Some((password.to_vec(), salt.to_vec(), key));
            key
        }
    })
}

/// scrypt with N = 32768, r = 8, p = 2.
fn scrypt(password: &[u8], salt: &[u8]) -> [u8; 64] {
    let params = scrypt::Params::new(15, 8, 2).expect("the parameters are constants");
    let mut key = [0; 64];
    scrypt::scrypt(password, salt, &params, &mut key).expect("64 bytes are a valid length");
    key
}

const BLOCK: usize = 16;

fn cipher(password: &Value) -> Aes256 {
    let mut key = [0; 32];
    let len = password.bytes().len().min(key.len());
    key[..len].copy_from_slice(&password.bytes()[..len]);
    Aes256::new(&key.into())
}

/// AES in CBC mode with PKCS #7 padding, preceded by the initialisation vector.
fn encrypt(context: &mut Executor<'_>, arguments: &[Value]) -> Outcome {
    let [password, plain] = arguments else { return Ok(Value::NIL) };
    if plain.bytes().is_empty() {
        return Ok(Value::from(""));
    }
    let cipher = cipher(password);
    let padding = BLOCK - plain.bytes().len() % BLOCK;
    let padded = [plain.bytes(), &vec![padding as u8; padding]].concat();
    let mut out = Stream::new(context, "encryptAES", arguments).bytes(BLOCK);
    for chunk in padded.chunks(BLOCK) {
        let last = &out[out.len() - BLOCK..];
        let mut block = Block::<Aes256>::default();
        for (i, byte) in block.iter_mut().enumerate() {
            *byte = chunk[i] ^ last[i];
        }
        cipher.encrypt_block(&mut block);
        out.extend_from_slice(&block);
    }
    Ok(marked(context, base64(&out)))
}

fn decrypt(_: &mut Executor<'_>, arguments: &[Value]) -> Outcome {
    let [password, text] = arguments else { return Ok(Value::NIL) };
    if text.bytes().is_empty() {
        return Ok(Value::from(""));
    }
    let bytes = from_base64(text.bytes()).map_err(FuncError::new)?;
    if bytes.len() < BLOCK {
        let capacity = text.bytes().len() / 4 * 3;
        return failure(if capacity < BLOCK {
            format!("runtime error: slice bounds out of range [:16] with capacity {capacity}")
        } else {
            format!("runtime error: slice bounds out of range [16:{}]", bytes.len())
        });
    }
    if !bytes.len().is_multiple_of(BLOCK) {
        return failure("crypto/cipher: input not full blocks");
    }
    let cipher = cipher(password);
    let mut out = Vec::with_capacity(bytes.len());
    for (last, chunk) in bytes.chunks(BLOCK).zip(bytes.chunks(BLOCK).skip(1)) {
        let mut block = Block::<Aes256>::default();
        block.copy_from_slice(chunk);
        cipher.decrypt_block(&mut block);
        out.extend(block.iter().zip(last).map(|(byte, last)| byte ^ last));
    }
    let Some(&padding) = out.last() else {
        return failure("runtime error: index out of range [-1]");
    };
    let Some(len) = out.len().checked_sub(usize::from(padding)) else {
        let end = out.len() as i64 - i64::from(padding);
        return failure(format!("runtime error: slice bounds out of range [:{end}]"));
    };
    out.truncate(len);
    Ok(Value::from(out))
}
