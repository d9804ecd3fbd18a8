//! Makes the built-in scripts smaller: without comments and white space, and with short names for what is local to them.

use oxc_allocator::Allocator;
use oxc_codegen::{Codegen, CodegenOptions};
use oxc_mangler::{MangleOptions, Mangler};
use oxc_parser::Parser;
use oxc_span::SourceType;

/// Returns a script that does the same in fewer bytes. Names at its top level stay, because other scripts may use them.
pub fn minify(script: &str) -> Result<String, String> {
    let allocator = Allocator::default();
    let parsed = Parser::new(&allocator, script, SourceType::script()).parse();
    if let Some(fault) = parsed.diagnostics.first() {
        return Err(fault.to_string());
    }
    let options = MangleOptions { top_level: Some(false), ..MangleOptions::default() };
    let names = Mangler::new().with_options(options).build(&parsed.program);
    let generator = Codegen::new().with_options(CodegenOptions::minify()).with_scoping(Some(names.scoping));
    Ok(generator.build(&parsed.program).code)
}
