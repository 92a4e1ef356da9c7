//! What a run works on: request and settings from flags, files and standard input.

use std::{io::Read, path::PathBuf};

use helm_render::values::{Flag, FlagKind};

use super::args::{CheckArgs, ForecastArgs, ValueArgs};
use crate::{
    discover::{Request, STDIN, relative},
    settings::{Problem, Settings, Values, file},
};

/// A request and the settings for it.
pub struct Session {
    pub request: Request,
    pub settings: Settings,
}

impl Session {
    /// # Errors
    /// The text for the user: what is wrong with the flags or the settings.
    pub fn new(args: &CheckArgs) -> Result<Self, String> {
        let mut session =
            Self::of(&args.paths, args.stdin_filename.as_ref(), args.config.as_ref())?;
        override_by_flags(&mut session.settings, args);
        session.settings.values = Values::from(&args.values);
        Ok(session)
    }

    /// # Errors
    /// As [`Session::new`].
    pub fn of_forecast(args: &ForecastArgs) -> Result<Self, String> {
        let mut session =
            Self::of(&args.paths, args.stdin_filename.as_ref(), args.config.as_ref())?;
        if !args.deployer.is_empty() {
            session.settings.deployers.clone_from(&args.deployer);
        }
        session.settings.values = Values::from(&args.values);
        Ok(session)
    }

    fn of(
        paths: &[PathBuf],
        stdin_filename: Option<&PathBuf>,
        config: Option<&PathBuf>,
    ) -> Result<Self, String> {
        let request = request(paths, stdin_filename)?;
        let found = config.cloned().or_else(|| find_settings(&request.paths));
        let settings = match found {
            Some(path) => Settings::read(&path).map_err(|problems| explain(&problems))?,
            None => Settings::default(),
        };
        Ok(Self { request, settings })
    }
}

fn request(paths: &[PathBuf], stdin_filename: Option<&PathBuf>) -> Result<Request, String> {
    let mut request = Request { paths: paths.to_owned(), ..Request::default() };
    if let Some(at) = request.paths.iter().position(|path| path.as_os_str() == "-") {
        let mut bytes = Vec::new();
        let read = std::io::stdin().lock().read_to_end(&mut bytes);
        read.map_err(|error| format!("standard input: {error}"))?;
        let name = stdin_filename.cloned().unwrap_or_else(|| STDIN.into());
        request.paths[at] = name.clone();
        request.texts.insert(name, bytes);
    } else if stdin_filename.is_some() {
        return Err("`--stdin-filename` names what `-` reads: give `-` too".to_owned());
    }
    if request.paths.is_empty() {
        request.paths.push(".".into());
    }
    Ok(request)
}

/// The nearest settings file from the folder of everything that is checked up to the repository root.
pub fn find_settings(paths: &[PathBuf]) -> Option<PathBuf> {
    let base = std::env::current_dir().ok()?;
    let folder = |path: &PathBuf| {
        let absolute = base.join(path);
        if absolute.is_dir() { absolute } else { absolute.parent().unwrap_or(&base).to_owned() }
    };
    let mut folders = paths.iter().map(folder);
    let mut common = folders.next()?;
    for folder in folders {
        while !folder.starts_with(&common) && common.pop() {}
    }
    for folder in common.ancestors() {
        let candidate = folder.join(file::NAME);
        if candidate.is_file() {
            return Some(relative(&candidate, &base));
        }
        if folder.join(".git").exists() {
            return None;
        }
    }
    None
}

fn override_by_flags(settings: &mut Settings, args: &CheckArgs) {
    if !args.deployer.is_empty() {
        settings.deployers.clone_from(&args.deployer);
    }
    if !args.select.is_empty() {
        settings.select = Some(args.select.clone());
    }
    settings.skip.extend(args.ignore.iter().cloned());
    settings.kubernetes = args.kube_version.or(settings.kubernetes);
    settings.fail_on = args.fail_on.unwrap_or(settings.fail_on);
    settings.min_severity = args.min_severity.unwrap_or(settings.min_severity);
    settings.min_confidence = args.min_confidence.unwrap_or(settings.min_confidence);
    settings.pedantic |= args.pedantic;
    settings.strict |= args.strict;
    settings.no_ignores |= args.no_ignores;
}

/// Problems of the settings with the lines they are about.
pub fn explain(problems: &[Problem]) -> String {
    let each = problems.iter().map(|problem| {
        let at = problem.location.start();
        let source = &problem.location.source;
        let line = source.line_text(at.line);
        let help = problem.help.as_ref().map(|help| format!(" {help}")).unwrap_or_default();
        let (gutter, indent) = (at.line.to_string(), " ".repeat(at.column - 1));
        let end = problem.location.end();
        let width =
            if end.line == at.line { end.column.saturating_sub(at.column).max(1) } else { 1 };
        let pad = " ".repeat(gutter.len());
        let mut text =
            format!("{}\n{pad}--> {}:{}:{}", problem.reason, source.path, at.line, at.column);
        if !line.is_empty() {
            text += &format!(
                "\n{pad} |\n{gutter} | {line}\n{pad} | {indent}{}{help}",
                "^".repeat(width)
            );
        }
        text
    });
    each.collect::<Vec<_>>().join("\nerror: ")
}

impl From<&ValueArgs> for Values {
    fn from(args: &ValueArgs) -> Self {
        let kinds = [
            (FlagKind::Json, &args.set_json),
            (FlagKind::Set, &args.set),
            (FlagKind::String, &args.set_string),
            (FlagKind::File, &args.set_file),
            (FlagKind::Literal, &args.set_literal),
        ];
        let flag = |kind| move |text: &String| Flag { kind, text: text.clone() };
        let flags = kinds.into_iter().flat_map(|(kind, texts)| texts.iter().map(flag(kind)));
        Self { files: args.values.clone(), flags: flags.collect() }
    }
}
