//! `infralens links`: visits the addresses of other sites to which a course links, and records what they answer. Nothing else
//! visits them.

use clap::{Args, ValueHint};

use super::{Common, Failure, Outcome};

#[derive(Debug, Args)]
pub(super) struct Options {
    /// The pages whose links to visit: their files, or short forms such as `lab-01-x` and `TRACK/lab-01-x` [default: all,
    /// with the bibliography and the settings]
    #[arg(value_name = "PAGE", value_hint = ValueHint::AnyPath)]
    pages: Vec<String>,
    /// Visit what was last visited this many days ago, or earlier
    #[arg(long, value_name = "DAYS", default_value = "30", value_parser = days)]
    stale: u32,
    /// The maximum number of addresses that are visited; those that were never visited come first
    #[arg(long, value_name = "N", default_value_t = 500)]
    #[arg(value_parser = clap::value_parser!(u32).range(1..))]
    limit: u32,
    /// Visit addresses of this machine and of private networks, too
    #[arg(long)]
    allow_private: bool,
    /// Print nothing on success
    #[arg(short, long)]
    quiet: bool,
}

fn days(text: &str) -> Result<u32, String> {
    text.strip_suffix('d')
        .unwrap_or(text)
        .parse()
        .map_err(|_| "write a number of days, such as `30` or `30d`".to_owned())
}

#[cfg(not(feature = "links"))]
pub(super) fn run(_: &Common, _: &Options) -> Outcome {
    Err(Failure::new("this program cannot visit addresses: it was compiled without TLS")
        .help("install a package, or compile with `cargo install --path . --features links`"))
}

#[cfg(feature = "links")]
pub(super) use visit::run;

#[cfg(feature = "links")]
mod visit;
