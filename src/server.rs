//! The language server: speaks the protocol of editors (LSP) over two streams, and asks the library. One thread reads,
//! one checks, and one answers.

mod actions;
mod analysis;
mod commands;
mod completion;
mod definition;
mod diagnostics;
mod documents;
mod draft;
mod flow;
mod hover;
mod ignore;
mod jobs;
mod lifecycle;
mod memory;
mod position;
mod rendered;
mod requests;
mod scene;
mod session;
mod snapshot;
mod template;
mod transport;
mod uri;
mod worker;

use std::{
    io::{self, BufReader, Read, Write},
    sync::mpsc::{self, Sender},
    thread,
};

use memory::Memory;
use session::Session;
use snapshot::Snapshot;
use transport::Incoming;
use worker::Worker;

/// Why the thread that answers wakes up.
enum Event {
    /// The client says something.
    Incoming(Incoming),
    /// The newest texts are checked, in part or completely.
    Checked(Box<Snapshot>),
    /// The client is gone.
    Closed,
}

/// Serves one client until it leaves. Returns whether it asked the server to shut down first.
///
/// # Errors
/// The output is closed, or the system has no thread left.
pub(crate) fn serve(input: impl Read + Send + 'static, output: impl Write) -> io::Result<bool> {
    let (events, queue) = mpsc::channel();
    let checked = events.clone();
    let done = move |found| _ = checked.send(Event::Checked(Box::new(found)));
    let memory = Memory::default();
    let check =
        move |task: &_, fresh: &_, show: &dyn Fn(_)| analysis::run(task, fresh, &memory, show);
    let worker = Worker::start(check, done)?;
    thread::Builder::new().name("read".to_owned()).spawn(move || read(input, &events))?;
    let mut session = Session::new(output, worker);
    for event in queue {
        let goes_on = match event {
            Event::Incoming(Incoming::Message(message)) => session.message(message)?,
            Event::Incoming(Incoming::Malformed(own)) => session.malformed(&own)?,
            Event::Checked(found) => session.checked(*found)?,
            Event::Closed => false,
        };
        if !goes_on {
            break;
        }
    }
    Ok(session.is_shut_down())
}

fn read(input: impl Read, events: &Sender<Event>) {
    let mut input = BufReader::new(input);
    while let Ok(Some(incoming)) = transport::read(&mut input) {
        if events.send(Event::Incoming(incoming)).is_err() {
            return;
        }
    }
    let _ = events.send(Event::Closed);
}
