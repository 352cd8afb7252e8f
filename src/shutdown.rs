//! Signals that ask the program to end: Ctrl-C, or the termination signal of the system.

use ocellus_trace::error::{Error, Result};

/// Receives every such signal from the moment it listens.
pub struct ShutdownSignal {
    #[cfg(unix)]
    interrupt: tokio::signal::unix::Signal,
    #[cfg(unix)]
    terminate: tokio::signal::unix::Signal,
}

#[cfg(unix)]
impl ShutdownSignal {
    /// Starts to listen.
    pub fn listen() -> Result<ShutdownSignal> {
        use tokio::signal::unix::{SignalKind, signal};
        let failed = |source| Error::Io { context: "cannot listen to signals".to_string(), source };
        let interrupt = signal(SignalKind::interrupt()).map_err(failed)?;
        let terminate = signal(SignalKind::terminate()).map_err(failed)?;
        Ok(ShutdownSignal { interrupt, terminate })
    }

    /// Waits for a signal; one that came since the last time counts.
    pub async fn requested(&mut self) {
        tokio::select! {
            _ = self.interrupt.recv() => {}
            _ = self.terminate.recv() => {}
        }
    }
}

#[cfg(not(unix))]
impl ShutdownSignal {
    /// Starts to listen.
    pub fn listen() -> Result<ShutdownSignal> {
        Ok(ShutdownSignal {})
    }

    pub async fn requested(&mut self) {
        let _ = tokio::signal::ctrl_c().await;
    }
}
