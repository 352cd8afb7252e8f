//! Tests of `partition_settings`.

use super::*;

#[test]
fn what_is_written_is_read() {
    let questions = [
        PartitionQuestion::Areas,
        PartitionQuestion::Time,
        PartitionQuestion::Space,
        PartitionQuestion::Product,
        PartitionQuestion::Levels(0.001),
        PartitionQuestion::Visual(600.0, 0.1),
        PartitionQuestion::Ranges { picture: None, precision: 1e-9 },
        PartitionQuestion::Ranges { picture: Some(PictureHeight { height: 600.0, least: 0.1 }), precision: 0.001 },
    ];
    for (place, question) in questions.into_iter().enumerate() {
        let given = |number: usize| (place % 2 == 0).then_some(number);
        let settings = PartitionSettings {
            function: "spatiotemporal_partition".to_string(),
            question,
            p: 0.1 + 0.2,
            measure: [PartitionMeasure::Sum, PartitionMeasure::Mean, PartitionMeasure::Deviation][place % 3],
            ties: if place > 1 { Ties::Fewest } else { Ties::Order },
            threads: 2,
            slices: given(30),
            depth: given(0),
            window: given(1).map(|_| TickWindow { start: -5, stop: 9_000, per_second: 1000 }),
            memory: given(1 << 30),
            operations: 1.5e11,
        };
        assert_eq!(settings.to_string().parse(), Ok(settings));
    }
    for text in [
        "",
        "f",
        "f sideways",
        "f levels",
        "f ranges",
        "f ranges:1/2",
        "f areas p",
        "f areas speed=1",
        "f areas window=1..2",
    ] {
        assert_eq!(text.parse::<PartitionSettings>(), Err(()), "{text}");
    }
}
