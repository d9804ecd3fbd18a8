//! The browser's half of the preview. The site's own files know nothing of it.

/// `/.infralens/preview.js`.
pub const SCRIPT: &str = include_str!("client/preview.js");
/// `/.infralens/preview.css`.
pub const STYLE: &str = include_str!("client/preview.css");
/// Where the script lies.
pub const SCRIPT_PATH: &str = "/.infralens/preview.js";
/// Where the style lies.
pub const STYLE_PATH: &str = "/.infralens/preview.css";
