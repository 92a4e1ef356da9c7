//! Where in a YAML text a cursor stands. The text is being typed, so it is read by its indentation and need not be valid.

/// What surrounds a cursor.
#[derive(Debug)]
pub(super) struct Context<'t> {
    /// The keys around it, outermost first.
    pub(super) path: Vec<String>,
    /// The key whose value is being typed.
    pub(super) key: Option<String>,
    /// Whether an item of a list is being typed.
    pub(super) is_item: bool,
    /// Where the word at the cursor starts.
    pub(super) start: usize,
    /// The line up to the cursor.
    before: &'t str,
    /// Whether the word at the cursor starts behind a quote.
    pub(super) is_quoted: bool,
}

/// How far in a line stands.
#[derive(Clone, Copy)]
struct Depth {
    /// The column of its content, behind the dash of an item.
    content: usize,
    /// The column of the dash.
    dash: Option<usize>,
}

/// A key that is written on a line.
struct Key<'t> {
    depth: Depth,
    name: &'t str,
    /// What follows the colon.
    rest: &'t str,
}

impl<'t> Context<'t> {
    pub(super) fn at(text: &'t str, offset: usize) -> Self {
        let line_start = text[..offset].rfind('\n').map_or(0, |at| at + 1);
        let before = &text[line_start..offset];
        let is_part = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | '.' | '/' | '=');
        let mut left = before.trim_end_matches(is_part);
        // The ids of the user's rules have brackets.
        left = left.strip_suffix("policy[").or(left.strip_suffix("rule[")).unwrap_or(left);
        let (start, is_quoted) = (line_start + left.len(), left.ends_with(['"', '\'']));
        let own = key(before);
        let depth = own.as_ref().map_or_else(|| depth(before), |own| own.depth);
        let is_item = depth.dash.is_some();
        let mut path = path(&text[..line_start], depth);
        // `key: [a, b` is a list in one line.
        let is_flow = own.as_ref().is_some_and(|own| own.rest.trim_start().starts_with('['));
        let key = own.map(|own| own.name.to_owned());
        match key {
            Some(key) if is_flow => {
                path.push(key);
                Self { path, key: None, is_item: true, start, before, is_quoted }
            }
            key => {
                let is_item = is_item && key.is_none();
                Self { path, key, is_item, start, before, is_quoted }
            }
        }
    }

    /// Whether the cursor stands in the brackets of an ignore comment.
    pub(super) fn names_rules(&self) -> bool {
        let comment = self.before.rfind("joblint: ignore").map(|at| &self.before[at..]);
        let count = |comment: &str, bracket| comment.matches(bracket).count();
        comment.is_some_and(|comment| count(comment, '[') > count(comment, ']'))
    }
}

fn depth(line: &str) -> Depth {
    let outside = line.trim_start_matches(' ');
    let dash = line.len() - outside.len();
    match outside
        .strip_prefix("- ")
        .or_else(|| outside.strip_prefix('-').filter(|rest| rest.is_empty()))
    {
        Some(inside) => {
            Depth { content: line.len() - inside.trim_start_matches(' ').len(), dash: Some(dash) }
        }
        None => Depth { content: dash, dash: None },
    }
}

/// The key of a line; `None` for comments, actions of templates and bare values.
fn key(line: &str) -> Option<Key<'_>> {
    let depth = depth(line);
    let content = &line[depth.content..];
    if content.starts_with(['#', '{', '[']) {
        return None;
    }
    let (name, rest) = match content.strip_prefix(['"', '\'']) {
        Some(quoted) => {
            let (name, rest) = quoted.split_once(&content[..1])?;
            (name, rest.trim_start().strip_prefix(':')?)
        }
        None => content.split_once(": ").or_else(|| Some((content.strip_suffix(':')?, "")))?,
    };
    Some(Key { depth, name, rest })
}

/// The keys around a line that stands so far in.
fn path(above: &str, mut depth: Depth) -> Vec<String> {
    let mut path = Vec::new();
    let lines = above.lines().rev().map(str::trim_end);
    for key in lines.take_while(|line| !line.starts_with("---")).filter_map(key) {
        let Depth { content, dash } = key.depth;
        let is_around = match depth.dash {
            // A list may stand as far in as its key.
            Some(own) => content <= own && dash.is_none_or(|dash| dash < own),
            None => content < depth.content,
        };
        let starts_item = depth.dash.is_none() && dash.is_some() && content == depth.content;
        if is_around && !key.rest.trim().is_empty() {
            break;
        }
        if is_around {
            path.push(key.name.to_owned());
        }
        if is_around || starts_item {
            depth = key.depth;
        }
        if depth.content == 0 {
            break;
        }
    }
    path.reverse();
    path
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(text: &str) -> (String, Option<String>, bool) {
        let offset = text.find('|').unwrap();
        let text = text.replacen('|', "", 1);
        let context = Context::at(&text, offset);
        (context.path.join("."), context.key.clone(), context.is_item)
    }

    #[test]
    fn keys_surround_a_cursor() {
        let annotations = "kind: Job\nmetadata:\n  name: a\n  annotations:\n    ";
        let path = "metadata.annotations".to_owned();
        assert_eq!(at(&format!("{annotations}he|")), (path.clone(), None, false));
        assert_eq!(at(&format!("{annotations}a/b: c\n    |")), (path.clone(), None, false));
        let hook = Some("helm.sh/hook".to_owned());
        assert_eq!(
            at(&format!("{annotations}helm.sh/hook: pre-|")),
            (path.clone(), hook.clone(), false)
        );
        assert_eq!(at(&format!("{annotations}\"helm.sh/hook\": \"a,|")), (path, hook, false));
        assert_eq!(at("a: 1\n---\nb|"), (String::new(), None, false));
    }

    #[test]
    fn items_stand_as_far_in_as_their_key_or_further() {
        for indent in ["", "  "] {
            let text =
                format!("spec:\n  syncPolicy:\n    syncOptions:\n    {indent}- a\n    {indent}- |");
            assert_eq!(at(&text), ("spec.syncPolicy.syncOptions".into(), None, true), "{text}");
        }
        assert_eq!(at("deployer:\n  - argocd:\n      |"), ("deployer.argocd".into(), None, false));
        assert_eq!(at("ignore:\n  - rule: |"), ("ignore".into(), Some("rule".into()), false));
        assert_eq!(at("select: [a, |"), ("select".into(), None, true));
    }

    #[test]
    fn ignore_comments_name_rules() {
        let names = |text: &str| Context::at(text, text.len()).names_rules();
        assert!(names("# joblint: ignore["));
        assert!(names("{{- /* joblint: ignore[a, "));
        assert!(names("# joblint: ignore[policy[a], rule[b"));
        assert!(!names("# joblint: ignore[a] "));
        assert!(!names("# joblint: ignore[policy[a]] "));
        assert!(!names("a: ["));
    }
}
