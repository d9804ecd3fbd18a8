//! Calendar dates, `YYYY-MM-DD`.

use std::fmt;

use jiff::{Span, civil};
use serde::{Serialize, Serializer};

/// A day of the Gregorian calendar, from year 1 to 9999.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Date(civil::Date);

const EPOCH: civil::Date = civil::date(1970, 1, 1);

impl Date {
    /// Parses `YYYY-MM-DD`; `None` if the text has another form or the calendar has no such day.
    pub fn parse(text: &str) -> Option<Self> {
        if !Self::has_form(text) {
            return None;
        }
        text.parse().ok().filter(|date: &civil::Date| date.year() > 0).map(Self)
    }

    /// Whether a text has the form `YYYY-MM-DD`, even if the calendar has no such day.
    pub fn has_form(text: &str) -> bool {
        let fits =
            |(index, byte): (usize, u8)| if matches!(index, 4 | 7) { byte == b'-' } else { byte.is_ascii_digit() };
        text.len() == 10 && text.bytes().enumerate().all(fits)
    }

    /// Returns the date that is `days` days after 1970-01-01; `None` if its year is not from 1 to 9999.
    pub fn from_days_since_1970(days: i64) -> Option<Self> {
        let span = Span::new().try_days(days).ok()?;
        EPOCH.checked_add(span).ok().filter(|date| date.year() > 0).map(Self)
    }

    /// Returns the number of days since 1970-01-01, negative before it.
    pub fn days_since_1970(self) -> i64 {
        self.0.duration_since(EPOCH).as_hours() / 24
    }
}

/// The day from which days are counted: what a required date is that is missing, which is an error.
impl Default for Date {
    fn default() -> Self {
        Self(EPOCH)
    }
}

impl fmt::Display for Date {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl Serialize for Date {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_days_of_the_calendar_are_dates() {
        for good in ["2026-11-21", "2024-02-29", "2000-02-29", "0001-01-01", "9999-12-31"] {
            assert_eq!(Date::parse(good).map(|date| date.to_string()).as_deref(), Some(good));
        }
        for bad in ["2026-02-29", "1900-02-29", "2026-00-01", "2026-13-01", "2026-04-31", "2026-01-00", "0000-01-01"] {
            assert_eq!((Date::parse(bad), Date::has_form(bad)), (None, true), "{bad}");
        }
        for bad in ["", "2026-1-1", "2026/01/01", "21.11.2026", "+026-01-01", "2026-01-01T00:00", "２０２６-01"] {
            assert_eq!((Date::parse(bad), Date::has_form(bad)), (None, false), "{bad}");
        }
    }

    #[test]
    fn days_are_counted_from_1970() {
        let days = |text| Date::parse(text).map(Date::days_since_1970);
        assert_eq!(days("1970-01-01"), Some(0));
        assert_eq!(days("1969-12-31"), Some(-1));
        assert_eq!(days("2000-03-01"), Some(11_017));
        assert_eq!(days("2026-11-21"), Some(20_778));
        assert_eq!(days("0001-01-01"), Some(-719_162));
        for day in (-719_162..=2_932_896).step_by(97).chain([-1, 0, 59, 11_016, 20_778, 2_932_896]) {
            assert_eq!(Date::from_days_since_1970(day).map(Date::days_since_1970), Some(day));
        }
        for day in [-719_163, 2_932_897, i64::MIN, i64::MAX] {
            assert_eq!(Date::from_days_since_1970(day), None);
        }
    }
}
