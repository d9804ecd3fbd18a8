//! What is to be written to a client: bytes of a head or of a stream, then a body that lies in memory anyway.

use std::io;
use std::io::{IoSlice, Write};

use super::answer::Body;

/// Bytes on their way out.
#[derive(Debug, Default)]
pub(super) struct Outgoing {
    head: Vec<u8>,
    body: Option<Body>,
    /// How many bytes of both are written.
    written: usize,
}

impl Outgoing {
    /// Appends bytes of a stream, which has no body.
    pub(super) fn push(&mut self, bytes: &[u8]) {
        self.head.drain(..self.written);
        self.written = 0;
        self.head.extend_from_slice(bytes);
    }

    /// A whole answer, in place of what there was.
    pub(super) fn set(&mut self, head: Vec<u8>, body: Option<Body>) {
        *self = Self { head, body, written: 0 };
    }

    /// How many bytes wait.
    pub(super) fn waiting(&self) -> usize {
        self.head.len() + self.body.as_ref().map_or(0, |body| body.as_ref().len()) - self.written
    }

    /// Writes as much as is taken at once, and says how much that was.
    ///
    /// # Errors
    /// `WouldBlock` where nothing is taken at the moment; anything else means that the client is gone.
    pub(super) fn write_to(&mut self, mut writer: impl Write) -> io::Result<usize> {
        let body = self.body.as_ref().map_or(&[][..], AsRef::as_ref);
        let head = self.head.get(self.written..).unwrap_or_default();
        let body = &body[self.written.saturating_sub(self.head.len())..];
        let taken = writer.write_vectored(&[IoSlice::new(head), IoSlice::new(body)])?;
        self.written += taken;
        if self.waiting() == 0 {
            *self = Self::default();
        }
        Ok(taken)
    }
}

#[cfg(test)]
mod tests {
    use std::io::{Result, Write};

    use super::*;

    /// Takes a few bytes at a time.
    struct Narrow(Vec<u8>);

    impl Write for Narrow {
        fn write(&mut self, bytes: &[u8]) -> Result<usize> {
            let taken = bytes.len().min(3);
            self.0.extend_from_slice(&bytes[..taken]);
            Ok(taken)
        }

        fn flush(&mut self) -> Result<()> {
            Ok(())
        }
    }

    #[test]
    fn all_is_written_in_order_and_once() {
        let mut outgoing = Outgoing::default();
        let mut narrow = Narrow(Vec::new());
        outgoing.set(b"head".to_vec(), Some(Body::new("0123456789".to_owned().into(), 2..9)));
        assert_eq!(outgoing.waiting(), 11);
        while outgoing.waiting() > 0 {
            outgoing.write_to(&mut narrow).expect("room");
        }
        assert_eq!(narrow.0, b"head2345678");
        outgoing.push(b"abcd");
        outgoing.write_to(&mut narrow).expect("room");
        outgoing.push(b"ef");
        assert_eq!(outgoing.waiting(), 3);
        outgoing.write_to(&mut narrow).expect("room");
        assert_eq!(narrow.0, b"head2345678abcdef");
    }
}
