//! Writes links, citations and pictures. Their targets are checked and rewritten for the page that the HTML is written
//! for.

use std::sync::Arc;

use pulldown_cmark::{Event, LinkType, Tag, TagEnd};
use unicode_width::UnicodeWidthStr;

use super::super::figures::Origin;
use super::super::goal::{self, Goal, To, heading_of};
use super::super::line_link::CodeLink;
use super::super::{escape, image, reference_kind, starting_at, with_fragment};
use super::Writer;
use super::block::figcaption;
use infralens_course::course::link::{self, From, LinkError, Target};
use infralens_course::course::{ChapterPlace, url};
use infralens_course::references::Reference;
use infralens_page::Link;
use infralens_source::diag::{Fix, codes};
use infralens_source::html::Leads;
use infralens_source::put;
use infralens_source::selector::Selector;
use infralens_source::source::{LABEL, Span, shortened};

impl<'a> Writer<'a> {
    fn link_at(&self, at: usize) -> Option<&'a Link> {
        starting_at(&self.document().body.links, at, |link| link.events.start)
    }

    /// Whether anything is written between the brackets of a link.
    fn has_text(&self, link: &Link) -> bool {
        let inside = link.events.start + 1..link.events.end - 1;
        inside.len() > 1 || !self.document().body.text(inside).trim().is_empty()
    }

    /// Returns the URL to write for a link; `None` if only its text can be shown.
    fn reachable(&self, link: String) -> Option<String> {
        if self.in_question { None } else { self.target.url_for(link) }
    }

    /// Writes the start of a link. A citation and a link without text are written whole.
    pub(super) fn link(&mut self, at: usize, span: &Span) -> usize {
        self.no_link_depth += 1;
        self.closers.push("</a>".into());
        let Some(link) = self.link_at(at) else { return at + 1 };
        if link.target.starts_with('@') {
            self.no_link_depth -= 1;
            self.closers.pop();
            return self.citation(at, link, span);
        }
        if let Some(line) = self.bindings.get(&at) {
            let href = self.target.url_for(line.clone()).unwrap_or_default();
            self.push(format!("<a class=\"back\" href=\"{}\">", escape::attribute(&href)));
            return at + 1;
        }
        let values = self.cx.values_of(self.document());
        if let Some((values, value)) =
            values.and_then(|values| Some((values, values.named_by(&self.document().body, link)?)))
        {
            let href = self.value_href(value).filter(|_| !self.in_question);
            let href = href.map_or_else(String::new, |href| format!(" href=\"#{}\"", escape::attribute(&href)));
            let text = if self.has_text(link) { String::new() } else { escape::text(values.values[value].words()) };
            self.push(format!("<a class=\"value\"{href}>{text}"));
            return at + 1;
        }
        let own_title = match self.document().body.events.event(at) {
            Event::Start(Tag::Link { title, .. }) => title,
            _ => "".into(),
        };
        let found = self.resolve(&link.target, Some(&own_title), span);
        let Some((href, title)) = found.and_then(|(href, title)| Some((self.reachable(href)?, title))) else {
            self.push("<a>");
            return at + 1;
        };
        let mut html = format!("<a href=\"{}\"", escape::attribute(&href));
        if !own_title.is_empty() {
            put!(html, " title=\"{}\"", escape::attribute(&own_title));
        }
        if let Some(number) = self.external_number(&href) {
            put!(html, " data-n=\"{number}\"");
        }
        html.push('>');
        if !self.has_text(link) {
            html.push_str(&escape::text(&shortened(&title, LABEL)));
        }
        self.push(html);
        at + 1
    }

    /// Returns the id of the place on the page that tells where a value comes from.
    fn value_href(&self, value: usize) -> Option<String> {
        if !self.target.is_whole() || self.target.is_print_page() {
            return None;
        }
        let values = self.cx.values_of(self.document())?;
        let entry = values.entry_id(Origin::Value(value));
        let block = &self.document().body.values[values.values[value].block];
        entry.or_else(|| block.calculator.as_ref().map(|calculator| calculator.id.clone()))
    }

    /// Returns the number of an external link in the printed list.
    fn external_number(&mut self, href: &str) -> Option<usize> {
        let is_web = link::scheme(href).is_some_and(|scheme| scheme.starts_with("http"));
        if !(is_web && self.target.is_whole()) {
            return None;
        }
        let next = self.facts.external_urls.len() + 1;
        let number = *self.external_numbers.entry(href.to_owned()).or_insert(next);
        if number == next {
            self.facts.external_urls.push(href.to_owned());
        }
        Some(number)
    }

    /// Returns the URL and the title of a link's target. Reports broken links. `title` is the link's own title, which
    /// raw HTML does not have.
    fn resolve(&mut self, target: &str, title: Option<&str>, span: &Span) -> Option<(String, String)> {
        self.record_target(target, false);
        let body = &self.document().body;
        let from = From { headings: &body.anchors, html_ids: &body.html_ids, ..self.subject.origin() };
        let found = link::resolve(self.cx.course, self.cx.project, from, target);
        let found = found.map_err(|error| self.report_error(error, span)).ok()?;
        if !self.leads_there(&found, title, span) {
            return None;
        }
        let Goal { to, title } = Goal::of(self.cx, found)?;
        Some((self.href(to), title))
    }

    fn record_target(&mut self, target: &str, is_picture: bool) {
        if !target.starts_with('#') {
            self.facts.links.targets.insert((target.to_string(), is_picture));
        }
    }

    fn report_error(&mut self, error: LinkError, span: &Span) {
        let source = &self.document().source;
        let fix = error.near.as_ref().and_then(|near| Fix::in_link(source, span, &near.0, &near.1));
        let diagnostic = self.report(error.code, span, error.message);
        diagnostic.help.extend(error.help);
        diagnostic.fixes.extend(fix);
    }

    /// Returns the URL of a place from the page that is written.
    fn href(&self, to: To) -> String {
        let base = &self.target.page;
        match to {
            To::External(href) => href,
            To::Here(id) => with_fragment(base, &self.target.own_page, &id),
            To::File(url, rest) if url == *base && rest.starts_with('#') => rest,
            To::File(url, rest) => url::relative(base, &url) + &rest,
            To::Page(page, heading) => {
                if let Some(chapter) = self.chapter_place(page) {
                    let id = heading.map_or_else(|| chapter.id.clone(), |heading| chapter.prefix() + &heading);
                    return format!("#{id}");
                }
                with_fragment(base, &self.cx.course.pages[page].url, heading.as_deref().unwrap_or_default())
            }
        }
    }

    /// Returns whether the page may link to a target: one that can be read, and is published if the page is. Notes what it
    /// is, and reports what is wrong with it.
    fn leads_there(&mut self, target: &Target, own_title: Option<&str>, span: &Span) -> bool {
        match target {
            Target::Page { page, .. } => self.leads_to_page(*page, span),
            Target::Code { path, selector } => self.leads_to_code(path, selector.as_ref(), own_title, span),
            Target::Unknown => {
                self.facts.has_missing_starter = true;
                false
            }
            _ => true,
        }
    }

    fn leads_to_code(&mut self, path: &str, selector: Option<&Selector>, own_title: Option<&str>, span: &Span) -> bool {
        let Some(listing) = self.cx.listings.get(path) else {
            self.facts.has_missing_starter = true;
            return false;
        };
        let path = listing.source().path();
        self.facts.starters.push(Arc::clone(path));
        let Some(selector) = selector.filter(|selector| heading_of(listing, selector).is_none()) else { return true };
        let link = CodeLink { page: &self.document().source, span, listing, selector, title: own_title };
        let (lines, drift) = link.check(&mut self.diagnostics);
        self.facts.link_drifts.extend(drift);
        let is_there = lines.is_some();
        self.facts.line_links.extend(lines.map(|lines| (Arc::clone(path), lines)));
        is_there
    }

    fn leads_to_page(&mut self, page: usize, span: &Span) -> bool {
        let course = self.cx.course;
        let target = &course.pages[page];
        let own_published = self.subject.page.is_none_or(|page| course.pages[page].published);
        if target.published || !own_published {
            self.facts.links.pages.extend(target.summary.as_ref().map(|summary| Arc::clone(&summary.path)));
            return true;
        }
        // If its front matter has errors, the page may be a draft.
        if self.subject.page.is_none_or(|page| course.pages[page].is_whole()) {
            let draft = target.summary.as_ref().map_or("", |summary| &summary.path);
            let message =
                format!("`{}` is published and links to `{draft}`, which is a draft", self.document().source.path());
            let diagnostic = self.report(codes::E0403, span, message);
            diagnostic.help.push("publish the draft, make this page a draft, or remove the link".into());
        }
        false
    }

    /// Returns the place of a page's chapter if this is written for the print page that has it.
    fn chapter_place(&self, page: usize) -> Option<ChapterPlace> {
        let place = self.cx.course.chapter_place(page).filter(|_| self.target.is_print_page())?;
        (place.print_url == self.target.page).then_some(place)
    }

    /// Writes a citation: `[@key]`, `[@a; @b]`, `[@key, p. 3]` or `[text][@key]`.
    fn citation(&mut self, at: usize, link: &'a Link, span: &Span) -> usize {
        let written_text = match self.document().body.events.event(at) {
            Event::Start(Tag::Link { link_type: LinkType::ReferenceUnknown, .. }) => {
                let inside = at + 1..link.events.end - 1;
                self.no_link_depth += 1;
                let html = self.html(inside);
                self.no_link_depth -= 1;
                Some(html)
            }
            _ => None,
        };
        let mut cited = Vec::new();
        for (key, locator) in goal::cited(&link.target) {
            // What is written in brackets stands for the first key; it may have ids, which a page has once.
            let text = written_text.as_deref().filter(|_| cited.is_empty());
            cited.extend(self.cite(key, locator, text, span));
        }
        let html = cited.join("; ");
        let html = if written_text.is_some() { html } else { format!("({html})") };
        self.push(html);
        self.html.leave();
        link.events.end
    }

    fn cite(&mut self, key: &str, locator: &str, written_text: Option<&str>, span: &Span) -> Option<String> {
        let known = key.strip_prefix('@').and_then(|name| Some((name, self.cx.references.get(name)?)));
        let Some((name, reference)) = known else {
            let name = key.trim_start_matches('@');
            if key.starts_with('@') && self.cx.references.may_have(name) {
                self.facts.has_missing_reference = true;
                return None;
            }
            let near = self.cx.references.nearest(name).map(|near| near.written(|near| format!("@{near}")));
            let message = match key.strip_prefix('@') {
                Some(name) => format!("`content/references.yaml` has no `{name}`"),
                None => format!("`{key}` is not a citation: a citation begins with `@`"),
            };
            let source = &self.document().source;
            let error = source.diagnostic(codes::E0408, span.clone(), message);
            self.diagnostics.push(match near {
                None => error.help(format!("add it there: `{name}: {{ kind: paper, title: … }}`")),
                near => error.instead(source, key, near),
            });
            return None;
        };
        if locator.starts_with('@') {
            let message = format!("`{locator}` is read as a place in the source `{name}`, not as another source");
            let help = format!("separate sources with `;`: `[{key}; {locator}]`");
            self.report(codes::W0208, span, message).help.push(help);
        }
        let page =
            if self.target.is_whole() { String::new() } else { url::relative(&self.target.page, "references.html") };
        let prefix = if self.target.is_whole() { self.target.prefix.as_str() } else { "" };
        let text = written_text.map_or_else(|| escape::text(&reference.short()), str::to_string);
        let kind = escape::text(reference_kind(&self.cx.config.labels, reference.kind));
        let kind = if written_text.is_some() { String::new() } else { format!(" <span class=\"kind\">{kind}</span>") };
        let title = escape::attribute(&shortened(&reference.title, LABEL));
        let href = self.reachable(format!("{page}#{prefix}R-{name}"));
        let href = href.map_or_else(String::new, |href| format!(" href=\"{}\"", escape::attribute(&href)));
        let mut html = format!("<a class=\"cite\"{href} title=\"{title}\">{text}{kind}</a>");
        if !locator.is_empty() {
            html.push_str(", ");
            html.push_str(&escape::text(locator));
        }
        if self.cited.insert(name.to_owned()) {
            self.facts.reading.push(name.to_owned());
            self.source_beside(reference);
        }
        Some(html)
    }

    /// Names a source in the margin where it is first cited, with its address.
    fn source_beside(&mut self, reference: &Reference) {
        let title = escape::text(&reference.title);
        let title = match &reference.url {
            Some(url) => format!("<a href=\"{}\">{title}</a>", escape::attribute(url)),
            None => title,
        };
        let (short, kind) = (escape::text(&reference.short()), reference_kind(&self.cx.config.labels, reference.kind));
        let entry = format!("<p>{title}, {short} <span class=\"kind\">{}</span></p>", escape::text(kind));
        self.margin.add(reference.title.width() + short.width() + kind.width(), &entry);
    }

    /// Writes a picture. The text in brackets is its alternative text.
    pub(super) fn image(&mut self, at: usize, span: &Span) -> usize {
        let title = self.picture_title(at);
        let title = title.map_or_else(String::new, |title| format!(" title=\"{}\"", escape::attribute(&title)));
        self.image_with(at, &title, span)
    }

    /// Returns the title of the picture that begins at an event.
    fn picture_title(&self, at: usize) -> Option<String> {
        match self.document().body.events.event(at) {
            Event::Start(Tag::Image { title, .. }) if !title.is_empty() => Some(title.to_string()),
            _ => None,
        }
    }

    /// Returns whether the paragraph at an event is a picture with a title, and nothing else.
    pub(super) fn is_titled_picture(&self, at: usize) -> bool {
        let end = self.picture_title(at + 1).and_then(|_| self.link_at(at + 1)).map(|link| link.events.end);
        end.is_some_and(|end| self.document().body.events.event(end) == Event::End(TagEnd::Paragraph))
    }

    /// Writes the picture of such a paragraph as a figure, whose caption is the title.
    pub(super) fn captioned_picture(&mut self, at: usize, span: &Span) -> usize {
        let caption = self.picture_title(at + 1).map_or_else(String::new, figcaption);
        self.push("<figure class=\"picture\">\n");
        let end = self.image_with(at + 1, "", span);
        self.push(format!("\n{caption}</figure>\n"));
        end + 1
    }

    fn image_with(&mut self, at: usize, title: &str, span: &Span) -> usize {
        let Some(link) = self.link_at(at) else { return at + 1 };
        let alt = self.document().body.text(link.events.start + 1..link.events.end - 1);
        let picture = self.picture(&link.target, Leads::Picture, span);
        if let Some((src, size)) = picture.and_then(|(src, size)| Some((self.target.url_for(src)?, size))) {
            self.push(image::html(&src, &alt, title, size));
        }
        link.events.end
    }

    /// Returns the URL of a picture, or of another file that the page loads, and its size in pixels.
    fn picture(&mut self, target: &str, leads: Leads, span: &Span) -> Option<(String, Option<(u32, u32)>)> {
        self.record_target(target, true);
        let (path, url, rest) = match link::resolve(self.cx.course, self.cx.project, self.subject.origin(), target) {
            Ok(Target::File { source, url, rest }) => {
                let own = self.cx.translated_picture(&source);
                let own_url = own.as_ref().and_then(|_| self.cx.config.languages.of_picture(&url));
                (own.unwrap_or(source), self.cx.config.shared(own_url.unwrap_or(url)), rest)
            }
            Ok(Target::Code { path, selector: None })
                if self.cx.project.files.contains_key(path.as_str())
                    && image::is_picture(&path)
                    && !self.cx.project.is_unread(&path) =>
            {
                self.facts.images.push(Arc::from(path.as_str()));
                (path.clone(), self.cx.config.shared(path), String::new())
            }
            Ok(found) => {
                let is_unread = matches!(&found, Target::Code { path, .. } if self.cx.project.is_unread(path));
                if is_unread || matches!(found, Target::Unknown) {
                    self.facts.has_missing_starter = true;
                    return None;
                }
                let what = if leads == Leads::File { "file" } else { "picture" };
                let message = format!("`{target}` is not a {what} that the course publishes");
                let help = format!("put the {what} under `content/` or `static/`; pages load nothing from other sites");
                self.report_error(LinkError { code: codes::E0406, message, help: Some(help), near: None }, span);
                return None;
            }
            Err(error) => {
                self.report_error(error, span);
                return None;
            }
        };
        let size = self.cx.project.files.get(path.as_str()).and_then(image::size);
        Some((url::relative(&self.target.page, &url) + &rest, size))
    }

    /// Returns the URL to write in an attribute of an author's HTML.
    pub(super) fn raw_url(&mut self, target: &str, leads: Leads, span: &Span) -> Option<String> {
        let url = match leads {
            Leads::Link => self.resolve(target, None, span).map(|(href, _)| href),
            _ => self.picture(target, leads, span).map(|(src, _)| src),
        };
        url.and_then(|url| self.target.url_for(url))
    }
}
