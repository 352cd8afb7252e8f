//! Rows go to a client: as messages of a query, or of a copy.

use std::time::Duration;

use arrow::array::RecordBatch;
use bytes::{BufMut, BytesMut};
use pgwire::api::results::FieldFormat;
use pgwire::messages::PgWireBackendMessage;
use pgwire::messages::copy::{CopyDone, CopyOutResponse};

use super::super::error::ServerError;
use super::super::session::ServerSession;
use super::connection::PgConnection;
use super::copy::CopyOptions;
use super::error::{ConnectionError, PgError};
use super::portal::Portal;
use super::values::{ValueStyle, encode_columns};

/// Columns of a copy: pgwire's message that starts one describes no more.
const MOST_COPIED_COLUMNS: usize = 14_000;

/// The next rows of a portal, when most of them are wanted and some were passed; `None` when there are no more.
async fn next_batch(
    connection: &mut PgConnection,
    session: &ServerSession,
    portal: &mut Portal,
    most: Option<u64>,
    passed: u64,
) -> Result<Option<RecordBatch>, ConnectionError> {
    match usize::try_from(most.map_or(u64::MAX, |most| most - passed)).unwrap_or(usize::MAX) {
        0 => Ok(None),
        wanted => Ok(connection.run_until_disconnect(portal.next(session, wanted)).await??),
    }
}

/// The time that a client has to read the rows of one statement, besides that of the engine: a client that reads on and on, but
/// slowly, would otherwise keep its query for ever.
struct ReadingTime {
    limit: Duration,
    end: Duration,
}

impl ReadingTime {
    fn start(connection: &PgConnection, session: &ServerSession) -> ReadingTime {
        let limit = session.query_time();
        ReadingTime { limit, end: connection.time_sending().saturating_add(limit) }
    }

    /// Sends what was gathered, once it is worth it.
    async fn send_if_full(&self, connection: &mut PgConnection) -> Result<(), ConnectionError> {
        connection.send_if_full().await?;
        match connection.time_sending() > self.end {
            true => Err(ServerError::unread(self.limit).into()),
            false => Ok(()),
        }
    }
}

/// Sends the next rows of a portal, at most as many. Returns how many they were.
pub(super) async fn send_rows(
    connection: &mut PgConnection,
    session: &ServerSession,
    portal: &mut Portal,
    formats: &[FieldFormat],
    style: ValueStyle,
    most: Option<u64>,
) -> Result<u64, ConnectionError> {
    let mut given = 0;
    let time = ReadingTime::start(connection, session);
    while let Some(batch) = next_batch(connection, session, portal, most, given).await? {
        let cells = encode_columns(&portal.schema, &batch, formats, style);
        for row in 0..batch.num_rows() {
            connection.put_with(b'D', |out| {
                out.put_u16(cells.len() as u16);
                cells.iter().for_each(|cells| cells.put_sized(row, out));
            });
            time.send_if_full(connection).await?;
        }
        given += batch.num_rows() as u64;
    }
    Ok(given)
}

/// Skips as many rows. Returns how many there were.
pub(super) async fn skip_rows(
    connection: &mut PgConnection,
    session: &ServerSession,
    portal: &mut Portal,
    most: Option<u64>,
) -> Result<u64, ConnectionError> {
    let mut skipped = 0;
    while let Some(batch) = next_batch(connection, session, portal, most, skipped).await? {
        skipped += batch.num_rows() as u64;
    }
    Ok(skipped)
}

/// Copies all rows of a portal out. Returns how many they were.
pub(super) async fn copy_rows(
    connection: &mut PgConnection,
    session: &ServerSession,
    portal: &mut Portal,
    options: &CopyOptions,
    style: ValueStyle,
) -> Result<u64, ConnectionError> {
    if portal.columns.len() > MOST_COPIED_COLUMNS {
        return Err(PgError::new("54011", "too many columns").into());
    }
    let names: Vec<String> = portal.columns.iter().map(|column| column.name.clone()).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let formats = vec![options.format(); names.len()];
    // The first rows come before the start of the copy, so that an error is reported instead of it.
    let mut next = next_batch(connection, session, portal, None, 0).await?;
    let format = options.format().value();
    let start_of_copy = CopyOutResponse::new(format as i8, names.len() as i16, vec![format; names.len()]);
    connection.put(PgWireBackendMessage::CopyOutResponse(start_of_copy));
    let mut start = BytesMut::new();
    options.put_start(&names, &mut start);
    if options.starts_alone() && !start.is_empty() {
        connection.put_with(b'd', |out| out.put_slice(&start));
        start.clear();
    }
    let mut given = 0;
    let time = ReadingTime::start(connection, session);
    while let Some(batch) = next {
        let cells = encode_columns(&portal.schema, &batch, &formats, style);
        for row in 0..batch.num_rows() {
            connection.put_with(b'd', |out| {
                out.put_slice(&start);
                options.put_row(&names, &cells, row, out);
            });
            start.clear();
            time.send_if_full(connection).await?;
        }
        given += batch.num_rows() as u64;
        next = next_batch(connection, session, portal, None, 0).await?;
    }
    options.put_end(&mut start);
    if !start.is_empty() {
        connection.put_with(b'd', |out| out.put_slice(&start));
    }
    connection.put(PgWireBackendMessage::CopyDone(CopyDone::new()));
    Ok(given)
}
