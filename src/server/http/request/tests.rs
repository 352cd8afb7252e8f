//! Tests of `request`.

use axum::http::Request;

use super::*;

async fn read_request(request: Request<Body>) -> Result<SqlRequest, ErrorResponse> {
    let (parts, body) = request.into_parts();
    let limits = ServerLimits { message: 64, ..ServerLimits::default() };
    read(&parts, body, &limits).await
}

fn post(kind: &str, address: &str, body: impl Into<Body>) -> Request<Body> {
    let request = Request::post(address).header(CONTENT_TYPE, kind);
    request.header(TRACE, "b").body(body.into()).expect("a request")
}

#[tokio::test]
async fn text_and_json_ask_the_same() {
    let text = read_request(post("text/plain; charset=utf-8", "/sql?trace=a", "SELECT 1")).await.expect("a request");
    let expected = |trace: &str| SqlRequest { sql: "SELECT 1".into(), trace: Some(trace.into()), parameters: vec![] };
    assert_eq!(text, expected("a"));
    let json = read_request(post("application/json", "/sql", r#"{"sql": "SELECT 1"}"#)).await.expect("a request");
    assert_eq!(json, expected("b"));
    let json = read_request(post("application/json", "/sql?trace=a", r#"{"sql": "SELECT 1", "trace": "c"}"#)).await;
    assert_eq!(json.expect("a request"), expected("c"));
}

#[tokio::test]
async fn parameters_have_the_types_of_json() {
    let body = r#"{"sql": "S", "parameters": [1, -1.5, "é", null, true]}"#;
    let request = read_request(post("application/json", "/sql", body)).await.expect("a request");
    let expected = [
        ScalarValue::Int64(Some(1)),
        ScalarValue::Float64(Some(-1.5)),
        ScalarValue::Utf8(Some("é".to_string())),
        ScalarValue::Null,
        ScalarValue::Boolean(Some(true)),
    ];
    assert_eq!(request.parameters, expected);
}

#[tokio::test]
async fn wrong_requests_are_told_why() {
    let status = |answer: Result<SqlRequest, ErrorResponse>| answer.expect_err("refused").status.as_u16();
    assert_eq!(status(read_request(post("text/html", "/sql", "SELECT 1")).await), 415);
    assert_eq!(status(read_request(post("text/plain", "/sql", vec![b' '; 65])).await), 413);
    assert_eq!(status(read_request(post("text/plain", "/sql", vec![0xff])).await), 400);
    assert_eq!(status(read_request(post("text/plain", "/sql", " \n")).await), 400);
    assert_eq!(status(read_request(post("text/plain", "/sql?tarce=a", "SELECT 1")).await), 400);
    for body in ["SELECT 1", "{}", r#"{"sql": 1}"#, r#"{"sql": "S", "x": 1}"#, r#"{"sql": "S", "parameters": [[1]]}"#] {
        assert_eq!(status(read_request(post("application/json", "/sql", body)).await), 400, "{body}");
    }
}
