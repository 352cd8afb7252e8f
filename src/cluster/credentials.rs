//! The secrets that all parts of a cluster share: a certificate of an authority of their own, and a token.
//!
//! A folder holds them as `ca.pem`, `cert.pem`, `key.pem` and `token`. Who connects shows the certificate, and so does
//! who is connected to; both must be of the authority and for the name [`NAME`], whatever machine they are on. The
//! token goes with every call and every task.

#[cfg(test)]
pub(crate) mod tests;

use std::fmt;
use std::path::Path;
use std::sync::Arc;

use ring::digest::{Context, SHA256};
use subtle::ConstantTimeEq;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::crypto::ring::default_provider;
use tokio_rustls::rustls::pki_types::pem::PemObject;
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer};
use tokio_rustls::rustls::server::WebPkiClientVerifier;
use tokio_rustls::rustls::{RootCertStore, ServerConfig};
use tonic::transport::{Certificate, ClientTlsConfig, Identity as TlsIdentity, ServerTlsConfig};

use ocellus_trace::error::{Error, Result};

/// The name that certificates of a cluster are for.
const NAME: &str = "ocellus-cluster";
/// Characters that a token has at least.
const SHORTEST_TOKEN: usize = 16;

/// The secrets; see the file's head.
#[derive(Clone)]
pub struct Credentials {
    authority: Vec<u8>,
    certificate: Vec<u8>,
    key: Vec<u8>,
    token: Token,
}

/// A token as it travels: not itself, but what only those who have it can tell.
#[derive(Clone)]
pub(super) struct Token(String);

impl Token {
    fn new(secret: &str) -> Token {
        let mut context = Context::new(&SHA256);
        context.update(b"ocellus cluster ");
        context.update(secret.as_bytes());
        Token(context.finish().as_ref().iter().map(|byte| format!("{byte:02x}")).collect())
    }

    pub(super) fn text(&self) -> &str {
        &self.0
    }

    /// Whether somebody has the same; takes the same time however much is right.
    pub(super) fn is(&self, other: &[u8]) -> bool {
        self.0.as_bytes().ct_eq(other).into()
    }
}

impl Credentials {
    /// Reads the folder, and checks that its files fit each other.
    pub fn read(folder: &Path) -> Result<Credentials> {
        let read = |name: &str| {
            let path = folder.join(name);
            std::fs::read(&path).map_err(|e| Error::io("read", &path, e))
        };
        for secret in ["key.pem", "token"] {
            refuse_readable(&folder.join(secret))?;
        }
        let token = String::from_utf8(read("token")?).unwrap_or_default();
        if token.trim().len() < SHORTEST_TOKEN {
            let path = folder.join("token");
            return Err(Error::Usage(format!(
                "{} must hold a token of at least {SHORTEST_TOKEN} characters; make one with: openssl rand -hex 32",
                path.display()
            )));
        }
        let credentials = Credentials {
            authority: read("ca.pem")?,
            certificate: read("cert.pem")?,
            key: read("key.pem")?,
            token: Token::new(token.trim()),
        };
        credentials
            .acceptor()
            .map_err(|why| Error::Usage(format!("the certificates in {} cannot be used: {why}", folder.display())))?;
        Ok(credentials)
    }

    pub(super) fn token(&self) -> &Token {
        &self.token
    }

    /// For those who connect.
    pub(super) fn client_tls(&self) -> ClientTlsConfig {
        ClientTlsConfig::new()
            .ca_certificate(Certificate::from_pem(&self.authority))
            .identity(TlsIdentity::from_pem(&self.certificate, &self.key))
            .domain_name(NAME)
    }

    /// For those who are connected to.
    pub(super) fn server_tls(&self) -> ServerTlsConfig {
        ServerTlsConfig::new()
            .identity(TlsIdentity::from_pem(&self.certificate, &self.key))
            .client_ca_root(Certificate::from_pem(&self.authority))
    }

    /// The same as [`Credentials::server_tls`] for plain connections.
    pub(super) fn acceptor(&self) -> std::result::Result<TlsAcceptor, String> {
        let text = |error: &dyn fmt::Display| error.to_string();
        let mut authorities = RootCertStore::empty();
        for authority in CertificateDer::pem_slice_iter(&self.authority) {
            authorities.add(authority.map_err(|e| text(&e))?).map_err(|e| text(&e))?;
        }
        let chain: Vec<CertificateDer<'static>> = CertificateDer::pem_slice_iter(&self.certificate)
            .collect::<std::result::Result<_, _>>()
            .map_err(|e| text(&e))?;
        let key = PrivateKeyDer::from_pem_slice(&self.key).map_err(|e| text(&e))?;
        let provider = Arc::new(default_provider());
        let verifier = WebPkiClientVerifier::builder_with_provider(Arc::new(authorities), Arc::clone(&provider))
            .build()
            .map_err(|e| text(&e))?;
        let mut config = ServerConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .map_err(|e| text(&e))?
            .with_client_cert_verifier(verifier)
            .with_single_cert(chain, key)
            .map_err(|e| text(&e))?;
        config.alpn_protocols = vec![b"h2".to_vec()];
        Ok(TlsAcceptor::from(Arc::new(config)))
    }
}

/// Nothing secret is printed.
impl fmt::Debug for Credentials {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Credentials")
    }
}

impl fmt::Debug for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Token")
    }
}

/// Refuses a secret that others on the machine can read.
#[cfg(unix)]
fn refuse_readable(path: &Path) -> Result<()> {
    use std::os::unix::fs::PermissionsExt;
    let metadata = std::fs::metadata(path).map_err(|e| Error::io("read", path, e))?;
    match metadata.permissions().mode() & 0o077 {
        0 => Ok(()),
        _ => Err(Error::Usage(format!("others can read {}, which is a secret; run: chmod 600 {0}", path.display()))),
    }
}

#[cfg(not(unix))]
fn refuse_readable(_path: &Path) -> Result<()> {
    Ok(())
}
