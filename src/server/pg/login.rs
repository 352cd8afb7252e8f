//! The start of a connection: TLS, who the client is, and which trace it reads.

#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::net::IpAddr;
use std::sync::Arc;
use std::time::Instant;

use bytes::{BufMut, Bytes, BytesMut};
use pgwire::api::auth::Password;
use pgwire::api::auth::sasl::scram::{SCRAM_ITERATIONS, ScramServerAuth, gen_salted_password};
use pgwire::api::auth::sasl::{SCRAM_SHA_256_METHOD, SCRAM_SHA_256_PLUS_METHOD};
use tokio::net::TcpStream;

use super::super::error::ServerError;
use super::super::login_brake::Suspect;
use super::super::service::{Admission, Service};
use super::backend::put_text;
use super::cancel_registry::CancelRegistry;
use super::connection::PgConnection;
use super::error::{ConnectionError, PgError};
use super::frontend::{FrontendMessage, MessageReader};

/// Codes in the place of a version.
const CANCEL: i32 = 80_877_102;
const TLS: i32 = 80_877_103;
const GSS: i32 = 80_877_104;
/// The first byte of a TLS handshake, which newer clients begin with.
const HANDSHAKE: u8 = 0x16;
/// The name that TLS knows the protocol by.
const PROTOCOL: &str = "postgresql";

/// A client that may work.
pub(super) struct Login {
    pub(super) user: String,
    pub(super) database: String,
    /// Settings of the first message.
    pub(super) settings: Vec<(String, String)>,
}

/// Whether others can read along.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Transport {
    Plain,
    Encrypted,
}

/// How a client reaches the server.
#[derive(Clone, Copy)]
struct ClientLink {
    transport: Transport,
    address: Option<IpAddr>,
}

/// Logs a client in. An error returns the connection if there is something to report on it.
pub(super) async fn login(
    service: &Arc<Service>,
    cancel_registry: &CancelRegistry,
    admission: &Result<Admission, ServerError>,
    stream: TcpStream,
) -> Result<(PgConnection, Login), (Option<PgConnection>, ConnectionError)> {
    let limits = &service.limits;
    let address = stream.peer_addr().ok().map(|address| address.ip());
    let connection_over = |stream| PgConnection::new(stream, limits.patience);
    let mut first = [0; 1];
    let starts_with_tls = matches!(stream.peek(&mut first).await, Ok(1) if first[0] == HANDSHAKE);
    let (mut connection, mut transport) = (connection_over(Box::new(stream)), Transport::Plain);
    if starts_with_tls {
        connection = connection_over(handshake(service, connection).await.map_err(|end| (None, end))?);
        transport = Transport::Encrypted;
    }
    loop {
        let packet = match connection.first_packet().await {
            Ok(packet) => packet,
            Err(end) => return Err((Some(connection), end)),
        };
        let mut reader = MessageReader(packet);
        match reader.i32() {
            Ok(TLS) if service.tls.is_some() && transport == Transport::Plain => {
                connection.out.0.put_u8(b'S');
                if connection.send().await.is_err() || connection.has_more() {
                    // What came before the handshake was not secret, and is not believed.
                    return Err((None, ConnectionError::Disconnected));
                }
                connection = connection_over(handshake(service, connection).await.map_err(|end| (None, end))?);
                transport = Transport::Encrypted;
            }
            Ok(TLS | GSS) => {
                connection.out.0.put_u8(b'N');
                if let Err(end) = connection.send().await {
                    return Err((None, end));
                }
            }
            Ok(CANCEL) => {
                if let (Ok(process), Ok(secret)) = (reader.i32(), reader.i32()) {
                    cancel_registry.cancel(process, secret);
                }
                return Err((None, ConnectionError::Disconnected));
            }
            Ok(version) => {
                if let Err(error) = admission {
                    return Err((Some(connection), ConnectionError::Fatal(error.clone().into())));
                }
                return match start(service, &mut connection, ClientLink { transport, address }, version, reader).await {
                    Ok(login) => Ok((connection, login)),
                    Err(end) => Err((Some(connection), end)),
                };
            }
            Err(error) => return Err((Some(connection), ConnectionError::Fatal(error))),
        }
    }
}

/// A failed handshake ends the connection: nothing goes on in plain text.
async fn handshake(
    service: &Service,
    connection: PgConnection,
) -> Result<Box<dyn super::connection::ByteStream>, ConnectionError> {
    let acceptor =
        service.tls.as_ref().and_then(|tls| tls.acceptor(&[PROTOCOL]).ok()).ok_or(ConnectionError::Disconnected)?;
    let stream = acceptor.accept(connection.into_stream()).await.map_err(|_| ConnectionError::Disconnected)?;
    Ok(Box::new(stream))
}

async fn start(
    service: &Arc<Service>,
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
        let options: Vec<String> = options.into_iter().cloned().collect();
        report_version(connection, &options);
    }
    given.retain(|name, _| !name.starts_with("_pq_."));
    let user = given.remove("user").filter(|user| !user.is_empty());
    let user = user.ok_or_else(|| fatal("28000", "no PostgreSQL user name specified in startup packet"))?;
    let database = given.remove("database").filter(|name| !name.is_empty()).unwrap_or_else(|| user.clone());
    if service.tls_is_required && link.transport == Transport::Plain {
        return Err(fatal("28000", "this server takes no connections without TLS: use sslmode=require"));
    }
    let refused = authenticate(service, connection, link, &user).await;
    refused.inspect_err(|_| service.metrics.refuse_login())?;
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

/// This server speaks version 3.0, and none of the options.
fn report_version(connection: &mut PgConnection, options: &[String]) {
    connection.out.message(b'v', |out| {
        out.put_i32(0x0003_0000);
        out.put_i32(options.len() as i32);
        options.iter().for_each(|name| put_text(out, name));
    });
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
    service: &Service,
    connection: &mut PgConnection,
    link: ClientLink,
    user: &str,
) -> Result<(), ConnectionError> {
    if service.users.is_open() {
        put_authentication(connection, 0, b"");
        return Ok(());
    }
    if !service.users.has_passwords() {
        let message = "this server knows tokens only, for HTTP and Flight SQL: PostgreSQL logins need --users";
        return Err(ConnectionError::Fatal(PgError::new("28000", message)));
    }
    let suspect = Suspect::new(link.address, Some(user));
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
    let mut methods = BytesMut::new();
    if let (Transport::Encrypted, Some(tls)) = (link.transport, &service.tls)
        && scram.configure_certificate(tls.pem().0).is_ok()
    {
        put_text(&mut methods, SCRAM_SHA_256_PLUS_METHOD);
    }
    put_text(&mut methods, SCRAM_SHA_256_METHOD);
    methods.put_u8(0);
    put_authentication(connection, 10, &methods);
    connection.send().await?;
    let first = client_first(password_message(connection).await?).map_err(ConnectionError::Fatal)?;
    let (challenge, waiting) = scram.on_client_first_message(&first, secret_of(service, user)).map_err(|_| wrong())?;
    put_authentication(connection, 11, challenge.as_bytes());
    connection.send().await?;
    let last = password_message(connection).await?;
    let verifier = waiting.on_client_final_message(&last).map_err(|_| wrong())?;
    service.login_brake.accept(&suspect);
    put_authentication(connection, 12, verifier.as_bytes());
    put_authentication(connection, 0, b"");
    Ok(())
}

/// What the password of a user becomes. An unknown user has one that nobody knows.
fn secret_of(service: &Service, user: &str) -> Password {
    let salt: [u8; 16] = rand::random();
    let unknown = || rand::random::<[u8; 16]>().iter().map(|byte| format!("{byte:02x}")).collect();
    let password = service.users.password_of(user).map_or_else(unknown, str::to_string);
    Password::new(Some(salt.to_vec()), gen_salted_password(&password, &salt, SCRAM_ITERATIONS))
}

async fn password_message(connection: &mut PgConnection) -> Result<Bytes, ConnectionError> {
    let (kind, body) = connection.next().await?;
    match FrontendMessage::read(kind, body).map_err(ConnectionError::Fatal)? {
        FrontendMessage::Password(body) => Ok(body),
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

fn put_authentication(connection: &mut PgConnection, code: i32, data: &[u8]) {
    connection.out.message(b'R', |out| {
        out.put_i32(code);
        out.put_slice(data);
    });
}
