//! `infralens man`: prints manual pages in roff, one per command.

use clap::{Args, CommandFactory};
use clap_mangen::Man;

use super::{Cli, Failure, Outcome, Status, print_bytes};
use infralens_source::diag::nearest;

#[derive(Debug, Args)]
pub(super) struct Options {
    /// The command to describe, such as `build`; without it, the program, with a list of all commands
    ///
    /// To read a page: `infralens man build | man -l -`. To package them: `infralens man > infralens.1`, and for each
    /// command `infralens man COMMAND > infralens-COMMAND.1`.
    #[arg(value_name = "COMMAND")]
    command: Vec<String>,
}

pub(super) fn run(options: &Options) -> Outcome {
    let mut program = Cli::command().disable_help_subcommand(true);
    program.build();
    let mut command = &program;
    for name in &options.command {
        command = command.find_subcommand(name).ok_or_else(|| unknown(name, command))?;
    }
    let mut page = Vec::new();
    let source = concat!("infralens ", env!("CARGO_PKG_VERSION"));
    let made = Man::new(command.clone()).source(source).manual("InfraLens").render(&mut page);
    made.map_err(|error| Failure::new(format!("the page cannot be made: {error}")))?;
    print_bytes(&page)?;
    Ok(Status::Done)
}

fn unknown(name: &str, above: &clap::Command) -> Failure {
    let commands: Vec<String> = above.get_subcommands().map(|command| format!("`{}`", command.get_name())).collect();
    let failure = Failure::new(format!("`{}` has no command `{name}`", above.get_name()));
    if commands.is_empty() {
        return failure;
    }
    let near = nearest(name, above.get_subcommands().map(clap::Command::get_name));
    failure.nearest(near).help(format!("its commands are {}", commands.join(", ")))
}
