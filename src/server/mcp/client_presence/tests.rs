//! Clients that stay, leave, and come back.

use axum::http::{Method, Request};

use super::*;

fn parts(method: Method, headers: &[(&str, &str)]) -> Parts {
    let request =
        headers.iter().fold(Request::builder().method(method), |request, (name, value)| request.header(*name, *value));
    request.body(()).expect("a request").into_parts().0
}

/// Whether the client of a call is gone now.
fn is_gone(parts: &Parts) -> bool {
    let ClientPresence(gone) = ClientPresence::of(Some(parts)).expect("a presence");
    gone.is_cancelled()
}

#[tokio::test]
async fn a_request_that_stands_alone_is_lost_with_its_connection() {
    let clients = ReturningClients::default();
    let mut call = parts(Method::POST, &[]);
    let watch = clients.watch(&mut call);
    assert!(!is_gone(&call));
    drop(watch);
    assert!(is_gone(&call));
    ClientPresence::gone(ClientPresence::of(Some(&call)).as_ref()).await;
}

#[tokio::test]
async fn a_client_of_a_session_may_come_back() {
    let clients = ReturningClients::within(Duration::from_millis(300));
    let [mut first, mut second] = [1, 2].map(|_| parts(Method::POST, &[(SESSION, "one")]));
    let mut other = parts(Method::POST, &[(SESSION, "two")]);
    for call in [&mut first, &mut other] {
        drop(clients.watch(call));
    }
    // The tasks that wait for them have begun.
    tokio::task::yield_now().await;
    let _listening = clients.watch(&mut parts(Method::GET, &[(SESSION, "one"), (LAST_EVENT, "3/0")]));
    // A stream that begins anew says nothing of the answer that was lost.
    let _beginning = clients.watch(&mut parts(Method::GET, &[(SESSION, "two")]));
    ClientPresence::gone(ClientPresence::of(Some(&other)).as_ref()).await;
    drop(clients.watch(&mut second));
    ClientPresence::gone(ClientPresence::of(Some(&second)).as_ref()).await;
    assert!(!is_gone(&first), "it came back");
}

#[tokio::test]
async fn a_call_that_is_over_is_not_waited_for() {
    let clients = ReturningClients::default();
    let mut call = parts(Method::POST, &[(SESSION, "one")]);
    let watch = clients.watch(&mut call);
    drop(call);
    drop(watch);
    assert_eq!(clients.returns.receiver_count(), 0);
}

#[tokio::test]
async fn standard_input_has_no_presence() {
    assert!(ClientPresence::of(None).is_none());
    let waiting = tokio::time::timeout(Duration::from_millis(10), ClientPresence::gone(None));
    assert!(waiting.await.is_err());
}
