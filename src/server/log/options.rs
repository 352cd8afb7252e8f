//! What is logged, and how a line looks.

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use tracing::level_filters::LevelFilter;

/// The least important lines that are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum LogLevel {
    /// Nothing is written.
    Off,
    /// Faults of the server.
    Error,
    /// Failed and slow queries, refused logins and clients too.
    Warn,
    /// Connections and cancelled queries too.
    #[default]
    Info,
    /// The ends of connections too.
    Debug,
}

impl LogLevel {
    /// All levels.
    pub const ALL: [LogLevel; 5] = [LogLevel::Off, LogLevel::Error, LogLevel::Warn, LogLevel::Info, LogLevel::Debug];

    /// The name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            LogLevel::Off => "off",
            LogLevel::Error => "error",
            LogLevel::Warn => "warn",
            LogLevel::Info => "info",
            LogLevel::Debug => "debug",
        }
    }

    pub(super) fn filter(self) -> LevelFilter {
        match self {
            LogLevel::Off => LevelFilter::OFF,
            LogLevel::Error => LevelFilter::ERROR,
            LogLevel::Warn => LevelFilter::WARN,
            LogLevel::Info => LevelFilter::INFO,
            LogLevel::Debug => LevelFilter::DEBUG,
        }
    }
}

impl fmt::Display for LogLevel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for LogLevel {
    type Err = String;

    fn from_str(text: &str) -> Result<LogLevel, String> {
        let found = LogLevel::ALL.into_iter().find(|level| level.name() == text);
        found.ok_or_else(|| {
            format!("a log level is one of {}, got {text}", LogLevel::ALL.map(LogLevel::name).join(", "))
        })
    }
}

/// How a line looks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum LogFormat {
    /// Words and `name=value`.
    #[default]
    Text,
    /// One JSON object per line.
    Json,
}

impl LogFormat {
    /// Both formats.
    pub const ALL: [LogFormat; 2] = [LogFormat::Text, LogFormat::Json];

    /// The name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            LogFormat::Text => "text",
            LogFormat::Json => "json",
        }
    }
}

impl fmt::Display for LogFormat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for LogFormat {
    type Err = String;

    fn from_str(text: &str) -> Result<LogFormat, String> {
        let found = LogFormat::ALL.into_iter().find(|format| format.name() == text);
        found.ok_or_else(|| format!("a log format is text or json, got {text}"))
    }
}

/// How a server logs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LogOptions {
    /// The least important lines that are written.
    pub level: LogLevel,
    /// How a line looks.
    pub format: LogFormat,
    /// A query that takes as long is slow.
    pub slow: Duration,
}

impl Default for LogOptions {
    fn default() -> LogOptions {
        LogOptions { level: LogLevel::default(), format: LogFormat::default(), slow: Duration::from_secs(1) }
    }
}
