//! Runs one fuzz target under libFuzzer: the one that `FUZZ_TARGET` names.
#![no_main]

#[path = "../it/html.rs"]
#[expect(dead_code, reason = "the tests print trees, too")]
mod html;
#[path = "../it/page.rs"]
mod page;
mod targets;

use std::sync::OnceLock;

use libfuzzer_sys::fuzz_target;

static TARGET: OnceLock<targets::Target> = OnceLock::new();

fuzz_target!(
    init: {
        let name = std::env::var("FUZZ_TARGET").unwrap_or_default();
        let (_, target) = targets::TARGETS
            .into_iter()
            .find(|(known, _)| *known == name)
            .unwrap_or_else(|| panic!("FUZZ_TARGET is `{name}`, which is none of {:?}", targets::TARGETS.map(|(name, _)| name)));
        TARGET.get_or_init(|| target);
    },
    |data: &[u8]| if let Some(target) = TARGET.get() { target(data) }
);
