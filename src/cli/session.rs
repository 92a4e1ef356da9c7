//! The input of a run: the request and the settings, from flags, files and standard input.

use std::{io::Read, path::PathBuf};

use super::{
    Error,
    args::{CheckArgs, DoctorArgs, ForecastArgs},
};
use crate::{
    discover::{Request, STDIN},
    exclude::Exclude,
    redact::SecretValues,
    settings::{self, Settings, Values},
};

/// A request and its settings.
pub(crate) struct Session {
    pub(crate) request: Request,
    pub(crate) settings: Settings,
}

impl Session {
    /// The session of `check`, `baseline` and `upgrade`.
    ///
    /// # Errors
    /// Standard input or the settings cannot be read, or the flags contradict each other.
    pub(crate) fn of_check(args: &CheckArgs) -> Result<Self, Error> {
        let mut session =
            Self::new(&args.paths, args.stdin_filename.as_ref(), args.config.as_ref())?;
        session.request.keeps_trail = args.verbose;
        session.request.shard = args.shard;
        override_by_flags(&mut session.settings, args);
        session.exclude(&args.exclude);
        session.settings.values = Values::from(&args.values);
        Ok(session)
    }

    /// The session of `forecast`.
    ///
    /// # Errors
    /// The same as [`Session::of_check`].
    pub(crate) fn of_forecast(args: &ForecastArgs) -> Result<Self, Error> {
        let mut session =
            Self::new(&args.paths, args.stdin_filename.as_ref(), args.config.as_ref())?;
        if !args.deployer.is_empty() {
            session.settings.deployers.clone_from(&args.deployer);
        }
        session.exclude(&args.exclude);
        session.settings.values = Values::from(&args.values);
        Ok(session)
    }

    /// The session of `doctor`.
    ///
    /// # Errors
    /// The settings cannot be read.
    pub(crate) fn of_doctor(args: &DoctorArgs) -> Result<Self, Error> {
        let mut session = Self::new(&args.paths, None, args.config.as_ref())?;
        session.request.keeps_trail = true;
        session.exclude(&[]);
        Ok(session)
    }

    /// Leaves out what the settings and these globs exclude; the globs are relative to the working directory.
    fn exclude(&mut self, globs: &[String]) {
        let here = std::env::current_dir().unwrap_or_default();
        let flags = globs.iter().filter_map(|glob| Exclude::new(glob, &here).ok());
        self.request.excludes = self.settings.excludes.iter().cloned().chain(flags).collect();
    }

    /// Which settings file applies, for `--verbose`.
    pub(crate) fn about_settings(&self) -> String {
        let names: Vec<_> =
            self.settings.sources.iter().map(|source| source.path.as_str()).collect();
        match &names[..] {
            [] => "settings: none between the checked paths and the repository root".to_owned(),
            [first] => format!("settings: {first}"),
            [first, rest @ ..] => format!("settings: {first}, which extends {}", rest.join(", ")),
        }
    }

    fn new(
        paths: &[PathBuf],
        stdin_filename: Option<&PathBuf>,
        config: Option<&PathBuf>,
    ) -> Result<Self, Error> {
        let request = request(paths, stdin_filename)?;
        let found = config.cloned().or_else(|| settings::find(&request.paths));
        let settings = match found {
            Some(path) => Settings::read(&path)?,
            None => Settings::default(),
        };
        Ok(Self { request, settings })
    }
}

fn request(paths: &[PathBuf], stdin_filename: Option<&PathBuf>) -> Result<Request, Error> {
    let secrets = SecretValues::of_environment();
    let mut request = Request { paths: paths.to_owned(), secrets, ..Request::default() };
    if let Some(at) = request.paths.iter().position(|path| path.as_os_str() == "-") {
        let mut bytes = Vec::new();
        std::io::stdin().lock().read_to_end(&mut bytes).map_err(Error::Stdin)?;
        let name = stdin_filename.cloned().unwrap_or_else(|| STDIN.into());
        request.paths[at] = name.clone();
        request.texts.insert(name, bytes);
    } else if stdin_filename.is_some() {
        return Err(Error::UnusedStdinFilename);
    }
    if request.paths.is_empty() {
        request.paths.push(".".into());
    }
    Ok(request)
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
    if args.baseline.is_some() {
        settings.baseline.clone_from(&args.baseline);
    }
    settings.pedantic |= args.pedantic;
    settings.strict |= args.strict;
    settings.no_ignores |= args.no_ignores;
}
