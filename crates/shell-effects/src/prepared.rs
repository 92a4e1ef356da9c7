//! Commands that only prepare what a later command cannot do without: `restic init` before `restic backup`.

use crate::{
    analysis::{Analysis, Invocation},
    command_line::flag_values,
};

/// What a command prepares for others.
struct Preparation {
    /// The programs, and the subcommands of which one follows.
    by: (&'static [&'static str], &'static [&'static str]),
    /// The programs that fail without it, and their subcommands; none if all fail.
    needed_by: (&'static [&'static str], &'static [&'static str]),
}

/// Repositories, sessions, credentials and providers, each with the documentation of the client.
static PREPARATIONS: [Preparation; 14] = [
    // https://restic.readthedocs.io/en/stable/030_preparing_a_new_repo.html
    Preparation { by: (&["restic"], &["init"]), needed_by: (&["restic"], &[]) },
    // https://borgbackup.readthedocs.io/en/stable/usage/init.html
    Preparation {
        by: (&["borg"], &["init", "rcreate", "repo-create"]),
        needed_by: (&["borg"], &[]),
    },
    // https://pgbackrest.org/command.html#command-stanza-create
    Preparation {
        by: (&["pgbackrest"], &["stanza-create"]),
        needed_by: (&["pgbackrest"], &["backup", "check"]),
    },
    // https://kopia.io/docs/reference/command-line/common/
    Preparation {
        by: (
            &["kopia"],
            &["repository connect", "repository create", "repo connect", "repo create"],
        ),
        needed_by: (&["kopia"], &["snapshot", "restore", "maintenance", "policy"]),
    },
    // https://learn.microsoft.com/cli/azure/authenticate-azure-cli
    Preparation { by: (&["az"], &["login"]), needed_by: (&["az"], &[]) },
    // https://cloud.google.com/sdk/gcloud/reference/container/clusters/get-credentials
    Preparation {
        by: (&["gcloud"], &["clusters get-credentials"]),
        needed_by: (&["helm", "kubectl"], &[]),
    },
    // https://docs.docker.com/reference/cli/docker/login/: what is public can be pulled without.
    Preparation {
        by: (&["buildah", "docker", "podman"], &["login"]),
        needed_by: (&["buildah", "docker", "podman"], &["push"]),
    },
    // https://developer.hashicorp.com/terraform/cli/commands/init
    Preparation {
        by: (&["terraform", "tofu"], &["init"]),
        needed_by: (&["terraform", "tofu"], &["apply", "plan", "destroy"]),
    },
    // https://docs.pulumi.com/cli/commands/pulumi_login/
    Preparation {
        by: (&["pulumi"], &["login", "stack select"]),
        needed_by: (&["pulumi"], &["up", "destroy", "preview"]),
    },
    // https://guides.rubyonrails.org/active_record_migrations.html#create-the-database
    Preparation {
        by: (&["rails", "rake"], &["db:create"]),
        needed_by: (&["rails", "rake"], &["db:migrate", "db:prepare", "db:schema:load", "db:seed"]),
    },
    // https://hexdocs.pm/ecto_sql/Mix.Tasks.Ecto.Migrate.html
    Preparation { by: (&["mix"], &["ecto.create"]), needed_by: (&["mix"], &["ecto.migrate"]) },
    // https://github.com/sequelize/cli#usage
    Preparation {
        by: (&["sequelize", "sequelize-cli"], &["db:create"]),
        needed_by: (&["sequelize", "sequelize-cli"], &["db:migrate"]),
    },
    // https://www.gnupg.org/documentation/manuals/gnupg/Operational-GPG-Commands.html
    Preparation {
        by: (&["gpg", "gpg2"], &["--import"]),
        needed_by: (
            &["gpg", "gpg2"],
            &["--decrypt", "--encrypt", "--sign", "--verify", "-d", "-e", "-s"],
        ),
    },
    // https://developer.hashicorp.com/vault/docs/commands/login
    Preparation { by: (&["bao", "vault"], &["login"]), needed_by: (&["bao", "vault"], &[]) },
];

/// Whether a later command needs what the invocation at `index` prepares, and fails the script without it.
pub(crate) fn is_preparation(analysis: &Analysis, index: usize) -> bool {
    let own = &analysis.invocations[index];
    let of = PREPARATIONS.iter().find(|of| is_one_of(own, of.by));
    let made = namespace(own);
    if of.is_none() && made.is_none() {
        return false;
    }
    analysis.decided_behind(index).any(|one| {
        of.is_some_and(|of| is_one_of(one, of.needed_by) && !is_one_of(one, of.by))
            || made.is_some_and(|made| works_in(one, made))
    })
}

/// Whether an invocation is of one of the programs, with one of the subcommands if there are any.
fn is_one_of(one: &Invocation, (programs, subcommands): (&[&str], &[&str])) -> bool {
    let has = |subcommand: &&str| {
        let wanted: Vec<_> = subcommand.split(' ').collect();
        one.values().windows(wanted.len()).any(|own| own == wanted)
    };
    programs.contains(&one.program_name())
        && (subcommands.is_empty() || subcommands.iter().any(has))
}

/// Clients of a cluster.
const CLIENTS: [&str; 3] = ["helm", "kubectl", "oc"];

/// The namespace that a command makes: `kubectl create namespace shop`.
fn namespace(one: &Invocation) -> Option<&str> {
    if !matches!(one.program_name(), "kubectl" | "oc") {
        return None;
    }
    let value = |at: usize| one.words.get(at).map(|word| &*word.value);
    let makes = |at: &usize| {
        value(at - 1) == Some("create") && matches!(value(*at), Some("namespace" | "ns"))
    };
    value((2..one.words.len()).find(makes)? + 1)
}

/// Whether a command works in a namespace, and does not make it.
fn works_in(one: &Invocation, name: &str) -> bool {
    let values = one.values();
    let mut stated = ["-n", "--namespace"].iter().flat_map(|flag| flag_values(&values, flag));
    CLIENTS.contains(&one.program_name())
        && stated.any(|own| own == name)
        && !values.contains(&"--create-namespace")
}

#[cfg(test)]
mod tests {
    use crate::{Catalogue, Container, analyse_script, failure_hidden};

    /// The number of commands whose failure a script hides.
    fn hidden(script: &str) -> usize {
        let analysis = analyse_script(Catalogue::built_in(), script, &Container::default());
        failure_hidden(&analysis).len()
    }

    #[test]
    fn what_only_prepares_the_last_command_fails_with_it() {
        for script in [
            "restic snapshots || restic init\nrestic backup /data\n",
            "if ! borg info ::; then borg init -e none ::; fi\nborg create ::x /d\n",
            "kopia repository connect s3 || kopia repository create s3\nkopia snapshot create /d\n",
            "kubectl create ns shop\nhelm upgrade -i a b -n shop\n",
            "az login --identity\naz storage blob upload-batch -s /d -d x\n",
            "docker login -u a -p b\ndocker push x\n",
            "bundle exec rails db:create;\nbundle exec rails db:migrate;\n",
            "npx sequelize db:create\nnpx sequelize db:migrate\n",
            "aws s3 cp s3://b/x.gz /tmp/x.gz\ngunzip /tmp/x.gz\npg_restore -d x /tmp/x\n",
        ] {
            assert_eq!(hidden(script), 0, "{script}");
        }
        for script in [
            "restic init\nborg create ::x /d\n",
            "rails db:create\nrails db:migrate\ndate\n",
            "restic backup /data\nrestic init\n",
            "kubectl create ns shop\nkubectl apply -n other -f /m\n",
            "kubectl create ns shop\nhelm upgrade -i a b -n shop --create-namespace\n",
            "docker login -u a -p b\ndocker pull x\n",
            "aws s3 cp s3://b/x /tmp/x\npg_restore -d x /tmp/y\n",
            "restic init\nrestic backup /data\ndate\n",
        ] {
            assert_ne!(hidden(script), 0, "{script}");
        }
    }
}
