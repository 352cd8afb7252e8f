//! The start of a connection: TLS, who the client is, and which trace it reads.

#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::sync::Arc;

use bytes::{BufMut, Bytes, BytesMut};
use pgwire::api::auth::Password;
use pgwire::api::auth::sasl::scram::{SCRAM_ITERATIONS, ScramServerAuth, gen_salted_password};
use pgwire::api::auth::sasl::{SCRAM_SHA_256_METHOD, SCRAM_SHA_256_PLUS_METHOD};
use tokio::net::TcpStream;

use super::super::failure::Failure;
use super::super::service::{Admission, Service};
use super::Cancels;
use super::backend::put_text;
use super::frontend::{Message, Reader};
use super::trouble::{End, Trouble};
use super::wire::Wire;

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
enum Channel {
    Plain,
    Secret,
}

/// Logs a client in. A failure gives the connection back if there is something to tell.
pub(super) async fn login(
    service: &Arc<Service>,
    cancels: &Cancels,
    admission: &Result<Admission, Failure>,
    stream: TcpStream,
) -> Result<(Wire, Login), (Option<Wire>, End)> {
    let limits = &service.limits;
    let wire_of = |stream| Wire::new(stream, limits.patience);
    let mut first = [0; 1];
    let starts_with_tls = matches!(stream.peek(&mut first).await, Ok(1) if first[0] == HANDSHAKE);
    let (mut wire, mut channel) = (wire_of(Box::new(stream)), Channel::Plain);
    if starts_with_tls {
        wire = wire_of(handshake(service, wire).await.map_err(|end| (None, end))?);
        channel = Channel::Secret;
    }
    loop {
        let packet = match wire.first_packet().await {
            Ok(packet) => packet,
            Err(end) => return Err((Some(wire), end)),
        };
        let mut reader = Reader(packet);
        match reader.i32() {
            Ok(TLS) if service.tls.is_some() && channel == Channel::Plain => {
                wire.out.0.put_u8(b'S');
                if wire.send().await.is_err() || wire.has_more() {
                    // What came before the handshake was not secret, and is not believed.
                    return Err((None, End::Gone));
                }
                wire = wire_of(handshake(service, wire).await.map_err(|end| (None, end))?);
                channel = Channel::Secret;
            }
            Ok(TLS | GSS) => {
                wire.out.0.put_u8(b'N');
                if let Err(end) = wire.send().await {
                    return Err((None, end));
                }
            }
            Ok(CANCEL) => {
                if let (Ok(process), Ok(secret)) = (reader.i32(), reader.i32()) {
                    cancels.cancel(process, secret);
                }
                return Err((None, End::Gone));
            }
            Ok(version) => {
                if let Err(failure) = admission {
                    return Err((Some(wire), End::Fatal(failure.clone().into())));
                }
                return match start(service, &mut wire, channel, version, reader).await {
                    Ok(login) => Ok((wire, login)),
                    Err(end) => Err((Some(wire), end)),
                };
            }
            Err(trouble) => return Err((Some(wire), End::Fatal(trouble))),
        }
    }
}

/// A failed handshake ends the connection: nothing goes on in plain text.
async fn handshake(service: &Service, wire: Wire) -> Result<Box<dyn super::wire::Stream>, End> {
    let acceptor = service.tls.as_ref().and_then(|tls| tls.acceptor(&[PROTOCOL]).ok()).ok_or(End::Gone)?;
    let stream = acceptor.accept(wire.into_stream()).await.map_err(|_| End::Gone)?;
    Ok(Box::new(stream))
}

async fn start(
    service: &Arc<Service>,
    wire: &mut Wire,
    channel: Channel,
    version: i32,
    mut reader: Reader,
) -> Result<Login, End> {
    let fatal = |code, message: &str| End::Fatal(Trouble::new(code, message));
    if version >> 16 != 3 {
        return Err(fatal("0A000", "this server speaks version 3 of the protocol"));
    }
    let mut given = parameters(&mut reader).map_err(End::Fatal)?;
    let options: Vec<&String> = given.keys().filter(|name| name.starts_with("_pq_.")).collect();
    if version & 0xffff > 0 || !options.is_empty() {
        let options: Vec<String> = options.into_iter().cloned().collect();
        tell_version(wire, &options);
    }
    given.retain(|name, _| !name.starts_with("_pq_."));
    let user = given.remove("user").filter(|user| !user.is_empty());
    let user = user.ok_or_else(|| fatal("28000", "no PostgreSQL user name specified in startup packet"))?;
    let database = given.remove("database").filter(|name| !name.is_empty()).unwrap_or_else(|| user.clone());
    if service.tls_is_required && channel == Channel::Plain {
        return Err(fatal("28000", "this server takes no connections without TLS: use sslmode=require"));
    }
    let refused = authenticate(service, wire, channel, &user).await;
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
fn parameters(reader: &mut Reader) -> Result<BTreeMap<String, String>, Trouble> {
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
fn tell_version(wire: &mut Wire, options: &[String]) {
    wire.out.message(b'v', |out| {
        out.put_i32(0x0003_0000);
        out.put_i32(options.len() as i32);
        options.iter().for_each(|name| put_text(out, name));
    });
}

/// `-c name=value` and `--name=value`; a backslash keeps the space after it.
fn options_of(text: &str) -> Vec<(String, String)> {
    let (mut words, mut word, mut characters) = (vec![], String::new(), text.chars());
    while let Some(character) = characters.next() {
        match character {
            '\\' => word.extend(characters.next()),
            space if space.is_whitespace() => words.push(std::mem::take(&mut word)),
            other => word.push(other),
        }
    }
    words.push(word);
    let settings = words.iter().filter_map(|word| {
        let word = word.strip_prefix("-c").or_else(|| word.strip_prefix("--")).unwrap_or(word);
        word.split_once('=').map(|(name, value)| (name.replace('-', "_"), value.to_string()))
    });
    settings.collect()
}

async fn authenticate(service: &Service, wire: &mut Wire, channel: Channel, user: &str) -> Result<(), End> {
    if service.users.is_open() {
        put_authentication(wire, 0, b"");
        return Ok(());
    }
    if !service.users.has_passwords() {
        let message = "this server knows tokens only, for HTTP and Flight SQL: PostgreSQL logins need --users";
        return Err(End::Fatal(Trouble::new("28000", message)));
    }
    let wrong = || End::Fatal(Trouble::new("28P01", format!("password authentication failed for user \"{user}\"")));
    let mut scram = ScramServerAuth::new();
    let mut methods = BytesMut::new();
    if let (Channel::Secret, Some(tls)) = (channel, &service.tls)
        && scram.configure_certificate(tls.pem().0).is_ok()
    {
        put_text(&mut methods, SCRAM_SHA_256_PLUS_METHOD);
    }
    put_text(&mut methods, SCRAM_SHA_256_METHOD);
    methods.put_u8(0);
    put_authentication(wire, 10, &methods);
    wire.send().await?;
    let first = client_first(password_message(wire).await?).map_err(End::Fatal)?;
    let (challenge, waiting) = scram.on_client_first_message(&first, secret_of(service, user)).map_err(|_| wrong())?;
    put_authentication(wire, 11, challenge.as_bytes());
    wire.send().await?;
    let last = password_message(wire).await?;
    let verifier = waiting.on_client_final_message(&last).map_err(|_| wrong())?;
    put_authentication(wire, 12, verifier.as_bytes());
    put_authentication(wire, 0, b"");
    Ok(())
}

/// What the password of a user becomes. An unknown user has one that nobody knows.
fn secret_of(service: &Service, user: &str) -> Password {
    let salt: [u8; 16] = rand::random();
    let unknown = || rand::random::<[u8; 16]>().iter().map(|byte| format!("{byte:02x}")).collect();
    let password = service.users.password_of(user).map_or_else(unknown, str::to_string);
    Password::new(Some(salt.to_vec()), gen_salted_password(&password, &salt, SCRAM_ITERATIONS))
}

async fn password_message(wire: &mut Wire) -> Result<Bytes, End> {
    let (kind, body) = wire.next().await?;
    match Message::read(kind, body).map_err(End::Fatal)? {
        Message::Password(body) => Ok(body),
        _ => Err(End::Fatal(Trouble::protocol("expected SASL response"))),
    }
}

/// The first message of SCRAM, without the name of its method.
fn client_first(body: Bytes) -> Result<Bytes, Trouble> {
    let mut reader = Reader(body);
    let method = reader.text()?;
    if method != SCRAM_SHA_256_METHOD && method != SCRAM_SHA_256_PLUS_METHOD {
        return Err(Trouble::protocol("client selected an invalid SASL authentication mechanism"));
    }
    reader.value()?.ok_or_else(|| Trouble::protocol("the first message of SCRAM is empty"))
}

fn put_authentication(wire: &mut Wire, code: i32, data: &[u8]) {
    wire.out.message(b'R', |out| {
        out.put_i32(code);
        out.put_slice(data);
    });
}
