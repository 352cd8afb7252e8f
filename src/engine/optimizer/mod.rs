//! Rules that turn plans into better plans.

pub mod slice_filter;
pub mod time_filter;
