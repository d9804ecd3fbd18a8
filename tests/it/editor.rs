//! `tests/suite/editor`: what an editor is told at a place. A case is a course like the other cases' (see `suite`), in which
//! `⌖` marks the place; it is taken out of its file. Its other blocks say what is asked, and the answer:
//!
//! - `complete`, `hover`, `definition`, `references`, `offers`: at the place;
//! - `rename NAME`: the edits, or why there are none;
//! - `outline PATH`, `folds PATH`, `links PATH`, `hints PATH`, `lenses PATH`: of a file;
//! - `fixes`: those of all diagnostics.
//!
//! With `UPDATE=1`, the answers are written anew.

use std::fs;

use infralens::load::load;
use infralens_author::assist::{self, complete, outline, rename};
use infralens_author::fix;
use infralens_site::{self as site, Site};
use infralens_source::change::{Change, preview};
use infralens_source::diag::{Edit, Fix, Place, Severity};
use infralens_source::project::{File, Project};
use infralens_source::source::{Source, Span};

use crate::harness::updates;
use crate::suite::{self, Case, Piece};

const MARK: char = '⌖';
const ASKED: [&str; 12] = [
    "complete", "hover", "definition", "references", "offers", "rename", "outline", "folds", "links", "hints",
    "lenses", "fixes",
];

/// A planned course, and the place that is asked about.
struct Asked {
    site: Site,
    project: Project,
    path: String,
    offset: usize,
}

#[test]
fn editors_are_told_what_the_cases_say() {
    let mut wrong = String::new();
    for path in suite::files("editor") {
        let (above, mut cases) = suite::cases(&path);
        for case in &mut cases {
            let asked = Asked::new(case);
            for piece in &mut case.pieces {
                let Piece::Block { name, body, .. } = piece else { continue };
                let (kind, rest) = name.split_once(' ').unwrap_or((name, ""));
                if !ASKED.contains(&kind) {
                    continue;
                }
                let answer = asked.answer(kind, rest);
                if answer != *body {
                    wrong +=
                        &format!("{}: `{}`, {name}: expected\n{body}but it is\n{answer}\n", path.display(), case.name);
                    *body = answer;
                }
            }
        }
        if updates() {
            let pieces: Vec<Piece> = above.into_iter().chain(cases.into_iter().flat_map(|case| case.pieces)).collect();
            fs::write(&path, suite::written(&pieces)).expect("the cases are written");
        }
    }
    assert!(wrong.is_empty() || updates(), "{wrong}");
}

/// Writes what a line needs after a proposal was taken, so that it can be read: the ends of what it opens.
fn closed(line: &str) -> String {
    let mut ends = String::new();
    let is_open = |ends: &str, open: &str, close: &str| {
        let line = format!("{line}{ends}");
        line.matches(open).count() > line.matches(close).count()
    };
    if line.matches('"').count() % 2 == 1 {
        ends.push('"');
    }
    for (open, close) in [("(", ")"), ("[", "]"), ("{", "}"), ("<!--", "-->")] {
        if is_open(&ends, open, close) {
            ends.push_str(if close == "-->" { "\n-->" } else { close });
        }
    }
    ends
}

/// The errors of a course, without their places.
fn errors(asked: &Asked, project: &Project) -> Vec<String> {
    let site = asked.site.replan(project);
    let found = site.diagnostics().filter(|found| found.severity == Severity::Error);
    found.map(|found| format!("{} {}", found.code.id, found.message)).collect()
}

#[test]
fn the_checker_accepts_what_is_proposed() {
    let (_, cases) =
        suite::cases(&suite::files("editor").into_iter().find(|path| path.ends_with("complete.md")).expect("cases"));
    let mut wrong = String::new();
    for case in &cases {
        let asked = Asked::new(case);
        let Some(source) = asked.project.text(&asked.path) else { continue };
        let (found, _) = complete::complete(&asked.site, source, asked.offset);
        let before = errors(&asked, &asked.project);
        // What cannot be read hides other errors, and a second argument follows the file of `code(`.
        let is_unread = asked.site.diagnostics().any(|found| found.code.hides_file());
        if is_unread || ["code in a formula", "files of a formula"].contains(&&*case.name) {
            continue;
        }
        // A key, and a template to fill in, are the beginning of something.
        let whole = found.iter().filter(|one| one.kind != complete::Kind::Key && !one.is_snippet).take(12);
        for one in whole {
            let mut text = source.text().to_owned();
            let line = text[..one.span.start].rfind('\n').map_or(0, |end| end + 1);
            let rest = text[one.span.end..].lines().next().unwrap_or_default();
            let ends = if rest.trim().is_empty() {
                closed(&format!("{}{}", &text[line..one.span.start], one.insert))
            } else {
                String::new()
            };
            text.replace_range(one.span.clone(), &format!("{}{ends}", one.insert));
            let change = Change::Replace { source: source.clone(), text };
            let after = errors(&asked, &preview(&asked.project, &[change]));
            let new = after.iter().filter(|error| !before.contains(error) && !error.ends_with("` is not closed"));
            let new: Vec<&String> = new.collect();
            if !new.is_empty() {
                wrong += &format!("{}: {} => {new:?}\n", case.name, one.label);
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}

impl Asked {
    fn new(case: &Case) -> Self {
        let (mut path, mut offset) = (String::new(), 0);
        let is_file = |name: &str| !ASKED.contains(&name.split(' ').next().unwrap_or_default());
        let files = case.pieces.iter().filter_map(|piece| match piece {
            Piece::Block { fence, name, body } if is_file(name) => {
                if let Some(at) = body.find(MARK) {
                    (path, offset) = (name.clone(), at);
                }
                let (fence, name, body) = (fence.clone(), name.clone(), body.replace(MARK, ""));
                Some(Piece::Block { fence, name, body })
            }
            _ => None,
        });
        let pieces = files.collect();
        let test = suite::course(&Case { name: case.name.clone(), pieces });
        let project = load(&test.root());
        let site = site::plan(&project, &test.options, &Site::default());
        Self { site, project, path, offset }
    }

    fn answer(&self, kind: &str, rest: &str) -> String {
        let Self { site, path, offset, .. } = self;
        let lines = |lines: Vec<String>| lines.iter().map(|line| format!("{line}\n")).collect::<String>();
        match kind {
            "complete" => {
                let source = self.project.text(path).expect("the marked file");
                let (found, _) = complete::complete(site, source, *offset);
                lines(found.iter().map(|one| Self::completion(source, one)).collect())
            }
            "hover" => assist::hover(site, path, *offset).map_or_else(String::new, |hover| hover.text + "\n"),
            "definition" => lines(self.places(&assist::definition(site, path, *offset))),
            "references" => lines(self.places(&assist::references(site, path, *offset))),
            "offers" => {
                let offers = assist::offers(site, path, &(*offset..*offset));
                offers.iter().map(|fix| format!("{}\n{}", fix.title, self.edits(fix))).collect()
            }
            "rename" => match rename::rename(site, path, *offset, rest) {
                Ok(edits) => {
                    let name = rename::prepare(site, path, *offset).map(|(_, name)| name);
                    let mut all = vec![format!("of {}", name.expect("what can be renamed is known before"))];
                    all.extend(edits.iter().map(|edit| self.edit(edit)));
                    lines(all)
                }
                Err(refusal) => format!("{}\n", refusal.message),
            },
            "outline" => {
                let mut out = String::new();
                write_symbols(&outline::symbols(site, rest), 0, &mut out);
                out
            }
            "folds" => lines(outline::foldable(site, rest).iter().map(|span| self.rows(rest, span)).collect()),
            "links" => {
                let goals = outline::links(site, rest).into_iter().map(|link| match link.goal {
                    outline::Goal::Place(place) => self.place(&place),
                    outline::Goal::Url(url) => url,
                });
                lines(goals.collect())
            }
            "hints" => {
                let hints = outline::hints(site, rest).into_iter();
                lines(hints.map(|(at, text)| format!("{}: {text}", self.rows(rest, &(at..at)))).collect())
            }
            "lenses" => {
                let lenses = outline::lenses(site, rest).into_iter();
                lines(lenses.map(|(line, title, _)| format!("{}: {title}", line + 1)).collect())
            }
            _ => self.fixes(),
        }
    }

    fn completion(source: &Source, one: &complete::Completion) -> String {
        let replaced = &source.text()[one.span.clone()];
        let detail = if one.detail.is_empty() { String::new() } else { format!("  ({})", one.detail) };
        let insert = if one.insert == one.label { String::new() } else { format!(" => {:?}", one.insert) };
        format!("{replaced:?} -> {}{insert}{detail}", one.label)
    }

    fn rows(&self, path: &str, span: &Span) -> String {
        let source = self.project.text(path).expect("a file of the case");
        let (start, end) = (source.position(span.start).line, source.position(span.end).line);
        if start == end { start.to_string() } else { format!("{start}-{end}") }
    }

    fn places(&self, places: &[Place]) -> Vec<String> {
        places.iter().map(|place| self.place(place)).collect()
    }

    fn place(&self, place: &Place) -> String {
        let Some((start, end)) = place.span else { return place.file.to_string() };
        let source = self.project.text(&place.file).expect("a file of the course");
        let text = &source.text()[start..end];
        let first = text.lines().next().unwrap_or_default();
        format!("{}:{}: {first}", place.file, self.rows(&place.file, &(start..end)))
    }

    fn edit(&self, edit: &Edit) -> String {
        let source = self.project.text(&edit.place.file).expect("a file of the course");
        let span = edit.span();
        let at = source.position(span.start);
        let old = &source.text()[span];
        format!("{}:{}:{}: {old:?} -> {:?}", edit.place.file, at.line, at.column, edit.text)
    }

    fn edits(&self, fix: &Fix) -> String {
        fix.edits.iter().map(|edit| format!("  {}\n", self.edit(edit))).collect()
    }

    fn fixes(&self) -> String {
        let mut diagnostics = self.site.judge();
        fix::complete(self.site.all_drifts(), &mut diagnostics);
        let mut out = String::new();
        for diagnostic in &diagnostics {
            for fix in &diagnostic.fixes {
                let sure = if fix.sure { "sure" } else { "ask" };
                out += &format!("{} {sure}: {}\n", diagnostic.code.id, fix.title);
                out += &self.edits(fix);
                out += &fix.rename.iter().map(|(from, to)| format!("  {from} -> {to}\n")).collect::<String>();
            }
        }
        let Some(File::Text(_)) = self.project.files.get("content/site.yaml") else { return out };
        let fixed = fix::fix_all(&self.project, |project| {
            let site = site::plan(project, &site::Options::new(infralens::assets::BUILTIN), &Site::default());
            let mut diagnostics = site.judge();
            fix::complete(site.all_drifts(), &mut diagnostics);
            diagnostics
        });
        let sure = |diagnostic: &&infralens_source::diag::Diagnostic| diagnostic.fixes.iter().any(|fix| fix.sure);
        assert_eq!(fixed.diagnostics.iter().filter(sure).count(), 0, "no sure fix is left:\n{:#?}", fixed.diagnostics);
        out
    }
}

fn write_symbols(symbols: &[outline::Symbol], depth: usize, out: &mut String) {
    for symbol in symbols {
        let detail = if symbol.detail.is_empty() { String::new() } else { format!(" = {}", symbol.detail) };
        *out += &format!("{}{:?} {}{detail}\n", "  ".repeat(depth), symbol.kind, symbol.name);
        write_symbols(&symbol.children, depth + 1, out);
    }
}
