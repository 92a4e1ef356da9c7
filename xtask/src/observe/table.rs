//! The tables of `testdata/observed`: one per tool, a row per workload and event.

use std::{collections::BTreeMap, fs, path::PathBuf, sync::Mutex};

use job_lifecycle::{Deployer, Event};

use super::{FOLDER, cases::Case, player::Player};

/// A row: case, workload, deployer and event, then what was seen.
pub type Row = ([String; 4], String);

/// What is played: a unit, its deployer, an event, and the player.
pub struct Scene {
    pub case: Case,
    pub deployer: Deployer,
    pub event: Event,
    pub player: Player,
}

/// The table of a player, saved after each scene.
pub struct Table {
    pub player: Player,
    head: String,
    rows: Mutex<BTreeMap<[String; 4], String>>,
}

impl Table {
    /// Reads the existing table. `head` states the versions in play.
    pub fn open(player: Player, head: String) -> Self {
        let text = fs::read_to_string(path(player)).unwrap_or_default();
        let row = |line: &str| -> Option<Row> {
            let cells: Vec<_> = line.splitn(5, '\t').map(str::to_owned).collect();
            let [case, work, deployer, event, rest] = <[String; 5]>::try_from(cells).ok()?;
            Some(([case, work, deployer, event], rest))
        };
        let lines = text.lines().filter(|line| !line.starts_with('#'));
        Self { player, head, rows: Mutex::new(lines.filter_map(row).collect()) }
    }

    /// True when there is a row of the scene.
    pub fn has(&self, scene: &Scene) -> bool {
        self.rows.lock().expect("a table").keys().any(|key| scene.is(key))
    }

    /// Replaces the rows of a scene and saves the file.
    pub fn put(&self, scene: &Scene, new: Vec<Row>) {
        let mut rows = self.rows.lock().expect("a table");
        rows.retain(|key, _| !scene.is(key));
        rows.extend(new);
        let mut text = format!("# {}\n", self.head);
        text += "# case\tworkload\tdeployer\tevent\toutcome\talso\tended\tobjects\tmessage\n";
        for (key, rest) in &*rows {
            text += &format!("{}\t{rest}\n", key.join("\t"));
        }
        fs::write(path(self.player), text).expect("written");
    }
}

impl Scene {
    fn is(&self, [case, _, deployer, event]: &[String; 4]) -> bool {
        self.case.case == *case
            && self.event.name() == event
            && self.deployer.to_string() == *deployer
    }
}

fn path(player: Player) -> PathBuf {
    crate::own(FOLDER).join(format!("{}.tsv", player.name()))
}
