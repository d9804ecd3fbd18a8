//! What the cells of a notebook recorded: texts and pictures. HTML is never shown: its text is.

use std::sync::Arc;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::Value;

use super::text;

/// The pictures that are shown, best first, each with the extension of its file.
const PICTURES: [(&str, &str); 3] = [("image/png", "png"), ("image/svg+xml", "svg"), ("image/jpeg", "jpg")];

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Output {
    Text(String),
    Picture(Picture),
}

/// A recorded picture, which becomes a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Picture {
    pub extension: &'static str,
    pub bytes: Arc<[u8]>,
    /// What was recorded as text with it.
    pub text: String,
}

impl Output {
    /// Reads an output; `None` if it has nothing that can be shown.
    pub(super) fn read(output: &Value) -> Option<Self> {
        let shown = match output["output_type"].as_str()? {
            "stream" => text(&output["text"])?,
            "error" => {
                let lines = output["traceback"].as_array()?.iter().filter_map(Value::as_str);
                lines.collect::<Vec<_>>().join("\n")
            }
            _ => {
                let data = &output["data"];
                let plain = text(&data["text/plain"]).map(|text| plain(&text));
                let picture = PICTURES.iter().find_map(|(media, extension)| {
                    let bytes = bytes(&text(&data[*media])?, extension)?;
                    Some(Picture { extension, bytes: bytes.into(), text: plain.clone().unwrap_or_default() })
                });
                return picture.map(Self::Picture).or(plain.map(Self::Text));
            }
        };
        Some(Self::Text(plain(&shown))).filter(|output| !matches!(output, Self::Text(text) if text.is_empty()))
    }
}

/// Returns the bytes of a picture; `None` if they are damaged.
fn bytes(recorded: &str, extension: &str) -> Option<Vec<u8>> {
    if extension == "svg" {
        return Some(recorded.as_bytes().to_vec());
    }
    let compact: String = recorded.split_whitespace().collect();
    STANDARD.decode(compact).ok()
}

/// Returns a text as a terminal would leave it: without colors, and of a line that was written again only the last form.
fn plain(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, sequence)) = rest.split_once("\u{1b}[") {
        out.push_str(before);
        let end = sequence.find(|c: char| ('@'..='~').contains(&c)).map_or(sequence.len(), |at| at + 1);
        rest = &sequence[end..];
    }
    out.push_str(rest);
    let lines = out.lines().map(|line| line.trim_end_matches('\r').rsplit('\r').next().unwrap_or_default().trim_end());
    lines.collect::<Vec<_>>().join("\n").trim_end().to_owned()
}
