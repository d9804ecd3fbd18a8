//! `infralens completions`: what a shell needs to complete the command line.

use clap::{Args, CommandFactory};
use clap_complete::Shell;

use super::{Cli, Outcome, Status, print_bytes};

#[derive(Debug, Args)]
pub(super) struct Options {
    /// The shell that is to complete
    ///
    /// For bash: `infralens completions bash > ~/.local/share/bash-completion/completions/infralens`. For fish:
    /// `infralens completions fish > ~/.config/fish/completions/infralens.fish`. For zsh: as `_infralens` into a folder
    /// of `$fpath`. For PowerShell: add the output to the file that `$PROFILE` names.
    shell: Shell,
}

pub(super) fn run(options: &Options) -> Outcome {
    let mut script = Vec::new();
    clap_complete::generate(options.shell, &mut Cli::command(), "infralens", &mut script);
    print_bytes(&script)?;
    Ok(Status::Done)
}
