//! The cookie of those who logged in by the form.

#[cfg(test)]
mod tests;

use axum::http::HeaderMap;
use axum::http::header::COOKIE;

/// The cookie of a server. Browsers do not tell ports apart, so its name does.
#[derive(Debug)]
pub(super) struct SessionCookie {
    name: String,
    attributes: &'static str,
}

impl SessionCookie {
    /// The cookie of the server on a port; with TLS, browsers send it by TLS only.
    pub(super) fn new(port: u16, has_tls: bool) -> SessionCookie {
        match has_tls {
            true => SessionCookie {
                name: format!("__Host-ocellus-{port}"),
                attributes: "Path=/; HttpOnly; SameSite=Strict; Secure",
            },
            false => SessionCookie { name: format!("ocellus-{port}"), attributes: "Path=/; HttpOnly; SameSite=Strict" },
        }
    }

    /// The header that sets it.
    pub(super) fn holding(&self, token: &str) -> String {
        format!("{}={token}; {}", self.name, self.attributes)
    }

    /// The header that takes it away.
    pub(super) fn cleared(&self) -> String {
        format!("{}=; Max-Age=0; {}", self.name, self.attributes)
    }

    /// Its value in a request.
    pub(super) fn of<'a>(&self, headers: &'a HeaderMap) -> Option<&'a str> {
        let cookies = headers.get_all(COOKIE).iter().filter_map(|value| value.to_str().ok());
        let mut pairs = cookies.flat_map(|cookies| cookies.split(';')).filter_map(|pair| pair.trim().split_once('='));
        pairs.find(|(name, _)| *name == self.name).map(|(_, value)| value)
    }
}
