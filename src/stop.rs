//! The wish to stop: Ctrl-C, or the system that asks the program to end.

use ocellus_trace::error::{Error, Result};

/// Hears every such wish from the moment it is made.
pub struct Stop {
    #[cfg(unix)]
    interrupt: tokio::signal::unix::Signal,
    #[cfg(unix)]
    terminate: tokio::signal::unix::Signal,
}

#[cfg(unix)]
impl Stop {
    pub fn listen() -> Result<Stop> {
        use tokio::signal::unix::{SignalKind, signal};
        let failed = |source| Error::Io { context: "cannot listen to signals".to_string(), source };
        let interrupt = signal(SignalKind::interrupt()).map_err(failed)?;
        let terminate = signal(SignalKind::terminate()).map_err(failed)?;
        Ok(Stop { interrupt, terminate })
    }

    /// Waits for a wish; one that came since the last time counts.
    pub async fn asked(&mut self) {
        tokio::select! {
            _ = self.interrupt.recv() => {}
            _ = self.terminate.recv() => {}
        }
    }
}

#[cfg(not(unix))]
impl Stop {
    pub fn listen() -> Result<Stop> {
        Ok(Stop {})
    }

    pub async fn asked(&mut self) {
        let _ = tokio::signal::ctrl_c().await;
    }
}
