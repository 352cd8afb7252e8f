//! The page as browsers get it, over real connections.

use std::fs;
use std::io::Read as _;
use std::path::Path;
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use flate2::read::GzDecoder;
use serde_json::Value;
use tokio::io::AsyncReadExt as _;

use super::super::response::{Packer, Packing};
use super::super::tests::{Answer, ask, get, post, receive, send};
use crate::ServiceOptions;
use crate::limits::ServerLimits;
use crate::loopback::{Loopback, import_sample, run, some_users};
use ocellus_trace::import::{ImportOptions, TraceSource, import};

/// The trace that a page names, and the text of its answers: what a browser reads of the element.
fn handed_over(page: &str) -> (&str, Option<String>) {
    let trace = page.split_once("data-trace=\"").and_then(|(_, rest)| rest.split('"').next()).expect("a mark");
    let element = page.split_once("<template id=\"answers\">").and_then(|(_, rest)| rest.split_once("</template>"));
    let unescape = |text: &str| {
        let text = text.replace("&lt;", "<").replace("&gt;", ">").replace("&quot;", "\"").replace("&#39;", "'");
        text.replace("&amp;", "&")
    };
    (trace, element.map(|(text, _)| unescape(text)))
}

/// The value of a header; names and values are in lower case.
fn header<'a>(answer: &'a Answer, name: &str) -> Option<&'a str> {
    answer.head.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(": "))
}

#[test]
fn the_page_has_a_fresh_nonce_and_strict_headers() {
    run(async {
        let server = Loopback::start(ServiceOptions::default()).await;
        let (one, other) = (get(&server, "/", "").await, get(&server, "/", "").await);
        assert_eq!((one.status, header(&one, "content-type")), (200, Some("text/html; charset=utf-8")));
        let (policy, another) = (header(&one, "content-security-policy"), header(&other, "content-security-policy"));
        let (policy, another) = (policy.expect("a policy"), another.expect("a policy"));
        assert_ne!(policy, another, "a nonce is used once");
        for part in [
            "default-src 'none'",
            "frame-ancestors 'none'",
            "base-uri 'none'",
            "'strict-dynamic'",
            "connect-src 'self'",
        ] {
            assert!(policy.contains(part), "{part}");
        }
        assert!(!policy.contains("unsafe") && !policy.contains("http") && !policy.contains('*'), "{policy}");
        for (name, value) in [
            ("cache-control", "no-store"),
            ("x-content-type-options", "nosniff"),
            ("referrer-policy", "same-origin"),
            ("cross-origin-opener-policy", "same-origin"),
            ("cross-origin-resource-policy", "same-origin"),
        ] {
            assert_eq!(header(&one, name), Some(value), "{name}");
        }
        assert!(!one.text().contains("__NONCE__") && !one.text().contains("__ASSETS__"), "{}", one.text());
        server.stop().await;
    });
}

#[test]
fn the_first_answers_about_a_trace_come_with_the_page() {
    run(async {
        let server = Loopback::start(ServiceOptions::default()).await;
        import_sample(&server.store, "again");
        // The first in the order of names, which the page shows when nobody chose another.
        for (path, name) in [("/", "again"), ("/?trace=quickstart", "quickstart"), ("/?a=b&trace=again", "again")] {
            let page = get(&server, path, "").await.text();
            assert!(page.ends_with("</html>\n") && !page.contains("__"), "{page}");
            let (trace, answers) = handed_over(&page);
            assert_eq!(trace, name);
            let answers: Value = serde_json::from_str(&answers.expect("answers")).expect("JSON");
            assert_eq!(answers["traces"], get(&server, "/traces", "").await.json());
            let streams = answers["answers"].as_object().expect("answers by statement");
            assert_eq!(streams.len(), 4);
            for (sql, stream) in streams {
                let headers = format!(
                    "Accept: application/vnd.apache.arrow.stream\r\nx-ocellus-text: dictionary\r\nx-ocellus-trace: {name}\r\n"
                );
                let asked = ask(&server, &headers, sql).await;
                assert_eq!(asked.status, 200, "{sql}");
                assert_eq!(STANDARD.decode(stream.as_str().expect("base64")).expect("base64"), asked.body, "{sql}");
            }
        }
        let unknown = get(&server, "/?trace=nowhere", "").await.text();
        assert_eq!(handed_over(&unknown), ("", None));
        assert!(unknown.ends_with("</html>\n") && !unknown.contains("__"), "{unknown}");
        server.stop().await;
    });
}

#[test]
fn names_in_the_first_answers_are_no_markup() {
    run(async {
        let server = Loopback::start(ServiceOptions::default()).await;
        let hostile = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/page/hostile.trace");
        let options = ImportOptions { name: Some("hostile".to_string()), ..ImportOptions::default() };
        import(&TraceSource::Path(hostile), &server.store, &options).expect("imported");
        let page = get(&server, "/?trace=hostile", "").await.text();
        let (trace, answers) = handed_over(&page);
        assert_eq!(trace, "hostile");
        let plain = get(&server, "/?trace=nowhere", "").await.text();
        let tags = |text: &str| text.matches('<').count();
        assert_eq!(tags(&page), tags(&plain) + 2, "a template and its end, and no other tag");
        let answers: Value = serde_json::from_str(&answers.expect("answers")).expect("JSON");
        let streams = answers["answers"].as_object().expect("answers by statement").values();
        let bytes: Vec<u8> =
            streams.flat_map(|stream| STANDARD.decode(stream.as_str().expect("text"))).flatten().collect();
        let name = b"</script><script>window.hacked=2</script>";
        assert!(bytes.windows(name.len()).any(|found| found == name), "the name is there, as data");
        server.stop().await;
    });
}

#[test]
fn what_is_put_into_a_page_stays_text() {
    assert_eq!(super::escaped("\"'<&>"), "&quot;&#39;&lt;&amp;&gt;");
    for hostile in ["</template><script>", "<!--", "--><img src=x onerror=y>", "&lt;", "\u{2028}"] {
        let escaped = super::escaped(hostile);
        assert!(!escaped.contains(['<', '>', '"', '\'']), "{escaped}");
    }
}

#[test]
fn answers_that_fail_are_left_to_the_page() {
    run(async {
        // The sample has more containers than that.
        let limits = ServerLimits { query_rows: 2, ..ServerLimits::default() };
        let server = Loopback::start(ServiceOptions { limits, ..Default::default() }).await;
        let answer = get(&server, "/", "").await;
        let page = answer.text();
        assert_eq!((answer.status, handed_over(&page)), (200, ("quickstart", None)));
        assert!(page.ends_with("</html>\n"), "{page}");
        server.until_idle().await;
        server.stop().await;
    });
}

#[test]
fn the_page_does_not_wait_for_its_answers() {
    run(async {
        let limits = ServerLimits { queries: 1, ..ServerLimits::default() };
        let server = Loopback::start(ServiceOptions { limits, ..Default::default() }).await;
        let endless = "SELECT count(*) AS n FROM generate_series(1, 1000000000) AS a CROSS JOIN generate_series(1, 1000000000) AS b";
        let busy = send(server.http, &post("/sql", "", endless)).await;
        while server.service.metrics.running() == 0 {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        let mut stream = send(server.http, "GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n").await;
        let mut begin = vec![];
        while !String::from_utf8_lossy(&begin).contains("</noscript>") {
            assert_ne!(stream.read_buf(&mut begin).await.expect("the begin of the page"), 0);
        }
        drop(busy);
        let mut rest = String::new();
        stream.read_to_string(&mut rest).await.expect("the rest");
        assert!(rest.contains("<template id=\"answers\">") && rest.contains("</html>"), "{rest}");
        server.stop().await;
    });
}

#[test]
fn who_may_not_read_gets_the_page_alone() {
    run(async {
        let folder = tempfile::tempdir().expect("a folder");
        let server = Loopback::start(ServiceOptions { users: some_users(folder.path()), ..Default::default() }).await;
        for (path, headers) in [
            ("/", ""),
            ("/?trace=quickstart", ""),
            ("/?trace=quickstart", "Cookie: ocellus=x\r\n"),
            ("/?trace=quickstart", "Authorization: Basic cmVhZGVyOndyb25n\r\n"),
        ] {
            let page = get(&server, path, headers).await.text();
            assert_eq!(handed_over(&page), ("", None), "{path} {headers}");
            assert!(!page.contains("quickstart"), "{page}");
        }
        let form = "Content-Type: application/x-www-form-urlencoded\r\n";
        let logged_in = receive(send(server.http, &post("/login", form, "token=0123456789abcdef")).await).await;
        let head = logged_in.exact_head.lines().find(|line| line.to_ascii_lowercase().starts_with("set-cookie"));
        let cookie = head.and_then(|line| line.split_once(": ")?.1.split(';').next()).expect("a cookie");
        let page = get(&server, "/", &format!("Cookie: {cookie}\r\n")).await.text();
        let (trace, answers) = handed_over(&page);
        assert!(trace == "quickstart" && answers.is_some(), "{page}");
        server.stop().await;
    });
}

#[test]
fn packed_chunks_can_be_read_as_they_come() {
    let mut packer = Packer::new(Packing::Gzip);
    let first = packer.pack(b"the begin".to_vec()).expect("packed");
    let mut reader = GzDecoder::new(first.as_slice());
    let mut read = [0; 9];
    reader.read_exact(&mut read).expect("the begin is there before the end");
    assert_eq!(&read, b"the begin");
    let all = [first, packer.pack_last(b", the end".to_vec()).expect("packed")].concat();
    let mut read = String::new();
    GzDecoder::new(all.as_slice()).read_to_string(&mut read).expect("gzip");
    assert_eq!(read, "the begin, the end");
    let mut plain = Packer::new(Packing::Plain);
    assert_eq!(
        (plain.pack(vec![1]).expect("as it is"), plain.pack_last(vec![2]).expect("as it is")),
        (vec![1], vec![2])
    );
}

#[test]
fn files_are_kept_for_ever_under_the_address_in_the_page() {
    run(async {
        let server = Loopback::start(ServiceOptions::default()).await;
        let page = get(&server, "/", "").await.text();
        let start = page.find("/assets/").expect("an address");
        let address = page[start..].split('"').next().expect("its end").to_string();
        let plain = get(&server, &address, "").await;
        assert_eq!((plain.status, header(&plain, "content-encoding")), (200, None));
        assert_eq!(header(&plain, "cache-control"), Some("public, max-age=31536000, immutable"));
        assert_eq!(header(&plain, "x-content-type-options"), Some("nosniff"));
        let small = get(&server, &address, "Accept-Encoding: br, gzip\r\n").await;
        assert_eq!(header(&small, "content-encoding"), Some("gzip"));
        let mut read = vec![];
        GzDecoder::new(small.body.as_slice()).read_to_end(&mut read).expect("gzip");
        assert_eq!(read, plain.body);
        let tag = header(&plain, "etag").expect("a tag");
        assert_ne!(Some(tag), header(&small, "etag"), "two forms have two tags");
        let again = get(&server, &address, &format!("If-None-Match: \"x\", {tag}\r\n")).await;
        assert_eq!((again.status, again.body.len()), (304, 0));
        let (folder, name) = address.rsplit_once('/').expect("a folder");
        for path in
            [format!("{folder}/none.js"), format!("/assets/0000000000000000/{name}"), format!("{folder}/..%2f{name}")]
        {
            let missing = get(&server, &path, "").await;
            assert_eq!((missing.status, header(&missing, "cache-control")), (404, Some("no-store")), "{path}");
        }
        server.stop().await;
    });
}

#[test]
fn a_folder_is_served_as_it_is_now() {
    run(async {
        let folder = tempfile::tempdir().expect("a folder");
        fs::write(folder.path().join("index.html"), "<script nonce=\"__NONCE__\" src=\"__ASSETS__/app.js\">")
            .expect("written");
        let options = ServiceOptions { page_folder: Some(folder.path().to_path_buf()), ..Default::default() };
        let server = Loopback::start(options).await;
        assert!(get(&server, "/", "").await.text().contains("src=\"/assets/folder/app.js\""));
        assert_eq!(get(&server, "/assets/folder/app.js", "").await.status, 404);
        for text in ["one", "two"] {
            fs::write(folder.path().join("app.js"), text).expect("written");
            let script = get(&server, "/assets/folder/app.js", "").await;
            assert_eq!((script.text().as_str(), header(&script, "cache-control")), (text, Some("no-cache")));
            assert_eq!(header(&script, "content-type"), Some("text/javascript; charset=utf-8"));
        }
        server.stop().await;
    });
}

#[test]
fn other_sites_get_the_page_by_a_link_and_nothing_else() {
    run(async {
        let server = Loopback::start(ServiceOptions::default()).await;
        let link = "Sec-Fetch-Site: cross-site\r\nSec-Fetch-Mode: navigate\r\nSec-Fetch-Dest: document\r\n";
        assert_eq!(get(&server, "/", link).await.status, 200);
        for path in ["/traces", "/functions", "/metrics", "/openapi.json", "/health", "/login"] {
            assert_eq!(get(&server, path, link).await.status, 403, "{path}");
            let image = "Sec-Fetch-Site: same-site\r\nSec-Fetch-Mode: no-cors\r\nSec-Fetch-Dest: image\r\n";
            assert_eq!(get(&server, path, image).await.status, 403, "{path}");
        }
        let asked = receive(send(server.http, &post("/sql", link, "SELECT 1")).await).await;
        assert_eq!(asked.status, 403);
        let own = "Sec-Fetch-Site: same-origin\r\nSec-Fetch-Mode: cors\r\nSec-Fetch-Dest: empty\r\n";
        assert_eq!(receive(send(server.http, &post("/sql", own, "SELECT 1")).await).await.status, 200);
        server.stop().await;
    });
}

#[test]
fn those_who_log_in_by_the_form_have_a_cookie() {
    run(async {
        let folder = tempfile::tempdir().expect("a folder");
        let server = Loopback::start(ServiceOptions { users: some_users(folder.path()), ..Default::default() }).await;
        let form = "Content-Type: application/x-www-form-urlencoded\r\n";
        let log_in = async |body: &str| receive(send(server.http, &post("/login", form, body)).await).await;
        // The page has no data; everything else has a form before it.
        assert_eq!(get(&server, "/", "").await.status, 200);
        let asked = get(&server, "/traces", "Sec-Fetch-Site: same-origin\r\nSec-Fetch-Mode: cors\r\n").await;
        assert_eq!(
            (asked.status, header(&asked, "www-authenticate")),
            (401, Some("bearer")),
            "no dialog of the browser"
        );
        assert!(
            header(&get(&server, "/traces", "").await, "www-authenticate").is_some_and(|text| text.contains("basic"))
        );
        let shown = get(&server, "/login?next=/%23v1%22", "").await;
        assert!(shown.status == 200 && shown.text().contains("value=\"/#v1&quot;\""), "{}", shown.text());
        let wrong = log_in("name=reader&password=nothing&next=/%23v1").await;
        assert_eq!((wrong.status, header(&wrong, "set-cookie")), (401, None));
        assert!(wrong.text().contains("is wrong") && wrong.text().contains("/#v1"), "{}", wrong.text());
        for body in ["name=reader&password=password1&next=/%23v1", "token=0123456789abcdef&next=/%23v1"] {
            let right = log_in(body).await;
            assert_eq!((right.status, header(&right, "location")), (303, Some("/#v1")));
            let cookie = header(&right, "set-cookie").expect("a cookie");
            let port = server.http.port();
            assert!(cookie.starts_with(&format!("ocellus-{port}=")), "{cookie}");
            assert!(cookie.ends_with("; path=/; httponly; samesite=strict"), "{cookie}");
            let sent = right
                .exact_head
                .lines()
                .find_map(|line| line.split_once(": ").filter(|(name, _)| name.eq_ignore_ascii_case("set-cookie")));
            let pair = sent.and_then(|(_, value)| value.split(';').next()).expect("a cookie");
            assert_eq!(get(&server, "/traces", &format!("Cookie: a=b; {pair}\r\n")).await.status, 200);
            let forged = format!("Cookie: {}x\r\n", &pair[..pair.len() - 1]);
            assert_eq!(get(&server, "/traces", &forged).await.status, 401);
            let other_port = pair.replace(&port.to_string(), "1");
            assert_eq!(get(&server, "/traces", &format!("Cookie: {other_port}\r\n")).await.status, 401);
        }
        let ended = receive(send(server.http, &post("/logout", "", "")).await).await;
        assert!(ended.status == 303 && ended.head.contains("max-age=0"), "{}", ended.head);
        assert!(
            server.service.metrics.render().contains("ocellus_logins_refused_total 7"),
            "one by the form, six besides"
        );
        server.stop().await;
    });
}
