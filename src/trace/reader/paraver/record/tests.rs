//! Tests of `record`.

use super::{EventPair, ParaverRecord, RecordPlace, ThreadPlace};

fn place(cpu: i64, application: u32, task: u32, thread: u32) -> RecordPlace {
    RecordPlace { cpu, thread: ThreadPlace { application, task, thread } }
}

#[test]
fn records_are_read() {
    assert_eq!(
        ParaverRecord::parse(b"1:2:1:3:4:10:-1:7"),
        ParaverRecord::State { at: place(2, 1, 3, 4), begin: 10, end: -1, state: 7 }
    );
    let ParaverRecord::Events { at, time, pairs } =
        ParaverRecord::parse(b"2:0:1:1:1:5:42:-3:43:99999999999999999999:x")
    else {
        panic!("events");
    };
    assert_eq!((at, time), (place(0, 1, 1, 1), 5));
    let pairs: Vec<EventPair> = pairs.collect();
    assert_eq!(
        pairs,
        [
            EventPair::Pair { type_: 42, value: -3 },
            EventPair::Saturated { type_: 43, value: i64::MAX },
            EventPair::Broken
        ]
    );
    let ParaverRecord::Message(message) = ParaverRecord::parse(b"3:1:1:1:1:10:11:2:1:2:1:9:20:512:-4") else {
        panic!("a message");
    };
    assert_eq!((message.sender, message.receiver), (place(1, 1, 1, 1), place(2, 1, 2, 1)));
    assert_eq!((message.logical_send, message.physical_send), (10, 11));
    assert_eq!((message.logical_receive, message.physical_receive), (9, 20));
    assert_eq!((message.size, message.tag), (512, -4));
}

#[test]
fn numbers_go_to_the_ends_of_64_bits() {
    for (text, value) in [("9223372036854775807", i64::MAX), ("-9223372036854775808", i64::MIN)] {
        let line = format!("2:0:1:1:1:5:42:{text}");
        let ParaverRecord::Events { pairs, .. } = ParaverRecord::parse(line.as_bytes()) else { panic!("events") };
        assert_eq!(pairs.collect::<Vec<_>>(), [EventPair::Pair { type_: 42, value }]);
    }
    let ParaverRecord::Events { pairs, .. } = ParaverRecord::parse(b"2:0:1:1:1:5:42:9223372036854775808") else {
        panic!("events")
    };
    assert_eq!(pairs.collect::<Vec<_>>(), [EventPair::Saturated { type_: 42, value: i64::MAX }]);
}

#[test]
fn what_is_no_record_is_told_apart() {
    for line in [
        "1:1:1:1:1:0:5",
        "1:1:1:1:1:0:5:1:1",
        "1:1:0:1:1:0:5:1",
        "1:1:1:1:1:a:5:1",
        "2:1:1:1:1:0",
        "3:1",
        "2:1:1:1:1:0:7",
    ] {
        assert_eq!(ParaverRecord::parse(line.as_bytes()), ParaverRecord::Broken, "{line}");
    }
    assert_eq!(ParaverRecord::parse(b"4:1:1:1:1:0"), ParaverRecord::Global);
    assert_eq!(ParaverRecord::parse(b"c:1:1:2:1:2"), ParaverRecord::Communicator);
    assert_eq!(ParaverRecord::parse(b"# hello"), ParaverRecord::Comment(b"# hello"));
    assert_eq!(ParaverRecord::parse(b"  "), ParaverRecord::Empty);
    assert_eq!(ParaverRecord::parse(b"7:1"), ParaverRecord::Unknown);
}
