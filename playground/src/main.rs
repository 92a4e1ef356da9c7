//! joblint for the playground of the site. It checks the working folder, which a page keeps in memory, and prints
//! findings and forecasts as one JSON document.

use std::{
    io::{Read, Write},
    path::Path,
    process::ExitCode,
};

use job_lifecycle::{Deployer, Event, forecast::legend};
use joblint::{
    check,
    discover::Request,
    forecast,
    report::{self, ForecastFormat, Format, Options, RedactedReport, Style},
    settings::Settings,
};
use serde::Deserialize;
use serde_json::{Value, json};

/// What a page asks on standard input.
#[derive(Deserialize)]
struct Input {
    /// Deployers as in `--deployer`; none: those of the files.
    deployers: Vec<String>,
}

fn main() -> ExitCode {
    let answer = answer().unwrap_or_else(|error| json!({ "error": error }));
    match writeln!(std::io::stdout(), "{answer}") {
        Ok(()) => ExitCode::SUCCESS,
        Err(_) => ExitCode::FAILURE,
    }
}

fn answer() -> Result<Value, String> {
    let mut text = String::new();
    std::io::stdin().read_to_string(&mut text).map_err(|error| error.to_string())?;
    let input: Input = serde_json::from_str(&text).map_err(|error| error.to_string())?;
    let settings = settings(&input)?;
    let request = Request { paths: vec![".".into()], ..Request::default() };
    let report = RedactedReport::new(check::check(&request, &settings));
    let outlook = forecast::forecast(&request, &settings, &Event::ALL);
    let findings = report::print(&report, Format::Json, &Options::default());
    let table = report::print_forecast(&outlook, ForecastFormat::Json, &Style::default());
    Ok(json!({
        "check": parsed(&findings),
        "forecast": parsed(&table),
        "notes": report.notes,
        "legend": legend(),
    }))
}

/// The settings of the folder, with the chosen deployers.
fn settings(input: &Input) -> Result<Settings, String> {
    let path = Path::new(".joblint.yaml");
    let mut settings = match path.is_file() {
        true => Settings::read(path).map_err(|error| error.to_string())?,
        false => Settings::default(),
    };
    if !input.deployers.is_empty() {
        let chosen = input.deployers.iter().map(|name| name.parse::<Deployer>());
        settings.deployers = chosen.collect::<Result<_, _>>().map_err(|error| error.to_string())?;
    }
    Ok(settings)
}

fn parsed(text: &str) -> Value {
    serde_json::from_str(text).expect("the formats print JSON")
}
