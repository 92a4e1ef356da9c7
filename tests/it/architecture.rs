//! Layering: the top-level modules of a crate have no import cycle.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::Path,
};

use proc_macro2::{Delimiter, TokenStream, TokenTree};
use walkdir::WalkDir;

/// The modules that a module imports from.
type Imports = BTreeMap<String, BTreeSet<String>>;

#[test]
fn no_crate_has_an_import_cycle() {
    let mut crates: Vec<_> =
        fs::read_dir("crates").unwrap().map(|entry| entry.unwrap().path().join("src")).collect();
    crates.extend(["src".into(), "xtask/src".into()]);
    assert!(crates.len() > 6, "{crates:?}");
    let cycles: Vec<_> = crates
        .iter()
        .flat_map(|source| {
            let cycles = cycles(&imports(source)).into_iter();
            cycles.map(|cycle| format!("{}: {}", source.display(), cycle.join(", ")))
        })
        .collect();
    assert!(cycles.is_empty(), "modules that import one another:\n{}", cycles.join("\n"));
}

#[test]
fn a_cycle_is_found() {
    let folder = tempfile::tempdir().unwrap();
    let write = |path: &str, text: &str| {
        let path = folder.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    };
    write("lib.rs", "mod a; mod b; mod c; mod d; pub use d::Item;");
    write("a.rs", "mod inner; use crate::{b::{self, Thing}, c};");
    write("a/inner.rs", "// use super::super::d;\nfn f() { super::g() }");
    write(
        "b.rs",
        "#[cfg(test)] mod tests { use crate::a; } fn f() { println!(\"{}\", crate::Item) }",
    );
    write("c.rs", "fn f() {}");
    assert_eq!(cycles(&imports(folder.path())), Vec::<Vec<String>>::new());
    write("d.rs", "use super::a::inner;");
    assert_eq!(cycles(&imports(folder.path())), [["a", "b", "d"]]);
}

/// The imports between the top-level modules of a crate, without those of tests.
fn imports(source: &Path) -> Imports {
    let root = ["lib.rs", "main.rs"].map(|name| fs::read_to_string(source.join(name)));
    let reexports: BTreeMap<_, _> = root.iter().flatten().flat_map(|text| exports(text)).collect();
    let mut imports = Imports::new();
    for entry in WalkDir::new(source).into_iter().map(Result::unwrap) {
        let path = entry.path().strip_prefix(source).unwrap();
        if path.extension().is_none_or(|end| end != "rs") || path.ends_with("tests.rs") {
            continue;
        }
        let path = path.with_extension("");
        let module: Vec<_> = path.iter().map(|part| part.to_str().unwrap().to_owned()).collect();
        if ["lib", "main"].contains(&&*module[0]) {
            continue;
        }
        let mut found = Vec::new();
        paths(&tokens(&fs::read_to_string(entry.path()).unwrap()), module.len(), &mut found);
        let own = &module[0];
        let targets = found.into_iter().map(|name| reexports.get(&name).cloned().unwrap_or(name));
        let targets = targets.filter(|target| target != own);
        imports.entry(own.clone()).or_default().extend(targets);
    }
    let modules: BTreeSet<_> = imports.keys().cloned().collect();
    imports.values_mut().for_each(|targets| targets.retain(|target| modules.contains(target)));
    imports
}

fn tokens(text: &str) -> Vec<TokenTree> {
    text.parse::<TokenStream>().unwrap().into_iter().collect()
}

/// The items that the crate's root re-exports, each with its module.
fn exports(text: &str) -> Vec<(String, String)> {
    let mut found = Vec::new();
    let tokens = tokens(text);
    for (index, token) in tokens.iter().enumerate() {
        if !is_word(token, "use") {
            continue;
        }
        let end = tokens[index..].iter().position(|token| is_mark(token, ';')).unwrap();
        let tree = &tokens[index + 1..index + end];
        let Some(TokenTree::Ident(module)) = tree.first() else { continue };
        for name in names(&tree[1..]) {
            found.push((name, module.to_string()));
        }
    }
    found
}

/// All words of a use tree.
fn names(tree: &[TokenTree]) -> Vec<String> {
    let of = |token: &TokenTree| match token {
        TokenTree::Ident(name) => vec![name.to_string()],
        TokenTree::Group(group) => names(&group.stream().into_iter().collect::<Vec<_>>()),
        _ => Vec::new(),
    };
    tree.iter().flat_map(of).collect()
}

/// The first segments of all paths from the crate's root, as seen from a module at this depth, without tests.
fn paths(tokens: &[TokenTree], depth: usize, found: &mut Vec<String>) {
    let mut index = 0;
    while index < tokens.len() {
        if is_test_module(&tokens[index..]) {
            index += 2;
            while !matches!(&tokens[index], TokenTree::Group(group) if group.delimiter() == Delimiter::Brace)
                && !is_mark(&tokens[index], ';')
            {
                index += 1;
            }
        } else if let TokenTree::Group(group) = &tokens[index] {
            paths(&group.stream().into_iter().collect::<Vec<_>>(), depth, found);
        } else if is_word(&tokens[index], "crate") {
            found.extend(heads(&tokens[index + 1..]));
        } else if is_word(&tokens[index], "super") {
            let supers = supers(&tokens[index..]);
            if supers == depth {
                found.extend(heads(&tokens[index + 3 * (supers - 1) + 1..]));
            }
            index += 3 * (supers - 1);
        }
        index += 1;
    }
}

/// `#[cfg(test)] mod`.
fn is_test_module(tokens: &[TokenTree]) -> bool {
    let [hash, TokenTree::Group(attribute), rest @ ..] = tokens else { return false };
    let is_test = attribute.stream().to_string().replace(' ', "") == "cfg(test)";
    is_mark(hash, '#') && is_test && rest.iter().take(2).any(|token| is_word(token, "mod"))
}

/// The number of leading `super` segments: 2 for `super::super::…`.
fn supers(tokens: &[TokenTree]) -> usize {
    tokens.chunks(3).take_while(|part| is_word(&part[0], "super")).count()
}

/// The names after `::`: one, or those of a group.
fn heads(tokens: &[TokenTree]) -> Vec<String> {
    let [first, second, rest, ..] = tokens else { return Vec::new() };
    if !is_mark(first, ':') || !is_mark(second, ':') {
        return Vec::new();
    }
    match rest {
        TokenTree::Ident(name) => vec![name.to_string()],
        TokenTree::Group(group) => {
            let tokens: Vec<_> = group.stream().into_iter().collect();
            let parts = tokens.split(|token| is_mark(token, ','));
            let first = |part: &[TokenTree]| match part.first() {
                Some(TokenTree::Ident(name)) => Some(name.to_string()),
                _ => None,
            };
            parts.filter_map(first).collect()
        }
        _ => Vec::new(),
    }
}

fn is_word(token: &TokenTree, word: &str) -> bool {
    matches!(token, TokenTree::Ident(ident) if ident == word)
}

fn is_mark(token: &TokenTree, mark: char) -> bool {
    matches!(token, TokenTree::Punct(punct) if punct.as_char() == mark)
}

/// The groups of modules that import each other, directly or indirectly, in order.
fn cycles(imports: &Imports) -> Vec<Vec<String>> {
    let reach: BTreeMap<_, _> =
        imports.keys().map(|module| (module, reachable(imports, module))).collect();
    let mut cycles = BTreeSet::new();
    for (module, reached) in &reach {
        let both = reached.iter().filter(|other| reach[other].contains(*module));
        let cycle: Vec<_> = both.cloned().collect();
        if !cycle.is_empty() {
            cycles.insert(cycle);
        }
    }
    cycles.into_iter().collect()
}

fn reachable(imports: &Imports, module: &str) -> BTreeSet<String> {
    let mut reached = BTreeSet::new();
    let mut next: Vec<_> = imports[module].iter().cloned().collect();
    while let Some(module) = next.pop() {
        next.extend(imports[&module].iter().filter(|own| !reached.contains(*own)).cloned());
        reached.insert(module);
    }
    reached
}
