//! The keyboard shortcuts of the pages, each once: the help, the hints next to buttons and the scripts read this list.

use std::collections::BTreeMap;

use serde::Serialize;

use infralens_course::config::labels::Labels;

/// A row of the help.
struct Shortcut {
    /// What templates know it by.
    name: &'static str,
    /// Its keys. Those with a name are single keys that scripts know by it, and that readers can switch off.
    keys: &'static [(&'static str, &'static str)],
    /// What it does.
    label: fn(&Labels) -> &String,
}

const SHORTCUTS: [Shortcut; 9] = [
    Shortcut { name: "search", keys: &[("/", "search"), ("Ctrl K", "")], label: |labels| &labels.shortcut_search },
    Shortcut { name: "notes", keys: &[("j", "next"), ("k", "previous")], label: |labels| &labels.shortcut_notes },
    Shortcut { name: "lines", keys: &[("↑", ""), ("↓", "")], label: |labels| &labels.shortcut_lines },
    Shortcut { name: "note", keys: &[("Enter", "")], label: |labels| &labels.shortcut_note },
    Shortcut { name: "answer", keys: &[("Space", "")], label: |labels| &labels.shortcut_answer },
    Shortcut {
        name: "grade",
        keys: &[("1", "grade"), ("2", "grade"), ("3", "grade"), ("4", "grade")],
        label: |labels| &labels.shortcut_grade,
    },
    Shortcut { name: "undo", keys: &[("u", "undo")], label: |labels| &labels.shortcut_undo },
    Shortcut { name: "close", keys: &[("Esc", "")], label: |labels| &labels.shortcut_close },
    Shortcut { name: "help", keys: &[("?", "help")], label: |labels| &labels.shortcut_help },
];

/// What templates receive of a shortcut.
#[derive(Debug, Serialize)]
pub struct Row<'a> {
    /// Its name.
    pub name: &'static str,
    /// Its keys.
    pub keys: Vec<&'static str>,
    /// What it does.
    pub label: &'a str,
    /// Whether it is a single key, which readers can switch off.
    pub is_single: bool,
}

/// Returns the shortcuts in the order of the help.
pub fn rows(labels: &Labels) -> Vec<Row<'_>> {
    let row = |shortcut: &Shortcut| Row {
        name: shortcut.name,
        keys: shortcut.keys.iter().map(|(key, _)| *key).collect(),
        label: (shortcut.label)(labels),
        is_single: shortcut.keys.iter().any(|(_, name)| !name.is_empty()),
    };
    SHORTCUTS.iter().map(row).collect()
}

/// Returns what the scripts of every page do at a single key. Those of practice read the keys of its buttons.
pub fn single_keys() -> BTreeMap<&'static str, &'static str> {
    SHORTCUTS
        .iter()
        .flat_map(|shortcut| shortcut.keys)
        .filter(|(_, name)| !matches!(*name, "" | "grade" | "undo"))
        .copied()
        .collect()
}
