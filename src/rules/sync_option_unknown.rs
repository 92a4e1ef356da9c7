use job_lifecycle::{
    Object, Tool,
    deploy::{
        APP_DEFAULTS, APP_ONLY, APP_OPTIONS, AnnotationList, OPTION_KEYS, OptionKey, meant,
        meant_option,
    },
};
use yaml_spans::{Edit, Node, Span};

use super::{Check, Rule};
use crate::{
    context::Context,
    finding::{Applicability, Finding, Severity},
    fix,
    words::titled,
};

pub(crate) static RULE: Rule = Rule::new(
    "sync-option-unknown",
    include_str!("../../rules/sync-option-unknown.yaml"),
    Check::Object(check),
);

/// It states the default, unless the Application says `Replace=true`, which it does not take back.
const NO_REPLACE: &str = "Replace=false";

/// It replaces an object of which it is an annotation.
const FORCE: &str = "Force=true";
const REPLACE: &str = "Replace=true";

fn check(object: &Object, context: &Context<'_>, found: &mut Vec<Finding>) {
    check_application(object, found);
    for option in OPTION_KEYS {
        let reads = |tool: Tool| tool == option.tool;
        let verdicts = context.judge(|deployer| {
            // Flux applies charts through Helm, which reads none of these.
            let helm = deployer.tool == Tool::Flux && context.reads_helm(deployer);
            let text = "ignores it without a word";
            (reads(deployer.tool) && !helm).then(|| (Severity::Warning, text.to_owned()))
        });
        if verdicts.is_empty() {
            continue;
        }
        let mut words = unknown_words(object, option);
        if !context.deployers.iter().any(|one| one.argocd().replace == Some(true)) {
            words.retain(|(_, word, _)| word != NO_REPLACE);
        }
        let all = corrected(&words, option);
        for (span, word, edit) in words {
            let tool = option.tool.title();
            let key = option.key.rsplit('/').next().unwrap_or(option.key);
            let message = match option.list {
                true => format!("{tool} ignores `{word}` on {}", titled(object)),
                false => format!("{tool} ignores `{key}: {word}` on {}", titled(object)),
            };
            let near = near(&word, option);
            let finding =
                Finding::new(span, label(&word, near, APP_ONLY, option.tool)).message(message);
            let finding = advised(finding, &word, near);
            let title = format!("use `{}`", near.unwrap_or_default());
            let edit = near.zip(edit).map(|(near, span)| Edit { span, text: near.to_owned() });
            let finding = finding.deployers(verdicts.clone());
            // One option alone may be worse than none: `Replace=true` needs `Force=true`.
            found.push(match edit {
                Some(_) if all.len() > 1 => {
                    let title = format!("{title}, and correct the other options");
                    finding.fix_all(title, Applicability::Unsafe, all.clone())
                }
                edit => finding.fix_if(title, Applicability::Unsafe, edit),
            });
        }
    }
}

/// The known word that was meant. The opposite of a word is not meant by it.
fn near(word: &str, option: &OptionKey) -> Option<&'static str> {
    let near = match option.list {
        true => meant_option(word, option.known.iter().chain(option.defaults).copied()),
        false => meant(word, option.known).or_else(|| option.of_boolean(word)),
    };
    near.filter(|_| !is_app_only(word) && word != NO_REPLACE)
}

/// The edits that correct all words that resemble a known one.
fn corrected(words: &[Word], option: &OptionKey) -> Vec<Edit> {
    let edit = |(_, word, span): &Word| {
        let near = near(word, option)?;
        Some(Edit { span: (*span)?, text: near.to_owned() })
    };
    words.iter().filter_map(edit).collect()
}

/// The span of an unknown word, the word, and the span to replace.
type Word = (Span, String, Option<Span>);

/// The unknown words of an annotation or, for Flux, of a label.
fn unknown_words(object: &Object, option: &OptionKey) -> Vec<Word> {
    let mut words = Vec::new();
    if let Some(list) =
        AnnotationList::of(object, option.key).filter(|l| l.entry.value.as_str().is_some())
    {
        let whole = !option.list && list.tokens.len() > 1;
        for token in list.tokens.iter().filter(|token| !token.text.is_empty() && !whole) {
            let edit = list.replace(token, "").map(|edit| edit.span);
            words.push((token.span, token.text.clone(), edit));
        }
    }
    let labels = object.root.at(&["metadata", "labels"]).filter(|_| option.tool == Tool::Flux);
    if let Some(value) = labels.and_then(|labels| labels.get(option.key)) {
        words.extend(value.as_str().map(|text| (value.span, text.to_owned(), None)));
    }
    words.retain(|(_, word, _)| !option.takes(word) && !option.is_default_boolean(word));
    words
}

/// `spec.syncPolicy.syncOptions` of an Application, or of the template of an ApplicationSet.
fn check_application(object: &Object, found: &mut Vec<Finding>) {
    let policy: &[&str] = match (object.group(), object.kind()) {
        ("argoproj.io", "Application") => &["spec", "syncPolicy"],
        ("argoproj.io", "ApplicationSet") => &["spec", "template", "spec", "syncPolicy"],
        _ => return,
    };
    let policy = object.root.at(policy);
    let automated = policy.and_then(|policy| policy.get("automated"));
    let items = policy.and_then(|policy| policy.get("syncOptions"));
    let items = items.map(Node::items).unwrap_or_default();
    for item in items {
        let Some(word) = item.as_str().filter(|word| !word.contains("{{")) else { continue };
        if APP_OPTIONS.contains(&word) || APP_DEFAULTS.contains(&word) {
            continue;
        }
        let near = meant_option(word, APP_OPTIONS.iter().chain(APP_DEFAULTS).copied());
        let message = format!("Argo CD ignores `{word}` on {}", titled(object));
        let finding =
            Finding::new(item.span, label(word, near, &[], Tool::Argocd)).message(message);
        let finding = advised(finding, word, near);
        let replaces = || items.iter().any(|other| other.as_str() == Some(REPLACE));
        let finding = match word == FORCE && replaces() {
            true => finding.help(format!(
                "Remove `{FORCE}`: with `{REPLACE}` an object that has it is deleted and made anew at each sync"
            )),
            false => finding,
        };
        let near_edit = near.filter(|_| object.source.can_be_edited());
        let edit = near_edit.map(|near| fix::replace_string(&object.source, item, near));
        let title = format!("use `{}`", near.unwrap_or_default());
        let finding = finding.fix_if(title, Applicability::Unsafe, edit);
        let is_automated = automated.is_some_and(|own| is_stated(own, word));
        let is_meant = is_automated || is_default(word) || is_stated_for_helm(object, word);
        found.push(if is_meant { finding.pedantic() } else { finding });
    }
}

/// Whether `automated` says what an option was meant to say: `allowEmpty=true`.
fn is_stated(automated: &Node, option: &str) -> bool {
    let stated = option.split_once('=').and_then(|(key, value)| Some((automated.get(key)?, value)));
    stated.is_some_and(|(own, value)| is_bool(own, value))
}

/// Whether a field has the boolean that a text writes.
fn is_bool(field: &Node, text: &str) -> bool {
    field.as_bool().map(|own| own.to_string()).as_deref() == Some(text)
}

/// Whether an option says what holds without it: `allowEmpty=false`, a field of `automated` (argocd 10).
fn is_default(option: &str) -> bool {
    const FIELDS: [&str; 3] = ["allowempty", "prune", "selfheal"];
    let pair = option.split_once('=');
    pair.is_some_and(|(key, value)| value == "false" && FIELDS.contains(&&*key.to_lowercase()))
}

/// Whether the source of an Application says for Helm what an option was meant to say: `SkipCrds=true`, `helm.skipCrds: true`.
fn is_stated_for_helm(object: &Object, option: &str) -> bool {
    let Some((key, value)) = option.split_once('=') else { return false };
    let source = object.root.at(&["spec", "source"]);
    let sources = object.root.at(&["spec", "sources"]).map(Node::items).unwrap_or_default();
    let mut fields =
        source.into_iter().chain(sources).filter_map(|one| one.get("helm")).flat_map(Node::entries);
    fields.any(|field| field.key.eq_ignore_ascii_case(key) && is_bool(&field.value, value))
}

fn is_app_only(word: &str) -> bool {
    APP_ONLY.iter().any(|option| word.starts_with(option))
}

/// Options of `argocd.argoproj.io/compare-options` on an Application, without their values (argocd 5.1).
const COMPARED: [&str; 2] = ["IncludeMutationWebhook", "ServerSideDiff"];

/// The option of objects that are not in Git.
const EXTRANEOUS: &str = "IgnoreExtraneous";

/// Adds the remedy for a word that resembles no known one.
fn advised(finding: Finding, word: &str, near: Option<&str>) -> Finding {
    match (word, near) {
        (FORCE, _) => finding.help(format!(
            "Move `{FORCE}` to the annotation `argocd.argoproj.io/sync-options` of the object that it is for"
        )),
        (_, None) if is_app_only(word) => {
            finding.help(format!("Move `{word}` to `spec.syncPolicy.syncOptions` of the Application"))
        }
        // `controller/state.go` of Argo CD 3.5 asks for the bare word, on an object that the cluster has and Git has not.
        (_, None) if word.split('=').next() == Some(EXTRANEOUS) => finding.help(format!(
            "Remove `{word}` here, and put `argocd.argoproj.io/compare-options: {EXTRANEOUS}` on the objects that are not in Git"
        )),
        (_, None) if COMPARED.contains(&word.split('=').next().unwrap_or(word)) => finding
            .help(format!("Move `{word}` to the annotation `argocd.argoproj.io/compare-options`")),
        (_, None) if word != NO_REPLACE => {
            finding.help(format!("Remove `{word}`: no option is like it"))
        }
        _ => finding,
    }
}

fn label(word: &str, near: Option<&str>, elsewhere: &[&str], tool: Tool) -> String {
    if elsewhere.iter().any(|option| word.starts_with(option)) {
        return format!("`{word}` has an effect on an Application alone");
    }
    match (word, near) {
        (NO_REPLACE, _) if !elsewhere.is_empty() => {
            "`Replace=false` does not take back what the Application says".to_owned()
        }
        (FORCE, _) => format!("`{FORCE}` has an effect on an object alone"),
        (_, Some(near)) => {
            format!("{} does not know `{word}`, did you mean `{near}`?", tool.title())
        }
        (_, None) => format!("{} does not know `{word}`", tool.title()),
    }
}
