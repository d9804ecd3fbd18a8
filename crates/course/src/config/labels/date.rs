//! How dates are written: a pattern, and the names of the months.

use infralens_source::yaml::{Date, validated_text};

/// The parts of a pattern: for each of year, month and day, its spellings.
const PARTS: [&[&str]; 3] = [&["{y}"], &["{m}", "{mm}", "{month}"], &["{d}", "{dd}"]];

validated_text! {
    /// The pattern of a date: `{y}`, `{m}`, `{d}` are its numbers, `{mm}` and `{dd}` with two digits, and `{month}` the
    /// name of the month.
    pub struct DatePattern = "text that contains `{y}`, `{m}` and `{d}`, or `{mm}`, `{dd}` and `{month}`", validate_pattern;
}

validated_text! {
    /// The names of the months.
    pub struct Months = "twelve names with commas between them", validate_months;
}

impl DatePattern {
    pub fn format(&self, day: Date, months: &Months) -> String {
        let iso = day.to_string();
        let [year, month, date] = [0..4, 5..7, 8..10].map(|part| iso.get(part).unwrap_or_default());
        let short = |digits: &str| digits.trim_start_matches('0').to_owned();
        let name = short(month).parse::<usize>().ok().and_then(|month| months.split(',').nth(month.checked_sub(1)?));
        [
            ("{y}", short(year)),
            ("{mm}", month.to_owned()),
            ("{m}", short(month)),
            ("{month}", name.unwrap_or_default().trim().to_owned()),
            ("{dd}", date.to_owned()),
            ("{d}", short(date)),
        ]
        .iter()
        .fold(self.to_string(), |text, (part, value)| text.replace(part, value))
    }
}

fn validate_pattern(text: &str) -> Result<String, &'static str> {
    let count = |parts: &[&str]| parts.iter().map(|part| text.matches(part).count()).sum::<usize>();
    let counts = PARTS.map(count);
    if counts != [1; 3] || text.matches('{').count() != 3 {
        return Err("it does not contain each of year, month and day once");
    }
    Ok(text.to_owned())
}

fn validate_months(text: &str) -> Result<String, &'static str> {
    let names: Vec<&str> = text.split(',').map(str::trim).collect();
    if names.len() == 12 && !names.contains(&"") { Ok(text.to_owned()) } else { Err("these are not twelve names") }
}
