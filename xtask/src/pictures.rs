//! `cargo xtask pictures`: what the command prints on a terminal, as SVG for the README, in light and dark.

use std::{
    error::Error,
    fmt::Write,
    fs,
    process::{Command, ExitCode},
};

use super::{Outcome, own};

/// Draw the terminal pictures of the README.
///
/// Runs joblint on the project's own examples and writes `docs/pictures/*.svg`. `npm run pictures` in `docs/tests` takes
/// the others with a browser.
#[derive(clap::Args)]
pub struct Arguments {}

/// A picture: its name, the command, the rule whose finding is shown, and the last line that is shown.
const PICTURES: [(&str, &[&str], &str); 1] = [(
    "finding",
    &["examples/charts", "--select", "stale-hook-blocks"],
    "before-hook-creation,hook-succeeded",
)];

/// The columns of a picture; longer lines end with `…`.
const COLUMNS: usize = 140;
/// The size of a character and a line, and the space around the text, in pixels.
const CELL: (f64, f64) = (8.4, 19.0);
const MARGIN: f64 = 16.0;

/// The colours of a terminal: page, text, dim, red, green, yellow, cyan.
struct Palette {
    name: &'static str,
    page: &'static str,
    text: &'static str,
    dim: &'static str,
    red: &'static str,
    green: &'static str,
    yellow: &'static str,
    cyan: &'static str,
}

const PALETTES: [Palette; 2] = [
    Palette {
        name: "light",
        page: "#f6f8fa",
        text: "#1f2328",
        dim: "#656d76",
        red: "#b3211b",
        green: "#116329",
        yellow: "#7a4d00",
        cyan: "#0b6b7d",
    },
    Palette {
        name: "dark",
        page: "#14171b",
        text: "#e4e8ed",
        dim: "#9aa6b3",
        red: "#ff938a",
        green: "#7ee2a0",
        yellow: "#f0c674",
        cyan: "#79d4e6",
    },
];

pub fn run(_: &Arguments) -> Outcome {
    for (name, words, last) in PICTURES {
        let text = printed(words)?;
        let end = text.find(last).ok_or_else(|| format!("`{last}` is not printed"))?;
        let end = text[end..].find('\n').map_or(text.len(), |line| end + line);
        let lines: Vec<_> = text[..end].lines().map(pieces).collect();
        for palette in &PALETTES {
            let path = own("docs/pictures").join(format!("{name}-{}.svg", palette.name));
            fs::write(&path, drawn(words, &lines, palette))?;
            println!("{}", path.display());
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// What joblint prints in colour.
fn printed(words: &[&str]) -> Result<String, Box<dyn Error>> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut command = Command::new(cargo);
    command.current_dir(own("")).args(["run", "--quiet", "--package", "joblint", "--"]);
    let output =
        command.args(words).args(["--color", "always"]).env("LC_ALL", "C.UTF-8").output()?;
    match output.stdout.is_empty() {
        true => Err(String::from_utf8_lossy(&output.stderr).into()),
        false => Ok(String::from_utf8(output.stdout)?),
    }
}

/// A text with the escape codes that are in force: `1` bold, `2` dim, `31` to `36` colours.
type Piece = (String, Vec<u8>);

/// The pieces of a line, cut after [`COLUMNS`].
fn pieces(line: &str) -> Vec<Piece> {
    let (mut out, mut codes, mut left): (Vec<Piece>, Vec<u8>, usize) =
        (Vec::new(), Vec::new(), COLUMNS);
    for (index, part) in line.split("\x1b[").enumerate() {
        let (escape, text) =
            if index == 0 { ("", part) } else { part.split_once('m').unwrap_or(("", part)) };
        for code in escape.split(';').filter_map(|code| code.parse().ok()) {
            if code == 0 { codes.clear() } else { codes.push(code) }
        }
        let length = text.chars().count();
        let mut text: String = text.chars().take(left).collect();
        if length > left && left > 0 {
            text.pop();
            text.push('…');
        }
        left = left.saturating_sub(length);
        if !text.is_empty() {
            out.push((text, codes.clone()));
        }
    }
    out
}

fn drawn(words: &[&str], lines: &[Vec<Piece>], palette: &Palette) -> String {
    let width = 2.0 * MARGIN + COLUMNS as f64 * CELL.0;
    let height = 2.0 * MARGIN + (lines.len() + 2) as f64 * CELL.1;
    let Palette { page, text, .. } = palette;
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width:.0} {height:.0}\" width=\"{width:.0}\" \
         height=\"{height:.0}\" font-family=\"ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', \
         monospace\" font-size=\"14\" fill=\"{text}\">\n\
         <rect width=\"100%\" height=\"100%\" rx=\"8\" fill=\"{page}\"/>\n"
    );
    let command = vec![("$ ".to_owned(), vec![2]), (format!("joblint {}", words[0]), vec![1])];
    let rows = [command, Vec::new()].into_iter().chain(lines.iter().cloned());
    for (row, pieces) in rows.enumerate() {
        let y = MARGIN + (row as f64 + 0.8) * CELL.1;
        let mut column = 0;
        for (text, codes) in pieces {
            let length = text.chars().count();
            if !text.trim().is_empty() {
                let x = MARGIN + column as f64 * CELL.0;
                let wide = length as f64 * CELL.0;
                let look = look(&codes, palette);
                let text = escaped(&text);
                // The width is given, so that boxes close with every font.
                let _ = writeln!(
                    out,
                    "<text x=\"{x:.1}\" y=\"{y:.1}\" textLength=\"{wide:.1}\" xml:space=\"preserve\"{look}>{text}</text>"
                );
            }
            column += length;
        }
    }
    out + "</svg>\n"
}

fn look(codes: &[u8], palette: &Palette) -> String {
    let colour = codes.iter().rev().find_map(|code| match code {
        2 => Some(palette.dim),
        31 => Some(palette.red),
        32 => Some(palette.green),
        33 => Some(palette.yellow),
        36 => Some(palette.cyan),
        _ => None,
    });
    let bold = if codes.contains(&1) { " font-weight=\"700\"" } else { "" };
    colour.map_or(String::new(), |colour| format!(" fill=\"{colour}\"")) + bold
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}
