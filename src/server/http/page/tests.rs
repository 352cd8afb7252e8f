//! The page as browsers get it, over real connections.

use std::fs;
use std::io::Read;

use flate2::read::GzDecoder;

use super::super::tests::{Answer, get, post, receive, send};
use crate::ServiceOptions;
use crate::loopback::{Loopback, run, some_users};

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
