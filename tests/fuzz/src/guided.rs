//! libFuzzer on one target, whose name is in `OCELLUS_FUZZ_TARGET`.

#![no_main]

#[expect(dead_code, reason = "libFuzzer reads samples and corpus itself")]
#[path = "../targets/mod.rs"]
mod targets;

use std::sync::{LazyLock, Mutex};

use targets::{FuzzTarget, Sandbox, TARGETS};

static TARGET: LazyLock<(&FuzzTarget, Mutex<Sandbox>)> = LazyLock::new(|| {
    let name = std::env::var("OCELLUS_FUZZ_TARGET").unwrap_or_default();
    let target = TARGETS.iter().find(|target| target.name == name);
    let target = target.unwrap_or_else(|| panic!("OCELLUS_FUZZ_TARGET names no target: '{name}'"));
    let folder = std::env::temp_dir().join(format!("ocellus-fuzz-{}", std::process::id())).join("input");
    (target, Mutex::new(Sandbox::new(folder)))
});

libfuzzer_sys::fuzz_target!(|input: &[u8]| {
    let (target, sandbox) = &*TARGET;
    (target.run)(&mut sandbox.lock().expect("a panic ends the process"), input);
});
