//! Both ends of a link have one number, whichever comes first.

use super::super::packed_row::{RowBody, phase};
use super::FlowNumbers;
use crate::reader::ChromeRecord;

#[test]
fn equal_links_that_overlap_have_numbers_of_their_own() {
    let mut numbers = FlowNumbers::default();
    let body = RowBody { number: f64::NAN, source: 1, target: 2 };
    let mut number =
        |phase| numbers.number(&ChromeRecord { end: 9, phase, id: b"k", ..ChromeRecord::default() }, &body);
    let phases = [phase::LINK, phase::LINK, phase::LINK_END, phase::LINK_END, phase::LINK_END, phase::LINK];
    assert_eq!(phases.map(&mut number), [1, 2, 1, 2, 3, 3]);
}
