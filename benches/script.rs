//! Measures the parsing of a shell script of a million characters: `cargo bench --bench script`.
#![expect(clippy::print_stdout, reason = "a bench reports on standard output")]

use std::{hint::black_box, time::Instant};

/// A script with every construct that the parser supports, repeated up to the measured size.
const BLOCK: &str = r#"
set -euo pipefail
# wait for the database
until pg_isready -h "${PGHOST:-localhost}" -p 5432 >/dev/null 2>&1; do sleep 2; done
if ! psql -tAc "SELECT 1 FROM pg_database WHERE datname='$DB'" | grep -q 1; then
  createdb --owner="$OWNER" "$DB" || { echo 'failed' >&2; exit 1; }
fi
for name in alpha beta gamma; do
  case "$name" in
    a*|b*) kubectl create secret generic "$name" --from-literal=key="$(openssl rand -hex 16)" ;;
    *) echo "skip `basename $name`" ;;
  esac
done
cat <<EOF | kubectl apply -f -
apiVersion: v1
kind: ConfigMap
metadata: {name: $name}
EOF
[[ -f /data/done && $count -lt 10 ]] && (( count += 1 )) || touch /data/done
"#;

fn main() {
    let script = BLOCK.repeat(1_000_000 / BLOCK.len() + 1);
    let script = &script[..1_000_000];
    let mut times: Vec<_> = (0..20)
        .map(|_| {
            let start = Instant::now();
            black_box(shell_effects::parse(black_box(script)));
            start.elapsed()
        })
        .collect();
    times.sort();
    // The fastest run is the parser's own time; slower ones include other load on the machine.
    println!("parse 1,000,000 characters: fastest {:?}, median {:?}", times[0], times[10]);
}
