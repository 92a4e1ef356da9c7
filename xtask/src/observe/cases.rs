//! The cases of `testdata/observed`: as files for a tool, and as joblint forecasts them.

#[path = "cases/kustomized.rs"]
mod kustomized;

use std::{collections::BTreeMap, fs, path::Path};

use job_lifecycle::{Deployer, Event, Outcome, Tool};
use joblint::{discover::Request, forecast::forecast, settings::Settings, upgrade};
use kustomize_build::{Built, Options};
pub use kustomized::Kustomized;
use serde::Deserialize;
use serde_json::{Value, json};

/// A unit and the deployers that play it.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Case {
    pub case: String,
    /// One per workload, merged over [`job`].
    pub works: Vec<Value>,
    /// The overlay, if the unit is a kustomization.
    pub kustomization: Option<Kustomized>,
    /// Objects of other kinds that belong to the unit.
    #[serde(default)]
    pub beside: Vec<Value>,
    /// As `--deployer` takes them.
    pub deployers: Vec<String>,
    /// Events to play; empty means all that can be played.
    #[serde(default)]
    pub events: Vec<String>,
}

#[derive(Deserialize)]
struct Cases {
    cases: Vec<Case>,
}

/// The first version of a unit, or the next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Version {
    First = 1,
    Next = 2,
}

impl Version {
    /// The tag of the image.
    pub fn tag(self) -> String {
        format!("1.{}", self as u8)
    }
}

const TAG: &str = "{{ .Values.image.tag }}";

fn job(tag: &str) -> Value {
    json!({
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": {"name": "migrate"},
        "spec": {
            "backoffLimit": 0,
            "template": {"spec": {
                "restartPolicy": "Never",
                "containers": [{"name": "m", "image": format!("app:{tag}")}],
            }},
        },
    })
}

fn settings_map() -> Value {
    json!({
        "apiVersion": "v1", "kind": "ConfigMap",
        "metadata": {"name": "settings"}, "data": {"tag": TAG},
    })
}

fn merge(base: &mut Value, over: &Value) {
    let (Some(base), Some(over)) = (base.as_object_mut(), over.as_object()) else { return };
    for (key, value) in over {
        match base.get_mut(key) {
            _ if value.is_null() => _ = base.remove(key),
            Some(own) if own.is_object() && value.is_object() => merge(own, value),
            _ => _ = base.insert(key.clone(), value.clone()),
        }
    }
}

fn parse(text: &str) -> Value {
    serde_yaml::from_str(text).expect("an object")
}

/// All cases, in the order of the file.
pub fn cases(folder: &Path) -> Vec<Case> {
    let text = fs::read_to_string(folder.join("cases.yaml")).expect("cases.yaml");
    let Cases { cases } = serde_yaml::from_str(&text).expect("cases");
    cases
}

/// True for deployers that are given a chart; the others get manifests.
pub fn takes_charts(deployer: &Deployer) -> bool {
    match deployer.tool {
        Tool::Helm3 | Tool::Helm4 | Tool::Argocd => true,
        Tool::Flux => deployer.is_helm_release(false),
        Tool::Fleet | Tool::Kubectl => false,
    }
}

impl Case {
    /// The workloads as the template contains them.
    pub fn objects(&self) -> Vec<Value> {
        let laid = |over: &Value| {
            let mut object = job(if self.kustomization.is_some() { "1" } else { TAG });
            merge(&mut object, over);
            object
        };
        self.works.iter().map(laid).collect()
    }

    /// The workloads as they are first deployed, each with its [`id`]. What a kustomization adds is in them.
    pub fn deployed(&self) -> Vec<(String, Value)> {
        let objects = self.objects();
        let Some(kustomization) = &self.kustomization else {
            return objects.into_iter().map(|object| (id(&object), object)).collect();
        };
        let folder = tempfile::tempdir().expect("a folder");
        kustomization.write(folder.path(), (&objects, &self.beside), Version::First, true);
        let built =
            Built::from_folder(folder.path(), &Options::default()).expect("a kustomization");
        let built: Vec<Value> =
            built.documents().iter().map(|span| parse(&built.print()[span.range()])).collect();
        let of = |work: &str| {
            let name = |object: &&Value| {
                object["metadata"]["name"].as_str().is_some_and(|name| is_of(name, work))
            };
            let is_work =
                |object: &&Value| matches!(object["kind"].as_str(), Some("Job" | "CronJob"));
            built.iter().filter(is_work).find(name).cloned().expect("the workload")
        };
        objects.iter().map(id).map(|work| (work.clone(), of(&work))).collect()
    }

    /// Writes the unit into an empty folder, with or without its workloads.
    pub fn write(&self, folder: &Path, deployer: &Deployer, version: Version, with_works: bool) {
        if let Some(kustomization) = &self.kustomization {
            kustomization.write(folder, (&self.objects(), &self.beside), version, with_works);
            return;
        }
        let number = version as u8;
        let mut objects = vec![settings_map()];
        objects.extend(self.beside.iter().cloned());
        objects.extend(self.objects().into_iter().filter(|_| with_works));
        let texts = objects.iter().map(|object| format!("{object:#}\n"));
        let put = |path: &str, text: &str| fs::write(folder.join(path), text).expect("written");
        if takes_charts(deployer) {
            fs::create_dir_all(folder.join("templates")).expect("a folder");
            let head = "apiVersion: v2\nname: shop";
            put(
                "Chart.yaml",
                &format!("{head}\nversion: 1.{number}.0\nappVersion: \"1.{number}.0\"\n"),
            );
            put("values.yaml", &format!("image:\n  tag: \"{}\"\n", version.tag()));
            for (index, text) in texts.enumerate() {
                put(&format!("templates/{index}.yaml"), &text);
            }
        } else {
            let text = texts.collect::<Vec<_>>().join("---\n").replace(TAG, &version.tag());
            assert!(!text.contains("{{"), "{} is for charts", self.case);
            fs::create_dir_all(folder).expect("a folder");
            put("all.yaml", &text);
        }
    }

    /// True when the next version of a kustomization differs in more than the tag, which no forecast can know.
    fn is_chosen(&self) -> bool {
        self.kustomization.as_ref().is_some_and(|own| own.next.is_some())
    }

    /// The forecast: the outcome and what else happens, by workload and event.
    pub fn forecast(&self, deployer: &Deployer, events: &[Event]) -> Forecasts {
        let mut found = self.expected(deployer, events);
        if self.is_chosen() {
            found.retain(|(_, event), _| *event != Event::Upgrade);
            found.extend(self.comparison(deployer, Event::Upgrade));
        }
        found
    }

    /// What `joblint upgrade` says of a kustomization and its next version, or the one without its workloads.
    pub fn comparison(&self, deployer: &Deployer, event: Event) -> Forecasts {
        let (version, with_works) = match event {
            Event::Upgrade => (Version::Next, true),
            Event::Removed => (Version::First, false),
            _ => return Forecasts::new(),
        };
        if self.kustomization.is_none() {
            return Forecasts::new();
        }
        let folder = tempfile::tempdir().expect("a folder");
        let [old, new] = ["old", "new"].map(|name| folder.path().join(name));
        self.write(&old, deployer, Version::First, true);
        self.write(&new, deployer, version, with_works);
        let settings = Settings { deployers: vec![deployer.clone()], ..Settings::default() };
        let request = upgrade::Request::of_paths(&old, &new);
        let report = upgrade::upgrade(&request, &settings);
        assert!(report.errors.is_empty(), "{}: {:?}", self.case, report.errors);
        let changed = report.comparison.expect("a comparison").jobs;
        let work = |title: &str| self.objects().iter().map(id).find(|work| is_of(title, work));
        let cells = changed.iter().filter_map(|job| {
            let column = job.columns.first()?;
            Some(((work(&job.title)?, event), (column.outcome, column.also.clone())))
        });
        cells.collect()
    }

    /// What `joblint forecast` says.
    fn expected(&self, deployer: &Deployer, events: &[Event]) -> Forecasts {
        let folder = tempfile::tempdir().expect("a folder");
        self.write(folder.path(), deployer, Version::First, true);
        let settings = Settings { deployers: vec![deployer.clone()], ..Settings::default() };
        let paths = vec![folder.path().to_owned()];
        let outlook = forecast(&Request { paths, ..Request::default() }, &settings, events);
        assert!(outlook.errors.is_empty(), "{}: {:?}", self.case, outlook.errors);
        let mut found = Forecasts::new();
        for work in self.objects().iter().map(id) {
            let block = outlook.blocks.iter().find(|block| is_of(&block.title, &work));
            let column = block.and_then(|block| block.columns.first());
            let cells = column.map(|column| &column.events[..]).unwrap_or_default();
            for (event, cell) in cells {
                let also = cell.also.clone();
                found.insert((work.clone(), *event), (cell.outcome, also));
            }
        }
        found
    }
}

pub type Forecasts = BTreeMap<(String, Event), (Outcome, Vec<Outcome>)>;

/// The name of a workload in the results: the part of its name that never changes.
pub fn id(object: &Value) -> String {
    let metadata = &object["metadata"];
    let name = metadata["name"].as_str().or(metadata["generateName"].as_str());
    let fixed = name.unwrap_or_default().split("{{").next().unwrap_or_default();
    fixed.trim_end_matches('-').to_owned()
}

/// True when an object of this name belongs to the workload: a kustomization may add a prefix.
pub fn is_of(name: &str, work: &str) -> bool {
    name.strip_prefix(work).is_some_and(|rest| rest.is_empty() || rest.starts_with('-'))
        || name.strip_suffix(work).is_some_and(|rest| rest.ends_with('-'))
}
