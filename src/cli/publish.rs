//! `infralens publish`: builds the site, and makes a folder or a bucket contain it.
//!
//! A folder is written as by `build`. For a bucket, nothing is written to disk: each file is made once for its hash, and
//! once more if it must be uploaded.

use clap::Args;

use super::build::{self, SiteOptions};
use super::{Common, Failure, Outcome, eprint, filter_quiet, quantity};
use crate::report::Counts;
use infralens_source::diag::Diagnostic;
use infralens_source::project::Project;

const VARIABLES: &str = "\
Credentials and endpoints are read from environment variables:
  s3://  AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_SESSION_TOKEN, AWS_REGION, and for other stores with the protocol
         of S3: AWS_ENDPOINT or AWS_ENDPOINT_URL (and AWS_ALLOW_HTTP=true if it begins with http://)
  gs://  GOOGLE_APPLICATION_CREDENTIALS
  az://  AZURE_STORAGE_ACCOUNT_NAME, AZURE_STORAGE_ACCOUNT_KEY or AZURE_STORAGE_SAS_TOKEN
On machines of these clouds, the identity of the machine is used.";

/// The heading of the options that a folder does not have.
const FOR_BUCKETS: &str = "Options for buckets, not for folders";

/// The value of `--rollback` that means the generation before the current one.
const PREVIOUS: &str = "previous";

/// A generation of the site: one with a number, or the one before the current one.
#[derive(Debug, Clone, Copy)]
struct Generation(
    #[cfg_attr(not(feature = "publish"), expect(dead_code, reason = "only buckets have them"))] Option<u64>,
);

fn generation(text: &str) -> Result<Generation, String> {
    if text == PREVIOUS {
        return Ok(Generation(None));
    }
    let number = text.parse().map_err(|_| format!("write the number of a generation, or `{PREVIOUS}`"))?;
    Ok(Generation(Some(number)))
}

#[derive(Debug, Args)]
#[command(after_help = VARIABLES)]
pub(super) struct Options {
    /// A folder, `s3://BUCKET/FOLDER`, `gs://BUCKET/FOLDER` or `az://CONTAINER/FOLDER`
    #[arg(value_name = "DEST")]
    destination: String,
    #[command(flatten)]
    site: SiteOptions,
    /// Print what would be done, and change nothing
    #[arg(long, help_heading = FOR_BUCKETS)]
    dry_run: bool,
    /// Bring back an earlier generation of the site, by its number [default: the one before the
    /// current one; each time one further back]
    #[arg(long, help_heading = FOR_BUCKETS, value_name = "GENERATION", num_args = 0..=1, require_equals = true)]
    #[arg(default_missing_value = PREVIOUS, value_parser = generation)]
    #[arg(conflicts_with_all = ["base_url", "drafts", "strict"])]
    rollback: Option<Generation>,
    /// How long earlier generations and their styles and scripts are kept, in days [default: 30]
    #[arg(long, help_heading = FOR_BUCKETS, value_name = "DAYS")]
    keep_days: Option<u32>,
    /// The maximum number of files of the site that may be deleted [default: 256]
    #[arg(long, help_heading = FOR_BUCKETS, value_name = "N")]
    max_deletes: Option<usize>,
    /// Replace files of the same names that InfraLens has not published
    #[arg(long, help_heading = FOR_BUCKETS)]
    overwrite: bool,
}

pub(super) fn run(common: &Common, options: Options) -> Outcome {
    if options.destination.contains("://") {
        return bucket::run(common, &options);
    }
    if ["s3:", "gs:", "az:"].iter().any(|scheme| options.destination.starts_with(scheme)) {
        return Err(Failure::new(format!("`{}` is not the address of a bucket", options.destination))
            .help("write `s3://BUCKET/FOLDER`, with two slashes; a folder of this name begins with `./`"));
    }
    let only_for_buckets = [
        ("--dry-run", options.dry_run),
        ("--rollback", options.rollback.is_some()),
        ("--keep-days", options.keep_days.is_some()),
        ("--max-deletes", options.max_deletes.is_some()),
        ("--overwrite", options.overwrite),
    ];
    if let Some((name, _)) = only_for_buckets.iter().find(|(_, given)| *given) {
        return Err(Failure::new(format!("`{name}` is only for buckets"))
            .help("a folder is replaced in one step, as by `infralens build --output FOLDER`"));
    }
    build::run(common, build::Options::publish_to(options.destination.into(), options.site))
}

/// Prints on standard error the diagnostics that prevent the site from being published. Warnings are only counted, because
/// `check` and `build` have shown them.
pub(super) fn eprint_report(diagnostics: Vec<Diagnostic>, project: &Project, quiet: bool, strict: bool) {
    let warnings = Counts::of(&diagnostics).warnings;
    super::eprint_report(&filter_quiet(diagnostics, true, strict), project);
    if warnings > 0 && !quiet && !strict {
        eprint(&format!("{}; `infralens check` shows them\n", quantity(warnings, "warning")));
    }
}

#[cfg(not(feature = "publish"))]
mod bucket {
    use super::{Common, Failure, Options, Outcome};

    pub(super) fn run(_: &Common, options: &Options) -> Outcome {
        Err(Failure::new(format!(
            "this program cannot publish to `{}`: it was compiled without buckets",
            options.destination
        ))
        .help("install a package, or compile with `cargo install --path . --features publish`")
        .help("`infralens publish FOLDER` works, and any other tool can upload the folder"))
    }
}

#[cfg(feature = "publish")]
mod bucket;
