//! A list of the old addresses of pages, in the form that a host or a server reads, so that it answers them itself, with the
//! status 301.

use infralens_course::config::Host;
use infralens_course::course::{Page, PageId};
use infralens_page::front_matter::OldUrl;
use infralens_source::url;
use infralens_source::yaml::Spanned;

use super::super::names::Names;

/// Returns the list: a line for each address of each alias of a published page.
pub fn text(names: Names<'_>, host: Host) -> String {
    let aliases = |page: &'_ Page| page.front().map_or(&[][..], |front| &front.common.aliases).to_vec();
    let pages = names.course.pages.iter().enumerate().filter(|(_, page)| page.published);
    let line = |id: PageId, old: &Spanned<OldUrl>| {
        let base = names.config.base_path();
        let to = format!("{base}{}", names.url(id));
        // The page of a folder is linked by the folder's name, with a slash or without.
        let folder =
            old.value.strip_suffix("/index.html").into_iter().flat_map(|name| [name.to_owned(), format!("{name}/")]);
        let line = |from: String| match host {
            // There is a page at the old address, too, which Netlify would send without `!`, and Cloudflare does not.
            Host::Netlify => format!("{base}{} {to} 301!\n", url::encode(&from)),
            Host::Cloudflare => format!("{base}{} {to} 301\n", url::encode(&from)),
            Host::Nginx => format!("location = {base}{from} {{ return 301 {to}; }}\n"),
            Host::Caddy => format!("redir {base}{from} {to} 301\n"),
        };
        folder.chain([old.value.to_string()]).map(line).collect::<String>()
    };
    pages.flat_map(|(id, page)| aliases(page).iter().map(|old| line(id, old)).collect::<Vec<_>>()).collect()
}
