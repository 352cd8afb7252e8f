//! Archives made by a small encoder, whole and damaged.
