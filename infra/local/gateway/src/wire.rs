//! A connection that remembers the head that it is reading, and swallows the bare answers of the HTTP library to what is
//! no request, so that a better one can be given.

use std::{
    io,
    pin::Pin,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    task::{Context, Poll},
};
use tokio::{
    io::{AsyncRead, AsyncWrite, ReadBuf},
    net::TcpStream,
};

/// Where a head ends.
const END: &[u8] = b"\r\n\r\n";

/// Every answer of ours has this header; an answer without it is not ours.
const OURS: &[u8] = b"\r\nx-request-id: ";

/// What was read since the last answer.
#[derive(Debug, Default)]
struct Heard {
    head: Vec<u8>,
    answered: bool,
    /// The head belongs to a request that was looked at before.
    taken: bool,
}

/// What the other side has said so far.
#[derive(Debug, Clone, Default)]
pub(crate) struct Spoken(Arc<Mutex<Heard>>);

impl Spoken {
    fn heard(&self) -> MutexGuard<'_, Heard> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether anything was said since the last answer.
    pub(crate) fn has_begun(&self) -> bool {
        let heard = self.heard();
        !heard.answered && !heard.head.is_empty()
    }

    /// Whether the head of the request that has just begun has the field `name`. To be asked once for each request: of one
    /// that was sent before the answer to the one before it, the head is not known, and this is false.
    pub(crate) fn head_names(&self, name: &str) -> bool {
        let mut heard = self.heard();
        if std::mem::replace(&mut heard.taken, true) {
            return false;
        }
        let end = position(&heard.head, END).unwrap_or(heard.head.len());
        heard.head[..end].split(|byte| *byte == b'\n').any(|line| {
            let field = line.split(|byte| *byte == b':').next().unwrap_or_default();
            field.eq_ignore_ascii_case(name.as_bytes())
        })
    }
}

/// The connection.
#[derive(Debug)]
pub(crate) struct Wire {
    stream: TcpStream,
    spoken: Spoken,
}

impl Wire {
    /// Around `stream`, with what will be said on it.
    pub(crate) fn around(stream: TcpStream) -> (Self, Spoken) {
        let spoken = Spoken::default();
        (Self { stream, spoken: spoken.clone() }, spoken)
    }

    /// The connection without memory.
    pub(crate) fn into_inner(self) -> TcpStream {
        self.stream
    }
}

impl AsyncRead for Wire {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buffer.filled().len();
        let read = Pin::new(&mut self.stream).poll_read(context, buffer);
        let mut heard = self.spoken.heard();
        let new = &buffer.filled()[before..];
        if heard.answered && !new.is_empty() {
            *heard = Heard::default();
        }
        // The library bounds the head, and what follows it is not of interest.
        if position(&heard.head, END).is_none() {
            heard.head.extend_from_slice(new);
        }
        drop(heard);
        read
    }
}

impl AsyncWrite for Wire {
    fn poll_write(mut self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        if is_bare_refusal(bytes) {
            return Poll::Ready(Ok(bytes.len()));
        }
        self.spoken.heard().answered = true;
        Pin::new(&mut self.stream).poll_write(context, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}

/// Whether `bytes` are a whole answer of the library's own: a status from 400 on, and none of our headers.
fn is_bare_refusal(bytes: &[u8]) -> bool {
    bytes.starts_with(b"HTTP/1.1 4") && bytes.ends_with(END) && position(bytes, OURS).is_none()
}

fn position(bytes: &[u8], wanted: &[u8]) -> Option<usize> {
    bytes.windows(wanted.len()).position(|window| window == wanted)
}
