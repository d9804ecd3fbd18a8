//! `infralens explain`: explains a diagnostic with its text from `crates/source/src/diag/explain/`; without a code, lists all
//! codes.

use clap::Args;

use super::{Failure, Outcome, Status, print};
use infralens_source::diag::codes::{ALL, Code};
use infralens_source::diag::nearest;

#[derive(Debug, Args)]
pub(super) struct Options {
    /// A code as diagnostics print it, such as E0301
    code: Option<String>,
}

pub(super) fn run(options: &Options) -> Outcome {
    let text = match &options.code {
        None => list(),
        Some(id) => plain(Code::find(id).ok_or_else(|| unknown(id))?.text),
    };
    print(&text)?;
    Ok(Status::Done)
}

fn unknown(id: &str) -> Failure {
    let failure = Failure::new(format!("no diagnostic has the code `{id}`"));
    let wanted = id.to_ascii_lowercase();
    let starts_alike = |code: &&Code| code.id.to_ascii_lowercase().chars().next() == wanted.chars().next();
    // Of many names, the first are compared.
    let (first, others): (Vec<&Code>, Vec<&Code>) = ALL.iter().partition(starts_alike);
    let near = nearest(id, first.iter().chain(&others).map(|code| code.id));
    let begun = || ALL.iter().map(|code| code.id).find(|known| wanted.len() > 2 && known.starts_with(&wanted));
    failure.nearest(near.or_else(begun)).help("`infralens explain` lists all codes")
}

fn list() -> String {
    let width = ALL.iter().map(|code| code.id.len()).max().unwrap_or(0);
    let lines: Vec<String> = ALL.iter().map(|code| format!("{:width$}  {}", code.id, code.title)).collect();
    lines.join("\n") + "\n"
}

/// Removes the `#` of the title, the only Markdown that is not plain text: examples are indented.
fn plain(markdown: &str) -> String {
    let text = markdown.strip_prefix("# ").unwrap_or(markdown);
    format!("{}\n", text.trim_end())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_code_is_explained_under_its_title() {
        for code in ALL {
            let text = plain(code.text);
            let (title, body) = text.split_once("\n\n").unwrap_or_default();
            assert_eq!(title, format!("{} {}", code.id, code.title));
            assert!(body.lines().count() >= 6, "{}: {body}", code.id);
            assert!(!text.contains('\t') && text.lines().all(|line| line.chars().count() <= 110), "{text}");
        }
    }

    #[test]
    fn an_unknown_code_has_a_near_one() {
        let failure = unknown("E0103x");
        assert_eq!(failure.message, "no diagnostic has the code `E0103x`");
        assert_eq!(failure.help[0], "did you mean `E0103`?");
        assert_eq!(unknown("what").help.len(), 1);
        for (typed, near) in
            [("W0301x", "W0301"), ("figures", "figure"), ("alttext", "alt-text"), ("stale", "stale-date")]
        {
            assert_eq!(unknown(typed).help[0], format!("did you mean `{near}`?"));
        }
    }

    #[test]
    fn the_list_has_a_line_per_code() {
        assert_eq!(list().lines().count(), ALL.len());
        let list = list();
        let first: Vec<&str> = list.lines().next().unwrap_or_default().splitn(2, "  ").map(str::trim).collect();
        assert_eq!(first, ["E0001", "file is not UTF-8 text"]);
    }
}
