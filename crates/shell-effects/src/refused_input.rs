//! Pipelines whose last command refuses an empty or broken input, so that it fails where one in front of it does:
//! `velero install --dry-run -o yaml | kubectl apply -f -`, `pg_dump … | pg_restore …`.

use crate::{
    analysis::{Analysis, HiddenBy, Invocation, Propagation},
    command_line::flag_values,
    deletions::client_operands,
    needed_file::UNPACKS,
};

/// The verbs with which `kubectl` and `oc` read objects. Without any they say "no objects passed to apply".
const VERBS: [&str; 3] = ["apply", "create", "replace"];

/// Programs that read an archive, which has a beginning and an end, besides those that unpack one. All fail when nothing arrives.
const RESTORES: [&str; 2] = ["mongorestore", "pg_restore"];

/// The most commands behind one that are searched for the last of its pipeline.
const WINDOW: usize = 8;

/// Whether the command at `index` stands in a pipeline whose last command, which decides, refuses what is left of a failure.
pub(crate) fn is_refused(analysis: &Analysis, index: usize) -> bool {
    let is_piped =
        |one: &Invocation| matches!(one.propagation, Propagation::Hidden(HiddenBy::Pipe { .. }));
    let later = analysis.invocations[index + 1..].iter().take(WINDOW);
    is_piped(&analysis.invocations[index])
        && later
            .skip_while(|one| is_piped(one))
            .take(1)
            .any(|last| last.propagation.is_noticed() && refuses(last))
}

fn refuses(last: &Invocation) -> bool {
    let (words, program) = (last.values(), last.program_name());
    let reads = |flag: &&str| flag_values(&words, flag).contains(&"-");
    match client_operands(last).first() {
        Some(verb) => VERBS.contains(verb) && ["-f", "--filename"].iter().any(reads),
        None => RESTORES.contains(&program) || UNPACKS.contains(&program),
    }
}

#[cfg(test)]
mod tests {
    use crate::{Catalogue, Container, analyse_script, failure_hidden};

    fn is_hidden(script: &str) -> bool {
        let analysis = analyse_script(Catalogue::built_in(), script, &Container::default());
        !failure_hidden(&analysis).is_empty()
    }

    /// kubectl 1.32: `printf '' | kubectl apply -f -` ends with 1, "no objects passed to apply". pg_restore 15 and gunzip 1.12
    /// end with 1 at an empty or a shortened input.
    #[test]
    fn what_refuses_an_empty_input_shows_a_failure_in_front_of_it() {
        for (script, hides) in [
            ("velero install --dry-run -o yaml | kubectl apply -f -", false),
            ("velero install --dry-run -o yaml | sed s/a/b/ | kubectl apply -f -", false),
            ("velero install --dry-run -o yaml | kubectl apply -f - || true", true),
            ("velero install --dry-run -o yaml | tee velero.yaml", true),
            ("pg_dump -Fc -h db shop | pg_restore -h copy -d shop", false),
            ("pg_dump -h db shop | psql -h copy -v ON_ERROR_STOP=1 shop", true),
        ] {
            assert_eq!(is_hidden(script), hides, "{script}");
        }
    }
}
