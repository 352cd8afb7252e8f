//! Tests of `header`.

use super::{ParaverHeader, ParaverTask};

fn tasks(pairs: &[(u32, u32)]) -> Vec<ParaverTask> {
    pairs.iter().map(|(threads, node)| ParaverTask { threads: *threads, node: *node }).collect()
}

#[test]
fn the_header_of_extrae_is_read() {
    let (header, fault) =
        ParaverHeader::parse("#Paraver (09/10/2019 at 16:08):6082352213_ns:2(16,16):1:4(1:1,1:1,2:2,1:2),5");
    assert_eq!(fault, None);
    assert_eq!((header.date.as_str(), header.end, header.per_second), ("09/10/2019 at 16:08", 6082352213, 1000000000));
    assert_eq!((header.nodes, header.communicators), (vec![16, 16], 5));
    assert_eq!(header.applications, [tasks(&[(1, 1), (1, 1), (2, 2), (1, 2)])]);
}

#[test]
fn applications_are_separated_by_colons_or_commas() {
    for text in ["2:2(1:1,1:1),1(3:1),14", "2:2(1:1,1:1):1(3:1),14", "2:2(1:1,1:1):1(3:1):14"] {
        let (header, fault) = ParaverHeader::parse(&format!("#Paraver (1/2/03 at 4:5):7:0:{text}"));
        assert_eq!(fault, None, "{text}");
        assert_eq!(header.applications, [tasks(&[(1, 1), (1, 1)]), tasks(&[(3, 1)])], "{text}");
        assert_eq!((header.communicators, header.per_second), (14, 1000000), "{text}");
    }
}

#[test]
fn what_is_broken_keeps_what_came_before() {
    let (header, fault) = ParaverHeader::parse("#Paraver (1/2/03 at 4:5):70_ms:1(4):2:1(2:1)");
    assert_eq!(fault.as_deref(), Some("the header describes 1 of 2 applications"));
    assert_eq!((header.applications.len(), header.per_second), (1, 1000));
    let (header, fault) = ParaverHeader::parse("#Paraver (1/2/03 at 4:5");
    assert!(fault.is_some_and(|fault| fault.contains("date")));
    assert!(header.applications.is_empty());
}
