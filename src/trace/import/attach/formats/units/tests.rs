//! Tests of `units`.

use super::*;

#[test]
fn units_are_bytes_and_seconds() {
    for (text, bytes) in
        [("1000", 1000.0), ("1Gbps", 1.25e8), ("125MBps", 1.25e8), ("100 Mbit", 1.25e7), ("1e3 kB/s", 1e6)]
    {
        assert_eq!(bandwidth(text), Some(bytes), "{text}");
    }
    for (text, seconds) in [("0.5", 0.5), ("50us", 5e-5), ("2 ms", 0.002), ("1e-6s", 1e-6)] {
        assert_eq!(latency(text), Some(seconds), "{text}");
    }
    for bad in ["", "fast", "-1", "1 mile", "1e999", "NaN"] {
        assert_eq!((bandwidth(bad), latency(bad)), (None, None), "{bad}");
    }
}
