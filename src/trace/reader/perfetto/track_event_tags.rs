//! The bytes before fields that nearly all track events have.

use super::wire::{bytes_tag, varint_tag};

pub(super) const TYPE: u8 = varint_tag(9);
pub(super) const NAME: u8 = varint_tag(10);
pub(super) const TRACK: u8 = varint_tag(11);
pub(super) const CATEGORY: u8 = varint_tag(3);
pub(super) const ANNOTATION: u8 = bytes_tag(4);
