//! Collects edits of several files: each replaces a byte range, and every other byte stays.

use std::collections::BTreeMap;
use std::sync::Arc;

use infralens_course::config::Languages;
use infralens_source::change::Change;
use infralens_source::project::Project;
use infralens_source::source::{Source, Span, edited};

/// What may follow the path of a link's target, or of an excerpt's file.
const AFTER_PATH: [char; 8] = [')', '#', '?', ' ', '>', '\n', '"', '\''];

/// The edits of several files.
#[derive(Debug, Default)]
pub struct Edits(BTreeMap<Arc<str>, File>);

#[derive(Debug)]
struct File {
    source: Arc<Source>,
    edits: Vec<(Span, String)>,
}

impl Edits {
    /// Replaces `span` of the file by `text`, unless it already has that text.
    pub fn put(&mut self, source: &Arc<Source>, span: Span, text: String) {
        if source.text()[span.clone()] != text {
            let file = self.0.entry(Arc::clone(source.path()));
            let file = file.or_insert_with(|| File { source: Arc::clone(source), edits: Vec::new() });
            file.edits.push((span, text));
        }
    }

    /// Changes the targets of links and the files of excerpts in the translations of the edited pages, and in what these quote.
    pub fn follow_translations(&mut self, project: &Project, languages: &Languages) {
        let files: Vec<_> = self.0.values().map(|file| (Arc::clone(&file.source), file.edits.clone())).collect();
        for (page, edits) in files {
            let paths = (0..languages.tags().len()).filter_map(|at| languages.path(page.path(), at));
            for translation in paths.filter_map(|path| project.text(&path)) {
                for (old, new) in targets(page.text(), &edits) {
                    for (at, _) in translation.text().match_indices(&old) {
                        let end = at + old.len();
                        if translation.text()[end..].starts_with(AFTER_PATH) {
                            self.put(translation, at..end, new.clone());
                        }
                    }
                }
            }
        }
    }

    /// Whether there is no edit.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns the edited files with their new texts, in the order of their paths.
    pub fn changes(self) -> Vec<Change> {
        // A place may have been named twice, as through a YAML alias; both edits are the same.
        let change = |File { source, edits }| Change::Replace { text: edited(source.text(), edits), source };
        self.0.into_values().map(change).collect()
    }
}

/// Returns the paths of links and of excerpts that edits change, each with the parenthesis or the `=` before it, and what they
/// become.
fn targets(text: &str, edits: &[(Span, String)]) -> BTreeMap<String, String> {
    let mut of_path: BTreeMap<(usize, usize), Vec<(Span, String)>> = BTreeMap::new();
    for (span, new) in edits {
        let start = text[..span.start].rfind(['(', '=', ' ', '\n']).filter(|at| text[*at..].starts_with(['(', '=']));
        let end = text[span.end..].find(AFTER_PATH).map(|length| span.end + length);
        if let (Some(start), Some(end)) = (start, end) {
            let own = (span.start - start..span.end - start, new.clone());
            of_path.entry((start, end)).or_default().push(own);
        }
    }
    let path = |((start, end), edits): ((usize, usize), Vec<(Span, String)>)| {
        (text[start..end].to_owned(), edited(&text[start..end], edits))
    };
    of_path.into_iter().map(path).collect()
}
