//! Event streams: one broadcaster tells each page when its version is another than the page has.
//!
//! Only the broadcaster looks at versions, one message after another, and it looks after each change: so nothing is
//! missed, whether a change comes before a page subscribes, after, or between; and what a page has is not sent again.

#![expect(clippy::disallowed_methods, reason = "a ping is due after a time, and an answer's head has a date")]

use std::io;
use std::io::Write;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::{Duration, Instant, SystemTime};

use super::Site;
use super::handoff::Handoff;
use super::resolve::resolve;
use super::respond::stream;

/// What the broadcaster is told.
pub(super) enum Message {
    /// A page listens.
    Subscribed(Subscriber),
    /// The site's state is another.
    Changed,
}

/// A page that listens.
pub(super) struct Subscriber {
    /// Where its events go, through `tiny_http` and the door, which never lets it block for long.
    pub writer: Box<dyn Write + Send>,
    /// The passage that this takes; when it is closed, the page is gone.
    pub passage: u64,
    /// The page's path, as its URL has it.
    pub path: String,
    /// The version that the page has.
    pub tag: Option<String>,
}

/// Starts the broadcaster, which pings every so often. It ends when all senders are gone.
pub(super) fn start(site: Arc<dyn Site>, handoff: Arc<Handoff>, ping: Duration) -> io::Result<Sender<Message>> {
    let (sender, messages) = channel();
    let broadcaster = Broadcaster { site, handoff, ping, subscribers: Vec::new() };
    std::thread::Builder::new().name("events".to_owned()).spawn(move || broadcaster.run(&messages))?;
    Ok(sender)
}

struct Broadcaster {
    site: Arc<dyn Site>,
    handoff: Arc<Handoff>,
    ping: Duration,
    subscribers: Vec<Subscriber>,
}

impl Broadcaster {
    fn run(mut self, messages: &Receiver<Message>) {
        let mut ping = Instant::now() + self.ping;
        loop {
            match messages.recv_timeout(ping.saturating_duration_since(Instant::now())) {
                Ok(Message::Changed) => self.tell(update),
                Ok(Message::Subscribed(subscriber)) => self.welcome(subscriber),
                Err(RecvTimeoutError::Timeout) => {
                    self.tell(|_, subscriber| write(subscriber, ": ping\n\n"));
                    ping = Instant::now() + self.ping;
                }
                Err(RecvTimeoutError::Disconnected) => return,
            }
        }
    }

    fn welcome(&mut self, mut subscriber: Subscriber) {
        let mut head = stream().head(SystemTime::now());
        head.extend_from_slice(b"retry: 500\n\n");
        if subscriber.writer.write_all(&head).is_ok() && update(&*self.site, &mut subscriber) {
            self.subscribers.push(subscriber);
        }
    }

    /// Tells all pages that are still there, and forgets those that are not.
    fn tell(&mut self, tell: impl Fn(&dyn Site, &mut Subscriber) -> bool) {
        let (site, handoff) = (&*self.site, &self.handoff);
        self.subscribers.retain_mut(|subscriber| handoff.is_open(subscriber.passage) && tell(site, subscriber));
    }
}

/// Sends an event where the page's version is not what it has; also flushes. Says whether the page is still there.
fn update(site: &dyn Site, subscriber: &mut Subscriber) -> bool {
    // A site that panics has no version to tell; the next change is another chance.
    let found = catch_unwind(AssertUnwindSafe(|| {
        let version = site.version();
        resolve(site, &subscriber.path).ok().map(|resolved| (version, resolved.tag().to_owned()))
    }));
    match found {
        Ok(Some((version, tag))) if subscriber.tag.as_ref() != Some(&tag) => {
            let event = format!("id: {version}\ndata: {tag}\n\n");
            subscriber.tag = Some(tag);
            write(subscriber, &event)
        }
        _ => subscriber.writer.flush().is_ok(),
    }
}

fn write(subscriber: &mut Subscriber, text: &str) -> bool {
    subscriber.writer.write_all(text.as_bytes()).and_then(|()| subscriber.writer.flush()).is_ok()
}
