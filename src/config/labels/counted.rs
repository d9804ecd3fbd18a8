//! Words about a number.

use crate::yaml::form;

form! {
    /// Words about a number, which stands for `{n}`.
    pub struct Counted = "text that holds `{n}`", admit_counted;
}

fn admit_counted(text: &str) -> Result<String, &'static str> {
    if text.contains("{n}") { Ok(text.to_owned()) } else { Err("there is no `{n}` in it") }
}

impl Counted {
    /// The words with the number in them.
    #[must_use]
    pub fn with(&self, number: usize) -> String {
        self.replace("{n}", &number.to_string())
    }
}
