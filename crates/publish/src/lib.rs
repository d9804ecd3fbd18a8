//! Publishes a site to a bucket (S3 and compatible stores, Google Cloud Storage, Azure). `infralens publish` calls it, if the
//! program is built with its feature `publish`. No other crate sends requests to other machines.
//!
//! [`publish`] publishes what is [`Wanted`]: a site (a [`Manifest`], the list of its files with a hash of each, and a function
//! that makes each) or, as a rollback, an earlier *generation*: each publication is one. `.infralens/` in the bucket holds:
//!
//! - `objects/FINGERPRINT`: each *content* (the bytes of a file, with its headers), by the hash of both;
//! - `sites/GENERATION.json`: the manifests; `clock`: an empty object, written only to read the store's clock;
//! - `state.json`: the newest complete and the newest begun generation, and who has the *claim*, the right to publish. It is
//!   replaced only if nobody else has written it in the meantime.
//!
//! 1. Read the state and the manifests since the complete generation, list the bucket, compare (`plan`), take the claim (`claim`).
//! 2. Upload missing contents to `objects/`, write the manifest, record the generation as begun.
//! 3. Copy contents to their paths: files that pages need, then new pages and lists of pages (search index, sitemap), then
//!    replaced pages, then replaced lists. Delete what the site no longer has, except files with a hash in their name.
//! 4. Record the generation as complete. Delete (`cleanup`) generations that were replaced at least [`Options::keep_days`] days
//!    ago, the files with hashes that only they list, and contents that no manifest lists. Release the claim.
//!
//! **Invariant**: a page arrives after what it needs. Outside `.infralens/`, a file that no manifest lists is never deleted, and
//! is replaced only with [`Options::overwrite`], or by one with its hash in the name. After a failure, the same command goes on.
//!
//! ```
//! let destination: infralens_publish::Destination = "s3://courses/kernels".parse().unwrap();
//! assert_eq!(destination.folder(), Some("kernels"));
//! ```

mod claim;
mod cleanup;
mod destination;
mod error;
mod headers;
mod manifest;
mod plan;
mod remote;
#[cfg(test)]
mod tests;

use std::cell::{Cell, RefCell};

use futures_util::{StreamExt, TryStreamExt, stream};
use object_store::path::Path;
use object_store::{Attribute, Attributes, ObjectStore, ObjectStoreExt, PutOptions};

use claim::Claim;
pub use destination::Destination;
use error::Context;
use manifest::State;
pub use manifest::{Entry, Manifest};
pub use plan::{Plan, Stage};
use remote::{Remote, object_path, site_path};

use infralens_source::change::Refusal;
use infralens_source::output::Bytes;

/// The number of requests that are sent at the same time.
const CONCURRENCY: usize = 16;

/// Makes the file at a path of a site; `None` if there is none.
pub type Make<'a> = &'a dyn Fn(&str) -> Option<Bytes>;

/// What to publish.
pub enum Wanted<'a> {
    /// A site that was built.
    Site {
        manifest: Manifest,
        /// Makes each of them.
        make: Make<'a>,
    },
    /// An earlier generation: the one with this number, or the one before what is on display: if that was brought
    /// back, the one before the one brought back.
    Generation(Option<u64>),
}

/// How to publish.
#[derive(Debug, Clone)]
pub struct Options {
    /// The number of days for which earlier generations and their assets are kept after they were replaced.
    pub keep_days: u32,
    /// The maximum number of files of the site that may be deleted.
    pub max_deletes: usize,
    /// Whether files that were not published by this program may be replaced.
    pub overwrite: bool,
    /// Whether to plan only, and to write nothing.
    pub dry_run: bool,
    /// Who is publishing, for the message that another publisher gets.
    pub publisher: String,
    /// The time of this machine's clock in seconds since 1970. It only decides whether it is worth looking for expired
    /// generations; the clock of the store decides which are.
    pub now: i64,
}

/// What was published, or with [`Options::dry_run`] would be.
#[derive(Debug)]
pub struct Report {
    /// What differed.
    pub plan: Plan,
    /// The generation on display.
    pub generation: u64,
    /// The earlier generation that this one brings back.
    pub restored: Option<u64>,
    /// Whether the destination had this site already.
    pub is_current: bool,
    /// The number of earlier generations that were deleted, because they are older than the period kept.
    pub expired: usize,
}

/// Publishes a site. Calls `step` after each file that was uploaded, replaced or deleted, with the number of all these.
///
/// # Errors
/// There is no such bucket, or no right to write to it; somebody else is publishing; a file that was not published by
/// this program would be replaced; too many files would be deleted; the generation does not exist; a request fails. The
/// message says what has been changed.
pub fn publish(
    destination: &Destination,
    wanted: Wanted<'_>,
    options: &Options,
    step: &dyn Fn(usize),
) -> Result<Report, Refusal> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(|error| Refusal::new(format!("cannot start the network: {error}")))?;
    runtime.block_on(run(destination.store()?.as_ref(), &destination.to_string(), wanted, options, step))
}

async fn run(
    store: &dyn ObjectStore,
    name: &str,
    wanted: Wanted<'_>,
    options: &Options,
    step: &dyn Fn(usize),
) -> Result<Report, Refusal> {
    let remote = Remote::read(store, name).await?;
    let current = (remote.state.complete > 0).then_some(remote.state.complete);
    let (manifest, make, restored) = match wanted {
        Wanted::Site { manifest, make } => (manifest.following(current), Some(make), None),
        Wanted::Generation(number) => {
            let (number, manifest) = remote.earlier(store, number).await?;
            (manifest, None, Some(number))
        }
    };
    let plan = Plan::new(&remote, &manifest, options)?;
    if let (None, Some((_, path))) = (make, plan.uploads.first_key_value()) {
        return Err(Refusal::new(format!("the content of `{path}` in that generation is no longer in {name}"))
            .help("build and publish the site from its sources instead"));
    }
    let is_current = plan.changes.is_empty() && plan.deletes.is_empty() && remote.is_settled();
    let generation = if is_current { remote.state.complete } else { remote.state.latest + 1 };
    let mut report = Report { plan, generation, restored, is_current, expired: 0 };
    if options.dry_run || is_current && remote.expired(options.keep_days, options.now).is_empty() {
        return Ok(report);
    }

    let mut claim = Claim::take(store, name, &remote, &options.publisher).await?;
    let progress = Cell::new(None);
    let result = if is_current { Ok(()) } else { replace(&mut claim, &manifest, &report, make, &progress, step).await };
    let result = match result {
        Ok(()) => {
            let expired = cleanup::run(&mut claim, remote, &report.plan, options.keep_days).await;
            expired.map(|expired| report.expired = expired).map_err(|refusal| {
                refusal.help("the site itself is published; the next time will delete what is too old")
            })
        }
        Err(refusal) => {
            let all = report.plan.changes.len() + report.plan.deletes.len();
            Err(refusal.help(match progress.get() {
                None => format!("the site at {name} is as it was; the same command goes on where this one stopped"),
                Some(done) => {
                    format!("{done} of {all} changes of the site were made; the same command makes the others")
                }
            }))
        }
    };
    claim.release().await;
    result.map(|()| report)
}

/// Makes the destination contain the files of `manifest`. `progress` counts the changes of the site itself, once they
/// begin.
async fn replace(
    claim: &mut Claim<'_>,
    manifest: &Manifest,
    report: &Report,
    make: Option<Make<'_>>,
    progress: &Cell<Option<usize>>,
    step: &dyn Fn(usize),
) -> Result<(), Refusal> {
    let (store, name, plan) = (claim.store, claim.name, &report.plan);
    let all = plan.uploads.len() + plan.changes.len() + plan.deletes.len();
    let uploads = for_each(&plan.uploads, async |(fingerprint, path): (&String, &String)| {
        upload(store, name, fingerprint, path, make).await?;
        step(all);
        Ok(())
    });
    claim.during(uploads).await?;
    let written = async {
        let put = store.put(&site_path(report.generation), manifest::encode(manifest).into()).await;
        put.map(drop).context(name, || "write the list of files".to_owned())
    };
    claim.during(written).await?;
    let latest = State { latest: report.generation, ..claim.state.clone() };
    claim.write(latest).await?;
    let advance = || {
        progress.set(progress.get().map(|done| done + 1));
        step(all);
    };
    progress.set(Some(0));
    for stage in Stage::ALL {
        let changes = plan.changes.iter().filter(|change| change.stage == stage);
        let copies = for_each(changes, async |change| {
            let (from, to) = (object_path(&change.fingerprint), remote::path(&change.path)?);
            store.copy(&from, &to).await.context(name, || format!("replace `{}`", change.path))?;
            advance();
            Ok(())
        });
        claim.during(copies).await?;
    }
    let paths = plan.deletes.iter().map(|path| remote::path(path)).collect::<Result<Vec<Path>, Refusal>>()?;
    claim.during(delete(store, name, paths, advance)).await?;
    let complete = State { complete: report.generation, ..claim.state.clone() };
    claim.write(complete).await
}

/// Does work for each item, for several at the same time. After the first failure, only the work in progress is done to
/// its end, so that no request arrives after the claim has been given back.
async fn for_each<T>(
    items: impl IntoIterator<Item = T>,
    work: impl AsyncFn(T) -> Result<(), Refusal>,
) -> Result<(), Refusal> {
    let failure = RefCell::new(None);
    let (failure_of, work) = (&failure, &work);
    let all = stream::iter(items).for_each_concurrent(CONCURRENCY, |item| async move {
        if failure_of.borrow().is_some() {
            return;
        }
        if let Err(refusal) = work(item).await {
            failure_of.borrow_mut().get_or_insert(refusal);
        }
    });
    all.await;
    failure.into_inner().map_or(Ok(()), Err)
}

/// Uploads the content of a path, with its headers, to where contents are kept.
async fn upload(
    store: &dyn ObjectStore,
    name: &str,
    fingerprint: &str,
    path: &str,
    make: Option<Make<'_>>,
) -> Result<(), Refusal> {
    let bytes = make.and_then(|make| make(path));
    let bytes = bytes.ok_or_else(|| Refusal::new(format!("`{path}` could not be made a second time")))?;
    let bytes = bytes.as_ref();
    let mut attributes = Attributes::new();
    attributes.insert(Attribute::ContentType, infralens_source::output::content_type(path).into());
    attributes.insert(Attribute::CacheControl, headers::cache_control(path, bytes).into());
    let options = PutOptions { attributes, ..PutOptions::default() };
    let put = store.put_opts(&object_path(fingerprint), bytes.to_vec().into(), options).await;
    put.map(drop).context(name, || format!("upload `{path}`"))
}

/// Deletes objects; calls `each` for each. An object that does not exist counts as deleted.
async fn delete(store: &dyn ObjectStore, name: &str, paths: Vec<Path>, each: impl Fn()) -> Result<(), Refusal> {
    let mut deleted = store.delete_stream(stream::iter(paths).map(Ok).boxed());
    loop {
        match deleted.try_next().await {
            Ok(None) => return Ok(()),
            Ok(Some(_)) | Err(object_store::Error::NotFound { .. }) => each(),
            Err(error) => return Err(error).context(name, || "delete what is no longer in the site".to_owned()),
        }
    }
}
