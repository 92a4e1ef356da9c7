//! Files that hold a new key or password at every run.

use super::{
    ast::{Redirect, RedirectOperator},
    guard,
    pattern::{flag_values, has_flag, program_name},
    shell::Shell,
};

/// Words of a command line, any of which will do; none: whatever stands there.
type Words = &'static [&'static str];

/// Programs that make keys: subcommands, flags of which they need one, and flags that name their files.
#[rustfmt::skip]
const MAKERS: &[(&str, Words, Words, Words)] = &[
    ("openssl", &["genrsa", "genpkey", "ecparam", "rand", "dhparam"], &[], &["-out"]),
    ("openssl", &["req"], &["-newkey", "-keyout"], &["-keyout", "-out"]),
    ("ssh-keygen", &[], &["-f"], &["-f"]),
    ("keytool", &[], &["-genkeypair", "-genkey"], &["-keystore"]),
    ("age-keygen", &[], &["-o"], &["-o"]),
    ("wg", &["genkey"], &[], &[]),
];

impl Shell<'_> {
    /// Notes the files that the command begins anew, and those that then hold something new at every run,
    /// unless a condition keeps the old ones.
    pub(super) fn remember_made(&mut self, values: &[&str], redirects: &[Redirect]) {
        let anew = |redirect: &&Redirect| {
            redirect.operator == RedirectOperator::Write && redirect.descriptor.is_none()
        };
        let targets = redirects.iter().filter(anew);
        let targets: Vec<_> =
            targets.map(|redirect| self.source.word(&redirect.target).value).collect();
        self.begun.extend(targets.iter().cloned());
        let Some(first) = values.first() else { return };
        if self.guards.iter().any(|guard| guard.kind.remembers()) {
            return;
        }
        let name = program_name(first);
        let maker = MAKERS.iter().find(|(program, subcommands, needed, _)| {
            let called = subcommands.is_empty() || values.iter().any(|v| subcommands.contains(v));
            let made = needed.is_empty() || needed.iter().any(|flag| has_flag(values, flag));
            *program == name && called && made
        });
        let random = maker.is_some() || guard::is_random(self, &values.join(" "));
        let flags = maker.map_or(&[][..], |(_, _, _, flags)| flags);
        let named = flags.iter().flat_map(|flag| flag_values(values, flag)).map(str::to_owned);
        self.made.extend(named);
        if random {
            self.made.extend(targets.into_iter().filter(|target| target != "/dev/null"));
        }
    }
}
