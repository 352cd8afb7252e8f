//! Tickets and handles of prepared statements: bytes that hold a whole statement.
//!
//! The server keeps nothing for them, so clients that forget them cost nothing. Each has a number that
//! nobody guesses, by which a running query is found and cancelled.

#[cfg(test)]
mod tests;

use prost::Message;
use ring::rand::{SecureRandom, SystemRandom};

use crate::error::ServerError;
use crate::parameters;

/// A statement on its way from the client and back.
#[derive(Clone, PartialEq, Message)]
pub(super) struct Handle {
    #[prost(bytes = "vec", tag = "1")]
    pub(super) id: Vec<u8>,
    /// As the client wrote it.
    #[prost(string, tag = "2")]
    pub(super) sql: String,
    /// With its parameters, once they are bound.
    #[prost(string, optional, tag = "3")]
    pub(super) bound: Option<String>,
    /// The trace that unqualified names mean.
    #[prost(string, optional, tag = "4")]
    pub(super) trace: Option<String>,
}

impl Handle {
    pub(super) fn new(sql: String, trace: Option<String>) -> Result<Handle, ServerError> {
        let mut id = vec![0; 16];
        let filled = SystemRandom::new().fill(&mut id);
        filled.map_err(|_| ServerError::internal("the system gives no random numbers"))?;
        Ok(Handle { id, sql, bound: None, trace })
    }

    /// The same statement, to be run once more.
    pub(super) fn again(&self) -> Result<Handle, ServerError> {
        let fresh = Handle::new(self.sql.clone(), self.trace.clone())?;
        Ok(Handle { bound: self.bound.clone(), ..fresh })
    }

    pub(super) fn read(bytes: &[u8]) -> Result<Handle, ServerError> {
        Handle::decode(bytes).map_err(|_| ServerError::invalid_value("the ticket or handle is not of this server"))
    }

    pub(super) fn write(&self) -> Vec<u8> {
        self.encode_to_vec()
    }

    /// The statement to run.
    pub(super) fn text(&self) -> Result<String, ServerError> {
        match &self.bound {
            Some(bound) => Ok(bound.clone()),
            None => parameters::bind(&self.sql, &[]),
        }
    }
}
