//! Tests of `complete`.

use super::super::tests::{get as get_from, post as post_request, receive, send};
use super::*;
use crate::ServiceOptions;
use crate::loopback::{Loopback, run};

#[test]
fn positions_count_utf16_units() {
    // 𝄞 has two units and four bytes, é one unit and two bytes.
    let text = "𝄞é.";
    let bytes: Vec<usize> = (0..6).map(|position| byte_position(text, Some(position))).collect();
    assert_eq!(bytes, [0, 0, 4, 6, 7, 7]);
    assert_eq!(byte_position(text, None), 7);
    assert_eq!(utf16_length(text), 4);
}

#[test]
fn the_page_gets_the_completions_of_the_shell() {
    run(async {
        let server = Loopback::start(ServiceOptions::default()).await;
        let answer = get_from(&server, "/complete?sql=SELECT%20*%20FROM%20state_seg&trace=quickstart", "").await;
        assert_eq!(answer.json(), json!({ "start": 14, "candidates": ["state_segments"] }), "{}", answer.text());
        // The cursor stands behind `s.va`, and 𝄞 counts twice.
        let body = json!({ "sql": "SELECT '𝄞', s.va FROM states s", "position": 17 }).to_string();
        let answer = post_request("/complete", "Content-Type: application/json\r\n", &body);
        let answer = receive(send(server.http, &answer).await).await;
        assert_eq!(answer.json(), json!({ "start": 13, "candidates": ["s.value"] }), "{}", answer.text());
        for path in ["/complete", "/complete?sql=x&position=-1", "/complete?sql=x&trace=nowhere", "/complete?sql=x&y=1"]
        {
            assert_eq!(get_from(&server, path, "").await.status, 400, "{path}");
        }
        server.stop().await;
    });
}
