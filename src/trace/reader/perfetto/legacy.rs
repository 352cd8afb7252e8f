//! Events in the manner of Chrome's JSON, which older programs write into track events.
//!
//! In: the bytes of such an event. Out: records of the collector.

use super::collector::{Collector, RecordSite, phase};
use super::wire::{BadMessage, WireFields};
use crate::error::Result;

/// The direction of a flow that goes into an event and ends there.
const FLOW_IN: u64 = 1;

/// An event in the manner of Chrome's JSON.
#[derive(Debug, Default)]
pub(super) struct LegacyEvent<'a> {
    phase: u8,
    pub name_id: Option<u64>,
    duration_us: i64,
    /// The id, and whether it is one of the process only.
    id: Option<(u64, bool)>,
    scope: &'a [u8],
    bind_id: Option<u64>,
    flow_direction: u64,
    instant_scope: u64,
    pub pid: Option<i64>,
    pub tid: Option<i64>,
}

impl<'a> LegacyEvent<'a> {
    pub fn read(bytes: &'a [u8]) -> Result<LegacyEvent<'a>, BadMessage> {
        let mut event = LegacyEvent::default();
        WireFields::each(bytes, |number, value| {
            match number {
                1 => event.name_id = Some(value.number()),
                2 => event.phase = u8::try_from(value.number()).unwrap_or(0),
                3 => event.duration_us = value.signed(),
                6 | 11 => event.id = Some((value.number(), false)),
                10 => event.id = Some((value.number(), true)),
                7 => event.scope = value.bytes(),
                8 => event.bind_id = Some(value.number()),
                13 => event.flow_direction = value.number(),
                14 => event.instant_scope = value.number(),
                18 => event.pid = Some(value.signed()),
                19 => event.tid = Some(value.signed()),
                _ => (),
            }
            Ok(())
        })?;
        Ok(event)
    }

    /// What the event becomes; `None` for phases that are left out.
    pub fn phase(&self) -> Option<u8> {
        Some(match self.phase {
            b'B' => phase::BEGIN,
            b'E' => phase::END,
            b'X' => phase::COMPLETE,
            b'i' | b'I' | b'R' | b'P' => phase::INSTANT,
            b'b' | b'S' => phase::ASYNC_BEGIN,
            b'e' | b'F' => phase::ASYNC_END,
            b'n' | b'T' | b'p' => phase::ASYNC_STEP,
            b's' | b't' | b'f' => phase::FLOW,
            _ => return None,
        })
    }

    /// The phase as it is written, for messages.
    pub fn phase_text(&self) -> String {
        char::from(self.phase).escape_default().to_string()
    }
}

impl Collector {
    /// Keeps an event in the manner of Chrome's JSON, whose arguments were packed.
    pub fn legacy_event(
        &mut self,
        event: &LegacyEvent<'_>,
        site: RecordSite,
        phase: u8,
        names: (u32, u32),
        ticks_per_second: i64,
    ) -> Result<()> {
        let process = self.tracks.process_of(site.track).unwrap_or(site.track);
        match phase {
            phase::COMPLETE => {
                let length = i128::from(event.duration_us.max(0)) * i128::from(ticks_per_second) / 1_000_000;
                let end = i64::try_from(i128::from(site.tick) + length).unwrap_or(i64::MAX);
                self.push_with(site, phase, names, 0, &[], end)?;
            }
            phase::ASYNC_BEGIN | phase::ASYNC_END | phase::ASYNC_STEP => {
                let mut key = vec![u8::from(matches!(event.phase, b'S' | b'T' | b'p' | b'F'))];
                if key[0] == 1 {
                    key.extend_from_slice(&names.0.to_le_bytes());
                }
                key.extend_from_slice(&names.1.to_le_bytes());
                let (id, is_local) = event.id.unwrap_or_default();
                key.extend_from_slice(&id.to_le_bytes());
                if is_local {
                    key.extend_from_slice(&process.to_le_bytes());
                }
                key.extend_from_slice(event.scope);
                self.push_with(RecordSite { track: process, ..site }, phase, names, 0, &key, site.tick)?;
            }
            phase::FLOW => {
                let id = event.id.map_or(0, |(id, _)| id) ^ 0x4c45_4741_4359;
                let mode = u8::from(event.phase == b'f');
                self.packed.clear();
                self.push_flow(site, names.0, id, mode)?;
            }
            phase::INSTANT if matches!(event.instant_scope, 1 | 2) => {
                self.push(RecordSite { track: process, ..site }, phase, names.0, names.1)?;
            }
            _ => self.push(site, phase, names.0, names.1)?,
        }
        if let Some(id) = event.bind_id {
            let (id, is_target) = (id ^ 0x4249_4e44, event.flow_direction == FLOW_IN);
            self.push_flow(site, names.0, id, u8::from(is_target))?;
            self.flows.entry(id).or_default().sources += u32::from(!is_target);
        }
        Ok(())
    }
}
