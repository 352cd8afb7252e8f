//! Certificates: the same for every protocol.

use std::fs;
use std::path::Path;
use std::sync::Arc;

use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::ServerConfig;
use tokio_rustls::rustls::crypto::ring::default_provider;
use tokio_rustls::rustls::pki_types::pem::PemObject;
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer};

use ocellus_trace::error::{Error, Result};

/// A certificate with its key.
#[derive(Clone)]
pub struct Tls {
    certificates: Vec<u8>,
    key: Vec<u8>,
}

impl Tls {
    /// Reads a chain of certificates and a key, both in PEM, and checks that they fit.
    pub fn read(certificates: &Path, key: &Path) -> Result<Tls> {
        let read = |path: &Path| fs::read(path).map_err(|e| Error::io("read", path, e));
        let tls = Tls { certificates: read(certificates)?, key: read(key)? };
        tls.acceptor(&[])?;
        Ok(tls)
    }

    /// The certificates and the key as they stand in their files.
    pub fn pem(&self) -> (&[u8], &[u8]) {
        (&self.certificates, &self.key)
    }

    /// Accepts connections of the protocols that are named.
    pub fn acceptor(&self, protocols: &[&str]) -> Result<TlsAcceptor> {
        let wrong = |what: String| Error::Usage(format!("the certificate or its key cannot be used: {what}"));
        let certificates: Vec<CertificateDer<'static>> = CertificateDer::pem_slice_iter(&self.certificates)
            .collect::<Result<_, _>>()
            .map_err(|e| wrong(e.to_string()))?;
        let key = PrivateKeyDer::from_pem_slice(&self.key).map_err(|e| wrong(e.to_string()))?;
        let mut config = ServerConfig::builder_with_provider(Arc::new(default_provider()))
            .with_safe_default_protocol_versions()
            .map_err(|e| wrong(e.to_string()))?
            .with_no_client_auth()
            .with_single_cert(certificates, key)
            .map_err(|e| wrong(e.to_string()))?;
        config.alpn_protocols = protocols.iter().map(|name| name.as_bytes().to_vec()).collect();
        Ok(TlsAcceptor::from(Arc::new(config)))
    }
}

/// The key is not printed.
impl std::fmt::Debug for Tls {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Tls")
    }
}
