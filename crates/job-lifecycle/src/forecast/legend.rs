//! What the words of a forecast mean, for pages that show forecasts.

use serde::Serialize;

use super::outcome::{Event, Outcome};

/// All events and outcomes, in the order of output.
#[derive(Debug, Serialize)]
pub struct Legend {
    /// The rows of a table.
    pub events: Vec<EventWords>,
    /// What stands in its cells.
    pub outcomes: Vec<OutcomeWords>,
}

/// An event in words.
#[derive(Debug, Serialize)]
pub struct EventWords {
    /// The identifier.
    pub name: &'static str,
    /// What happens.
    pub about: &'static str,
    /// The outcomes that are unwanted at this event.
    pub bad: Vec<Outcome>,
}

/// An outcome in words.
#[derive(Debug, Serialize)]
pub struct OutcomeWords {
    /// The identifier.
    pub name: &'static str,
    /// What it means.
    pub about: &'static str,
    /// Whether a run starts.
    pub starts: bool,
}

/// The legend of a forecast.
pub fn legend() -> Legend {
    let event = |event: Event| EventWords {
        name: event.name(),
        about: event.about(),
        bad: Outcome::ALL.into_iter().filter(|outcome| outcome.is_bad(event)).collect(),
    };
    let outcome = |outcome: Outcome| OutcomeWords {
        name: outcome.name(),
        about: outcome.about(),
        starts: outcome.starts(),
    };
    Legend {
        events: Event::ALL.into_iter().map(event).collect(),
        outcomes: Outcome::ALL.into_iter().map(outcome).collect(),
    }
}
