//! Tests of `login_brake`, with times of their own.

use super::*;

fn suspect(name: &str) -> Suspect {
    Suspect::new(Some(IpAddr::from([10, 0, 0, 1])), Some(name))
}

/// Waits in milliseconds of a client that is wrong again and again, each time in its turn.
fn waits(brake: &LoginBrake, who: &Suspect, attempts: usize, now: &mut Instant) -> Vec<u128> {
    let mut waits = vec![];
    for _ in 0..attempts {
        let wait = brake.admit(who, *now).expect("admitted");
        *now += wait;
        brake.refuse(who, *now);
        waits.push(wait.as_millis());
    }
    waits
}

#[test]
fn waits_grow_up_to_a_limit_and_end_with_the_right_password() {
    let (brake, mut now) = (LoginBrake::default(), Instant::now());
    let expected = [0, 0, 0, 0, 0, 0, 100, 200, 400, 800, 1600, 3200, 5000, 5000];
    assert_eq!(waits(&brake, &suspect("reader"), expected.len(), &mut now), expected);
    assert_eq!(brake.admit(&suspect("other"), now).expect("admitted"), Duration::ZERO);
    let elsewhere = Suspect::new(Some(IpAddr::from([10, 0, 0, 2])), Some("reader"));
    assert_eq!(brake.admit(&elsewhere, now).expect("admitted"), Duration::ZERO);
    brake.accept(&suspect("reader"));
    assert_eq!(brake.admit(&suspect("reader"), now).expect("admitted"), Duration::ZERO);
}

#[test]
fn attempts_at_once_wait_for_each_other_and_too_many_are_refused() {
    let (brake, mut now) = (LoginBrake::default(), Instant::now());
    waits(&brake, &suspect("reader"), 14, &mut now);
    let at_once: Vec<Option<u128>> =
        (0..4).map(|_| brake.admit(&suspect("reader"), now).ok().map(|wait| wait.as_millis())).collect();
    assert_eq!(at_once, [Some(5000), Some(10_000), None, None]);
    let error = brake.admit(&suspect("reader"), now).expect_err("refused");
    assert!(error.message.contains("try again in 15 s"), "{}", error.message);
    // Whoever stops for a while is a new client.
    now += MEMORY + LONGEST_QUEUE;
    assert_eq!(brake.admit(&suspect("reader"), now).expect("admitted"), Duration::ZERO);
}

#[test]
fn a_flood_of_names_is_bounded_and_hides_nobody() {
    let (brake, mut now) = (LoginBrake::default(), Instant::now());
    waits(&brake, &suspect("reader"), 8, &mut now);
    for number in 0..3 * MOST_SUSPECTS {
        brake.refuse(&suspect(&format!("name{number}")), now);
        assert!(brake.suspects.lock().expect("whole").len() <= MOST_SUSPECTS);
    }
    assert!(brake.admit(&suspect("reader"), now).expect("admitted") > Duration::ZERO);
}

#[test]
fn addresses_of_one_network_are_one_client() {
    let six = |text: &str| Suspect::new(Some(text.parse().expect("an address")), None);
    assert_eq!(six("2001:db8::1"), six("2001:db8::ffff:1"));
    assert_ne!(six("2001:db8::1"), six("2001:db8:0:1::1"));
    assert_eq!(six("::ffff:10.0.0.1"), six("10.0.0.1"));
    let long = |end: &str| Suspect::new(None, Some(&("x".repeat(LONGEST_NAME) + end)));
    assert_eq!(long("a"), long("b"));
}
