//! Pictures over real connections.

use super::super::tests::{get as get_from, post as post_request, receive, send};
use super::*;
use crate::ServiceOptions;
use crate::limits::ServerLimits;
use crate::loopback::{Loopback, run};

#[test]
fn remarks_are_plain_in_headers() {
    assert_eq!(percent_encoded("a é\n%"), "a%20%C3%A9%0A%25");
}

#[test]
fn pictures_are_those_of_the_command() {
    run(async {
        let server = Loopback::start(ServiceOptions::default()).await;
        for (path, kind, magic) in [
            ("/draw/timeline", "image/svg+xml", b"<svg".as_slice()),
            ("/draw/timeline?format=png&width=300&start=0&stop=1&mode=true", "image/png", b"\x89PNG"),
            ("/draw/Pie?format=pdf&palette=colorblind&trace=quickstart", "application/pdf", b"%PDF"),
            ("/draw/scene?base=treemap&time-scale=2", "model/gltf-binary", b"glTF"),
        ] {
            let answer = get_from(&server, path, "").await;
            assert_eq!(answer.status, 200, "{path}: {}", String::from_utf8_lossy(&answer.body));
            assert!(answer.head.contains(&format!("content-type: {kind}")), "{path}: {}", answer.head);
            assert!(answer.head.contains("sandbox"), "{path}");
            assert!(answer.body.windows(magic.len()).any(|window| window == magic), "{path}");
        }
        let body = r#"{"query": "SELECT 1 AS container_id, 'a' AS container, 'run' AS value, 2.0 AS seconds", "format": "svg"}"#;
        let asked = post_request("/draw/pie", "Content-Type: application/json\r\n", body);
        let answer = receive(send(server.http, &asked).await).await;
        assert!(answer.status == 200 && answer.text().contains("run"), "{}", answer.text());
        server.until_idle().await;
        server.stop().await;
    });
}

#[test]
fn what_cannot_be_drawn_is_said() {
    run(async {
        let limits = ServerLimits { query_memory: 256 << 20, ..ServerLimits::default() };
        let server = Loopback::start(ServiceOptions { limits, ..Default::default() }).await;
        for (path, status, word) in [
            ("/draw/nothing", 404, "no view nothing"),
            ("/draw/timeline?format=gif", 400, ".gif"),
            ("/draw/timeline?p=0.5", 400, "does not use --p"),
            ("/draw/timeline?width=9000", 400, "between 200 and 8192"),
            ("/draw/timeline?start=5&stop=1", 400, "--stop"),
            ("/draw/timeline?palette=gray", 400, "no palette gray"),
            ("/draw/timeline?wdith=900", 400, "wdith"),
            ("/draw/timeline?trace=nowhere", 400, "nowhere"),
            ("/draw/pie?query=CREATE%20TABLE%20t%20(x%20INT)", 403, "read-only"),
            ("/draw/pie?query=SELECT%20valeu%20FROM%20states", 400, "did you mean"),
            // 8192 by 2100, doubled, of four bytes.
            ("/draw/timeline?format=png&width=8192&height=2100", 400, "275251200 bytes"),
        ] {
            let answer = get_from(&server, path, "").await;
            assert_eq!(answer.status, status, "{path}: {}", answer.text());
            assert!(answer.text().contains(word), "{path}: {}", answer.text());
        }
        server.stop().await;
    });
}
