//! Pieces of a trace that are made ahead of whoever takes them, by a thread of their own.
//!
//! ```text
//! source ──► pieces, a few at most ──► whoever takes them
//!        ◄── the same, taken       ◄──
//! ```
//! In: a source of pieces. Out: each piece is taken, in order, and the first error in their order is returned. The first pieces are made by
//! the thread that takes them: most traces have no more. So are all where there is one processor, or no thread can be started.

#[cfg(test)]
mod tests;

use std::sync::mpsc::{Receiver, SyncSender, channel, sync_channel};
use std::thread::{self, Builder, ScopedJoinHandle};

use super::ReadFlow;
use crate::error::Result;
use crate::processors;

/// Pieces that are made without a thread.
const WITHOUT_THREAD: usize = 2;
/// Pieces that wait to be taken.
const WAITING: usize = 2;

/// Makes something piece by piece.
pub(super) trait PieceSource: Send {
    type Piece: Default + Send;

    /// Puts what comes next into a piece, which may hold another one that was taken. Whether there is more.
    fn fill(&mut self, piece: &mut Self::Piece) -> Result<MorePieces>;

    /// Whether a piece takes so much memory that one of its kind is enough: it is taken before the next one is made.
    fn is_large(piece: &Self::Piece) -> bool;
}

/// Whether a source has more pieces.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum MorePieces {
    Follow,
    /// This one was the last.
    End,
}

/// Takes all pieces of a source, until it is told to stop.
pub(super) fn take_ahead<S: PieceSource>(
    source: &mut S,
    mut take: impl FnMut(&mut S::Piece) -> Result<ReadFlow>,
) -> Result<()> {
    let mut piece = S::Piece::default();
    let mut count = 0;
    loop {
        if count == WITHOUT_THREAD
            && processors::are_many()
            && let Beside::Done(taken) = take_beside(source, std::mem::take(&mut piece), &mut take)
        {
            return taken;
        }
        count += 1;
        let more = source.fill(&mut piece)?;
        if take(&mut piece)? == ReadFlow::Stop || more == MorePieces::End {
            return Ok(());
        }
    }
}

/// What came of taking pieces beside their source.
enum Beside {
    Done(Result<()>),
    /// No thread could be started, and nothing was taken.
    NoThread,
}

fn take_beside<S: PieceSource>(
    source: &mut S,
    taken: S::Piece,
    take: &mut impl FnMut(&mut S::Piece) -> Result<ReadFlow>,
) -> Beside {
    thread::scope(|scope| {
        let (pieces, waiting) = sync_channel(WAITING);
        let (back, emptied) = channel();
        let spawned = Builder::new()
            .name("reader".to_string())
            .spawn_scoped(scope, move || fill_all(source, taken, &pieces, &emptied));
        let Ok(thread) = spawned else { return Beside::NoThread };
        let taken = take_all(&waiting, take, |piece| drop(back.send(piece)));
        // Who still fills a piece learns that nobody wants it.
        drop(waiting);
        Beside::Done(taken.and_then(|flow| match flow {
            ReadFlow::GoOn => joined(thread),
            ReadFlow::Stop => Ok(()),
        }))
    })
}

/// The end of the source: of what it gave, all was taken.
fn joined(thread: ScopedJoinHandle<'_, Result<()>>) -> Result<()> {
    match thread.join() {
        Ok(filled) => filled,
        Err(panic) => std::panic::resume_unwind(panic),
    }
}

fn fill_all<S: PieceSource>(
    source: &mut S,
    taken: S::Piece,
    pieces: &SyncSender<S::Piece>,
    emptied: &Receiver<S::Piece>,
) -> Result<()> {
    let (mut next, mut under_way) = (Some(taken), 0_usize);
    loop {
        let mut piece = next.take().unwrap_or_default();
        let more = source.fill(&mut piece)?;
        let is_large = S::is_large(&piece);
        if pieces.send(piece).is_err() || more == MorePieces::End {
            return Ok(());
        }
        under_way += 1;
        if let Ok(taken) = emptied.try_recv() {
            (next, under_way) = (Some(taken), under_way - 1);
        }
        while is_large && under_way > 0 {
            let Ok(taken) = emptied.recv() else { return Ok(()) };
            (next, under_way) = (Some(taken), under_way - 1);
        }
    }
}

fn take_all<P>(
    waiting: &Receiver<P>,
    take: &mut impl FnMut(&mut P) -> Result<ReadFlow>,
    give_back: impl Fn(P),
) -> Result<ReadFlow> {
    for mut piece in waiting {
        if take(&mut piece)? == ReadFlow::Stop {
            return Ok(ReadFlow::Stop);
        }
        give_back(piece);
    }
    Ok(ReadFlow::GoOn)
}
