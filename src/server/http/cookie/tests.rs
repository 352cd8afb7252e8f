//! Tests of `cookie`.

use axum::http::HeaderValue;

use super::*;

#[test]
fn a_cookie_is_found_by_its_name_only() {
    let cookie = SessionCookie::new(8080, false);
    assert_eq!(cookie.holding("x.y"), "ocellus-8080=x.y; Path=/; HttpOnly; SameSite=Strict");
    assert!(SessionCookie::new(443, true).holding("t").ends_with("; SameSite=Strict; Secure"));
    let mut headers = HeaderMap::new();
    headers.append(COOKIE, HeaderValue::from_static("a=b; ocellus-80=no;ocellus-8080=x.y; z"));
    assert_eq!(cookie.of(&headers), Some("x.y"));
    assert_eq!(SessionCookie::new(81, false).of(&headers), None);
}
