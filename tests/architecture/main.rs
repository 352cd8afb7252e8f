//! The rules of the source tree that a compiler does not check: no circles of files, layers inside crates, sizes, no
//! orphans.
//!
//! In: the files of the checkout. Out: a failure that lists every file that breaks a rule, with the rule's reason.

#[path = "../support/checkout.rs"]
mod checkout;

mod circles;
mod imports;
mod layers;
mod modules;
mod orphans;
mod report;
mod rust_text;
mod sources;
mod tree;
