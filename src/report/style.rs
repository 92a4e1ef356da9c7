//! The look of text for people: colours, characters, links and width.

use std::io::IsTerminal;

/// When to use colours.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
// Docs of variants appear in `--help`, where the names `always` and `never` say enough.
#[allow(missing_docs)]
pub enum Color {
    /// On a terminal, unless the environment says otherwise
    #[default]
    Auto,
    Always,
    Never,
}

/// Environment variables that ask for colours without a terminal.
const FORCES: [&str; 2] = ["CLICOLOR_FORCE", "FORCE_COLOR"];

fn is_on(value: String) -> bool {
    !matches!(&*value, "0" | "false")
}

/// The look of text for people. The default suits files: no colours, no links, any width.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Style {
    /// ANSI colours.
    pub color: bool,
    /// Characters beyond ASCII.
    pub unicode: bool,
    /// OSC 8 hyperlinks.
    pub links: bool,
    /// The width of the terminal in columns; `None` without a terminal.
    pub columns: Option<usize>,
}

impl Default for Style {
    fn default() -> Self {
        Self { color: false, unicode: true, links: false, columns: None }
    }
}

/// The width of the terminal on standard output.
#[cfg(not(target_family = "wasm"))]
fn columns_of_stdout() -> Option<usize> {
    let size = terminal_size::terminal_size_of(std::io::stdout());
    size.map(|(width, _)| usize::from(width.0))
}

/// WebAssembly has no terminal.
#[cfg(target_family = "wasm")]
fn columns_of_stdout() -> Option<usize> {
    None
}

impl Style {
    /// The style of standard output.
    pub(crate) fn of_stdout(color: Color) -> Self {
        Self::of_stream(color, std::io::stdout().is_terminal(), columns_of_stdout(), |name| {
            std::env::var(name).ok().filter(|value| !value.is_empty())
        })
    }

    /// The style of standard error, for the summary line.
    pub(crate) fn of_stderr(color: Color) -> Self {
        Self::of_stream(color, std::io::stderr().is_terminal(), None, |name| {
            std::env::var(name).ok().filter(|value| !value.is_empty())
        })
    }

    /// The style of a stream. `env` returns environment variables that are set and not empty.
    pub(crate) fn of_stream(
        color: Color,
        terminal: bool,
        columns: Option<usize>,
        env: impl Fn(&str) -> Option<String>,
    ) -> Self {
        let dumb = env("TERM").is_some_and(|term| term == "dumb");
        let color = match color {
            Color::Always => true,
            Color::Never => false,
            Color::Auto if env("NO_COLOR").is_some() => false,
            Color::Auto if FORCES.iter().any(|name| env(name).is_some_and(is_on)) => true,
            Color::Auto => terminal && !dumb && env("CLICOLOR").is_none_or(|on| on != "0"),
        };
        Self {
            color,
            unicode: !dumb && supports_unicode(&env),
            links: terminal && !dumb && supports_links(&env),
            columns: columns.filter(|_| terminal),
        }
    }

    /// The width at which texts wrap.
    pub(super) fn width(&self) -> usize {
        self.columns.unwrap_or(100).clamp(40, 120)
    }

    /// The text in a colour.
    pub(super) fn paint(&self, paint: Paint, text: &str) -> String {
        match self.color {
            true => format!("\x1b[{}m{text}\x1b[0m", paint.code()),
            false => text.to_owned(),
        }
    }

    /// The text as a link.
    pub(super) fn link(&self, target: &str, text: &str) -> String {
        match self.links {
            true => format!("\x1b]8;;{target}\x1b\\{text}\x1b]8;;\x1b\\"),
            false => text.to_owned(),
        }
    }
}

/// The meaning of a colour.
#[derive(Clone, Copy)]
pub(super) enum Paint {
    Error,
    Warning,
    Info,
    Strong,
    Added,
    Removed,
    Help,
    Dim,
}

impl Paint {
    fn code(self) -> &'static str {
        match self {
            Paint::Error => "1;31",
            Paint::Warning => "1;33",
            Paint::Info => "1;36",
            Paint::Strong => "1",
            Paint::Added => "32",
            Paint::Removed => "31",
            Paint::Help => "36",
            Paint::Dim => "2",
        }
    }
}

/// True for a UTF-8 locale, in the order of precedence of POSIX; always on Windows.
fn supports_unicode(env: &impl Fn(&str) -> Option<String>) -> bool {
    if cfg!(windows) {
        return true;
    }
    let locale = ["LC_ALL", "LC_CTYPE", "LANG"].into_iter().find_map(env);
    let plain = |name: String| name.to_ascii_lowercase().replace('-', "");
    locale.map(plain).is_some_and(|name| name.ends_with("utf8"))
        && env("TERM").is_none_or(|term| term != "linux")
}

/// True for terminals that support OSC 8 links.
fn supports_links(env: &impl Fn(&str) -> Option<String>) -> bool {
    const PROGRAMS: [&str; 8] =
        ["ghostty", "Hyper", "iTerm.app", "rio", "Tabby", "terminology", "vscode", "WezTerm"];
    const TERMS: [&str; 5] = ["alacritty", "foot", "xterm-ghostty", "xterm-kitty", "wezterm"];
    if env("CI").is_some() {
        return false;
    }
    let named = |variable: &str, names: &[&str]| {
        env(variable).is_some_and(|value| names.contains(&value.as_str()))
    };
    // VTE supports links since 0.50.
    let vte = env("VTE_VERSION").and_then(|version| version.parse::<u32>().ok());
    vte.is_some_and(|version| version >= 5000)
        || ["DOMTERM", "WT_SESSION", "KONSOLE_VERSION"].into_iter().any(|name| env(name).is_some())
        || named("TERM_PROGRAM", &PROGRAMS)
        || named("TERM", &TERMS)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn style(color: Color, terminal: bool, env: &[(&str, &str)]) -> Style {
        Style::of_stream(color, terminal, Some(80), |name| {
            env.iter().find(|(key, _)| *key == name).map(|(_, value)| (*value).to_owned())
        })
    }

    #[test]
    fn colours_are_decided_by_flag_then_environment_then_terminal() {
        let color = |choice, terminal, env: &[_]| style(choice, terminal, env).color;
        assert!(color(Color::Auto, true, &[("TERM", "xterm")]));
        assert!(!color(Color::Auto, false, &[("TERM", "xterm")]));
        assert!(!color(Color::Auto, true, &[("TERM", "dumb")]));
        assert!(!color(Color::Auto, true, &[("NO_COLOR", "1"), ("CLICOLOR_FORCE", "1")]));
        assert!(color(Color::Auto, false, &[("CLICOLOR_FORCE", "1")]));
        assert!(!color(Color::Auto, false, &[("CLICOLOR_FORCE", "0")]));
        assert!(color(Color::Auto, false, &[("FORCE_COLOR", "1")]));
        assert!(!color(Color::Auto, false, &[("FORCE_COLOR", "0")]));
        assert!(!color(Color::Auto, true, &[("NO_COLOR", "1"), ("FORCE_COLOR", "1")]));
        assert!(!color(Color::Auto, true, &[("CLICOLOR", "0")]));
        assert!(color(Color::Always, false, &[("NO_COLOR", "1")]));
        assert!(!color(Color::Never, true, &[("CLICOLOR_FORCE", "1")]));
    }

    #[test]
    fn characters_links_and_width() {
        let utf8 = ("LANG", "en_US.UTF-8");
        assert!(style(Color::Auto, true, &[utf8]).unicode);
        assert!(!style(Color::Auto, true, &[utf8, ("LC_ALL", "C")]).unicode);
        assert!(!style(Color::Auto, true, &[utf8, ("TERM", "dumb")]).unicode);
        assert!(!style(Color::Auto, true, &[]).unicode);
        assert!(style(Color::Auto, true, &[("TERM_PROGRAM", "WezTerm")]).links);
        assert!(!style(Color::Auto, false, &[("TERM_PROGRAM", "WezTerm")]).links);
        assert!(!style(Color::Auto, true, &[("VTE_VERSION", "4999")]).links);
        assert_eq!(style(Color::Auto, true, &[]).columns, Some(80));
        assert_eq!(style(Color::Auto, false, &[]).width(), 100);
    }
}
