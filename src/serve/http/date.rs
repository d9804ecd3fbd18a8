//! The time as HTTP writes it: `Sun, 06 Nov 1994 08:49:37 GMT`.

use std::time::{SystemTime, UNIX_EPOCH};

use crate::yaml::Date;

const SECONDS_A_DAY: u64 = 86_400;
/// The first of January 1970 was a Thursday.
const WEEKDAYS: [&str; 7] = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"];
const MONTHS: [&str; 12] = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

/// The value of a `Date` header; nothing for a clock that stands at no year of four digits.
pub(super) fn http_date(now: SystemTime) -> Option<String> {
    let seconds = now.duration_since(UNIX_EPOCH).ok()?.as_secs();
    let (days, time) = (seconds / SECONDS_A_DAY, seconds % SECONDS_A_DAY);
    let date = Date::from_days(i64::try_from(days).ok()?)?.to_string();
    let mut parts = date.splitn(3, '-');
    let (year, month, day) = (parts.next()?, parts.next()?.parse::<usize>().ok()?, parts.next()?);
    let weekday = WEEKDAYS.get(usize::try_from(days % 7).ok()?)?;
    let month = MONTHS.get(month.checked_sub(1)?)?;
    let (hour, minute, second) = (time / 3600, time / 60 % 60, time % 60);
    Some(format!("{weekday}, {day} {month} {year} {hour:02}:{minute:02}:{second:02} GMT"))
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, UNIX_EPOCH};

    use super::http_date;

    #[test]
    fn dates_are_those_of_the_standard() {
        let at = |seconds| http_date(UNIX_EPOCH + Duration::from_secs(seconds));
        assert_eq!(at(0).as_deref(), Some("Thu, 01 Jan 1970 00:00:00 GMT"));
        assert_eq!(at(784_111_777).as_deref(), Some("Sun, 06 Nov 1994 08:49:37 GMT"));
        assert_eq!(at(951_868_799).as_deref(), Some("Tue, 29 Feb 2000 23:59:59 GMT"));
        assert_eq!(http_date(UNIX_EPOCH - Duration::from_secs(1)), None);
    }
}
