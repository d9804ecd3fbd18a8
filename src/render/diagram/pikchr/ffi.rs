//! Calls the Pikchr library, which is written in C. This is the only unsafe code of the program.
//!
//! `pikchr.c` is the library as its author published it, under the license in its header; `build.rs` compiles it with
//! the limit that `bounded.c` sets. The library keeps nothing between two calls, so every thread may call it. It hands
//! out one block of memory per call, which is copied and freed here, so nothing is retained.

#![expect(unsafe_code, reason = "the library is written in C")]

use std::ffi::{CStr, CString, c_char, c_int, c_uint, c_void};

/// Asks for error messages as plain text; without it they are HTML.
const PLAIN_TEXT_ERRORS: c_uint = 1;

unsafe extern "C" {
    fn pikchr(
        text: *const c_char,
        class: *const c_char,
        flags: c_uint,
        width: *mut c_int,
        height: *mut c_int,
    ) -> *mut c_char;
    fn free(block: *mut c_void);
}

/// The SVG that the library drew, and its size in pixels.
pub(super) struct PikchrSvg {
    pub svg: String,
    pub width: i32,
    pub height: i32,
}

/// Draws `source`.
///
/// # Errors
/// Returns the error report of the library.
pub(super) fn draw(source: &str) -> Result<PikchrSvg, String> {
    let source = CString::new(source).map_err(|error| error.to_string())?;
    let (mut width, mut height) = (0, 0);
    // SAFETY: `source` ends with a zero byte and outlives the call, the class may be null, and both numbers may be
    // written to. The library reads and writes nothing else that is not its own.
    let block =
        unsafe { pikchr(source.as_ptr(), std::ptr::null(), PLAIN_TEXT_ERRORS, &raw mut width, &raw mut height) };
    if block.is_null() {
        return Err("Out of memory".to_owned());
    }
    // SAFETY: the block is not null, is a string that ends with a zero byte, and is changed by no one until it is freed.
    let svg = unsafe { CStr::from_ptr(block) }.to_string_lossy().into_owned();
    // SAFETY: the block comes from the C library's `malloc`, belongs to the caller, and is not used after this.
    unsafe { free(block.cast()) };
    if width < 0 { Err(svg) } else { Ok(PikchrSvg { svg, width, height }) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn drawings_and_reports_are_told_apart() {
        let [first, second] = ["box \"a\"", "box \"a\""].map(|source| draw(source).map(|drawing| drawing.svg));
        assert!(first.as_ref().is_ok_and(|svg| svg.starts_with("<svg")), "{first:?}");
        assert_eq!(first, second);
        assert!(draw("bax").is_err_and(|report| report.contains("ERROR: ")));
        assert!(draw("box \"a\0b\"").is_err());
    }

    #[test]
    fn a_drawing_cannot_fill_the_memory() {
        let text = "x".repeat(30_000);
        let source = format!("define a {{ text \"{text}\" }}\n{}", "a\n".repeat(10_000));
        assert!(draw(&source).is_err_and(|report| report.len() < 8 << 20 && report.contains("Out of memory")));
    }

    /// Draws 2,000 sources whose drawings, if they were kept, would take 360 MB.
    #[cfg(target_os = "linux")]
    #[test]
    #[expect(clippy::disallowed_methods, reason = "the system says in a file how much memory the test has")]
    fn nothing_is_retained() {
        let pages = || {
            let statistics = std::fs::read_to_string("/proc/self/statm").unwrap();
            statistics.split(' ').nth(1).unwrap().parse::<usize>().unwrap()
        };
        let text = "x".repeat(45_000);
        let before = pages();
        for number in 0..2_000 {
            let source = format!("define a {{ text \"{number}{text}\" }}\n{}", "a\n".repeat(4));
            assert!(draw(&source).is_ok_and(|drawing| drawing.svg.len() > 180_000));
        }
        // Pages have at least 4 KiB. Other tests run at the same time, and take some.
        assert!(pages().saturating_sub(before) * 4096 < 180_000_000);
    }
}
