//! Tests of `labels`.

use super::ParaverLabels;

const PCF: &str = "DEFAULT_OPTIONS\n\nLEVEL    THREAD\nSPEED 1\n\nSTATES\r\n0 Idle\r\n1\tRunning\r\n\nSTATES_COLOR\n1    {0,0,255}\n\n\
    EVENT_TYPE\n9   50000001    MPI Point-to-point\n9   50000002    MPI Collective: all of them\nVALUES\n0   End\n\
    -3 negative\n8589934592   beyond 32 bits\n\nGRADIENT_COLOR\n0 {1,2,3}\n\nEVENT_TYPE\n0 7 Load\nPRECISION 2\n\nEVENT_TYPE\n6 8\n";

#[test]
fn sections_are_read() {
    let labels = ParaverLabels::parse(PCF);
    assert_eq!(labels.states.get(&0).map(String::as_str), Some("Idle"));
    assert_eq!(labels.states.get(&1).map(String::as_str), Some("Running"));
    assert_eq!(labels.colors.get(&1).map(String::as_str), Some("0.0000 0.0000 1.0000"));
    assert_eq!(labels.types[&50000002].label, "MPI Collective: all of them");
    for type_ in [50000001, 50000002] {
        let values = labels.values_of(type_).expect("both types have the values");
        assert_eq!(values.len(), 3);
        assert_eq!(values[&8589934592], "beyond 32 bits");
        assert_eq!(values[&-3], "negative");
    }
    assert_eq!(labels.types[&7].divisor, Some(100.0));
    assert!(labels.values_of(7).is_none() && labels.values_of(8).is_none());
    assert_eq!(labels.types[&8].label, "");
}

#[test]
fn any_text_is_read() {
    let labels = ParaverLabels::parse("VALUES\n1 a\nEVENT_TYPE\nVALUES\n\nSTATES_COLOR\n1 {1,2}\n2 {1,2,999}\n3 {}\n");
    assert!(labels.types.is_empty() && labels.colors.is_empty());
}
