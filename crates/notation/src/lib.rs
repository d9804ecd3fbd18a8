//! Translates TeX to MathML, and Mermaid and Pikchr to SVG. The markup is safe: it is written from lists of known
//! elements, so it fits a page with a strict Content-Security-Policy, whatever the author wrote. An error has its
//! position in the formula or diagram, from 0; the caller adds the file. [`math`] and [`diagram`] list steps, CSS
//! classes and limits. Pikchr is a C library, and `diagram/pikchr/ffi.rs` has the only unsafe code.
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
