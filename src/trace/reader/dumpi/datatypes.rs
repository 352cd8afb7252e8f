//! How many bytes the datatypes of one rank have: the basic ones, and those that the calls make.

#[cfg(test)]
mod tests;

use hashbrown::HashMap;

use super::call::MpiCall;
use super::table::MpiArgument;

/// Bytes of the basic datatypes, where the file does not declare them: from the null type on, characters, integers,
/// floating-point numbers, packed bytes, bounds, and pairs.
const BASIC: [u64; 28] = [0, 0, 1, 1, 1, 1, 4, 2, 2, 4, 4, 8, 8, 4, 8, 16, 8, 8, 8, 1, 0, 0, 8, 12, 12, 6, 8, 20];

/// The datatypes of one rank.
#[derive(Debug, Clone, Default)]
pub(super) struct Datatypes {
    /// As the file declares them.
    declared: Vec<u32>,
    made: HashMap<i32, u64>,
}

impl Datatypes {
    pub(super) fn new(declared: &[u32]) -> Datatypes {
        Datatypes { declared: declared.to_vec(), made: HashMap::new() }
    }

    /// Bytes of one element.
    pub(super) fn size(&self, datatype: i32) -> Option<u64> {
        if let Some(made) = self.made.get(&datatype) {
            return Some(*made);
        }
        let place = usize::try_from(datatype).ok()?;
        let declared = self.declared.get(place).copied().filter(|size| *size > 0).map(u64::from);
        declared.or_else(|| BASIC.get(place).copied())
    }

    /// Bytes of a number of elements.
    pub(super) fn bytes(&self, count: Option<i32>, datatype: Option<i32>) -> Option<u64> {
        u64::try_from(count?).ok()?.checked_mul(self.size(datatype?)?)
    }

    /// Takes note of a call that makes or frees a datatype.
    pub(super) fn take(&mut self, call: &MpiCall) {
        let (count, old) = (call.number(MpiArgument::Count), call.number(MpiArgument::OldType));
        let sum = |list: &[i32]| list.iter().try_fold(0_i64, |sum, length| sum.checked_add(i64::from(*length)));
        let one = |elements: Option<i64>| Some(u64::try_from(elements?).ok()?.checked_mul(self.size(old?)?)).flatten();
        let size = match call.function.short_name() {
            "Type_contiguous" => one(count.map(i64::from)),
            "Type_vector" | "Type_hvector" | "Type_create_hvector" | "Type_create_indexed_block" => {
                let block = call.number(MpiArgument::BlockLength).map(i64::from);
                one(count.map(i64::from).and_then(|count| count.checked_mul(block?)))
            }
            "Type_indexed" | "Type_hindexed" | "Type_create_hindexed" => one(sum(call.list(MpiArgument::Lengths))),
            "Type_struct" | "Type_create_struct" => {
                let fields = call.list(MpiArgument::Lengths).iter().zip(call.list(MpiArgument::OldTypes));
                fields
                    .map(|(length, datatype)| self.bytes(Some(*length), Some(*datatype)))
                    .try_fold(0_u64, |sum, bytes| sum.checked_add(bytes?))
            }
            "Type_create_subarray" => {
                let sizes = call.list(MpiArgument::SubSizes).iter();
                one(sizes.map(|size| i64::from(*size)).try_fold(1_i64, i64::checked_mul))
            }
            "Type_dup" | "Type_create_resized" => one(Some(1)),
            "Type_size" => {
                // The library knows best: also of types that are made in ways not followed here.
                let declared = (
                    call.number(MpiArgument::Datatype),
                    call.long(MpiArgument::Size).and_then(|size| u64::try_from(size).ok()),
                );
                if let (Some(datatype), Some(size)) = declared {
                    self.made.insert(datatype, size);
                }
                return;
            }
            _ => return,
        };
        if let (Some(datatype), Some(size)) = (call.number(MpiArgument::NewType), size) {
            self.made.insert(datatype, size);
        }
    }
}
