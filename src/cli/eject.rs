//! `infralens eject`: copies built-in templates, styles and scripts into the course, where they can be changed.

use clap::Args;

use super::{Common, Outcome, Status, done, print};
use crate::assets::BUILTIN;
use crate::{emit, load};
use infralens_source::project::Project;
use infralens_theme::Engine;
use infralens_theme::context::FIELDS;
use infralens_theme::eject::{self, BuiltinFile};

#[derive(Debug, Args)]
pub(super) struct Options {
    /// The files, such as `lab.html`, `parts/next.html` or `style/tokens.css`; `lab` and `next` are enough
    #[arg(value_name = "NAME", required_unless_present = "list")]
    names: Vec<String>,
    /// List all built-in files, what each is for, and the variables that templates are given
    #[arg(long, conflicts_with_all = ["names", "print"])]
    list: bool,
    /// Print the files and change nothing
    #[arg(long)]
    print: bool,
}

pub(super) fn run(common: &Common, options: &Options) -> Outcome {
    if options.list {
        print(&list())?;
        return Ok(Status::Done);
    }
    if options.print {
        for name in &options.names {
            print(eject::find(BUILTIN, name)?.text)?;
        }
        return Ok(Status::Done);
    }
    let root = common.root()?;
    let changes = eject::eject(&load::load(&root), BUILTIN, &options.names)?;
    emit::change(&root, &changes)?;
    print(&(done(&changes) + "next: change it; if you remove it, the built-in file is used again\n"))?;
    Ok(Status::Done)
}

/// Returns a line per built-in file, and then one per field of what templates are given.
fn list() -> String {
    let files = eject::built_in(BUILTIN);
    let engine = Engine::new(&Project::default(), BUILTIN).ok();
    let width = files.iter().map(|file| file.path.len()).max().unwrap_or(0);
    let lines = |folder: &str| -> String {
        files.iter().filter(|file| file.folder == folder).map(|file| line(*file, width, engine.as_ref())).collect()
    };
    format!(
        "Templates, which are copied to `templates/`. Each is given `site`, `course` and `page`:\n\n{}\n\
         Styles, scripts and the icon, which are copied to `static/`:\n\n{}\n\
         Fields of the variables. A word in backticks that begins with a capital is one of these structures:\n{FIELDS}",
        lines("templates"),
        lines("static")
    )
}

/// Returns the line of a built-in file.
fn line(file: BuiltinFile, width: usize, engine: Option<&Engine>) -> String {
    let variables = engine.map(|engine| file.variables(BUILTIN, engine)).unwrap_or_default();
    let variables: Vec<String> = variables.into_iter().map(|name| format!("`{name}`")).collect();
    let given = if variables.is_empty() { String::new() } else { format!(". Also given: {}", variables.join(", ")) };
    format!("  {:width$}  {}{given}\n", file.path, file.purpose())
}
