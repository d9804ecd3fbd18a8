//! Calls the Pikchr library, which is written in C. This is the only unsafe code of the program.
//!
//! The crate `pikchr` compiles the library; its own wrapper never frees a drawing, so its raw function is called here. The
//! library keeps nothing between two calls, so every thread may call it. It hands out one block of memory per call,
//! which is copied and freed here, so nothing is retained.

#![expect(unsafe_code, reason = "the library is written in C")]

use std::ffi::{CStr, CString, c_void};

use pikchr::raw::{PIKCHR_PLAINTEXT_ERRORS, pikchr};

unsafe extern "C" {
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
        unsafe { pikchr(source.as_ptr(), std::ptr::null(), PIKCHR_PLAINTEXT_ERRORS, &raw mut width, &raw mut height) };
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
mod tests;
