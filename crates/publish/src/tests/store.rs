//! A store in memory that records each call, can fail at any of them, and whose clock can be advanced.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use futures_util::FutureExt;
use futures_util::stream::{self, BoxStream, StreamExt, TryStreamExt};
use object_store::memory::InMemory;
use object_store::path::Path;
use object_store::{
    CopyOptions, Error, GetOptions, GetResult, ListResult, MultipartUpload, ObjectMeta, ObjectStore, ObjectStoreExt,
    PutMultipartOptions, PutOptions, PutPayload, PutResult, Result,
};

use super::{Files, block_on};

/// How a call fails.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Failure {
    /// The call does nothing.
    Before,
    /// The call does its work, and its answer is lost.
    After,
    /// The call does nothing, and neither does any later one: the publisher was killed.
    Killed,
    /// The call does its work, and no later one does.
    KilledAfter,
}

/// A store in memory.
#[derive(Debug, Clone, Default)]
pub(super) struct Store {
    inner: Arc<InMemory>,
    log: Arc<Mutex<Log>>,
    /// The seconds by which the clock is ahead.
    ahead: Arc<AtomicU64>,
}

#[derive(Debug, Default)]
struct Log {
    calls: Vec<String>,
    /// The call that fails, by its number in `calls`.
    fault: Option<(usize, Failure)>,
    /// The times at which objects were written, as seconds by which the clock was ahead.
    times: BTreeMap<Path, u64>,
}

impl Store {
    /// Returns all calls so far.
    pub(super) fn calls(&self) -> Vec<String> {
        self.log.lock().expect("the log").calls.clone()
    }

    /// Lets the call with a number, counted from now, fail; or none.
    pub(super) fn fail_at(&self, fault: Option<(usize, Failure)>) {
        let mut log = self.log.lock().expect("the log");
        let calls = log.calls.len();
        log.fault = fault.map(|(number, failure)| (calls + number, failure));
    }

    /// Advances the clock.
    pub(super) fn advance(&self, seconds: u64) {
        self.ahead.fetch_add(seconds, Ordering::Relaxed);
    }

    /// Returns all objects.
    pub(super) fn files(&self) -> Files {
        block_on(async {
            let list: Vec<ObjectMeta> = self.inner.list(None).try_collect().await.expect("a list");
            let mut files = Files::new();
            for object in list {
                let bytes =
                    self.inner.get(&object.location).await.expect("an object").bytes().await.expect("its bytes");
                files.insert(object.location.to_string(), String::from_utf8_lossy(&bytes).into_owned());
            }
            files
        })
    }

    /// Writes an object as somebody else would.
    pub(super) fn write(&self, path: &str, text: &str) {
        let path = path.into();
        let put = self.inner.put(&path, text.to_owned().into()).now_or_never();
        put.expect("memory answers at once").expect("written");
    }

    /// Records a call, and returns whether it is done and whether its answer arrives.
    fn record(&self, call: String, written: Option<&Path>) -> (bool, bool) {
        let mut log = self.log.lock().expect("the log");
        let number = log.calls.len();
        log.calls.push(call);
        let outcome = match log.fault {
            Some((at, failure)) if number == at => match failure {
                Failure::Before | Failure::Killed => (false, false),
                Failure::After | Failure::KilledAfter => (true, false),
            },
            Some((at, Failure::Killed | Failure::KilledAfter)) if number > at => (false, false),
            _ => (true, true),
        };
        if let (Some(path), true) = (written, outcome.0) {
            log.times.insert(path.clone(), self.ahead.load(Ordering::Relaxed));
        }
        outcome
    }

    async fn call<T>(&self, call: String, written: Option<&Path>, work: impl Future<Output = Result<T>>) -> Result<T> {
        let (is_done, is_answered) = self.record(call, written);
        let result = if is_done { work.await } else { Err(lost()) };
        if is_answered { result } else { Err(lost()) }
    }

    fn with_time(&self, mut object: ObjectMeta) -> ObjectMeta {
        let ahead = self.log.lock().expect("the log").times.get(&object.location).copied().unwrap_or_default();
        object.last_modified += Duration::from_secs(ahead);
        object
    }
}

fn lost() -> Error {
    Error::Generic { store: "memory", source: "the connection was lost".into() }
}

impl fmt::Display for Store {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("memory")
    }
}

#[async_trait::async_trait]
impl ObjectStore for Store {
    async fn put_opts(&self, location: &Path, payload: PutPayload, options: PutOptions) -> Result<PutResult> {
        self.call(format!("put {location}"), Some(location), self.inner.put_opts(location, payload, options)).await
    }

    async fn put_multipart_opts(&self, at: &Path, how: PutMultipartOptions) -> Result<Box<dyn MultipartUpload>> {
        self.inner.put_multipart_opts(at, how).await
    }

    async fn get_opts(&self, location: &Path, options: GetOptions) -> Result<GetResult> {
        let mut found = self.call(format!("get {location}"), None, self.inner.get_opts(location, options)).await?;
        found.meta = self.with_time(found.meta);
        Ok(found)
    }

    fn delete_stream(&self, locations: BoxStream<'static, Result<Path>>) -> BoxStream<'static, Result<Path>> {
        let store = self.clone();
        let deleted = locations.and_then(move |path| {
            let store = store.clone();
            async move {
                store.call(format!("delete {path}"), None, store.inner.delete(&path)).await?;
                Ok(path)
            }
        });
        deleted.boxed()
    }

    fn list(&self, prefix: Option<&Path>) -> BoxStream<'static, Result<ObjectMeta>> {
        if self.record("list".to_owned(), None) != (true, true) {
            return stream::once(async { Err(lost()) }).boxed();
        }
        let store = self.clone();
        self.inner.list(prefix).map_ok(move |object| store.with_time(object)).boxed()
    }

    async fn list_with_delimiter(&self, prefix: Option<&Path>) -> Result<ListResult> {
        self.inner.list_with_delimiter(prefix).await
    }

    async fn copy_opts(&self, from: &Path, to: &Path, options: CopyOptions) -> Result<()> {
        self.call(format!("copy {to}"), Some(to), self.inner.copy_opts(from, to, options)).await
    }
}
