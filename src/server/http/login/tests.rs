//! Tests of `login`.

use super::*;

#[test]
fn a_form_is_read_as_it_was_typed() {
    let form = LoginForm::parse(b"name=a+b&password=p%26%3D%C3%A9&token=&next=%2F%23x&other=1");
    let expected = LoginForm {
        name: "a b".to_string(),
        password: "p&=é".to_string(),
        token: String::new(),
        next: "/#x".to_string(),
    };
    assert_eq!(form, expected);
    // printf 'a b:p&=é' | base64
    assert_eq!(form.authorization(), "Basic YSBiOnAmPcOp");
    assert_eq!(LoginForm::parse(b"token=+secret+").authorization(), "Bearer secret");
}

#[test]
fn only_the_page_comes_after_the_form() {
    for next in ["/", "/?trace=lu&start=1", "/#v1/timeline"] {
        assert_eq!(page_address(next), next);
    }
    for next in
        ["", "//evil.example", "/\\evil.example", "https://evil.example", "/sql", "/?a\r\nSet-Cookie: x=y", "/?é"]
    {
        assert_eq!(page_address(next), "/", "{next}");
    }
}

#[test]
fn what_comes_with_the_address_stays_text() {
    let response = form(StatusCode::OK, "/?\"><script>alert(1)</script>", "<b>").expect("a form");
    assert!(response.headers().contains_key(CONTENT_SECURITY_POLICY));
}
