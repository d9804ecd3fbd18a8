//! What a build reports, kept with the site, so that a build with nothing to do can report it again.
//!
//! Dates are judged anew on each day, so that what is kept does not depend on the day.

use serde::{Deserialize, Serialize};

use infralens_site::Dates;
use infralens_site::Site;
use infralens_source::diag::{self, Diagnostic};
use infralens_source::yaml::Date;

/// The diagnostics of a build.
#[derive(Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Kept {
    /// All diagnostics but those of dates.
    diagnostics: Vec<Diagnostic>,
    dates: Dates,
}

impl Kept {
    /// Returns what is kept of a build; `diagnostics` are all of its diagnostics on some day.
    pub(super) fn of(site: &Site, diagnostics: &[Diagnostic]) -> Self {
        let documents = site.documents();
        let documents = site.project().files.keys().filter_map(|path| documents.get(path));
        let dates = Dates::of(documents, site.config());
        let diagnostics = diagnostics.iter().filter(|diagnostic| !dates.explain(diagnostic)).cloned().collect();
        Self { diagnostics, dates }
    }

    /// Returns a text for [`Kept::read`], which is empty if nothing can be reported on any day.
    pub(super) fn write(&self) -> Option<String> {
        if self.diagnostics.is_empty() && self.dates.is_empty() {
            return Some(String::new());
        }
        serde_json::to_string(self).ok()
    }

    /// Returns the diagnostics of the same build on a day; `None` if the text is damaged.
    pub(super) fn read(text: &str, today: Date) -> Option<Vec<Diagnostic>> {
        let kept: Self = if text.is_empty() { Self::default() } else { serde_json::from_str(text).ok()? };
        let mut diagnostics = kept.diagnostics;
        diagnostics.extend(kept.dates.judge(today));
        diag::sort(&mut diagnostics);
        Some(diagnostics)
    }
}
