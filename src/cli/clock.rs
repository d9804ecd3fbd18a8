//! Reads the clock. Dates are compared with the day of `SOURCE_DATE_EPOCH`, or else with today, both in UTC; lines in
//! the terminal show the local time of day. No output depends on either.

use std::time::{SystemTime, UNIX_EPOCH};

use super::Failure;
use infralens_source::yaml::Date;

const VARIABLE: &str = "SOURCE_DATE_EPOCH";
const SECONDS_PER_DAY: i64 = 86_400;

/// Returns the current day, or why it is not known.
#[expect(clippy::disallowed_methods, reason = "only a warning of `stale-date` depends on the day")]
pub(super) fn today() -> Result<Date, Failure> {
    if let Some(value) = std::env::var_os(VARIABLE) {
        return of_variable(&value.to_string_lossy());
    }
    let since = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
    i64::try_from(since).ok().and_then(of_seconds).ok_or_else(|| {
        Failure::new("the clock of this machine shows a year without four digits")
            .help(format!("set the clock, or `{VARIABLE}`"))
    })
}

/// Returns the local time of day, such as `09:41:07`.
pub(super) fn time_of_day() -> String {
    jiff::Zoned::now().strftime("%H:%M:%S").to_string()
}

fn of_variable(value: &str) -> Result<Date, Failure> {
    value.parse().ok().and_then(of_seconds).ok_or_else(|| {
        Failure::new(format!("`{VARIABLE}` is `{value}`, which is not a time"))
            .help("write the seconds since 1970-01-01 00:00 UTC, such as 1795219200")
    })
}

fn of_seconds(seconds: i64) -> Option<Date> {
    Date::from_days_since_1970(seconds.div_euclid(SECONDS_PER_DAY))
}

#[cfg(test)]
mod tests {
    use super::of_variable;

    #[test]
    fn seconds_are_a_day() {
        let day = |value: &str| of_variable(value).map(|date| date.to_string()).ok();
        assert_eq!(day("0").as_deref(), Some("1970-01-01"));
        assert_eq!(day("1795305599").as_deref(), Some("2026-11-21"));
        assert_eq!(day("-1").as_deref(), Some("1969-12-31"));
        for value in ["", "today", "1.5", "99999999999999", "99999999999999999999"] {
            assert_eq!(day(value), None, "{value}");
        }
        assert!(
            of_variable("x").is_err_and(|failure| failure.message == "`SOURCE_DATE_EPOCH` is `x`, which is not a time")
        );
    }
}
