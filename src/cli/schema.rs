//! `infralens schema`: prints JSON Schemas of the YAML that authors write, or writes them to the files where editors
//! find them.

use clap::Args;
use clap::builder::{PossibleValuesParser, TypedValueParser};

use super::{Common, Outcome, Status, print, quantity};
use crate::emit;
use infralens_course::schema::{self, Kind};

#[derive(Debug, Args)]
pub(super) struct Options {
    /// What to describe: the front matter of a lab, section, track or page, `site.yaml` or `references.yaml`
    ///
    /// Without it, all six are printed as one JSON object whose keys are these names.
    #[arg(value_parser = kinds())]
    kind: Option<Kind>,
    /// Write each schema to `.infralens/schema/KIND.json` in the course, replacing an older version
    ///
    /// Editors find it there by a comment, in front matter or at the top of a YAML file, such as
    /// `# yaml-language-server: $schema=../.infralens/schema/site.json`.
    #[arg(long)]
    write: bool,
}

/// Returns a parser for the names of the kinds, which clap offers and completes.
fn kinds() -> impl TypedValueParser<Value = Kind> {
    PossibleValuesParser::new(Kind::ALL.map(Kind::name)).try_map(|name| Kind::find(&name).ok_or("not a kind of schema"))
}

pub(super) fn run(common: &Common, options: &Options) -> Outcome {
    if !options.write {
        print(&schema::text(&options.kind.map_or_else(schema::all, schema::schema)))?;
        return Ok(Status::Done);
    }
    let root = common.root()?;
    let wanted = options.kind.map(Kind::path);
    let (mut total, mut changed) = (0, 0);
    for (path, text) in schema::files().iter().filter(|(path, _)| wanted.as_ref().is_none_or(|wanted| wanted == path)) {
        total += 1;
        changed += usize::from(emit::write_generated(&root, path, text)?);
    }
    print(&format!("{} in .infralens/schema/ ({changed} new or changed)\n", quantity(total, "schema")))?;
    Ok(Status::Done)
}
