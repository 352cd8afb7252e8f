//! Conversions of all samples to Perfetto and back: the rows are the same, up to what the target cannot say.

use super::super::tests::{converted, difference, rows, samples, world_lines};
use super::super::{ConvertTarget, convert};
use crate::import::{ImportOptions, TraceSource};

/// Variables without what counters cannot say: ends, and fields.
fn comparable(line: String) -> Option<String> {
    if !line.starts_with("variable") {
        return Some(line);
    }
    let words: Vec<&str> = line.split_whitespace().collect();
    let numbers = words.iter().filter(|word| word.parse::<f64>().is_ok()).count();
    assert!(numbers >= 3, "{line}");
    // Value, start and end come behind the type; fields have a sign of equality.
    let plain: Vec<&str> = words.iter().copied().filter(|word| !word.contains('=')).collect();
    let (end, rest) = plain.split_last()?;
    (rest.last() != Some(end)).then(|| rest.join(" "))
}

#[test]
fn all_samples_come_back_from_perfetto() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let file = folder.path().join("converted.pftrace");
    let (mut checked, mut faults) = (0, vec![]);
    for trace in samples() {
        let Some(conversion) = converted(&trace, ConvertTarget::Perfetto, &file) else { continue };
        let name = trace.display();
        // All times are later then.
        let is_shifted = conversion.unsaid.iter().any(|(_, what)| what.contains("before zero"));
        // More columns than annotations have; types of containers that are not below that of the container above.
        if is_shifted || ["many_fields", "type_mismatch"].iter().any(|bad| trace.ends_with(format!("{bad}.trace"))) {
            continue;
        }
        checked += 1;
        let [(before, world_before), (after, world_after)] = [rows(&trace), rows(&file)];
        let lost: Vec<String> = world_after.diagnostics.rows().iter().map(|row| row.message.clone()).collect();
        assert_eq!(world_after.diagnostics.lost_lines(), 0, "{name}: {lost:?}");
        let [before, after] = [before, after].map(|rows| rows.lines.into_iter().filter_map(comparable).collect());
        faults.extend(difference(before, after).map(|what| format!("{name}: {what}")));
        let containers = |lines: Vec<String>| lines.into_iter().filter(|line| line.starts_with("container")).collect();
        let [before, after] = [world_lines(&world_before), world_lines(&world_after)].map(containers);
        faults.extend(difference(before, after).map(|what| format!("{name}: {what}")));
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
    assert!(checked > 40, "{checked} samples were converted");
}

const ROWS: &str = "Container, 0, HOST, 0, 3, 3, a\nState, a, S, 1, 2, 1, 0, x\nVariable, a, V, 0, 1, 1, 7\n";

/// Worked out by hand from the definitions of TracePacket, TrackDescriptor and TrackEvent.
#[test]
fn packets_are_as_expected() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let file = folder.path().join("a.trace");
    std::fs::write(&file, ROWS).expect("a temporary file");
    let mut out = vec![];
    let source = TraceSource::Path(file);
    convert(&source, &ImportOptions::default(), ConvertTarget::Perfetto, &mut out).expect("converted");
    let role = br#"{"container_type":"HOST","end":3000000000,"start":0,"state_type":"S"}"#;
    let mut track = b"\x08\x01\x12\x01a\x72".to_vec();
    track.push(role.len() as u8);
    track.extend(role);
    let packet = |fields: &[&[u8]]| {
        let content = [&fields.concat()[..], b"\x50\x01"].concat();
        [&[0x0a, content.len() as u8], &content[..]].concat()
    };
    // Any number will do for the name, if it is the same twice.
    let name = out[out.len() - 21];
    let seconds = [b"\x40\x80\x94\xeb\xdc\x03", b"\x40\x80\xa8\xd6\xb9\x07"];
    let expected = [
        packet(&[b"\x68\x01"]),
        packet(&[b"\xe2\x03", &[track.len() as u8], &track]),
        packet(&[b"\xe2\x03\x09\x08\x02\x28\x01\x12\x01V\x42\x00"]),
        packet(&[b"\x40\x00\x68\x02\x5a\x0e\x48\x04\x58\x02\xe1\x02", &7_f64.to_le_bytes()]),
        packet(&[
            seconds[0],
            b"\x68\x02\x62\x07\x12\x05\x08",
            &[name],
            b"\x12\x01x\x5a\x06\x48\x01\x58\x01\x50",
            &[name],
        ]),
        packet(&[seconds[1], b"\x68\x02\x5a\x04\x48\x02\x58\x01"]),
    ];
    let text = |bytes: &[u8]| bytes.escape_ascii().to_string();
    assert_eq!(text(&out), text(&expected.concat()));
}
