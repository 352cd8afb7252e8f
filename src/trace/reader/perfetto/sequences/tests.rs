//! Interned strings are found by their numbers, whatever these are.

use std::collections::BTreeMap;

use proptest::prelude::*;

use super::*;

fn kind_of(kind: u32) -> InternedKind {
    [InternedKind::Category, InternedKind::EventName, InternedKind::AnnotationName, InternedKind::AnnotationValue]
        [kind as usize]
}

fn number() -> impl Strategy<Value = u64> {
    prop_oneof![4 => 0_u64..80, 2 => 80_u64..400, 1 => any::<u64>(), 1 => Just(u64::MAX)]
}

proptest! {
    #[test]
    fn the_last_string_of_a_number_is_found(strings in prop::collection::vec((0_u32..4, number(), 0_u8..9), 0..300)) {
        let (mut interned, mut expected) = (InternedTexts::default(), BTreeMap::new());
        for (kind, id, text) in strings {
            interned.insert(kind_of(kind) as u32, id, &[text]);
            expected.insert((kind, id), text);
            for ((kind, id), text) in &expected {
                let found = interned.get(kind_of(*kind), *id).map(|found| &found.text[..]);
                prop_assert_eq!(found, Some(&[*text][..]));
                let found = interned.get_mut(kind_of(*kind), *id).map(|found| &found.text[..]);
                prop_assert_eq!(found, Some(&[*text][..]));
            }
        }
        interned.clear();
        for (kind, id) in expected.keys() {
            prop_assert!(interned.get(kind_of(*kind), *id).is_none());
        }
    }
}

#[test]
fn large_numbers_take_no_room() {
    let mut interned = InternedTexts::default();
    for power in 0..64 {
        interned.insert(InternedKind::EventName as u32, 1 << power, b"name");
    }
    let room: usize = interned.few.iter().map(Vec::len).sum();
    assert!(room <= 3 * 64 + 64, "{room} places for 64 strings");
}

#[test]
fn a_name_and_a_key_are_forgotten_with_their_string() {
    let (mut sequence, mut names) = (PacketSequence::default(), WordTable::default());
    let mut arguments = crate::reader::chrome::arguments::Arguments::default();
    for text in [&b"one"[..], b"two"] {
        sequence.interned.insert(InternedKind::EventName as u32, 7, text);
        sequence.interned.insert(InternedKind::AnnotationName as u32, 7, text);
        let name = sequence.name(InternedKind::EventName, 7, &mut names).expect("a name");
        assert_eq!(names.text(name), text);
        assert_eq!(sequence.name(InternedKind::EventName, 7, &mut names), Some(name));
        assert!(sequence.argument_key(7, StoredTable::States).is_none());
        let key = arguments.pack_whole(StoredTable::States, text, 1, &mut vec![]);
        sequence.set_argument_key(7, key);
        assert_eq!(sequence.argument_key(7, StoredTable::States), Some(key));
        assert!(sequence.argument_key(7, StoredTable::Events).is_none(), "columns of another table");
    }
}
