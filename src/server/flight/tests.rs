//! Flight SQL as clients see it, over real connections.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use arrow::array::{ArrayRef, AsArray, Int64Array, RecordBatch, StringArray};
use arrow::datatypes::{Int64Type, Schema};
use arrow_flight::sql::client::FlightSqlServiceClient;
use arrow_flight::sql::{CommandGetTables, SqlInfo};
use arrow_flight::{CancelFlightInfoRequest, CancelStatus, FlightClient, FlightInfo};
use futures::TryStreamExt;
use tokio::io::AsyncReadExt;
use tokio::net::TcpStream;
use tonic::transport::{Channel, Endpoint};

use crate::ServiceOptions;
use crate::loopback::{Loopback, import_sample, run, some_users, tight};

type Client = FlightSqlServiceClient<Channel>;

async fn client(address: SocketAddr) -> Client {
    FlightSqlServiceClient::new(channel(address).await)
}

async fn channel(address: SocketAddr) -> Channel {
    let endpoint = Endpoint::from_shared(format!("http://{address}")).expect("an address");
    endpoint.connect().await.expect("connected")
}

async fn fetch(client: &mut Client, info: FlightInfo) -> Result<Vec<RecordBatch>, String> {
    let ticket = info.endpoint[0].ticket.clone().expect("a ticket");
    let rows = client.do_get(ticket).await.map_err(|error| error.to_string())?;
    rows.try_collect().await.map_err(|error| error.to_string())
}

async fn ask(client: &mut Client, sql: &str) -> Result<Vec<RecordBatch>, String> {
    let info = client.execute(sql.to_string(), None).await.map_err(|error| error.to_string())?;
    fetch(client, info).await
}

fn number(batches: &[RecordBatch]) -> i64 {
    batches[0].column(0).as_primitive::<Int64Type>().value(0)
}

#[test]
fn statements_and_prepared_statements_give_rows() {
    run(async {
        let server = Loopback::start(ServiceOptions::default()).await;
        let mut client = client(server.flight).await;
        assert_eq!(number(&ask(&mut client, "SELECT 6 * 7 AS n").await.expect("rows")), 42);
        let info = client.execute("SELECT value FROM states WHERE false".to_string(), None).await.expect("planned");
        let announced: Schema = info.clone().try_decode_schema().expect("a schema");
        assert_eq!(announced.field(0).data_type(), &arrow::datatypes::DataType::Utf8);
        assert!(fetch(&mut client, info).await.expect("rows").iter().all(|batch| batch.num_rows() == 0));

        let sql = "SELECT CAST(count(*) AS BIGINT) AS n FROM state_slices(slices => ?) WHERE value <> ?";
        let mut prepared = client.prepare(sql.to_string(), None).await.expect("prepared");
        let counts = [2_i64, 4].map(|slices| {
            let columns: [(&str, ArrayRef); 2] =
                [("1", Arc::new(Int64Array::from(vec![slices]))), ("2", Arc::new(StringArray::from(vec!["it's"])))];
            RecordBatch::try_from_iter(columns).expect("one row")
        });
        let mut found = vec![];
        for row in counts {
            prepared.set_parameters(row).expect("parameters");
            let info = prepared.execute().await.expect("planned");
            found.push(number(&fetch(&mut client, info).await.expect("rows")));
        }
        let direct = "SELECT count(*) AS n FROM state_slices(slices => 4)";
        assert!(found[0] > 0 && found[1] > found[0], "{found:?}");
        assert_eq!(found[1], number(&ask(&mut client, direct).await.expect("rows")));
        prepared.close().await.expect("closed");
        server.stop().await;
    });
}

#[test]
fn everything_only_reads() {
    run(async {
        let server = Loopback::start(ServiceOptions::default()).await;
        let mut client = client(server.flight).await;
        for sql in ["CREATE TABLE t (x INT)", "COPY states TO '/tmp/x.csv'", "SET datafusion.execution.batch_size = 1"]
        {
            let refused = ask(&mut client, sql).await.expect_err(sql);
            assert!(refused.contains("is read-only"), "{sql}: {refused}");
        }
        let refused = client.execute_update("DELETE FROM states".to_string(), None).await.expect_err("refused");
        assert!(refused.to_string().contains("is read-only"), "{refused}");
        assert!(ask(&mut client, "SELECT * FROM nowhere").await.expect_err("refused").contains("nowhere"));
        assert!(ask(&mut client, "SELECT 1; SELECT 2").await.is_err());
        server.stop().await;
    });
}

#[test]
fn tables_are_listed_with_their_columns() {
    run(async {
        let server = Loopback::start(ServiceOptions::default()).await;
        import_sample(&server.store, "another");
        let mut client = client(server.flight).await;
        let command = CommandGetTables {
            table_name_filter_pattern: Some("states".into()),
            include_schema: true,
            ..Default::default()
        };
        client.set_header("x-ocellus-trace", "quickstart");
        let info = client.get_tables(command).await.expect("planned");
        let tables = fetch(&mut client, info).await.expect("rows");
        let schemas: Vec<&str> = tables[0].column(1).as_string::<i32>().iter().flatten().collect();
        assert_eq!(schemas, ["quickstart", "all_traces", "another"], "the table that SQL finds comes first");
        let bytes = tables[0].column(4).as_binary::<i32>().value(0);
        let columns = arrow::ipc::convert::try_schema_from_ipc_buffer(bytes).expect("a schema");
        let field = columns.field_with_name("container").expect("a column");
        assert!(field.metadata().contains_key("ARROW:FLIGHT:SQL:REMARKS"), "{field:?}");
        let info = client.get_sql_info(vec![SqlInfo::FlightSqlServerReadOnly]).await.expect("planned");
        assert_eq!(fetch(&mut client, info).await.expect("rows")[0].num_rows(), 1);
        server.stop().await;
    });
}

#[test]
fn names_and_tokens_open_the_door() {
    run(async {
        let folder = tempfile::tempdir().expect("a folder");
        let users = some_users(folder.path());
        let server = Loopback::start(ServiceOptions { users, ..Default::default() }).await;
        let mut unknown = client(server.flight).await;
        assert!(ask(&mut unknown, "SELECT 1").await.expect_err("refused").contains("authentication is required"));
        assert!(unknown.handshake("reader", "wrong").await.is_err());
        let mut named = client(server.flight).await;
        named.handshake("reader", "password1").await.expect("a token");
        assert_eq!(number(&ask(&mut named, "SELECT 1 AS n").await.expect("rows")), 1);
        let mut bearer = client(server.flight).await;
        bearer.set_token("0123456789abcdef".to_string());
        assert_eq!(number(&ask(&mut bearer, "SELECT 1 AS n").await.expect("rows")), 1);
        server.stop().await;
    });
}

#[test]
fn another_call_cancels_a_query() {
    run(async {
        let server = Loopback::start(ServiceOptions::default()).await;
        let mut runs = client(server.flight).await;
        let mut cancels = FlightClient::new(channel(server.flight).await);
        let endless = "SELECT count(*) AS n FROM generate_series(1, 1000000000) AS a CROSS JOIN generate_series(1, 1000000000) AS b";
        let info = runs.execute(endless.to_string(), None).await.expect("planned");
        let running = info.clone();
        let waiting = tokio::spawn(async move { fetch(&mut runs, running).await });
        while server.service.metrics.running() == 0 {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        let answer = cancels.cancel_flight_info(CancelFlightInfoRequest::new(info)).await.expect("answered");
        assert_eq!(answer.status, CancelStatus::Cancelled as i32);
        assert!(waiting.await.expect("no panic").expect_err("cancelled").contains("cancelled"));
        server.until_idle().await;
        server.stop().await;
    });
}

#[test]
fn a_client_that_goes_away_stops_its_query() {
    run(async {
        let server = Loopback::start(ServiceOptions::default()).await;
        let mut leaves = client(server.flight).await;
        let endless =
            "SELECT a.value FROM generate_series(1, 1000000000) AS a CROSS JOIN generate_series(1, 1000000000) AS b";
        let info = leaves.execute(endless.to_string(), None).await.expect("planned");
        let waiting = tokio::spawn(async move { fetch(&mut leaves, info).await });
        while server.service.metrics.running() == 0 {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        waiting.abort();
        server.until_idle().await;
        server.stop().await;
    });
}

#[test]
fn silent_and_surplus_clients_are_sent_away() {
    run(async {
        let server = Loopback::start(ServiceOptions { limits: tight(), ..Default::default() }).await;
        let mut silent = vec![];
        for _ in 0..3 {
            silent.push(TcpStream::connect(server.flight).await.expect("connected"));
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
        let mut refused = client(server.flight).await;
        assert!(ask(&mut refused, "SELECT 1").await.expect_err("refused").contains("clients are already connected"));
        for mut stream in silent {
            let mut rest = vec![];
            let _ = stream.read_to_end(&mut rest).await;
        }
        let mut next = client(server.flight).await;
        assert_eq!(number(&ask(&mut next, "SELECT 1 AS n").await.expect("rows")), 1);
        let long = format!("SELECT '{}'", "x".repeat(5000));
        assert!(ask(&mut next, &long).await.is_err(), "a message beyond the limit");
        drop(next);
        server.stop().await;
    });
}
