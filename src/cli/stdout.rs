//! Standard output, for text that commands make themselves.

use std::io;

use ocellus_trace::error::Error;

/// Standard output with a buffer.
pub fn stdout() -> io::BufWriter<io::Stdout> {
    io::BufWriter::with_capacity(1 << 16, io::stdout())
}

/// Wraps a failed write to standard output.
pub fn stdout_failed(source: io::Error) -> Error {
    Error::Io { context: "cannot write to standard output".to_string(), source }
}
