//! A label that contains a number.

use infralens_source::yaml::validated_text;

validated_text! {
    /// A label in which a number replaces `{n}`.
    pub struct Counted = "text that contains `{n}`", validate_counted;
}

fn validate_counted(text: &str) -> Result<String, &'static str> {
    if text.contains("{n}") { Ok(text.to_owned()) } else { Err("there is no `{n}` in it") }
}

impl Counted {
    /// Returns the label with the number in place of `{n}`.
    pub fn with(&self, number: usize) -> String {
        self.replace("{n}", &number.to_string())
    }
}
