//! Settings and plugins become keys of `site.yaml`, files and aliases, or lines of the report.

use super::*;

/// What was taken over.
fn taken(import: &Import) -> Vec<&str> {
    import.losses.iter().filter(|loss| loss.kind == Kind::Taken).map(|loss| &*loss.detail).collect()
}

const PICTURE: &str = "<svg xmlns=\"http://www.w3.org/2000/svg\"><path fill=\"#fff\"/></svg>";

#[test]
fn settings_of_docusaurus_are_taken_over_or_reported() {
    let config = "import { moved } from './moved'\nconst config = {\n  title: 'T', favicon: 'img/i.svg', onBrokenLinks: process.env.X ? 'a' : \"b\",\n\
        presets: [['classic', /** x */ ({ docs: { editUrl: 'https://github.com/a/b/tree/next/website/' }, blog: { editUrl } }) satisfies Options]],\n\
        plugins: [\n['@docusaurus/plugin-client-redirects', { redirects: [{ from: ['/old', '/older'], to: '/docs/a#x' }, ...moved, { from: '/z', to: '/gone' }] }],\n\
        'docusaurus-lunr-search', require.resolve('./odd'), ['fancy', {}]],\n\
        themeConfig: { navbar: { title: 'T', logo: { src: 'img/l.svg', srcDark: '/img/d.svg' }, items: [{ to: '/docs/a', label: 'A' },\n\
        { href: 'https://x.org', label: 'X' }, { label: 'More', items: [{ to: '/docs/a' }] }, { to: '/blog', label: 'Blog' }] },\n\
        footer: { links: [{ title: 'G', items: [{ label: 'Y', href: 'https://y.org' }] }], copyright: `© ${year()}` }, strange: 1 },\n}\nexport default config\n";
    let project = book(&[
        ("docusaurus.config.ts", config),
        ("moved.ts", "export const moved = [\n  { from: '/moved', to: '/docs/a' },\n]\n"),
        ("docs/a.md", "# A\n"),
        ("static/img/i.svg", PICTURE),
        ("static/img/l.svg", "<svg xmlns=\"http://www.w3.org/2000/svg\"><path fill=\"#012345\"/></svg>"),
        ("static/img/d.svg", PICTURE),
    ]);
    let import = super::super::import(&project, Dialect::Docusaurus, "", &Options::default()).expect("a site");
    let files = texts(&import);
    let site = "title: T\nfavicon: brand/favicon.svg\nrepository: \"https://github.com/a/b\"\nedit_path: \"edit/next/{path}\"\n\
        logo:\n  light: brand/logo.svg\n  dark: brand/logo-dark.svg\nnav:\n  - a.md\n\
        header:\n  - label: A\n    link: a.md\n  - label: X\n    link: \"https://x.org\"\nfooter:\n  - label: \"Y\"\n    link: \"https://y.org\"\n";
    assert_eq!(files["content/site.yaml"], site);
    assert!(files.contains_key("static/brand/logo-dark.svg") && files.contains_key("static/brand/favicon.svg"));
    let aliases = "aliases: [docs/a/index.html, old/index.html, older/index.html, moved/index.html]\n";
    assert!(files["content/a.md"].contains(aliases), "{}", files["content/a.md"]);
    let expected = [
        "Setting docusaurus.config.ts:9 the menu `More`: write its links in `header`",
        "Setting docusaurus.config.ts:10 `themeConfig.footer.copyright`: name who wrote it and how it may be used with `author` and `license`",
        "Setting docusaurus.config.ts:10 `themeConfig.strange`",
        "Plugin docusaurus.config.ts:7 `./odd`",
        "Plugin docusaurus.config.ts:7 `fancy`",
        "Setting docusaurus.config.ts:6 the redirect of `z/index.html` to `/gone`",
        "Setting docusaurus.config.ts:9 the link `Blog` to `/blog`, which is not a page of the book",
    ];
    assert_eq!(losses(&import), expected);
    assert_eq!(
        taken(&import),
        [
            "`favicon`: `favicon`",
            "`themeConfig.navbar.logo.src`: `logo.light`",
            "`themeConfig.navbar.logo.srcDark`: `logo.dark`",
            "`themeConfig.navbar.items`: links of `header`",
            "`themeConfig.footer.links`: links of `footer`",
            "`presets.docs.editUrl`: `repository` and `edit_path`, for a project at the top of this repository",
            "`@docusaurus/plugin-client-redirects`: `aliases` of the pages",
            "`docusaurus-lunr-search`: every site has a search",
        ]
    );
}

#[test]
fn old_addresses_ids_and_logos_of_mkdocs_stay() {
    let yml = "site_name: T\nrepo_url: https://gitlab.com/a/b\nedit_uri: -/edit/dev/docs/\ntheme: { name: material, logo: l.svg, favicon: i.svg, features: [content.action.edit] }\n\
        extra:\n  social:\n    - { icon: x, link: 'https://x.org/y', name: X }\nplugins:\n  - redirects:\n      redirect_maps:\n        'old.md': 'a.md#x'\n        'b/c.md': https://y.org\n";
    let project = book(&[
        ("mkdocs.yml", yml),
        ("docs/index.md", "# T\n"),
        ("docs/a.md", "# A\n\n## One & two\n\n## X\n\n## X\n\n## Größe\n"),
        ("docs/l.svg", PICTURE),
        ("docs/i.svg", PICTURE),
    ]);
    let import = mkdocs(&project).expect("a site");
    let files = texts(&import);
    let site = "title: T\nfavicon: brand/favicon.svg\nrepository: \"https://gitlab.com/a/b\"\nedit_path: \"-/edit/dev/{path}\"\n\
        logo:\n  dark: brand/logo-dark.svg\n  light: brand/favicon.svg\nnav:\n  - a.md\nfooter:\n  - label: X\n    link: \"https://x.org/y\"\n";
    assert_eq!(files["content/site.yaml"], site);
    let page = "---\ntitle: A\naliases: [a/index.html, old/index.html]\n---\n\n## One & two {#one-two}\n\n## X\n\n## X {#x_1}\n\n## Größe\n";
    assert_eq!(files["content/a.md"], page);
    assert_eq!(losses(&import), ["Setting mkdocs.yml:12 the redirect of `b/c/index.html` to `https://y.org`"]);
}

#[test]
fn a_repository_is_a_link_if_pages_are_not_edited_there() {
    let yml = "site_name: T\nrepo_url: https://x.org/a/b\nrepo_name: a/b\ntheme: { name: material }\n";
    let import = mkdocs(&book(&[("mkdocs.yml", yml), ("docs/index.md", "# T\n")])).expect("a site");
    let site = "title: T\nheader:\n  - label: a/b\n    link: \"https://x.org/a/b\"\n";
    assert_eq!(texts(&import)["content/site.yaml"], site);
}

#[test]
fn html_of_front_pages_is_markdown_or_reported() {
    let page = "<p align=\"center\">\n  <img src=\"i.svg\" alt=\"a\" width=\"9\" align=left>\n</p>\n<div align=\"center\">\n    <h1 style=\"x\">The\n    <em>title</em></h1>\n    \
        <svg><path/></svg>\n    <picture><source srcset=\"j.svg\"><img src=\"i.svg\" alt=\"b\"></picture>\n</div>\n\n<style>\nh1 { color: red }\n</style>\n\n\
        <iframe src=\"https://x.org/v\" title=\"A film\"></iframe>\n\n| a |\n| --- |\n| <ul><li>b</li></ul> |\n\n<h5>Small</h5>\n";
    let project = book(&[("mkdocs.yml", "site_name: T\n"), ("docs/index.md", page), ("docs/i.svg", PICTURE)]);
    let import = mkdocs(&project).expect("a site");
    let text = &texts(&import)["content/index.md"];
    let lines: Vec<&str> = text.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    let expected = [
        "---",
        "title: The title",
        "---",
        "<p>",
        "<img src=\"i.svg\" alt=\"a\" width=\"9\">",
        "</p>",
        "<div>",
        "<div><img src=\"i.svg\" alt=\"b\"></div>",
        "</div>",
        "<a href=\"https://x.org/v\">A film</a>",
        "| a |",
        "| --- |",
        "| <br>• b |",
        "## Small",
    ];
    assert_eq!(lines, expected);
    let expected = [
        "Attribute docs/index.md:7 `<svg>`",
        "Attribute docs/index.md:11 `<style>`",
        "Attribute docs/index.md:15 `<iframe src=\"https://x.org/v\" title=\"A film\">`",
    ];
    assert_eq!(losses(&import), expected);
}

#[test]
fn names_of_components_stay_and_titles_of_folders_are_words() {
    let page = "---\ntitle: A\n---\n\n<Choice value=\"npm\">\n\nX\n\n</Choice>\n<Choice value=\"y\" label=\"Yarn\" description=\"The other one\">\n\nY\n\n</Choice>\n\n<Icon name=\"star\" />\n";
    let project = book(&[
        ("docusaurus.config.js", "module.exports = { title: 'T' }\n"),
        ("docs/1-using-cli/a.mdx", page),
        (
            "docs/1-using-cli/b.md",
            "# The CLI\n\nA. A. A sentence that is repeated on this page for a test of a lint.\n",
        ),
        ("docs/2-named/c.md", "# C\n"),
        ("docs/2-named/_category_.json", "{ \"label\": \"A name\" }"),
    ]);
    let import = super::super::import(&project, Dialect::Docusaurus, "", &Options::default()).expect("a site");
    let files = texts(&import);
    let page = files["content/using-cli/a.md"].lines().filter(|line| !line.is_empty()).collect::<Vec<_>>();
    assert_eq!(page[4..], ["**npm**", "X", "**Yarn**", "The other one", "Y"], "{page:?}");
    assert!(files["content/using-cli/index.md"].starts_with("---\ntitle: Using CLI\n"), "{files:?}");
    assert!(files["content/named/index.md"].starts_with("---\ntitle: A name\n"), "{files:?}");
    let losses = losses(&import);
    assert!(
        losses.contains(
            &"Component docs/1-using-cli/a.mdx:5 `<Choice>`: 2 places, also docs/1-using-cli/a.mdx:10".to_owned()
        ),
        "{losses:?}"
    );
}

#[test]
fn lints_that_find_something_are_off() {
    let project = book(&[
        ("mkdocs.yml", "site_name: T\n"),
        ("docs/index.md", "# T\n\nTODO: write it.\n\n![](a.svg)\n"),
        ("docs/a.svg", PICTURE),
    ]);
    let import = mkdocs(&project).expect("a site");
    let site = &texts(&import)["content/site.yaml"];
    assert!(site.ends_with("lints:\n  alt-text: off\n  todo: off\n"), "{site}");
    assert_eq!(
        losses(&import),
        ["Lint content/site.yaml:0 `alt-text`: 1 place", "Lint content/site.yaml:0 `todo`: 1 place"]
    );
}

#[test]
fn computed_settings_and_rules_of_hosts_are_reported_with_their_places() {
    let config = "import pkg from './package.json'\nconst config = {\n  title: 'T', url: pkg.homepage,\n  presets: [['classic', { docs: {\n    path: folder() } }]],\n\
        themeConfig: { navbar: { items: [\n{ href: GITHUB_URL, label: 'Code' },\n{ type: 'docSidebar', label: 'Docs' }, { type: 'search' },\n{ type: 'versions' },\n\
        ] }, footer: footer },\n  themes: themes(), i18n: null, plugins: [{ name: 'own', load() {} }, [{ name: 'second' }, {}]],\n}\nexport default config\n";
    let rules = "# Old\n/old /docs/a 301!\n/older.html  /docs/a  # why\n/gone /docs/none\n/x/* /docs/:splat\n/y /docs/a 200\n/:lang/z /docs/a\n";
    let project = book(&[
        ("docusaurus.config.js", config),
        ("static/_redirects", rules),
        ("docs/a.md", "# A\n"),
        ("src/pages/help.md", "# Help\n"),
        ("src/pages/index.tsx", "export default () => <h1/>"),
        ("src/pages/_part.js", ""),
        ("versions.json", "[\"2.0\", \"1.0\"]"),
    ]);
    let import = super::super::import(&project, Dialect::Docusaurus, "", &Options::default()).expect("a site");
    assert_eq!(
        losses(&import),
        [
            "Setting docusaurus.config.js:3 `url`: `pkg.homepage` is computed; write the whole address as `base_url`",
            "Setting docusaurus.config.js:7 the link `Code` to `GITHUB_URL`, which is computed: write it in `header`",
            "Setting docusaurus.config.js:8 the entry `Docs`, which has no address: write what it leads to in `header`",
            "Setting docusaurus.config.js:9 the entry `versions`, which has no address: write what it leads to in `header`",
            "Setting docusaurus.config.js:10 `themeConfig.footer`: `footer` is computed",
            "Setting docusaurus.config.js:11 `themes`: `themes()` is computed; what they add is missing",
            "Setting docusaurus.config.js:11 `i18n`: import each language by itself, and join them; see the guide's page on languages",
            "Setting docusaurus.config.js:5 `presets.docs.path`: `folder()` is computed; the folder `docs` was read",
            "Plugin docusaurus.config.js:11 `own`",
            "Plugin docusaurus.config.js:11 `second`",
            "Blog versions.json:0 2 versions, `2.0`, `1.0`: publish each below an address of its own",
            "Program src/pages/index.tsx:0",
            "Setting static/_redirects:5 3 rules with patterns or conditions: write them into the settings of your host",
            "Setting static/_redirects:4 the redirect of `gone/index.html` to `/docs/none`",
        ]
    );
    let files = texts(&import);
    assert!(files["content/a.md"].contains("aliases: [docs/a/index.html, old/index.html, older.html]\n"), "{files:?}");
    assert!(files["content/help.md"].contains("aliases: [help/index.html]\n"), "{files:?}");
}

#[test]
fn each_kind_of_loss_has_a_heading_and_advice() {
    for kind in crate::loss::ALL {
        let (title, advice) = kind.text();
        assert!(title.starts_with(char::is_uppercase) && advice.ends_with('.'), "{kind:?}: {title}: {advice}");
    }
}
