//! Fetches pictures of other sites, for an import that was asked to.

use std::sync::Mutex;

use url::Url;

use super::{Client, Failure, Method, Options, Reply, Visitor, by_host};

/// The maximum number of bytes of a picture.
pub const MAX_PICTURE: u64 = 10 << 20;
/// The types of pictures that browsers show.
const TYPES: [&str; 8] =
    ["image/png", "image/jpeg", "image/jpg", "image/gif", "image/webp", "image/avif", "image/svg+xml", "image/apng"];

/// Fetches the pictures at some addresses, and calls `step` after each. Returns, in their order, the bytes of each, or what is
/// wrong with its address.
pub fn pictures(addresses: &[&str], options: &Options, step: &(dyn Fn() + Sync)) -> Vec<Result<Vec<u8>, String>> {
    let visitor = Visitor { client: Client::new(options), options, robots: Mutex::default() };
    let found = by_host(addresses, &|index| {
        let found = addresses.get(index).map(|address| visitor.picture(address));
        step();
        found
    });
    found.into_iter().map(|found| found.unwrap_or_else(|| Err("was not asked for".to_owned()))).collect()
}

impl Visitor<'_> {
    /// Fetches the picture at an address, from redirect to redirect.
    fn picture(&self, address: &str) -> Result<Vec<u8>, String> {
        let first = Url::parse(address).map_err(|error| format!("is not an address: {error}"))?;
        let end = self.walk(&first, |at| self.client.send(Method::Picture, at), &mut |_, _| ());
        let (_, reply) = end.map_err(|failure| match failure {
            Failure::Because(reason) => format!("has no answer: {reason}"),
            Failure::Later => "has no answer: the server asks to wait longer".to_owned(),
        })?;
        reply.picture()
    }
}

impl Reply {
    fn picture(self) -> Result<Vec<u8>, String> {
        let kind = self.kind.split(';').next().unwrap_or_default().trim();
        if self.status != 200 {
            Err(format!("is answered with status {}", self.status))
        } else if !TYPES.contains(&kind) {
            Err(format!("is not a picture that pages can show: `{kind}`"))
        } else if self.body.len() as u64 > MAX_PICTURE {
            Err(format!("has more than {} MiB", MAX_PICTURE >> 20))
        } else if self.is_whole {
            Ok(self.body)
        } else {
            Err("breaks off".to_owned())
        }
    }
}
