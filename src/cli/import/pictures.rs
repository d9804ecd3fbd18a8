//! Fetches the pictures that the pages of a book show from other sites.

use std::collections::BTreeMap;

use super::{Failure, Loss, Project};

/// Fetches each picture that would become a link, as a file whose path is its address. Returns why the others could not be
/// fetched, by their addresses.
#[cfg(feature = "links")]
pub(super) fn fetch(
    project: &mut Project,
    losses: &[Loss],
    allow_private: bool,
) -> Result<BTreeMap<String, String>, Failure> {
    use std::sync::Arc;

    use crate::cli::clock::today;
    use crate::load;
    use infralens_import::Kind;
    use infralens_links as visits;

    let addresses = losses.iter().filter(|loss| loss.kind == Kind::Picture).map(|loss| loss.detail.as_str());
    let mut addresses: Vec<&str> = addresses.filter(|address| address.contains("://")).collect();
    addresses.sort_unstable();
    addresses.dedup();
    let options = visits::Options { allow_private, ..visits::Options::new(today()?) };
    let mut failed = BTreeMap::new();
    for (address, found) in addresses.iter().zip(visits::pictures(&addresses, &options, &|| {})) {
        match found {
            Ok(bytes) => {
                project.files.insert(Arc::from(*address), load::decode(address, bytes));
            }
            Err(why) => {
                failed.insert((*address).to_owned(), why);
            }
        }
    }
    Ok(failed)
}

#[cfg(not(feature = "links"))]
pub(super) fn fetch(_: &mut Project, _: &[Loss], _: bool) -> Result<BTreeMap<String, String>, Failure> {
    Err(Failure::new("this program cannot fetch pictures: it was compiled without TLS")
        .help("install a package, or compile with `cargo install --path . --features links`"))
}
