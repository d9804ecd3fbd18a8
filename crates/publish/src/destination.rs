//! Where to publish to: the address of a bucket, and the store that it means.

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;
use std::time::Duration;

use object_store::aws::{AmazonS3Builder, AmazonS3ConfigKey};
use object_store::azure::{AzureConfigKey, MicrosoftAzureBuilder};
use object_store::gcp::{GoogleCloudStorageBuilder, GoogleConfigKey};
use object_store::path::Path;
use object_store::prefix::PrefixStore;
use object_store::{ClientConfigKey, ObjectStore, RetryConfig};

use super::error::innermost;
use infralens_source::change::Refusal;

/// The maximum duration of a request, which may have to send a large file through a slow line.
const TIMEOUT: &str = "3 minutes";

/// S3 and compatible stores, Google Cloud Storage, Azure.
const SCHEMES: [&str; 3] = ["s3", "gs", "az"];

/// A bucket, and the folder in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Destination {
    scheme: &'static str,
    bucket: String,
    prefix: Path,
}

impl FromStr for Destination {
    type Err = Refusal;

    fn from_str(text: &str) -> Result<Self, Refusal> {
        let refuse = |why: &str| {
            Refusal::new(format!("`{text}` is not a destination: {why}")).help(
                "write `s3://BUCKET/FOLDER`, `gs://BUCKET/FOLDER`, `az://CONTAINER/FOLDER`, or the path of a folder",
            )
        };
        let (scheme, rest) = text.split_once("://").ok_or_else(|| refuse("it has no scheme"))?;
        let scheme =
            SCHEMES.into_iter().find(|known| *known == scheme).ok_or_else(|| refuse("its scheme is not known"))?;
        let (bucket, prefix) = rest.split_once('/').unwrap_or((rest, ""));
        if bucket.is_empty() {
            return Err(refuse("the name of the bucket is missing"));
        }
        if bucket.contains(['?', '#', '@', ':']) || prefix.contains(['?', '#']) {
            return Err(refuse("it is only a name and a folder"));
        }
        let prefix = Path::parse(prefix).map_err(|_| refuse("its folder is not a plain path"))?;
        Ok(Self { scheme, bucket: bucket.to_owned(), prefix })
    }
}

impl fmt::Display for Destination {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}://{}", self.scheme, self.bucket)?;
        if self.prefix.is_root() { Ok(()) } else { write!(out, "/{}", self.prefix) }
    }
}

impl Destination {
    /// Returns the folder in the bucket; `None` for the bucket itself.
    pub fn folder(&self) -> Option<&str> {
        Some(self.prefix.as_ref()).filter(|prefix| !prefix.is_empty())
    }

    /// Returns the store, with the credentials and the endpoint that the environment names.
    pub(super) fn store(&self) -> Result<Arc<dyn ObjectStore>, Refusal> {
        // The TLS library asks for this once per process; a second time changes nothing.
        let _ = rustls::crypto::ring::default_provider().install_default();
        // A claim is renewed within a minute, so a request is not repeated for longer than that.
        let retry = RetryConfig { max_retries: 5, retry_timeout: Duration::from_secs(30), ..RetryConfig::default() };
        let bucket = self.bucket.as_str();
        macro_rules! store {
            ($Builder:ident, $Key:ident, $with_name:ident) => {
                $Builder::from_env()
                    .$with_name(bucket)
                    .with_retry(retry)
                    .with_config($Key::Client(ClientConfigKey::Timeout), TIMEOUT)
                    .build()
                    .map(|store| Arc::new(store) as Arc<dyn ObjectStore>)
            };
        }
        let store = match self.scheme {
            "s3" => store!(AmazonS3Builder, AmazonS3ConfigKey, with_bucket_name),
            "gs" => store!(GoogleCloudStorageBuilder, GoogleConfigKey, with_bucket_name),
            _ => store!(MicrosoftAzureBuilder, AzureConfigKey, with_container_name),
        };
        let store = store.map_err(|error| {
            let why = innermost(&error);
            let help = if why.contains("CA certificates") {
                "install the package `ca-certificates`, or name a file of certificates in `SSL_CERT_FILE`"
            } else {
                "`infralens publish --help` names the variables with the credentials"
            };
            Refusal::new(format!("{self} cannot be used: {why}")).help(help)
        })?;
        Ok(Arc::new(PrefixStore::new(store, self.prefix.clone())))
    }
}
