//! A synthetic course: half of its pages are sections of prose, half are labs with a starter of 120 lines, in tracks of 50
//! and 50. It is the same on every run.

use std::fmt::Write;
use std::path::Path;

/// Sections and labs a track.
const PER_TRACK: usize = 50;

/// A small generator, so that the course is the same everywhere.
struct Words(u64);

impl Words {
    const POOL: [&str; 24] = [
        "allocator", "barrier", "batch", "buffer", "cache", "channel", "cluster", "device", "fragment", "gradient",
        "kernel", "latency", "ledger", "memory", "pipeline", "queue", "rank", "register", "shard", "stream", "tensor",
        "thread", "tile", "warp",
    ];

    fn next(&mut self) -> &'static str {
        // Knuth's MMIX generator; its high bits are good enough for words.
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        Self::POOL[usize::try_from(self.0 >> 40).unwrap_or(0) % Self::POOL.len()]
    }

    fn paragraph(&mut self, words: usize) -> String {
        let mut text = String::new();
        for _ in 0..words {
            text.push_str(self.next());
            text.push(' ');
        }
        text.trim_end().to_string() + ".\n\n"
    }
}

/// Writes a course of about so many pages.
pub fn write(root: &Path, pages: usize) -> std::io::Result<()> {
    let tracks = (pages / 2).div_ceil(PER_TRACK);
    let names: Vec<String> = (1..=tracks).map(|track| format!("track-{track}")).collect();
    let site = format!("title: Benchmark\ntracks: [{}]\nlabs: {{ sections: [] }}\n", names.join(", "));
    file(root, "content/site.yaml", &site)?;
    file(root, "content/index.md", "---\ntitle: Benchmark\n---\n\n<!-- tracks -->\n")?;
    for (track, name) in names.iter().enumerate() {
        let folder = format!("content/tracks/{name}");
        file(root, &format!("{folder}/index.md"), "---\ntitle: Track\nsummary: A track.\n---\n")?;
        for number in 1..=PER_TRACK.min(pages / 2 - track * PER_TRACK) {
            let mut words = Words((track * PER_TRACK + number) as u64);
            file(root, &format!("{folder}/handbook/{number:02}-section-{number}.md"), &section(&mut words, number))?;
            let lab = format!("lab-{number:02}-{name}");
            file(root, &format!("{folder}/labs/{lab}.md"), &lab_page(&mut words, number))?;
            file(root, &format!("code/{lab}/main.py"), &starter(&mut words))?;
        }
    }
    Ok(())
}

fn file(root: &Path, path: &str, text: &str) -> std::io::Result<()> {
    let path = root.join(path);
    std::fs::create_dir_all(path.parent().unwrap_or(root))?;
    std::fs::write(path, text)
}

fn section(words: &mut Words, number: usize) -> String {
    let mut page = format!("---\ntitle: Section {number}\nsummary: A section.\n---\n\n");
    for heading in 1..=3 {
        // Writing to a String cannot fail.
        let _ = write!(page, "## Part {heading}\n\n{}{}", words.paragraph(90), words.paragraph(90));
    }
    page + "| a | b |\n| --- | ---: |\n| `x` | 1 |\n"
}

fn lab_page(words: &mut Words, number: usize) -> String {
    let mut page = format!(
        "---\ntitle: Lab {number}\nfocus: Focus\nreads: Script\noutcome: Outcome\nhandbook: [section-{number}]\n\
         starter: {{ file: main.py, type: Script, angle: Angle }}\n---\n\n"
    );
    for heading in 1..=4 {
        let _ = write!(page, "## Part {heading}\n\n{}", words.paragraph(80));
    }
    page + "```python file=#core\n```\n\n1. `total` — what is summed.\n2. `def core` … `return` — the whole of it.\n"
}

fn starter(words: &mut Words) -> String {
    let mut text =
        String::from("\"\"\"A starter.\"\"\"\n\n# ANCHOR: core\ndef core(items: list[int]) -> int:\n    total = 0\n");
    for _ in 0..20 {
        let _ = writeln!(text, "    total += len(\"{}\") * {}  # {}", words.next(), words.0 % 99, words.next());
    }
    text.push_str("    return total\n# ANCHOR_END: core\n");
    for part in 0..12 {
        let name = words.next();
        let _ = write!(
            text,
            "\n\ndef {name}_{part}(value):\n    if value is None:\n        raise ValueError(\"{name}\")\n"
        );
        text.push_str("    return [item for item in value if item > 0]\n");
    }
    text
}
