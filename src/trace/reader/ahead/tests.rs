//! Pieces arrive whole and in order, and errors in the order of what they are about.

use std::sync::atomic::{AtomicU32, Ordering};

use super::*;
use crate::error::Error;

/// Gives pieces that count up, and then may fail.
struct Counting {
    next: u32,
    pieces: u32,
    failure: Option<&'static str>,
}

impl PieceSource for Counting {
    type Piece = Vec<u32>;

    fn fill(&mut self, piece: &mut Vec<u32>) -> Result<MorePieces> {
        if let (true, Some(failure)) = (self.next == self.pieces, self.failure) {
            return Err(Error::Trace(failure.to_string()));
        }
        piece.clear();
        piece.push(self.next);
        self.next += 1;
        let is_last = self.next == self.pieces && self.failure.is_none();
        Ok(if is_last { MorePieces::End } else { MorePieces::Follow })
    }

    fn is_large(piece: &Vec<u32>) -> bool {
        piece[0] % 3 == 0
    }
}

/// What was taken until `until`, where the taker ends as it is told, and how it ended.
fn taken(mut source: Counting, until: Option<(u32, Result<ReadFlow>)>) -> (Vec<u32>, std::result::Result<(), String>) {
    let mut numbers = vec![];
    let mut until = until;
    let end = take_ahead(&mut source, |piece| {
        assert_eq!(piece.len(), 1);
        numbers.extend_from_slice(piece);
        match until.take_if(|(at, _)| *at == piece[0]) {
            Some((_, end)) => end,
            None => Ok(ReadFlow::GoOn),
        }
    });
    (numbers, end.map_err(|error| error.to_string()))
}

#[test]
fn all_pieces_arrive_in_order() {
    for pieces in [1, 2, 3, 4, 100] {
        let source = Counting { next: 0, pieces, failure: None };
        assert_eq!(taken(source, None), ((0..pieces).collect(), Ok(())));
    }
}

#[test]
fn what_went_wrong_first_is_returned() {
    for pieces in [1, 2, 3, 50] {
        let failing = || Counting { next: 0, pieces, failure: Some("the source fails") };
        let (numbers, end) = taken(failing(), None);
        assert_eq!((numbers, end), ((0..pieces).collect(), Err("the source fails".to_string())));
        for at in [0, pieces - 1] {
            let failure = Err(Error::Trace("the taker fails".to_string()));
            let (numbers, end) = taken(failing(), Some((at, failure)));
            assert_eq!((numbers, end), ((0..=at).collect(), Err("the taker fails".to_string())), "piece {at}");
        }
    }
}

#[test]
fn who_takes_them_may_stop() {
    for at in [0, 1, 2, 7] {
        let endless = Counting { next: 0, pieces: u32::MAX, failure: None };
        assert_eq!(taken(endless, Some((at, Ok(ReadFlow::Stop)))), ((0..=at).collect(), Ok(())));
    }
}

/// Says when it fills a piece.
struct Watched<'w> {
    left: u32,
    taken: &'w AtomicU32,
}

impl PieceSource for Watched<'_> {
    type Piece = u32;

    fn fill(&mut self, piece: &mut u32) -> Result<MorePieces> {
        *piece = self.taken.load(Ordering::SeqCst);
        self.left -= 1;
        Ok(if self.left == 0 { MorePieces::End } else { MorePieces::Follow })
    }

    fn is_large(_: &u32) -> bool {
        true
    }
}

#[test]
fn large_pieces_are_made_when_those_before_are_taken() {
    let taken = AtomicU32::new(0);
    let mut number = 0;
    let end = take_ahead(&mut Watched { left: 50, taken: &taken }, |piece| {
        assert_eq!(*piece, number, "pieces that were taken when this one was made");
        number += 1;
        taken.store(number, Ordering::SeqCst);
        Ok(ReadFlow::GoOn)
    });
    assert_eq!((end.map_err(|error| error.to_string()), number), (Ok(()), 50));
}
