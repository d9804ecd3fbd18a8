//! Calendar dates, `YYYY-MM-DD`.

use std::fmt;

use serde::{Serialize, Serializer};

/// A day of the Gregorian calendar, from year 1 to 9999.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Date {
    year: u16,
    month: u8,
    day: u8,
}

impl Date {
    /// Reads `YYYY-MM-DD`; nothing where the text has another form or the calendar has no such day.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        if !Self::has_form(text) {
            return None;
        }
        let (year, month, day) = (text[..4].parse().ok()?, text[5..7].parse().ok()?, text[8..].parse().ok()?);
        let real = year > 0 && (1..=12).contains(&month) && (1..=days_of(year, month)).contains(&day);
        real.then_some(Self { year, month, day })
    }

    /// Whether a text has the form of a date, be it in the calendar or not.
    #[must_use]
    pub fn has_form(text: &str) -> bool {
        let form = |(index, byte): (usize, u8)| {
            if matches!(index, 4 | 7) { byte == b'-' } else { byte.is_ascii_digit() }
        };
        text.len() == 10 && text.bytes().enumerate().all(form)
    }

    /// The day so many days after 1970-01-01; nothing where its year has not four digits.
    #[must_use]
    pub fn from_days(days: i64) -> Option<Self> {
        let after = |year| Self { year, month: 1, day: 1 }.days() <= days;
        // A year has 365.2425 days, so this is the year, or one beside it.
        let near = u16::try_from(1970 + days.checked_div(365)?).ok()?;
        let year = (near.saturating_sub(8).max(1)..=near.saturating_add(2)).rev().find(|&year| after(year))?;
        let first = |month| Self { year, month, day: 1 };
        let month = (1..=12).rev().find(|&month| first(month).days() <= days)?;
        let day = u8::try_from(days - first(month).days() + 1).ok()?;
        (year <= 9999 && day <= days_of(year, month)).then_some(Self { year, month, day })
    }

    /// Days since 1970-01-01, negative before it.
    #[must_use]
    pub fn days(self) -> i64 {
        // Years begin in March, so that the leap day is the last of its year.
        let year = i64::from(self.year) - i64::from(self.month <= 2);
        let month = (i64::from(self.month) + 9) % 12;
        let day_of_year = (153 * month + 2) / 5 + i64::from(self.day) - 1;
        year * 365 + year.div_euclid(4) - year.div_euclid(100) + year.div_euclid(400) + day_of_year - 719_468
    }
}

fn days_of(year: u16, month: u8) -> u8 {
    match month {
        2 if year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400)) => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

impl fmt::Display for Date {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:04}-{:02}-{:02}", self.year, self.month, self.day)
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
        let days = |text| Date::parse(text).map(Date::days);
        assert_eq!(days("1970-01-01"), Some(0));
        assert_eq!(days("1969-12-31"), Some(-1));
        assert_eq!(days("2000-03-01"), Some(11_017));
        assert_eq!(days("2026-11-21"), Some(20_778));
        assert_eq!(days("0001-01-01"), Some(-719_162));
        for day in (-719_162..=2_932_896).step_by(97).chain([-1, 0, 59, 11_016, 20_778, 2_932_896]) {
            assert_eq!(Date::from_days(day).map(Date::days), Some(day));
        }
        for day in [-719_163, 2_932_897, i64::MIN, i64::MAX] {
            assert_eq!(Date::from_days(day), None);
        }
    }
}
