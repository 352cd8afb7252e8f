//! Who a client of HTTP or Flight SQL is: what its `Authorization` header says, and tokens for those
//! who log in once.
//!
//! A token that is given out is the name with a signature that only this process can make, so nothing
//! is stored, and tokens of an earlier process are worth nothing.

#[cfg(test)]
mod tests;

use std::net::IpAddr;
use std::time::Instant;

use base64::Engine as _;
use base64::alphabet;
use base64::engine::DecodePaddingMode;
use base64::engine::general_purpose::{GeneralPurpose, GeneralPurposeConfig, URL_SAFE_NO_PAD};
use ring::hmac;
use ring::rand::SystemRandom;

use super::error::{ServerError, ServerErrorKind};
use super::login_brake::{LoginBrake, Suspect};
use super::metrics::Metrics;
use super::users::Users;

/// Names and passwords come with padding, or without: Go's clients of Flight SQL leave it out.
const BASIC: GeneralPurpose = GeneralPurpose::new(
    &alphabet::STANDARD,
    GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent),
);

/// What decides about a client besides its header.
#[derive(Debug, Clone, Copy)]
pub(super) struct LoginContext<'a> {
    pub(super) users: &'a Users,
    pub(super) brake: &'a LoginBrake,
    pub(super) metrics: &'a Metrics,
    /// Where the client is, as far as that is known.
    pub(super) address: Option<IpAddr>,
}

/// Checks headers, and gives out tokens.
#[derive(Debug)]
pub(super) struct Credentials {
    key: hmac::Key,
}

impl Credentials {
    pub(super) fn new() -> Result<Credentials, ServerError> {
        let key = hmac::Key::generate(hmac::HMAC_SHA256, &SystemRandom::new());
        let key = key.map_err(|_| ServerError::internal("the system gives no random numbers"))?;
        Ok(Credentials { key })
    }

    /// Whether a client with this header may read. Those who guess wait; those who may not are counted.
    pub(super) async fn check(
        &self,
        context: LoginContext<'_>,
        authorization: Option<&str>,
    ) -> Result<(), ServerError> {
        self.check_uncounted(context, authorization).await.inspect_err(|_| context.metrics.refuse_login())
    }

    async fn check_uncounted(&self, context: LoginContext<'_>, authorization: Option<&str>) -> Result<(), ServerError> {
        let LoginContext { users, brake, address, .. } = context;
        if users.is_open() {
            return Ok(());
        }
        let Some(authorization) = authorization.and_then(parse) else {
            return Err(ServerError::new(
                ServerErrorKind::Denied,
                "authentication is required: a user name with a password, or a token",
            ));
        };
        let name = match &authorization {
            Authorization::Basic { name, .. } => Some(name.as_str()),
            // Nobody guesses a signature.
            Authorization::Bearer(token) if self.is_given(token) => return Ok(()),
            Authorization::Bearer(_) => None,
        };
        let suspect = Suspect::new(address, name);
        let wait = brake.admit(&suspect, Instant::now())?;
        if !wait.is_zero() {
            tokio::time::sleep(wait).await;
        }
        let is_known = match &authorization {
            Authorization::Basic { name, password } => users.is_password(name, password),
            Authorization::Bearer(token) => users.is_token(token),
        };
        if is_known {
            brake.accept(&suspect);
            return Ok(());
        }
        brake.refuse(&suspect, Instant::now());
        Err(ServerError::new(ServerErrorKind::Denied, "the user name, the password or the token is wrong"))
    }

    /// A token that lasts as long as the process, for a header with the right name and password.
    pub(super) async fn log_in(
        &self,
        context: LoginContext<'_>,
        authorization: Option<&str>,
    ) -> Result<String, ServerError> {
        self.check(context, authorization).await?;
        match authorization.and_then(parse) {
            Some(Authorization::Bearer(token)) => Ok(token.to_string()),
            Some(Authorization::Basic { name, .. }) => Ok(self.sign(&name)),
            None => Ok(self.sign("")),
        }
    }

    /// A token for the session of a browser: like [`Credentials::log_in`], but never one of the file of tokens.
    pub(super) async fn open_session(
        &self,
        context: LoginContext<'_>,
        authorization: &str,
    ) -> Result<String, ServerError> {
        self.check(context, Some(authorization)).await?;
        match parse(authorization) {
            Some(Authorization::Basic { name, .. }) => Ok(self.sign(&name)),
            _ => Ok(self.sign("")),
        }
    }

    /// The user of a token that was given out; empty for one who showed a token.
    pub(super) fn session_user(&self, token: &str) -> Option<String> {
        let (name, _) = token.split_once('.').filter(|_| self.is_given(token))?;
        String::from_utf8(URL_SAFE_NO_PAD.decode(name).ok()?).ok()
    }

    fn sign(&self, name: &str) -> String {
        let signature = hmac::sign(&self.key, name.as_bytes());
        format!("{}.{}", URL_SAFE_NO_PAD.encode(name), URL_SAFE_NO_PAD.encode(signature))
    }

    fn is_given(&self, token: &str) -> bool {
        let parts = token.split_once('.').and_then(|(name, signature)| {
            Some((URL_SAFE_NO_PAD.decode(name).ok()?, URL_SAFE_NO_PAD.decode(signature).ok()?))
        });
        parts.is_some_and(|(name, signature)| hmac::verify(&self.key, &name, &signature).is_ok())
    }
}

enum Authorization<'a> {
    Basic { name: String, password: String },
    Bearer(&'a str),
}

fn parse(header: &str) -> Option<Authorization<'_>> {
    let (scheme, rest) = header.trim().split_once(' ')?;
    let rest = rest.trim();
    if scheme.eq_ignore_ascii_case("bearer") {
        return Some(Authorization::Bearer(rest));
    }
    if !scheme.eq_ignore_ascii_case("basic") {
        return None;
    }
    let decoded = String::from_utf8(BASIC.decode(rest).ok()?).ok()?;
    let (name, password) = decoded.split_once(':')?;
    Some(Authorization::Basic { name: name.to_string(), password: password.to_string() })
}
