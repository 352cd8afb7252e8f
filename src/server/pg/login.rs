//! The start of a connection: TLS, who the client is, and which trace it reads.
//!
//! SCRAM is pgwire's. Its handler of the whole start is not used: the brake on guessing, the settings of the first
//! message and the limits before a login have no place there.

#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::time::Instant;

use bytes::Bytes;
use pgwire::api::auth::Password;
use pgwire::api::auth::sasl::scram::{SCRAM_ITERATIONS, ScramServerAuth, gen_salted_password};
use pgwire::api::auth::sasl::{SCRAM_SHA_256_METHOD, SCRAM_SHA_256_PLUS_METHOD};
use pgwire::messages::response::SslResponse;
use pgwire::messages::startup::{Authentication, NegotiateProtocolVersion, PasswordMessageFamily, Startup};
use pgwire::messages::{PgWireBackendMessage, PgWireFrontendMessage};

use super::super::connections::PeerAddress;
use super::super::login_brake::Suspect;
use super::connection::PgConnection;
use super::error::{ConnectionError, PgError};
use super::frontend::{self, MessageReader};
use super::server::PgServer;

/// Codes in the place of a version.
const CANCEL: i32 = 80_877_102;
const TLS: i32 = 80_877_103;
const GSS: i32 = 80_877_104;
/// The first byte of a TLS handshake, which newer clients begin with.
const HANDSHAKE: u8 = 0x16;

/// A client that may work.
pub(super) struct Login {
    pub(super) user: String,
    pub(super) database: String,
    /// Settings of the first message.
    pub(super) settings: Vec<(String, String)>,
}

/// How a client reaches the server.
#[derive(Clone, Copy)]
struct ClientLink {
    /// Whether nobody can read along.
    is_encrypted: bool,
    peer: Option<PeerAddress>,
}

/// Logs a client in. One that is not admitted hears why, but may cancel the queries of others whose secret it knows.
pub(super) async fn login(
    server: &PgServer,
    connection: &mut PgConnection,
    peer: Option<PeerAddress>,
    refusal: Option<PgError>,
) -> Result<Login, ConnectionError> {
    let mut link = ClientLink { is_encrypted: false, peer };
    if let (HANDSHAKE, Some(tls)) = (connection.first_byte().await?, &server.tls) {
        connection.encrypt(tls).await?;
        link.is_encrypted = true;
    }
    loop {
        let mut reader = MessageReader(connection.first_packet().await?);
        match reader.i32().map_err(ConnectionError::Fatal)? {
            code @ (TLS | GSS) => match &server.tls {
                Some(tls) if code == TLS && !link.is_encrypted => {
                    answer(connection, SslResponse::Accept).await?;
                    // What came before the handshake was not secret, and is not believed.
                    if connection.has_more() {
                        return Err(ConnectionError::Disconnected);
                    }
                    connection.encrypt(tls).await?;
                    link.is_encrypted = true;
                }
                _ => answer(connection, SslResponse::Refuse).await?,
            },
            CANCEL => {
                server.running.cancel(&reader.0);
                return Err(ConnectionError::Disconnected);
            }
            version => match refusal {
                Some(refusal) => return Err(ConnectionError::Fatal(refusal)),
                None => return start(server, connection, link, version, reader).await,
            },
        }
    }
}

/// Answers a client that asks for encryption.
async fn answer(connection: &mut PgConnection, response: SslResponse) -> Result<(), ConnectionError> {
    connection.put(PgWireBackendMessage::SslResponse(response));
    connection.send().await
}

async fn start(
    server: &PgServer,
    connection: &mut PgConnection,
    link: ClientLink,
    version: i32,
    mut reader: MessageReader,
) -> Result<Login, ConnectionError> {
    let fatal = |code, message: &str| ConnectionError::Fatal(PgError::new(code, message));
    if version >> 16 != 3 {
        return Err(fatal("0A000", "this server speaks version 3 of the protocol"));
    }
    let mut given = parameters(&mut reader).map_err(ConnectionError::Fatal)?;
    let options: Vec<&String> = given.keys().filter(|name| name.starts_with("_pq_.")).collect();
    if version & 0xffff > 0 || !options.is_empty() {
        // This server speaks version 3.0, and none of the options.
        let options = options.into_iter().cloned().collect();
        let version = NegotiateProtocolVersion::new(Startup::PROTOCOL_VERSION_3_0, options);
        connection.put(PgWireBackendMessage::NegotiateProtocolVersion(version));
    }
    given.retain(|name, _| !name.starts_with("_pq_."));
    let user = given.remove("user").filter(|user| !user.is_empty());
    let user = user.ok_or_else(|| fatal("28000", "no PostgreSQL user name specified in startup packet"))?;
    let database = given.remove("database").filter(|name| !name.is_empty()).unwrap_or_else(|| user.clone());
    if server.service.tls_is_required && !link.is_encrypted {
        return Err(fatal("28000", "this server takes no connections without TLS: use sslmode=require"));
    }
    let refused = authenticate(server, connection, link, &user).await;
    refused.inspect_err(|_| server.service.metrics.refuse_login())?;
    given.remove("replication");
    let mut settings = vec![];
    if let Some(options) = given.remove("options") {
        settings.extend(options_of(&options));
    }
    settings.extend(given);
    Ok(Login { user, database, settings })
}

/// Names and values up to an empty name.
fn parameters(reader: &mut MessageReader) -> Result<BTreeMap<String, String>, PgError> {
    let mut parameters = BTreeMap::new();
    loop {
        let name = reader.text()?;
        if name.is_empty() {
            return Ok(parameters);
        }
        parameters.insert(name, reader.text()?);
    }
}

/// `-c name=value` and `--name=value`; a backslash keeps the space after it.
fn options_of(text: &str) -> Vec<(String, String)> {
    let (mut tokens, mut word, mut characters) = (vec![], String::new(), text.chars());
    while let Some(character) = characters.next() {
        match character {
            '\\' => word.extend(characters.next()),
            space if space.is_whitespace() => tokens.push(std::mem::take(&mut word)),
            other => word.push(other),
        }
    }
    tokens.push(word);
    let settings = tokens.iter().filter_map(|word| {
        let word = word.strip_prefix("-c").or_else(|| word.strip_prefix("--")).unwrap_or(word);
        word.split_once('=').map(|(name, value)| (name.replace('-', "_"), value.to_string()))
    });
    settings.collect()
}

async fn authenticate(
    server: &PgServer,
    connection: &mut PgConnection,
    link: ClientLink,
    user: &str,
) -> Result<(), ConnectionError> {
    let service = &server.service;
    if service.users.is_open() {
        connection.put(PgWireBackendMessage::Authentication(Authentication::Ok));
        return Ok(());
    }
    if !service.users.has_passwords() {
        let message = "this server knows tokens only, for HTTP and Flight SQL: PostgreSQL logins need --users";
        return Err(ConnectionError::Fatal(PgError::new("28000", message)));
    }
    let suspect = Suspect::new(link.peer.map(|peer| peer.0), Some(user));
    let wait = service.login_brake.admit(&suspect, Instant::now());
    let wait = wait.map_err(|error| ConnectionError::Fatal(PgError::new("28000", error.message)))?;
    if !wait.is_zero() {
        tokio::time::sleep(wait).await;
    }
    let wrong = || {
        service.login_brake.refuse(&suspect, Instant::now());
        ConnectionError::Fatal(PgError::new("28P01", format!("password authentication failed for user \"{user}\"")))
    };
    let mut scram = ScramServerAuth::new();
    let mut methods = vec![SCRAM_SHA_256_METHOD.to_string()];
    if let (true, Some(tls)) = (link.is_encrypted, &service.tls)
        && scram.configure_certificate(tls.pem().0).is_ok()
    {
        methods.insert(0, SCRAM_SHA_256_PLUS_METHOD.to_string());
    }
    let first = client_first(ask(connection, Authentication::SASL(methods)).await?).map_err(ConnectionError::Fatal)?;
    let (challenge, waiting) = scram.on_client_first_message(&first, secret_of(server, user)).map_err(|_| wrong())?;
    let last = ask(connection, Authentication::SASLContinue(challenge.into())).await?;
    let verifier = waiting.on_client_final_message(&last).map_err(|_| wrong())?;
    service.login_brake.accept(&suspect);
    connection.put(PgWireBackendMessage::Authentication(Authentication::SASLFinal(verifier.into())));
    connection.put(PgWireBackendMessage::Authentication(Authentication::Ok));
    Ok(())
}

/// What the password of a user becomes. An unknown user has one that nobody knows.
fn secret_of(server: &PgServer, user: &str) -> Password {
    let salt: [u8; 16] = rand::random();
    let unknown = || rand::random::<[u8; 16]>().iter().map(|byte| format!("{byte:02x}")).collect();
    let password = server.service.users.password_of(user).map_or_else(unknown, str::to_string);
    Password::new(Some(salt.to_vec()), gen_salted_password(&password, &salt, SCRAM_ITERATIONS))
}

/// Sends a step of SASL and waits for the client's.
async fn ask(connection: &mut PgConnection, step: Authentication) -> Result<Bytes, ConnectionError> {
    connection.put(PgWireBackendMessage::Authentication(step));
    connection.send().await?;
    let (kind, body) = connection.next().await?;
    match frontend::read(kind, body).map_err(ConnectionError::Fatal)? {
        PgWireFrontendMessage::PasswordMessageFamily(PasswordMessageFamily::Raw(body)) => Ok(body.freeze()),
        _ => Err(ConnectionError::Fatal(PgError::protocol("expected SASL response"))),
    }
}

/// The first message of SCRAM, without the name of its method.
fn client_first(body: Bytes) -> Result<Bytes, PgError> {
    let mut reader = MessageReader(body);
    let method = reader.text()?;
    if method != SCRAM_SHA_256_METHOD && method != SCRAM_SHA_256_PLUS_METHOD {
        return Err(PgError::protocol("client selected an invalid SASL authentication mechanism"));
    }
    reader.value()?.ok_or_else(|| PgError::protocol("the first message of SCRAM is empty"))
}
