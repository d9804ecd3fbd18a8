//! Bodies of fences, rewritten.
