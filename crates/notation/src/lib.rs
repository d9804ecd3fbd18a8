//! TeX, Mermaid and Pikchr become markup that is safe: formulas become MathML, diagrams become SVG. Both fit a page with a
//! strict Content-Security-Policy, whatever their author wrote, and what cannot be drawn is an error with its place.
//!
//! ```
//! use infralens_notation::diagram::{Notation, svg};
//!
//! let drawing = svg(Notation::Pikchr, "box \"load\"; arrow; box \"plan\"", "D1", "The pipeline").unwrap();
//! assert!(drawing.contains("<title id=\"D1-title\">The pipeline</title>"));
//! assert_eq!(svg(Notation::Mermaid, "flowchart\n  a -->", "D2", "").unwrap_err().line, Some(1));
//! ```

pub mod diagram;
pub mod math;
pub mod svg;
