//! Recognises names of secrets: `DB_PASSWORD`, `auth.apiKey`, `--token`, but not `secretName`.

use std::sync::LazyLock;

use aho_corasick::AhoCorasick;

/// Words that name a secret on their own, also at the end of a longer word (`PGPASSWORD`).
const WORDS: [&str; 21] = [
    "apikey",
    "apikeys",
    "accesskey",
    "bearer",
    "credential",
    "credentials",
    "creds",
    "dockerconfigjson",
    "htpasswd",
    "jwt",
    "passcode",
    "passphrase",
    "passwd",
    "password",
    "passwords",
    "privatekey",
    "pwd",
    "secret",
    "secrets",
    "token",
    "tokens",
];

/// Words that name a secret together with a following `key`: `api key`, `private_key`, `tls.key`.
const KEYS: [&str; 22] = [
    "access",
    "account",
    "api",
    "app",
    "auth",
    "client",
    "deploy",
    "encryption",
    "hmac",
    "license",
    "master",
    "private",
    "rsa",
    "secret",
    "server",
    "session",
    "shared",
    "signing",
    "ssh",
    "storage",
    "tls",
    "webhook",
];

/// Words after that of a secret which make the name describe a secret instead of containing it: `secretName`,
/// `passwordKey`, `tokenExpirationSeconds`.
const ABOUT: [&str; 72] = [
    "algorithm",
    "annotations",
    "audience",
    "class",
    "controller",
    "count",
    "create",
    "description",
    "dir",
    "directory",
    "disabled",
    "driver",
    "duration",
    "enabled",
    "endpoint",
    "expiration",
    "expiry",
    "field",
    "file",
    "filename",
    "files",
    "format",
    "generator",
    "header",
    "host",
    "inject",
    "injector",
    "interval",
    "issuer",
    "key",
    "keys",
    "kind",
    "labels",
    "length",
    "lifetime",
    "limit",
    "manager",
    "max",
    "min",
    "mode",
    "mount",
    "name",
    "names",
    "namespace",
    "operator",
    "optional",
    "path",
    "paths",
    "policy",
    "port",
    "prefix",
    "provider",
    "ref",
    "refs",
    "registry",
    "requests",
    "required",
    "rotation",
    "seconds",
    "selector",
    "size",
    "store",
    "suffix",
    "template",
    "timeout",
    "ttl",
    "type",
    "uri",
    "url",
    "var",
    "version",
    "volume",
];

/// First words that make the name a switch or a reference: `existingSecret`.
const SWITCHES: [&str; 12] = [
    "allow",
    "automount",
    "create",
    "disable",
    "enable",
    "existing",
    "generate",
    "has",
    "is",
    "mount",
    "require",
    "use",
];

/// Last words that make a name below that of a secret, with a word of the above, that of an object.
const OBJECTS: [&str; 3] = ["claim", "map", "secret"];

/// Every name of a secret contains one of these, which excludes most names quickly.
pub(super) const STEMS: [&str; 9] =
    ["bearer", "cred", "docker", "jwt", "key", "pass", "pwd", "secret", "token"];

/// True if the value of a name (a key, a variable, a flag) is a secret.
pub(crate) fn is_secret(name: &str) -> bool {
    static ANY_STEM: LazyLock<AhoCorasick> = LazyLock::new(|| {
        let mut searcher = AhoCorasick::builder();
        searcher.ascii_case_insensitive(true).build(STEMS).expect("a few short patterns")
    });
    if !ANY_STEM.is_match(name) {
        return false;
    }
    let words = words(without_domain(name));
    if words.first().is_some_and(|first| SWITCHES.contains(&&**first)) {
        return false;
    }
    (0..words.len()).any(|at| {
        let Some(end) = secret_at(&words, at) else { return false };
        !words[end..].iter().any(|word| ABOUT.contains(&&**word))
    })
}

/// A key of an annotation without the domain of who reads it: `reload` of `secret.reloader.stakater.com/reload`.
fn without_domain(key: &str) -> &str {
    let is_domain = |text: &str| {
        let is_part = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
        text.split('.').count() > 2 && text.bytes().all(|byte| byte == b'.' || is_part(byte))
    };
    key.split_once('/').filter(|(domain, _)| is_domain(domain)).map_or(key, |(_, name)| name)
}

/// True for names of passwords, whose values are secrets even if they are numbers.
pub(crate) fn is_password(name: &str) -> bool {
    is_secret(name)
        && words(name).iter().any(|word| ["pass", "pwd"].iter().any(|stem| word.contains(stem)))
}

/// True if a name below that of a secret only describes the secret, or names an object with it: `credentials: {path: …}`,
/// `secrets: {existingSecret: …}`.
pub(crate) fn is_about(name: &str) -> bool {
    let words = words(name);
    let is =
        |word: Option<&String>, known: &[&str]| word.is_some_and(|word| known.contains(&&**word));
    // The identifier of an OAuth client is no secret: RFC 6749, section 2.2.
    let is_client = words.ends_with(&["client".to_owned(), "id".to_owned()]);
    is_client
        || is(words.first(), &SWITCHES) && is(words.last(), &OBJECTS)
        || is(words.last(), &ABOUT)
}

/// The end of the words that name a secret, if they start here.
fn secret_at(words: &[String], at: usize) -> Option<usize> {
    let word = &*words[at];
    let next = words.get(at + 1).map(String::as_str);
    if KEYS.contains(&word) && matches!(next, Some("key" | "keys")) {
        return Some(at + 2);
    }
    // `imagePullSecrets` name Secrets; `DB_PASS` is a password, `pass` alone a verb.
    let pull = at > 1 && words[at - 1] == "pull" && words[at - 2] == "image";
    let single = WORDS.iter().any(|secret| word.ends_with(secret));
    (single && !pull || word == "pass" && at > 0).then_some(at + 1)
}

/// Lower-case words of a name in any of the usual spellings.
fn words(name: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    let mut before = ' ';
    let mut chars = name.chars().peekable();
    while let Some(c) = chars.next() {
        let next_lower = chars.peek().is_some_and(|next| next.is_lowercase());
        let starts =
            !before.is_alphabetic() || (c.is_uppercase() && (before.is_lowercase() || next_lower));
        if c.is_alphabetic() {
            match words.last_mut() {
                Some(word) if !starts => word.extend(c.to_lowercase()),
                _ => words.push(c.to_lowercase().collect()),
            }
        }
        before = c;
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_secrets() {
        for name in [
            "password",
            "DB_PASSWORD",
            "PGPASSWORD",
            "MYSQL_ROOT_PASSWORD",
            "redis.auth.password",
            "passwd",
            "DB_PASS",
            "token",
            "githubToken",
            "GITHUB_TOKEN",
            "TOKEN_PROD",
            "api-key",
            "apiKey",
            "APIKey",
            "x-api-key",
            "OPENAI_API_KEY",
            "AWS_SECRET_ACCESS_KEY",
            "private_key",
            "privateKey",
            "secret-key",
            "secretKey",
            "tls.key",
            "client_secret",
            "clientSecret",
            "credentials",
            "googleCredentialsJson",
            "passphrase",
            "--token",
            "app.example.com/token",
        ] {
            assert!(is_secret(name), "{name}");
        }
    }

    #[test]
    fn names_about_a_secret() {
        for name in [
            "secretName",
            "secretKeyRef",
            "secretRef",
            "imagePullSecrets",
            "imagePullSecret",
            "automountServiceAccountToken",
            "tokenExpirationSeconds",
            "passwordKey",
            "existingSecret",
            "existingSecretPasswordKey",
            "PASSWORD_FILE",
            "TOKEN_URL",
            "secretProviderClass",
            "secretStoreRef",
            "tokenRequests",
            "secret.reloader.stakater.com/reload",
            "passwordLength",
            "name",
            "key",
            "pass",
            "bypass",
            "keyboard",
            "monkey",
            "primaryKey",
            "schedule",
            "compass",
        ] {
            assert!(!is_secret(name), "{name}");
        }
        for name in [
            "existingSecret",
            "path",
            "useExistingSecret",
            "existingConfigMap",
            "clientId",
            "registry",
        ] {
            assert!(is_about(name), "{name}");
        }
        for name in [
            "value",
            "admin",
            "user",
            "reuse",
            "existing",
            "enable",
            "existingAdminPassword",
            "use-ci",
        ] {
            assert!(!is_about(name), "{name}");
        }
    }
}
