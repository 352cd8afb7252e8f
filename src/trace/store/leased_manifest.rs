//! The manifest together with leases on what it names.
//!
//! A trace may be replaced between the moment that a reader sees the manifest and the moment that it keeps the files. So the
//! reader takes its leases first, and looks at the manifest again: if it is the same, nobody had reason to remove a folder
//! that it names before the leases were there.

#[cfg(test)]
mod tests;

use super::lease::Leases;
use super::manifest::Manifest;
use super::store_folder::Store;
use crate::error::Result;

/// Most traces that a reader keeps before it has read any of them: each is an open file.
const LEASED_AT_ONCE: usize = 256;
/// How often a reader looks again when the store changes while it looks.
const LOOKS: usize = 100;

impl Store {
    /// Reads the manifest, and keeps the files of the traces that it names: they can be read even if another program
    /// replaces or drops the traces meanwhile. Of a store with very many traces the first are kept.
    pub fn leased_manifest(&self) -> Result<(Manifest, Leases)> {
        self.leased_manifest_after(|| {})
    }

    /// The same; `pause` is called between the manifest and the leases.
    fn leased_manifest_after(&self, mut pause: impl FnMut()) -> Result<(Manifest, Leases)> {
        let mut look = || {
            let stamp = self.stamp()?;
            let (manifest, leases) = (self.manifest()?, Leases::default());
            pause();
            for trace in manifest.traces.iter().take(LEASED_AT_ONCE) {
                // A folder that is missing is an error for those who read it.
                let _ = leases.take(&self.folder(trace));
            }
            // If the manifest is still the same, nobody had reason to remove what is kept from now on.
            Ok((self.stamp()? == stamp, manifest, leases))
        };
        for _ in 1..LOOKS {
            if let (true, manifest, leases) = look()? {
                return Ok((manifest, leases));
            }
        }
        look().map(|(_, manifest, leases)| (manifest, leases))
    }
}
