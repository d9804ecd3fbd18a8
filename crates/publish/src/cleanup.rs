//! Deletes earlier generations that are older than the period for which they are kept.

use std::collections::BTreeSet;

use object_store::path::Path;

use super::claim::{Claim, store_time};
use super::manifest::Manifest;
use super::remote::{self, Remote, object_path, read_manifest, site_path};
use super::{Plan, delete};
use infralens_source::change::Refusal;

/// Deletes the manifests of expired generations, and the assets and contents that no other manifest lists. `remote` is
/// what was at the destination before `plan` was carried out. Returns the number of expired generations.
pub(super) async fn run(
    claim: &mut Claim<'_>,
    mut remote: Remote,
    plan: &Plan,
    keep_days: u32,
) -> Result<usize, Refusal> {
    let (store, name, current) = (claim.store, claim.name, claim.state.complete);
    if !remote.sites.keys().any(|generation| *generation < current) {
        return Ok(0);
    }
    let work = async {
        let now = store_time(store, name).await?;
        remote.state.complete = current;
        remote.sites.entry(current).or_insert(now);
        let expired = remote.expired(keep_days, now);
        if expired.is_empty() {
            return Ok(0);
        }
        let (mut old, mut kept): (Vec<Manifest>, Vec<Manifest>) = (Vec::new(), Vec::new());
        for &generation in remote.sites.keys() {
            let manifests = if expired.contains(&generation) { &mut old } else { &mut kept };
            manifests.push(read_manifest(store, name, generation).await?);
        }
        let listed: BTreeSet<&str> =
            kept.iter().flat_map(|manifest| manifest.assets.keys().map(String::as_str)).collect();
        let assets: BTreeSet<&str> =
            old.iter().flat_map(|manifest| manifest.assets.keys().map(String::as_str)).collect();
        let used: BTreeSet<&str> =
            kept.iter().flat_map(|manifest| manifest.iter().map(|(_, content)| content)).collect();
        let contents = remote.objects.iter().chain(plan.uploads.keys()).map(String::as_str);
        let contents = contents.filter(|content| !used.contains(content)).map(object_path);
        let assets = assets.difference(&listed).map(|path| remote::path(path));
        let paths = assets.chain(contents.map(Ok)).collect::<Result<Vec<Path>, Refusal>>()?;
        delete(store, name, paths, || ()).await?;
        // Last, because what a manifest lists is only known as long as it exists.
        delete(store, name, expired.iter().map(|&generation| site_path(generation)).collect(), || ()).await?;
        Ok(expired.len())
    };
    claim.during(work).await
}
