//! What is read by offsets is what the decoder reads.

use proptest::prelude::*;

use super::*;
use crate::reader::ctf::classes::StructClass;

fn number(bits: u32, align: u32, order: BytesOrder, is_signed: bool, role: Option<FieldRole>) -> IntegerClass {
    IntegerClass {
        bits,
        align,
        order,
        is_reversed: false,
        is_signed,
        is_text: false,
        is_hex: false,
        is_boolean: false,
        has_clock: false,
        labels: None,
        role,
        slot: None,
    }
}

fn struct_of(numbers: Vec<IntegerClass>) -> FieldClass {
    let members = numbers.into_iter().map(|class| (String::new(), FieldClass::Integer(class))).collect();
    FieldClass::Struct(StructClass::new(members, 1))
}

fn numbers() -> impl Strategy<Value = Vec<IntegerClass>> {
    let bits = prop::sample::select(vec![8, 16, 32, 64]);
    let order = prop::sample::select(vec![BytesOrder::Little, BytesOrder::Big]);
    let role = prop::sample::select(vec![None, None, Some(FieldRole::Timestamp), Some(FieldRole::EventClass)]);
    let one =
        (bits, order, any::<bool>(), role).prop_map(|(bits, order, sign, role)| number(bits, 8, order, sign, role));
    prop::collection::vec(one, 1..6)
}

proptest! {
    #[test]
    fn both_ways_give_the_same(
        structs in prop::collection::vec(numbers(), 1..3),
        packet in prop::collection::vec(any::<u8>(), 0..100),
        start in 0_u64..40,
        align in prop::sample::select(vec![1, 8]),
    ) {
        let aligned = |class: IntegerClass| IntegerClass { align, ..class };
        let struct_of = |numbers: Vec<IntegerClass>| struct_of(numbers.into_iter().map(aligned).collect());
        let classes: Vec<FieldClass> = structs.into_iter().map(struct_of).collect();
        let plain = PlainStruct::of(&classes).expect("plain");
        let (mut state, mut values) = (DecodeState::new(0), vec![]);
        let end = packet.len() as u64 * 8;
        let mut bits = BitReader::new(&packet, start, end);
        let slow = classes.iter().try_for_each(|class| state.members(class, &mut bits, |_, value| values.push(value)));
        let mut quick_bits = BitReader::new(&packet, start, end);
        let quick = plain.take(&mut quick_bits);
        prop_assert_eq!(quick.is_some(), slow.is_ok() && start.is_multiple_of(8));
        if let Some(bytes) = quick {
            let (mut quick_state, mut quick_values) = (DecodeState::new(0), vec![]);
            plain.take_roles(bytes, &mut quick_state);
            plain.values(bytes, &mut quick_values);
            prop_assert_eq!(quick_bits.at, bits.at);
            prop_assert_eq!(quick_values, values);
            prop_assert_eq!((quick_state.roles, quick_state.steps), (state.roles, state.steps));
        }
    }
}

#[test]
fn what_is_not_plain_is_left_to_the_decoder() {
    let usual = number(32, 8, BytesOrder::Little, false, None);
    assert!(PlainStruct::of(&[struct_of(vec![usual.clone()])]).is_some());
    for special in [
        IntegerClass { bits: 5, ..usual.clone() },
        IntegerClass { bits: 0, ..usual.clone() },
        IntegerClass { align: 32, ..usual.clone() },
        IntegerClass { is_hex: true, ..usual.clone() },
        IntegerClass { is_boolean: true, ..usual.clone() },
        IntegerClass { is_reversed: true, ..usual.clone() },
        IntegerClass { slot: Some(0), ..usual.clone() },
    ] {
        assert!(PlainStruct::of(&[struct_of(vec![usual.clone(), special])]).is_none());
    }
    assert!(PlainStruct::of(&[FieldClass::Text]).is_none());
    assert!(PlainStruct::of(&[struct_of(vec![])]).is_none());
}
