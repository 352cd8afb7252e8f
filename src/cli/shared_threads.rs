//! The threads that readers of traces share.

use std::error::Error as _;
use std::io;

use ocellus_trace::error::{Error, Result};

/// Starts them. Where that cannot be done, it is said before anything is read: whoever needs them later could only give up.
pub fn start() -> Result<()> {
    match rayon::ThreadPoolBuilder::new().build_global() {
        // They were started before.
        Err(error) if error.source().is_none() => Ok(()),
        Err(error) => Err(Error::Io { context: "cannot start threads".to_string(), source: io::Error::other(error) }),
        Ok(()) => Ok(()),
    }
}
