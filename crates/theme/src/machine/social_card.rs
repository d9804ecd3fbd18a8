//! Social cards: the pictures that other sites show with a link. There is one for the site, one per track, one per lab and
//! one for the front calculator, if the site's address is known. Fonts are embedded, so the pictures are the same on every machine.

mod calculator;
mod lab;
mod text;

use std::fmt::Write;
use std::sync::{Arc, LazyLock};

use resvg::tiny_skia::{Pixmap, Transform};
use resvg::usvg::{self, fontdb};

use super::super::names::Names;
use super::super::shared::{self, Shared};
use infralens_course::config::Config;
use infralens_course::course::{PageId, Track, url};
use infralens_page::Kind;
use infralens_render::calculator::stack::Front;
use infralens_render::escape;
use infralens_source::output::{Bytes, hashed};

/// The width in pixels.
pub const WIDTH: u32 = 1200;
/// The height in pixels.
pub const HEIGHT: u32 = 630;
/// The maximum numbers of lanes and of stops on them.
const MAX_LANES: usize = 4;
const MAX_STOPS: u16 = 16;
/// The number of labs above which none has a card of its own: drawing one takes as long as making dozens of pages.
const MAX_LABS: usize = 100;
/// The height of a lane, the gap between two, and the bottom of the last.
const LANE_HEIGHT: f32 = 40.0;
const LANE_GAP: f32 = 8.0;
const LANES_BOTTOM: f32 = 610.0;
/// The accent color of the style sheet.
const ACCENT: &str = "#0b6450";
/// How titles are written.
const BOLD: &str = "#17201b\" font-weight=\"700";

/// The fonts, which have Latin, Greek and Cyrillic letters.
static FONTS: LazyLock<Arc<fontdb::Database>> = LazyLock::new(|| {
    let mut fonts = fontdb::Database::new();
    fonts.load_font_data(include_bytes!("social_card/regular.ttf").to_vec());
    fonts.load_font_data(include_bytes!("social_card/bold.ttf").to_vec());
    Arc::new(fonts)
});

#[derive(Debug)]
struct CardContent {
    name: String,
    title: String,
    /// The line above the title: the site's title on a track's card.
    overline: Option<String>,
    subtitle: String,
    /// The number of stops on each lane.
    lanes: Vec<u16>,
}

#[derive(Debug, Clone)]
struct SocialCard {
    /// The alternative text.
    title: String,
    /// The card as SVG, which is converted to PNG on demand.
    svg: String,
}

/// The social cards of a site.
#[derive(Debug, Default, Clone)]
pub struct SocialCards {
    /// The site's card, then one per track, then that of the front calculator; empty if the site's address is unknown.
    cards: Vec<SocialCard>,
    /// Whether the last one is that of the front calculator.
    has_front: bool,
    /// Whether each lab has one, which is listed by its page: their titles are few enough, and the fonts have their letters.
    pub(crate) of_labs: bool,
    /// Their output paths, which contain a hash of the SVG.
    paths: Vec<String>,
}

impl SocialCards {
    /// Makes the cards of a site; none if its address is unknown.
    pub fn new(names: Names<'_>, front: Option<&Front>) -> Self {
        if names.config.base_url.is_none() {
            return Self::default();
        }
        let tracks = names.course.tracks.iter().map(|track| track_card(names, track));
        let of_course = std::iter::once(site_card(names)).chain(tracks);
        let drawn = of_course.map(|content| (svg(names.config, &content), content.name, content.title));
        let of_front = front.map(|front| {
            (
                calculator::svg(names.config, front),
                "card-calculator".to_owned(),
                format!("{} {}", front.title, front.answer),
            )
        });
        let card = |(svg, name, title): (String, String, String)| {
            let path = hashed(&format!("assets/{name}.png"), svg.as_bytes());
            (SocialCard { title, svg }, path)
        };
        let (cards, paths) = drawn.chain(of_front).map(card).unzip();
        let pages = names.course.pages.iter().enumerate();
        let labs = pages.filter(|(_, page)| page.published && page.kind == Kind::Lab).map(|(id, _)| names.title(id));
        let labs: Vec<&str> = labs.collect();
        let of_labs = labs.len() <= MAX_LABS && labs.iter().all(|title| !text::title(title).1.is_empty());
        Self { cards, paths, has_front: front.is_some(), of_labs }
    }

    pub fn paths(&self) -> &[String] {
        &self.paths
    }

    /// Returns a card as PNG.
    pub fn picture(&self, at: usize) -> Bytes {
        Bytes::Made(png(&self.cards[at].svg).into())
    }

    /// Returns the URL and the alternative text of the card for pages of a track, or of none.
    pub fn for_track(&self, track: Option<usize>) -> Option<(String, &str)> {
        self.card(track.map_or(0, |track| track + 1))
    }

    /// Returns the URL and the alternative text of the card of the front calculator.
    pub fn front(&self) -> Option<(String, &str)> {
        self.card(self.cards.len().checked_sub(1).filter(|_| self.has_front)?)
    }

    fn card(&self, at: usize) -> Option<(String, &str)> {
        Some((url::encode(self.paths.get(at)?), &self.cards[at].title))
    }
}

/// Returns the path of the card of the lab at a path.
pub fn lab_url(page: &str) -> String {
    format!("{}.png", page.strip_suffix(".html").unwrap_or(page))
}

/// Returns the card of a lab as PNG. Its path is that of the page, because its text is known only when it is made.
pub fn of_lab(shared: &Shared<'_>, id: PageId) -> Bytes {
    Bytes::Made(png(&lab::svg(shared, id)).into())
}

fn site_card(names: Names<'_>) -> CardContent {
    let lanes = names.published_tracks().map(|track| stop_count(track.labs.len())).filter(|&labs| labs > 0).collect();
    CardContent {
        name: "card".into(),
        title: names.config.title.clone(),
        overline: None,
        subtitle: names.config.tagline.clone().unwrap_or_default(),
        lanes,
    }
}

fn track_card(names: Names<'_>, track: &Track) -> CardContent {
    let mut groups: Vec<(Option<&str>, u16)> = Vec::new();
    for &page in &track.labs {
        let group = shared::group(&names.course.pages[page]);
        match groups.iter_mut().find(|(known, _)| *known == group) {
            Some((_, labs)) => *labs = stop_count(usize::from(*labs) + 1),
            None => groups.push((group, 1)),
        }
    }
    CardContent {
        name: format!("card-{}", track.name),
        title: names.title(track.page).into(),
        overline: Some(names.config.title.clone()),
        subtitle: if track.labs.is_empty() { String::new() } else { names.labs_counted(track.labs.len()) },
        lanes: groups.into_iter().map(|(_, labs)| labs).collect(),
    }
}

/// Returns the number of stops to draw for some labs.
fn stop_count(labs: usize) -> u16 {
    u16::try_from(labs).unwrap_or(MAX_STOPS).min(MAX_STOPS)
}

/// Draws a card in the light colors of the style sheet and the course's accent. A course with a logo of its own has no mark.
fn svg(config: &Config, content: &CardContent) -> String {
    let accent = accent(config);
    let mut out = frame(config, content.overline.as_deref());
    let (at, lines) = heading(&mut out, &content.title, 150.0);
    let subtitle = if lines < 3 { text::first_lines(&content.subtitle, 30.0, 2) } else { Vec::new() };
    for (words, y) in subtitle.iter().zip([at + 54.0, at + 94.0]) {
        line(&mut out, words, [80.0, y, 30.0], "#46534b");
    }
    lanes(&mut out, &content.lanes, accent);
    out.push_str("</svg>\n");
    out
}

/// Returns the course's accent.
fn accent(config: &Config) -> &str {
    config.colors.accent.as_ref().map_or(ACCENT, |accent| &accent.light.value)
}

/// Begins a card: the ground, the mark of the program, and the line beside it.
fn frame(config: &Config, overline: Option<&str>) -> String {
    let accent = accent(config);
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" font-family=\"Lens Card\">\n\
         <rect width=\"{WIDTH}\" height=\"{HEIGHT}\" fill=\"#fbfcfa\"/>\n"
    );
    let has_mark = config.logo.is_none();
    if has_mark {
        let _ = writeln!(
            out,
            "<g transform=\"translate(68 58) scale(2)\" fill=\"none\" stroke-width=\"2.5\" stroke-linecap=\"round\">\
             <path d=\"M5 9h17M5 16h8M5 23h17\" stroke=\"{accent}\"/><circle cx=\"21\" cy=\"16\" r=\"6.5\" stroke=\"#b93815\" \
             fill=\"#fbfcfa\"/><path d=\"M18 16h6\" stroke=\"#b93815\"/></g>"
        );
    }
    if let Some(overline) = overline {
        let x = if has_mark { 150.0 } else { 80.0 };
        line(&mut out, &text::first_line(overline, 34.0), [x, 101.0, 32.0], BOLD);
    }
    out
}

/// Writes a title below `at`. Returns where it ends, and its number of lines.
fn heading(out: &mut String, title: &str, mut at: f32) -> (f32, usize) {
    let (size, lines) = text::title(title);
    for words in &lines {
        at += size * 1.1;
        line(out, words, [80.0, at, size], BOLD);
    }
    (at, lines.len())
}

/// Writes a line of text at a position in a size.
fn line(out: &mut String, words: &str, [x, y, size]: [f32; 3], fill: &str) {
    // Writing to a String cannot fail.
    let _ = writeln!(
        out,
        "<text x=\"{x}\" y=\"{y:.1}\" font-size=\"{size}\" fill=\"{fill}\">{}</text>",
        escape::text(words)
    );
}

/// Draws lanes with the stops of a path that continues from lane to lane and starts at the first stop.
fn lanes(out: &mut String, labs: &[u16], accent: &str) {
    let labs = &labs[..labs.len().min(MAX_LANES)];
    let mut centers: Vec<(f32, f32)> = Vec::new();
    let mut y = LANES_BOTTOM - (LANE_HEIGHT + LANE_GAP) * f32::from(stop_count(labs.len()));
    let all = labs.iter().sum::<u16>().min(MAX_STOPS);
    let step = (980.0 / f32::from(all.max(2) - 1)).min(150.0);
    let mut x = 110.0;
    for &labs in labs {
        let _ = writeln!(out, "<rect y=\"{y}\" width=\"{WIDTH}\" height=\"{LANE_HEIGHT}\" fill=\"#edf4ec\"/>");
        for _ in 0..labs.min(all - stop_count(centers.len())) {
            centers.push((x, y + LANE_HEIGHT / 2.0));
            x += step;
        }
        y += LANE_HEIGHT + LANE_GAP;
    }
    let mut path = String::new();
    for (at, (x, y)) in centers.iter().enumerate() {
        let _ = if at == 0 { write!(path, "M{x} {y}") } else { write!(path, "H{:.1}V{y}H{x:.1}", x - step / 2.0) };
    }
    let _ = writeln!(out, "<path d=\"{path}\" fill=\"none\" stroke=\"{accent}\" stroke-width=\"3\"/>");
    for (at, (x, y)) in centers.iter().enumerate() {
        let (fill, stroke) = if at == 0 { ("#fdebe0", "#b93815") } else { ("#fbfcfa", accent) };
        let _ = writeln!(
            out,
            "<circle cx=\"{x:.1}\" cy=\"{y}\" r=\"12\" stroke-width=\"4\" fill=\"{fill}\" stroke=\"{stroke}\"/>"
        );
    }
}

fn png(svg: &str) -> Vec<u8> {
    let options = usvg::Options { fontdb: Arc::clone(&FONTS), ..usvg::Options::default() };
    let drawn = usvg::Tree::from_str(svg, &options).ok().and_then(|tree| {
        let mut pixmap = Pixmap::new(WIDTH, HEIGHT)?;
        resvg::render(&tree, Transform::default(), &mut pixmap.as_mut());
        pixmap.encode_png().ok()
    });
    drawn.unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use infralens_source::source::Source;

    fn content(title: &str, lanes: &[u16]) -> CardContent {
        CardContent {
            name: "card".into(),
            title: title.into(),
            overline: None,
            subtitle: "<&".into(),
            lanes: lanes.into(),
        }
    }

    #[test]
    fn cards_have_the_right_size_and_are_reproducible() {
        let config = Config::default();
        for (title, lanes) in [("A <b> & \"c\"", &[3, 2, 9, 40, 5][..]), ("课程", &[]), ("x", &[1]), ("x", &[0, 0])] {
            let drawn = png(&svg(&config, &content(title, lanes)));
            let size = imagesize::blob_size(&drawn).expect("a picture");
            assert_eq!((size.width, size.height), (WIDTH as usize, HEIGHT as usize));
            assert!(drawn.starts_with(b"\x89PNG") && drawn == png(&svg(&config, &content(title, lanes))));
        }
        assert_ne!(png(&svg(&config, &content("x", &[1]))), png(&svg(&config, &content("y", &[1]))));
    }

    #[test]
    fn cards_have_the_accent_of_the_course_and_not_the_mark_of_the_program() {
        let settings = "title: T\ncolors: { accent: { light: '#7a1f5c' } }\nlogo: { light: logo.svg }\n";
        let (own, _) = Config::read(&Source::new("content/site.yaml", settings));
        let (plain, own) = (svg(&Config::default(), &content("x", &[2])), svg(&own, &content("x", &[2])));
        assert!(plain.contains(ACCENT) && plain.contains("<g transform"));
        assert!(own.contains("#7a1f5c") && !own.contains(ACCENT) && !own.contains("<g transform"));
    }
}
