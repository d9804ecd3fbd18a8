//! Parses the name of a new page (`TRACK/SLUG`), and checks its number, name and title against the existing pages.

use std::sync::Arc;

use super::{Refusal, refuse, templates};
use infralens_course::course::starter;
use infralens_page::front_matter;
use infralens_page::placement::{self, Kind, Number, Placement};
use infralens_source::change::Change;
use infralens_source::diag::nearest;
use infralens_source::project::{File, Project};

/// A page that a command should create.
#[derive(Debug)]
pub(super) struct NewPage<'a> {
    /// The kind: a section or a lab.
    pub kind: Kind,
    pub track: &'a str,
    /// The number; `None` if the author chose none.
    pub number: Option<Number>,
    pub slug: String,
}

#[derive(Debug)]
pub(super) struct ExistingPage {
    pub path: Arc<str>,
    pub placement: Placement,
    pub front: front_matter::FrontMatter,
}

/// The existing pages of the course.
#[derive(Debug)]
pub(super) struct Pages(Vec<ExistingPage>);

impl<'a> NewPage<'a> {
    /// Parses `TRACK/SLUG`; the slug may include a number, as in `lab-05-slug` and `05-slug`.
    pub fn read(kind: Kind, text: &'a str) -> Result<Self, Refusal> {
        let what = if kind == Kind::Lab { "lab" } else { "section" };
        let parts: Vec<&str> = text.split('/').collect();
        let [track, name] = parts[..] else {
            let help = format!("name the track and the {what}, as in `infralens new {what} ai-infra/bank-conflict`");
            return Err(refuse(format!("`{text}` is not of the form TRACK/SLUG"), help));
        };
        check_name(track)?;
        check_name(name)?;
        let folder = if kind == Kind::Lab { "labs" } else { "handbook" };
        let placed = placement::place(&format!("content/tracks/{track}/{folder}/{name}.md")).ok();
        let Some(placed) = placed.filter(|placed| placed.kind == kind) else {
            return Ok(Self { kind, track, number: None, slug: name.to_owned() });
        };
        let slug = slug(&placed).to_owned();
        Ok(Self { kind, track, number: placed.number, slug })
    }

    /// Returns the path of the page's file with this number.
    pub fn path(&self, number: &str) -> String {
        let folder = if self.kind == Kind::Lab { "labs" } else { "handbook" };
        format!("content/tracks/{}/{folder}/{}.md", self.track, self.file_stem(number))
    }

    /// Returns the name of the page's file without `.md`. That of a lab is also the name of its folder in `code/`.
    pub fn file_stem(&self, number: &str) -> String {
        let prefix = if self.kind == Kind::Lab { "lab-" } else { "" };
        format!("{prefix}{number}-{}", self.slug)
    }
}

/// Checks that `name` is a valid name of a page or folder.
pub(super) fn check_name(name: &str) -> Result<(), Refusal> {
    if placement::is_name(name) {
        return Ok(());
    }
    let message = match name {
        "" => "a name is missing".to_owned(),
        _ => format!("`{name}` cannot be a name in the course"),
    };
    Err(refuse(message, "names are letters and digits of any script, `-` and `_`"))
}

/// Returns a page's name without its number. The [`Placement::name`] of a section has none; that of a lab is `lab-05-slug`.
pub(super) fn slug(placement: &Placement) -> &str {
    match placement.kind {
        Kind::Lab => placement.name.splitn(3, '-').nth(2).unwrap_or_default(),
        _ => &placement.name,
    }
}

impl Pages {
    /// Reads the front matter of every page. Files that are no pages or not text are left out.
    pub fn of(project: &Project) -> Self {
        let known = project.below("content").filter_map(|(path, file)| {
            let File::Text(source) = file else { return None };
            let placement = placement::place(path).ok().filter(|_| path.ends_with(".md"))?;
            let (front, ..) = front_matter::read(source, placement.kind);
            Some(ExistingPage { path: Arc::clone(path), placement, front })
        });
        Self(known.collect())
    }

    /// Iterates over the sections or the labs of a track.
    pub fn members<'p>(&'p self, track: &str, kind: Kind) -> impl Iterator<Item = &'p ExistingPage> {
        self.in_track(track).filter(move |known| known.placement.kind == kind)
    }

    /// Iterates over all labs of the course.
    pub fn labs(&self) -> impl Iterator<Item = &ExistingPage> {
        self.0.iter().filter(|known| known.placement.kind == Kind::Lab)
    }

    /// Returns the names of all tracks that have pages.
    pub fn tracks(&self) -> Vec<&str> {
        let mut names: Vec<&str> = self.0.iter().filter_map(|known| known.placement.track.as_deref()).collect();
        // The files of a track follow each other, because all files are sorted.
        names.dedup();
        names
    }

    fn in_track<'p>(&'p self, track: &str) -> impl Iterator<Item = &'p ExistingPage> {
        self.0.iter().filter(move |known| known.placement.track.as_deref() == Some(track))
    }

    /// Checks that the track exists and has no page with this slug.
    pub fn check(&self, new: &NewPage<'_>) -> Result<(), Refusal> {
        let tracks = self.tracks();
        let (track, slug) = (new.track, new.slug.as_str());
        if !tracks.contains(&track) {
            let help = format!("to create it, run `infralens new track {track}`");
            let refusal = refuse(format!("there is no track `{track}`"), help);
            return Err(refusal.nearest(nearest(track, tracks)));
        }
        let same = |known: &&ExistingPage| self::slug(&known.placement).to_lowercase() == slug.to_lowercase();
        if let Some(known) = self.members(track, new.kind).find(same) {
            let message = format!("the track `{track}` already has `{}`", known.path);
            return Err(refuse(message, "choose another name, or edit that page"));
        }
        Ok(())
    }

    /// Returns the requested number if it is free. Without one, returns the number after the highest.
    pub fn number(&self, new: &NewPage<'_>) -> Result<Arc<str>, Refusal> {
        let numbers = || self.members(new.track, new.kind).filter_map(|known| known.placement.number.as_ref());
        let next = numbers().map(|number| number.value).max().unwrap_or(0).checked_add(1);
        let next = next.map(|next| format!("{next:02}"));
        let Some(number) = &new.number else {
            return next.map(Arc::from).ok_or_else(|| {
                let help = format!("choose a number, as in `{}`", new.file_stem("05"));
                refuse("the highest number is taken", help)
            });
        };
        if let Some(known) = self.page_with_number(new, number.value) {
            let next = next.map_or_else(String::new, |next| format!("; the next free one is {next}"));
            let message = format!("the number {} is taken by `{}`", number.text, known.path);
            return Err(refuse(message, format!("leave the number out, or choose another{next}")));
        }
        Ok(Arc::clone(&number.text))
    }

    /// Returns the page of the same kind and track with this number.
    pub fn page_with_number(&self, new: &NewPage<'_>, number: u64) -> Option<&ExistingPage> {
        let has_it = |known: &&ExistingPage| known.placement.number.as_ref().is_some_and(|found| found.value == number);
        self.members(new.track, new.kind).find(has_it)
    }

    /// Makes a title from a slug; appends `ending` if a page of the track already has that title.
    pub fn title(&self, track: &str, slug: &str, ending: &str) -> String {
        let title = templates::title(slug);
        let is_taken = |known: &ExistingPage| known.front.common.title.to_lowercase() == title.to_lowercase();
        if self.in_track(track).any(is_taken) { format!("{title} {ending}") } else { title }
    }

    /// Checks that no new page takes the URL of an alias, which redirects to another page.
    pub fn check_urls(&self, changes: &[Change]) -> Result<(), Refusal> {
        let created = changes.iter().filter(|change| matches!(change, Change::Create { .. }));
        for url in created.filter_map(|page| Some(placement::place(page.path()).ok()?.url)) {
            let url = url.to_lowercase();
            let has_alias =
                |known: &&ExistingPage| known.front.common.aliases.iter().any(|alias| alias.to_lowercase() == url);
            if let Some(known) = self.0.iter().find(has_alias) {
                let help = "choose another name, or remove it from `aliases` there";
                return Err(refuse(format!("`{url}` is an old URL of `{}`", known.path), help));
            }
        }
        Ok(())
    }

    /// Whether a lab reads a file of this folder of `code/`, or has the same name.
    pub fn is_used(&self, folder: &str) -> bool {
        self.labs().any(|lab| {
            let file = lab.front.lab.as_ref().and_then(|lab| lab.starter.file.as_ref());
            let main = file.and_then(|file| starter::main_file(&lab.placement.name, file).ok());
            *lab.placement.name == *folder || main.is_some_and(|main| main.starts_with(&format!("code/{folder}/")))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use infralens_source::source::Source;

    #[test]
    fn where_no_number_follows_the_highest_the_help_shows_a_name_of_the_same_kind() {
        let paths = ["labs/lab-18446744073709551615-last.md", "handbook/18446744073709551615-last.md"];
        let page = |path: &str| {
            let path = Arc::from(format!("content/tracks/t/{path}"));
            (Arc::clone(&path), File::Text(Arc::new(Source::new(path, "---\ntitle: Last\n---\n"))))
        };
        let project = Project { files: paths.map(page).into_iter().collect(), ..Project::default() };
        let help = |kind| {
            let wanted = NewPage::read(kind, "t/new").expect("it is a name");
            Pages::of(&project).number(&wanted).expect_err("there is no higher number").help
        };
        assert_eq!(help(Kind::Lab), ["choose a number, as in `lab-05-new`"]);
        assert_eq!(help(Kind::Section), ["choose a number, as in `05-new`"]);
    }
}
