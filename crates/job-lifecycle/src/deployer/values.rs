//! What options take: flags, durations, versions and closed sets of words.

use super::OptionValue;

/// The type of an option's value.
pub(super) trait Value: Sized {
    /// Reads the form that flags and settings use.
    fn read(text: &str) -> Option<Self>;
    /// What it takes, as the end of "`wait` takes …".
    fn expected() -> String;
    /// As it is printed.
    fn shown(&self) -> OptionValue;
}

impl Value for bool {
    fn read(text: &str) -> Option<Self> {
        text.parse().ok()
    }

    fn expected() -> String {
        "true or false".to_owned()
    }

    fn shown(&self) -> OptionValue {
        OptionValue::Flag(*self)
    }
}

/// A Go duration of hours, minutes and seconds: `90s`, `5m`, `1h30m`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GoDuration {
    text: String,
    /// Its length in whole seconds.
    pub seconds: u64,
}

impl GoDuration {
    /// As it was written.
    pub fn as_str(&self) -> &str {
        &self.text
    }
}

impl Value for GoDuration {
    fn read(text: &str) -> Option<Self> {
        Some(Self { text: text.to_owned(), seconds: seconds(text)? })
    }

    fn expected() -> String {
        "a duration such as 90s, 5m or 1h30m".to_owned()
    }

    fn shown(&self) -> OptionValue {
        OptionValue::Text(self.text.clone())
    }
}

fn seconds(text: &str) -> Option<u64> {
    let mut total = 0u64;
    let mut rest = text;
    while !rest.is_empty() {
        let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
        let number: u64 = rest[..digits].parse().ok()?;
        let unit = match rest[digits..].chars().next()? {
            'h' => 3600,
            'm' => 60,
            's' => 1,
            _ => return None,
        };
        total = total.checked_add(number.checked_mul(unit)?)?;
        rest = &rest[digits + 1..];
    }
    (!text.is_empty()).then_some(total)
}

/// The version of a tool: numbers with dots between them, as many as are known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ToolVersion {
    text: String,
    parts: Vec<u32>,
}

impl ToolVersion {
    /// True from a version on. A part that is not stated, such as the patch level, is the newest.
    pub fn since(&self, version: &[u32]) -> bool {
        let own = self.parts.iter().copied().chain(std::iter::repeat(u32::MAX));
        own.take(version.len()).ge(version.iter().copied())
    }
}

impl Value for ToolVersion {
    fn read(text: &str) -> Option<Self> {
        let parts = text.split('.').map(|part| part.parse().ok()).collect::<Option<_>>()?;
        Some(Self { text: text.to_owned(), parts })
    }

    fn expected() -> String {
        "a version such as 3.2".to_owned()
    }

    fn shown(&self) -> OptionValue {
        OptionValue::Text(self.text.clone())
    }
}

macro_rules! one_of {
    ($(#[$doc:meta])* $type:ident { $($(#[$variant_doc:meta])* $variant:ident = $name:literal,)* }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum $type {
            $($(#[$variant_doc])* $variant,)*
        }

        impl $type {
            /// The word for it.
            pub fn name(self) -> &'static str {
                match self {
                    $($type::$variant => $name,)*
                }
            }
        }

        impl Value for $type {
            fn read(text: &str) -> Option<Self> {
                match text {
                    $($name => Some($type::$variant),)*
                    _ => None,
                }
            }

            fn expected() -> String {
                format!("one of {}", [$($name),*].join(", "))
            }

            fn shown(&self) -> OptionValue {
                OptionValue::Text(self.name().to_owned())
            }
        }
    };
}

one_of! {
    /// `--wait` of Helm 4.
    HelmWait {
        /// Watches until everything is ready; a failed Job fails the release.
        Watcher = "watcher",
        /// Waits for hooks alone.
        HookOnly = "hookOnly",
        /// Polls as Helm 3 does.
        Legacy = "legacy",
        /// The same as `watcher`.
        True = "true",
        /// The same as `hookOnly`.
        False = "false",
    }
}

one_of! {
    /// How objects are applied.
    Apply {
        /// Server-side apply.
        ServerSide = "ssa",
        /// Client-side apply: hooks are created, not applied.
        ClientSide = "csa",
    }
}

one_of! {
    /// The kind of Flux object that applies a unit.
    FluxKind {
        /// helm-controller.
        HelmRelease = "HelmRelease",
        /// kustomize-controller.
        Kustomization = "Kustomization",
    }
}

one_of! {
    /// `spec.driftDetection.mode` of a HelmRelease.
    Drift {
        /// Reports drift and corrects it.
        Enabled = "enabled",
        /// Reports drift.
        Warn = "warn",
        /// Does not look.
        Disabled = "disabled",
    }
}

one_of! {
    /// The command of kubectl that sends the objects.
    KubectlMode {
        /// `kubectl apply`.
        Apply = "apply",
        /// `kubectl apply --server-side`.
        ServerSide = "server-side",
        /// `kubectl create`.
        Create = "create",
        /// `kubectl replace`.
        Replace = "replace",
    }
}
