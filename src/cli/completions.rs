//! `infralens completions`: prints a script with which a shell completes the command line.

use clap::{Args, CommandFactory};
use clap_complete::Shell;

use super::{Cli, Outcome, Status, print_bytes};

#[derive(Debug, Args)]
pub(super) struct Options {
    /// The shell for which to print the script
    ///
    /// For bash: `infralens completions bash > ~/.local/share/bash-completion/completions/infralens`. For fish:
    /// `infralens completions fish > ~/.config/fish/completions/infralens.fish`. For zsh: write the output to
    /// `_infralens` in a folder of `$fpath`. For PowerShell: add the output to the file that `$PROFILE` names.
    shell: Shell,
}

pub(super) fn run(options: &Options) -> Outcome {
    let mut script = Vec::new();
    clap_complete::generate(options.shell, &mut Cli::command(), "infralens", &mut script);
    print_bytes(&script)?;
    Ok(Status::Done)
}
