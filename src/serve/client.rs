//! The part of the preview that runs in the browser: a script and a style sheet, which only the preview adds to pages, and a page
//! that shows two others side by side.

pub const SCRIPT: &str = include_str!("client/preview.js");
/// The text of the style sheet.
pub const STYLE: &str = include_str!("client/preview.css");
/// The path of the script on the server.
pub const SCRIPT_PATH: &str = "/.infralens/preview.js";
/// The path of the style sheet on the server.
pub const STYLE_PATH: &str = "/.infralens/preview.css";
/// The page that shows a translation and its source.
pub const BESIDE: &str = include_str!("client/beside.html");
/// Its path on the server.
pub const BESIDE_PATH: &str = "/.infralens/beside.html";
