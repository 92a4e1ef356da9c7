//! The types of option values: booleans, durations, versions and enumerations.

use super::OptionValue;

/// The type of an option's value.
pub(super) trait OptionType: Sized {
    /// Parses the text of flags and settings.
    fn read(text: &str) -> Option<Self>;
    /// What it accepts, as the end of "`wait` takes …".
    fn expected() -> String;
    /// The value for display.
    fn shown(&self) -> OptionValue;
}

impl OptionType for bool {
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

/// A Go duration in hours, minutes and seconds: `90s`, `5m`, `1h30m`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GoDuration {
    text: String,
    /// Length in seconds.
    pub seconds: u64,
}

impl GoDuration {
    /// The duration as written.
    pub fn as_str(&self) -> &str {
        &self.text
    }
}

impl OptionType for GoDuration {
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

/// The version of a tool: dotted numbers, with any number of parts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ToolVersion {
    text: String,
    parts: Vec<u32>,
}

impl ToolVersion {
    /// True for this version or a newer one. A missing part, such as the patch level, counts as the newest.
    pub fn since(&self, version: &[u32]) -> bool {
        let own = self.parts.iter().copied().chain(std::iter::repeat(u32::MAX));
        own.take(version.len()).ge(version.iter().copied())
    }
}

impl OptionType for ToolVersion {
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

/// How often helm-controller tries again after a failure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Retries {
    /// This many times, perhaps none.
    Count(u32),
    /// Until it succeeds: any negative number.
    Endless,
}

impl Retries {
    /// True when a failure is followed by another try.
    pub fn any(self) -> bool {
        self != Retries::Count(0)
    }
}

impl OptionType for Retries {
    fn read(text: &str) -> Option<Self> {
        match text.parse::<i64>().ok()? {
            ..0 => Some(Retries::Endless),
            count => Some(Retries::Count(count.try_into().ok()?)),
        }
    }

    fn expected() -> String {
        "a whole number, negative for no limit".to_owned()
    }

    fn shown(&self) -> OptionValue {
        OptionValue::Text(match self {
            Retries::Count(count) => count.to_string(),
            Retries::Endless => "-1".to_owned(),
        })
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
            /// The text of the value.
            pub fn name(self) -> &'static str {
                match self {
                    $($type::$variant => $name,)*
                }
            }
        }

        impl OptionType for $type {
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
        /// Watches until all objects are ready; a failed Job fails the release.
        Watcher = "watcher",
        /// Waits for hooks only.
        HookOnly = "hookOnly",
        /// Polls as Helm 3 does.
        Legacy = "legacy",
        /// Same as `watcher`.
        True = "true",
        /// Same as `hookOnly`.
        False = "false",
    }
}

one_of! {
    /// How objects are applied.
    Apply {
        /// Server-side apply.
        ServerSide = "ssa",
        /// Client-side apply; hooks are created, not applied.
        ClientSide = "csa",
    }
}

one_of! {
    /// The kind of Flux object that deploys.
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
        /// Does not detect drift.
        Disabled = "disabled",
    }
}

one_of! {
    /// `spec.upgrade.remediation.strategy` of a HelmRelease.
    Remediation {
        /// Back to the release before.
        Rollback = "rollback",
        /// Uninstalls the release, so that the next try installs it.
        Uninstall = "uninstall",
    }
}

one_of! {
    /// `spec.install.strategy.name` and `spec.upgrade.strategy.name` of a HelmRelease.
    FailureStrategy {
        /// Remediates, then tries again as often as `remediation.retries` says.
        RemediateOnFailure = "RemediateOnFailure",
        /// Tries again by an upgrade every `retryInterval`, without end and without remediation.
        RetryOnFailure = "RetryOnFailure",
    }
}

one_of! {
    /// The kubectl command that sends the objects.
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
