//! kubectl: `apply`, `apply --server-side`, `create`, `replace`.
//!
//! flux-fleet-kustomize.md 0.1, 4; OBSERVED 1 (p1-kubectl).

use super::{
    Event, Outcome,
    apply_strategy::Way,
    cluster_state::Scene,
    prediction::{Cause, Cell, cell},
    resource::{self, Plain},
};

/// How each mode sends an object, without and with force.
const MODES: &[(&str, Way, Way)] = &[
    ("apply", Way::Patch, Way::Force),
    // `--force cannot be used with --server-side`
    ("server-side", Way::Patch, Way::Refuse),
    // Force means `kubectl apply --force`.
    ("create", Way::Post, Way::Force),
    ("replace", Way::PutOnly, Way::Recreate),
];

pub fn answer(scene: &Scene<'_>) -> Option<Cell> {
    let mode = scene.deployer.text("mode").unwrap_or("apply");
    let (way, forced) = MODES
        .iter()
        .find(|row| row.0 == mode)
        .map_or((Way::Patch, Way::Force), |row| (row.1, row.2));
    if scene.work.object.is_unnamed() {
        return match mode {
            "create" => generated(scene),
            _ => resource::never(scene, NAMELESS),
        };
    }
    let plain = Plain {
        way: if scene.event == Event::Forced { forced } else { way },
        fact: "kubectl 0.1",
        removed: cell(Outcome::LeftBehind, "`kubectl {mode}` deletes nothing", "kubectl 4.1"),
        uninstalled: cell(Outcome::Deleted, "", "kubectl 4.1"),
        gone: None,
        heals: None,
    };
    plain.answer(scene)
}

const NAMELESS: Cell =
    cell(Outcome::Rejected, "only `kubectl create` takes `generateName`", "kubectl 4.2")
        .cause(&[Cause::GenerateName]);

/// Every `kubectl create` makes another Job, of which nothing keeps track.
fn generated(scene: &Scene<'_>) -> Option<Cell> {
    let fact = "kubectl 4.2";
    Some(match scene.event {
        Event::SelfHeal => return None,
        Event::AfterTtl if scene.work.ttl().is_none() => return None,
        Event::Install => cell(Outcome::Runs, "", fact),
        Event::Forced => NAMELESS,
        Event::Removed | Event::Uninstall => {
            cell(Outcome::LeftBehind, "nothing knows the names that were made up", fact)
                .cause(&[Cause::GenerateName])
        }
        Event::AfterTtl => cell(Outcome::RunsAgain, "", fact),
        _ => cell(Outcome::RunsAgain, "every `kubectl create` makes another Job", fact)
            .also(Outcome::LeftBehind),
    })
}
