//! `infralens lsp`: speaks with an editor over standard input and output.

use clap::Args;
use lsp_server::Connection;

use super::clock::today;
use super::{Common, Failure, Outcome, Status};
use crate::assets::BUILTIN;
use crate::lsp;
use infralens_site as site;

#[derive(Debug, Args)]
pub(super) struct Options {
    /// Use standard input and output, as always; some editors say so
    #[arg(long, hide = true)]
    stdio: bool,
}

pub(super) fn run(common: &Common, options: &Options) -> Outcome {
    let _ = options.stdio;
    let root = common.root.as_ref().map(|_| common.root()).transpose()?;
    let site_options = site::Options { today: Some(today()?), ..site::Options::new(BUILTIN) };
    let (connection, threads) = Connection::stdio();
    lsp::run(&connection, root, site_options).map_err(|error| {
        Failure::new(format!("the editor does not speak the language server protocol: {error}"))
            .help("an editor starts this command; `infralens editor` prints how")
    })?;
    drop(connection);
    threads.join().map_err(|error| Failure::new(format!("the connection to the editor broke: {error}")))?;
    Ok(Status::Done)
}
