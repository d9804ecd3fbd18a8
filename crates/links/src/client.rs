//! One request to a host: with limits, without cookies, and never to a private address.

use std::collections::BTreeMap;
use std::io::{self, Read};
use std::net::SocketAddr;
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use ureq::config::Config;
use ureq::http::{HeaderMap, Uri, header};
use ureq::tls::{Certificate, RootCerts, TlsConfig};
use ureq::unversioned::resolver::{DefaultResolver, ResolvedSocketAddrs, Resolver};
use ureq::unversioned::transport::{DefaultConnector, NextTimeout};
use ureq::{Agent, Error};
use url::Url;

use super::{Failure, MAX_PICTURE, Options, address, lock};
use infralens_course::links::reason;

/// The number of bytes of a page that are read.
const MAX_BODY: u64 = 2 << 20;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Method {
    Head,
    Get,
    /// A GET whose body is read if it is a picture.
    Picture,
}

/// What a server answered.
#[derive(Debug)]
pub struct Reply {
    pub status: u16,
    /// Where it redirects to, as it says.
    pub location: Option<String>,
    pub is_html: bool,
    /// The type of the body, in lower case.
    pub kind: String,
    /// The beginning of the body, if it was asked for and is text.
    pub body: Vec<u8>,
    /// Whether that is the whole body.
    pub is_whole: bool,
}

/// Sends requests, one at a time per host.
pub struct Client {
    agent: Agent,
    patience: Duration,
    /// Whether each host asked to wait longer than this run waits. It is asked while its lock is held.
    hosts: Mutex<BTreeMap<String, Arc<Mutex<bool>>>>,
}

impl Client {
    pub fn new(options: &Options) -> Self {
        let trusted: Vec<_> = options.trusted.iter().map(|der| Certificate::from_der(der).to_owned()).collect();
        let roots = if trusted.is_empty() { RootCerts::PlatformVerifier } else { RootCerts::new_with_certs(&trusted) };
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let tls = TlsConfig::builder().root_certs(roots).unversioned_rustls_crypto_provider(provider).build();
        let config = Agent::config_builder()
            .tls_config(tls)
            .http_status_as_error(false)
            .max_redirects(0)
            .max_redirects_will_error(false)
            // A proxy would resolve names itself, so that private addresses could not be refused.
            .proxy(None)
            .timeout_global(Some(options.time))
            .user_agent(concat!("infralens/", env!("CARGO_PKG_VERSION"), " (link check)"))
            .build();
        let names = Names { allow_private: options.allow_private, known: options.names.clone() };
        let agent = Agent::with_parts(config, DefaultConnector::default(), names);
        Self { agent, patience: options.patience, hosts: Mutex::default() }
    }

    /// Sends a request when the host is free. If it asks to wait, does so once.
    pub fn send(&self, method: Method, url: &Url) -> Result<Reply, Failure> {
        let name = url.host_str().unwrap_or_default().to_owned();
        let host = Arc::clone(lock(&self.hosts).entry(name).or_default());
        let mut is_busy = lock(&host);
        if *is_busy {
            return Err(Failure::Later);
        }
        let (reply, wait) = self.send_now(method, url)?;
        let Some(wait) = wait else { return Ok(reply) };
        if wait > self.patience {
            *is_busy = true;
            return Ok(reply);
        }
        thread::sleep(wait);
        let (reply, wait) = self.send_now(method, url)?;
        *is_busy = wait.is_some();
        Ok(reply)
    }

    /// Sends a request. Returns the reply, and how long the host asks to wait.
    fn send_now(&self, method: Method, url: &Url) -> Result<(Reply, Option<Duration>), Failure> {
        let address = url.as_str();
        let sent = match method {
            Method::Head => self.agent.head(address).call(),
            Method::Get | Method::Picture => self.agent.get(address).call(),
        };
        let mut response = sent.map_err(|error| Failure::Because(reason(&error)))?;
        let (status, headers) = (response.status().as_u16(), response.headers());
        let kind = text(headers, header::CONTENT_TYPE).unwrap_or_default().to_ascii_lowercase();
        let is_html = ["text/html", "application/xhtml+xml"].iter().any(|html| kind.trim_start().starts_with(html));
        let wait = matches!(status, 429 | 503).then(|| text(headers, header::RETRY_AFTER).and_then(wait)).flatten();
        let location = text(headers, header::LOCATION).map(str::to_owned);
        let (mut body, mut is_whole) = (Vec::new(), false);
        let (is_read, most) = match method {
            Method::Head => (false, 0),
            Method::Get => (is_html || kind.starts_with("text/plain") || kind.is_empty(), MAX_BODY),
            Method::Picture => (kind.starts_with("image/"), MAX_PICTURE),
        };
        if is_read {
            // A body that breaks off says what it says until then.
            let read = response.body_mut().as_reader().take(most + 1).read_to_end(&mut body);
            is_whole = read.is_ok() && body.len() as u64 <= most;
        }
        Ok((Reply { status, location, is_html, kind, body, is_whole }, wait))
    }
}

fn text(headers: &HeaderMap, name: header::HeaderName) -> Option<&str> {
    headers.get(name)?.to_str().ok()
}

/// Returns how long a host asks to wait, which it says in seconds or as a date.
#[expect(clippy::disallowed_methods, reason = "a host may name the time from which it wants to be asked again")]
fn wait(text: &str) -> Option<Duration> {
    if let Ok(seconds) = text.trim().parse() {
        return Some(Duration::from_secs(seconds));
    }
    let until = jiff::fmt::rfc2822::parse(text.trim()).ok()?.timestamp().as_second();
    let now = SystemTime::now().duration_since(UNIX_EPOCH).ok()?.as_secs();
    Some(Duration::from_secs(u64::try_from(until).ok()?.saturating_sub(now)))
}

/// A name that leads to private addresses only.
#[derive(Debug)]
struct Private;

impl std::fmt::Display for Private {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("this is a private address")
    }
}

impl std::error::Error for Private {}

/// Resolves names, and refuses private addresses, also those that an address names itself.
#[derive(Debug)]
struct Names {
    allow_private: bool,
    known: BTreeMap<String, Option<SocketAddr>>,
}

impl Resolver for Names {
    fn resolve(&self, uri: &Uri, config: &Config, timeout: NextTimeout) -> Result<ResolvedSocketAddrs, Error> {
        let mut resolved = self.empty();
        if let Some(known) = uri.host().and_then(|host| self.known.get(host)) {
            resolved.push(known.ok_or(Error::HostNotFound)?);
            return Ok(resolved);
        }
        for address in &DefaultResolver::default().resolve(uri, config, timeout)? {
            if self.allow_private || address::is_public(address.ip()) {
                resolved.push(*address);
            }
        }
        if resolved.is_empty() { Err(Error::Other(Box::new(Private))) } else { Ok(resolved) }
    }
}

/// Returns the reason that is recorded for an error.
fn reason(error: &Error) -> &'static str {
    match error {
        Error::HostNotFound => reason::UNKNOWN_HOST,
        Error::Timeout(_) => reason::TIME_OUT,
        Error::Other(other) if other.is::<Private>() => reason::PRIVATE,
        Error::Rustls(error) => of_tls(error),
        Error::Io(error) => of_connection(error),
        Error::Protocol(_) | Error::Http(_) | Error::BadUri(_) | Error::LargeResponseHeader(..) => reason::NOT_HTTP,
        _ => reason::NO_CONNECTION,
    }
}

fn of_tls(error: &rustls::Error) -> &'static str {
    if matches!(error, rustls::Error::InvalidCertificate(_)) { reason::CERTIFICATE } else { reason::NO_CONNECTION }
}

fn of_connection(error: &io::Error) -> &'static str {
    /// What systems say of a name that is not known; others say that they could not ask.
    const UNKNOWN: [&str; 5] = ["not known", "not found", "does not resolve", "No address associated", "No such host"];
    let inner = error.get_ref();
    if let Some(tls) = inner.and_then(|inner| inner.downcast_ref::<rustls::Error>()) {
        return of_tls(tls);
    }
    if let Some(error) = inner.and_then(|inner| inner.downcast_ref::<Error>()) {
        return reason(error);
    }
    if matches!(error.kind(), io::ErrorKind::TimedOut | io::ErrorKind::WouldBlock) {
        return reason::TIME_OUT;
    }
    let message = error.to_string();
    let is_lookup = message.contains("lookup address");
    if is_lookup && UNKNOWN.iter().any(|unknown| message.contains(unknown)) {
        reason::UNKNOWN_HOST
    } else {
        reason::NO_CONNECTION
    }
}
