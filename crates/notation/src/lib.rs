//! Translates TeX formulas to MathML, and Mermaid and Pikchr diagrams to SVG, each from a string to a string.
//! `infralens-render` calls it for pages, `infralens-import` to check formulas.
//!
//! - [`math::mathml`] returns one `<math>` element; [`math::text`] returns a formula as plain text, for the search.
//! - [`diagram::draw`] returns a drawing, which is written as one `<svg>` element. It draws Mermaid's flowcharts, sequence, class and state diagrams. Pikchr
//!   is a C library; `diagram/pikchr/ffi.rs`, which calls it, has the only unsafe code of the program.
//!
//! Only known elements and attributes are written: whatever the author wrote, the result has no script, no `style` and no
//! link, so a page with a strict Content-Security-Policy can contain it. It is styled by CSS classes; [`math`] and
//! [`diagram`] list them, and how large a formula or a diagram may be.
//!
//! A [`MathError`](math::MathError) has the range of bytes that is wrong. A [`DiagramError`](diagram::DiagramError) has a line
//! and a column, both from 0, as far as they are known. The caller adds the file and its own offset.
//!
//! ```
//! use infralens_notation::diagram::{Notation, draw};
//! use infralens_notation::math::{Display, mathml};
//!
//! assert!(mathml("x", Display::Inline).unwrap().starts_with("<math>"));
//! assert_eq!(mathml(r"x + \foo{y}", Display::Inline).unwrap_err().at, 4..8);
//! // Ids in the drawing begin with `D1`; screen readers read the title.
//! let drawing = draw(Notation::Pikchr, "box \"load\"; arrow; box \"plan\"").unwrap();
//! assert!(drawing.svg("D1", "The pipeline").contains("<title id=\"D1-title\">The pipeline</title>"));
//! assert_eq!(draw(Notation::Mermaid, "flowchart\n  a -->").unwrap_err().line, Some(1));
//! ```

pub mod diagram;
pub mod math;
mod svg;
