//! Event streams: one broadcaster tells all browsers that the site has changed. Which pages have is for them to ask, by
//! the version that they have: so nothing is missed, whether a change comes before a stream begins, after, or between.

#![expect(clippy::disallowed_methods, reason = "a ping is due after a time, and an answer's head has a date")]

use std::io;
use std::io::Write;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::{Duration, Instant, SystemTime};

use super::Site;
use super::handoff::Handoff;
use super::respond::stream;

/// What the broadcaster is told.
pub(super) enum Message {
    /// A browser listens.
    Subscribed(Subscriber),
    /// The site's state is another. The address of the page to be shown, or empty.
    Changed(String),
}

/// A browser that listens.
pub(super) struct Subscriber {
    /// Where its events go, through `tiny_http` and the door, which never lets it block for long.
    pub writer: Box<dyn Write + Send>,
    /// The passage that this takes; when it is closed, the browser is gone.
    pub passage: u64,
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
                Ok(Message::Changed(address)) => self.tell(&event(&*self.site, &address)),
                Ok(Message::Subscribed(subscriber)) => self.welcome(subscriber),
                Err(RecvTimeoutError::Timeout) => {
                    self.tell(": ping\n\n");
                    ping = Instant::now() + self.ping;
                }
                Err(RecvTimeoutError::Disconnected) => return,
            }
        }
    }

    fn welcome(&mut self, mut subscriber: Subscriber) {
        let mut text = stream().head(SystemTime::now());
        text.extend_from_slice(event(&*self.site, "").as_bytes());
        if write(&mut subscriber, &text) {
            self.subscribers.push(subscriber);
        }
    }

    /// Tells all browsers that are still there, and forgets those that are not.
    fn tell(&mut self, text: &str) {
        let handoff = &self.handoff;
        self.subscribers
            .retain_mut(|subscriber| handoff.is_open(subscriber.passage) && write(subscriber, text.as_bytes()));
    }
}

/// The number of the site's state, and the address of the page to be shown if there is one.
fn event(site: &dyn Site, address: &str) -> String {
    format!("data: {} {address}\n\n", site.version())
}

/// Also flushes. Says whether the browser is still there.
fn write(subscriber: &mut Subscriber, text: &[u8]) -> bool {
    subscriber.writer.write_all(text).and_then(|()| subscriber.writer.flush()).is_ok()
}
