//! The right to change a destination, which one publisher has at a time.
//!
//! The owner's name is in the state, which is replaced by compare-and-swap. The owner renews it; if the last renewal is
//! older than [`LIFETIME`] by the store's clock, the owner was killed and somebody else may take over. An owner that
//! cannot renew in time stops before that: it begins no request after [`RENEWAL`] + [`PATIENCE`]. Only a machine that
//! sleeps and then wakes up can still send what it had begun.

use std::future::Future;
use std::pin::pin;
use std::time::Duration;

use object_store::path::Path;
use object_store::{Error, ObjectStore, ObjectStoreExt, PutMode, PutOptions, UpdateVersion};

use super::error::Context;
use super::manifest::{State, encode};
use super::remote::{Remote, STATE};
use infralens_source::change::Refusal;
use infralens_source::diag::quantity;

/// The time for which a claim is valid without a renewal, in seconds.
const LIFETIME: i64 = 120;
/// The time between two renewals.
const RENEWAL: Duration = Duration::from_secs(20);
/// The maximum duration of a renewal.
const PATIENCE: Duration = Duration::from_mins(1);
/// An object that is only written to read the store's clock.
const CLOCK: &str = ".infralens/clock";

/// A claim that this process owns.
pub(super) struct Claim<'a> {
    pub(super) store: &'a dyn ObjectStore,
    /// The destination's name in messages.
    pub(super) name: &'a str,
    /// The state as this process wrote it last.
    pub(super) state: State,
    version: Option<UpdateVersion>,
}

impl<'a> Claim<'a> {
    /// Takes the claim, if nobody else has it. `name` is the destination's name in messages.
    pub(super) async fn take(
        store: &'a dyn ObjectStore,
        name: &'a str,
        remote: &Remote,
        publisher: &str,
    ) -> Result<Self, Refusal> {
        if let (Some(other), Some((_, written))) = (&remote.state.publisher, &remote.version) {
            let age = store_time(store, name).await? - written;
            if age < LIFETIME {
                let wait = quantity(usize::try_from(LIFETIME - age).unwrap_or_default(), "second");
                return Err(Refusal::new(format!("{other} is publishing to {name} now"))
                    .help(format!("if that was killed, try again in {wait}")));
            }
        }
        let version = remote.version.clone().map(|(version, _)| version);
        let mut claim = Self { store, name, state: remote.state.clone(), version };
        claim.write(State { publisher: Some(publisher.to_owned()), ..remote.state.clone() }).await?;
        Ok(claim)
    }

    /// Replaces the state, if it is still the one that this process knows.
    pub(super) async fn write(&mut self, state: State) -> Result<(), Refusal> {
        let state = State { revision: self.state.revision + 1, ..state };
        let mode = self.version.clone().map_or(PutMode::Create, PutMode::Update);
        let options = PutOptions { mode, ..PutOptions::default() };
        match self.store.put_opts(&Path::from(STATE), encode(&state).into(), options).await {
            Ok(put) => {
                (self.state, self.version) = (state, Some(put.into()));
                Ok(())
            }
            Err(Error::Precondition { .. } | Error::AlreadyExists { .. }) => {
                Err(Refusal::new(format!("somebody else has begun to publish to {}", self.name))
                    .help("publish again when they have finished"))
            }
            Err(error) => Err(error).context(self.name, || format!("write `{STATE}`")),
        }
    }

    /// Does work, and renews the claim in the meantime. If it cannot be renewed, the work is abandoned.
    pub(super) async fn during<T>(&mut self, work: impl Future<Output = Result<T, Refusal>>) -> Result<T, Refusal> {
        let mut work = pin!(work);
        loop {
            if let Ok(result) = tokio::time::timeout(RENEWAL, &mut work).await {
                return result;
            }
            let renewal = tokio::time::timeout(PATIENCE, self.write(self.state.clone()));
            renewal.await.unwrap_or_else(|_| Err(Refusal::new(format!("{} does not answer", self.name))))?;
        }
    }

    /// Gives the claim back. If that fails, it expires.
    pub(super) async fn release(mut self) {
        let state = State { publisher: None, ..self.state.clone() };
        let _ = tokio::time::timeout(PATIENCE, self.write(state)).await;
    }
}

/// Returns the time of the store's clock, in seconds since 1970. The clock of this machine may be wrong.
pub(super) async fn store_time(store: &dyn ObjectStore, name: &str) -> Result<i64, Refusal> {
    let (clock, doing) = (Path::from(CLOCK), || format!("write `{CLOCK}`"));
    store.put(&clock, Vec::new().into()).await.context(name, doing)?;
    Ok(store.head(&clock).await.context(name, doing)?.last_modified.timestamp())
}
