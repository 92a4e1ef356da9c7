//! Reads the files, folders and charts that the settings or `--policy` name.

use std::{
    collections::BTreeSet,
    path::{Path, PathBuf},
    sync::Arc,
};

use job_lifecycle::Object;
use yaml_spans::{self as yaml, Location, Source, Span};

use super::Reader;
use crate::{
    chart,
    discover::{self, Request, normal, shown},
    gitops,
    unit::Boundary,
};

impl Reader {
    /// The objects of a named file or chart, or of those of a named folder.
    pub(super) fn named(&mut self, path: &Path, request: &Request) -> Vec<Object> {
        let here = request.base.join(path);
        let boundary = Boundary::around([here.as_path()]);
        let mut files = vec![here.clone()];
        if here.is_dir() {
            files = discover::files(&here).filter_map(Result::ok).collect();
            files.sort_unstable();
        }
        let mut all = Vec::new();
        let mut charts = BTreeSet::new();
        for file in files {
            let text = request.texts.get(&normal(&file));
            let text = match text {
                Some(text) => Ok(String::from_utf8_lossy(text).into_owned()),
                None => boundary.read_to_string(&file),
            };
            match (text, discover::outermost_chart(&file, &boundary)) {
                (Ok(text), Some(chart)) => {
                    charts.extend(gitops::holds_policy(text.as_bytes()).then(|| chart.to_owned()));
                }
                (Ok(text), None) => self.parse(Arc::new(Source::new(shown(&file), text)), &mut all),
                (Err(error), _) => {
                    let source = Arc::new(Source::new(shown(&file), ""));
                    let at = Location { source, span: Span::default() };
                    self.refuse("this file", at, format!("cannot be read: {error}"), None);
                }
            }
        }
        self.render(&charts, &boundary, &mut all);
        all
    }

    fn parse(&mut self, source: Arc<Source>, all: &mut Vec<Object>) {
        for document in yaml::parse(&source.text) {
            match document {
                Ok(document) => {
                    let object = Object::new(&source, document.root, document.span);
                    all.extend(object.into_iter().flat_map(Object::expand));
                }
                Err(error) => {
                    let at = Location { source: source.clone(), span: error.span };
                    self.refuse("this file", at, error.reason, None);
                }
            }
        }
    }

    /// Renders charts that have policies with their own values.
    fn render(&mut self, charts: &BTreeSet<PathBuf>, boundary: &Boundary, all: &mut Vec<Object>) {
        if charts.is_empty() {
            return;
        }
        let pool = chart::limits::pool(charts.len());
        let render = |root: &PathBuf| {
            let rendered = chart::objects_of(root, &shown(root), None, boundary, &pool);
            (shown(root), rendered)
        };
        let rendered = chart::with_stack(|| charts.iter().map(render).collect::<Vec<_>>());
        for (chart, rendered) in rendered.unwrap_or_default() {
            match rendered {
                Ok(objects) => all.extend(objects),
                Err(error) => self.notes.push(gitops::unrendered(&chart, &error.message)),
            }
        }
    }
}
