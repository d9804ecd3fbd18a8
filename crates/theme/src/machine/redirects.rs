//! A list of the old addresses of pages, in the form that a host or a server reads, so that it answers them itself, with the
//! status 301.

use infralens_course::config::Host;
use infralens_course::course::{Page, PageId};
use infralens_page::front_matter::OldUrl;
use infralens_source::yaml::Spanned;

use super::super::names::Names;

/// Returns the path of the list in the site.
pub fn path(host: Host) -> &'static str {
    match host {
        Host::Netlify | Host::Cloudflare => "_redirects",
        Host::Nginx => "redirects.nginx",
        Host::Caddy => "redirects.caddy",
    }
}

/// Returns the list: a line for each alias of a published page.
pub fn text(names: Names<'_>, host: Host) -> String {
    let aliases = |page: &'_ Page| page.front().map_or(&[][..], |front| &front.common.aliases).to_vec();
    let pages = names.course.pages.iter().enumerate().filter(|(_, page)| page.published);
    let line = |id: PageId, old: &Spanned<OldUrl>| {
        let base = names.config.base_path();
        let (from, to) = (format!("{base}{}", &*old.value), format!("{base}{}", names.url(id)));
        match host {
            // There is a page at the old address, too, which Netlify would send without `!`, and Cloudflare does not.
            Host::Netlify => format!("{from} {to} 301!\n"),
            Host::Cloudflare => format!("{from} {to} 301\n"),
            Host::Nginx => format!("location = {from} {{ return 301 {to}; }}\n"),
            Host::Caddy => format!("redir {from} {to} 301\n"),
        }
    };
    pages.flat_map(|(id, page)| aliases(page).iter().map(|old| line(id, old)).collect::<Vec<_>>()).collect()
}
