#!/usr/bin/env python3
"""Asks nginx, Caddy, Python's server and Cloudflare's for a course, with exactly the settings that the guide gives, and
Netlify's parsers what they read.

    npm install --prefix tests/publish --no-package-lock      once, for Cloudflare's server and Netlify's parsers
    python3 tests/publish/hosts.py [WORD]                     only the tests whose name holds WORD

What is not on this machine is skipped. `caching`, `compression`, `unknown addresses`, `redirects` and the types of files are
what a reader notices if the settings are wrong.
"""

import gzip
import http.client
import json
import os
import pathlib
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import urllib.parse

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROGRAM = pathlib.Path(os.environ.get("CARGO_TARGET_DIR") or ROOT / "target") / "debug" / "infralens"
SETTINGS = ROOT / "tests" / "guide" / "publish"
FOREVER = "public, max-age=31536000, immutable"
SECURITY = {
    "x-content-type-options": "nosniff",
    "cross-origin-resource-policy": "same-origin",
    "content-security-policy": "frame-ancestors 'self'",
}
PATH = os.environ["PATH"] + os.pathsep + "/usr/sbin"
MODULES = ROOT / "tests" / "publish" / "node_modules"
# Prints what Netlify's parsers read in a folder, as JSON.
NETLIFY = """
import { parseAllRedirects } from "@netlify/redirect-parser"
import { parseAllHeaders } from "@netlify/headers-parser"
const [folder] = process.argv.slice(1), settings = { minimal: true, configRedirects: [], configHeaders: [] }
const redirects = await parseAllRedirects({ ...settings, redirectsFiles: [`${folder}/_redirects`] })
const headers = await parseAllHeaders({ ...settings, headersFiles: [`${folder}/_headers`] })
console.log(JSON.stringify({ redirects, headers }))
"""
OLD = ["/old/about.html", "/old/us/index.html", "/old/us/", "/old/us", "/old/%C3%BCber.html"]


class Site:
    """A built course in a folder, and a server for it."""

    def __init__(self, folder, subfolder="", hosts="[nginx, caddy, netlify]"):
        self.folder, self.base = pathlib.Path(folder), f"/{subfolder}" if subfolder else ""
        self.root, self.course = self.folder / "srv", self.folder / "course"
        self.public = self.root / subfolder
        run(PROGRAM, "init", self.course)
        with (self.course / "content" / "site.yaml").open("a") as settings:
            settings.write(f"copies: true\nredirects: {hosts}\n")
        (self.course / "static" / ".well-known").mkdir(parents=True)
        shutil.copy(SETTINGS / "_headers", self.course / "static")
        (self.course / "static" / ".well-known" / "security.txt").write_text("Contact: mailto:you@example.org\n")
        (self.course / "content" / "about.md").write_text("---\ntitle: About\naliases: [old/about.html, old/us/index.html, old/über.html]\n---\n\nA page.\n")
        run(PROGRAM, "build", "--quiet", "--root", self.course, "-o", self.public, "--base-url", f"https://a.example{self.base}/")
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]

    def start(self, *command, **options):
        log = (self.folder / "log").open("w")
        environment = os.environ | {"HOME": str(self.folder), "XDG_DATA_HOME": str(self.folder), "XDG_CONFIG_HOME": str(self.folder)}
        self.server = subprocess.Popen(command, stdout=log, stderr=log, env=environment, **options)
        for _ in range(600):
            try:
                return self.get("/")
            except (ConnectionError, http.client.HTTPException):
                assert self.server.poll() is None, (self.folder / "log").read_text()
                time.sleep(0.05)
        raise AssertionError("the server does not answer")

    def stop(self):
        if hasattr(self, "server"):
            self.server.terminate()
            self.server.wait(10)

    def get(self, path, **headers):
        """Returns the status, the headers with small letters, and the content of a path below the site."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=10)
        names = {name.replace("_", "-"): value for name, value in headers.items()}
        connection.request("GET", self.base + urllib.parse.quote(path, safe="/%"), headers={"Host": "you.example.org", **names})
        answer = connection.getresponse()
        found = answer.status, {name.lower(): value for name, value in answer.getheaders()}, answer.read()
        connection.close()
        return found

    def files(self):
        return sorted(path.relative_to(self.public).as_posix() for path in self.public.rglob("*") if path.is_file())


def run(*command):
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)


def start_nginx(site):
    text = (SETTINGS / "nginx.conf").read_text()
    if site.base:
        # What the guide says of a site in a subfolder.
        text = text.replace("=404 /", f"=404 {site.base}/").replace("/assets/", f"{site.base}/assets/")
        text = text.replace("public/redirects", f"public{site.base}/redirects")
    text = text.replace("listen 80;", f"listen 127.0.0.1:{site.port};").replace("/srv/course/public", str(site.root))
    names = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
    temporary = "".join(f"{name}_temp_path {site.folder}/{name};\n" for name in names)
    user = "user root;\n" if os.geteuid() == 0 else ""
    http = f"access_log off;\ninclude /etc/nginx/mime.types;\n{temporary}{text}"
    (site.folder / "nginx.conf").write_text(f"{user}daemon off;\npid {site.folder}/pid;\nevents {{ }}\nhttp {{\n{http}}}\n")
    site.start(shutil.which("nginx", path=PATH), "-c", site.folder / "nginx.conf", "-e", site.folder / "errors")


def start_caddy(site):
    text = (SETTINGS / "Caddyfile").read_text()
    text = text.replace("you.example.org", f"http://you.example.org:{site.port}").replace("/srv/course/public", str(site.root))
    if site.base:
        text = text.replace("/404.html", f"{site.base}/404.html").replace("path /assets", f"path {site.base}/assets")
        text = text.replace(f"{site.root}/redirects", f"{site.public}/redirects")
    (site.folder / "Caddyfile").write_text("{\n    admin off\n}\n" + text)
    site.start(shutil.which("caddy", path=PATH), "run", "--adapter", "caddyfile", "--config", site.folder / "Caddyfile")


def start_python(site):
    site.start(sys.executable, "-m", "http.server", str(site.port), "--bind", "127.0.0.1", "--directory", site.root)


def start_cloudflare(site):
    wrangler = MODULES / "wrangler" / "bin" / "wrangler.js"
    options = ["--port", str(site.port), "--ip", "127.0.0.1", "--compatibility-date", "2026-01-01"]
    site.start("node", wrangler, "pages", "dev", site.public, *options, cwd=site.folder)


def serves_well(site):
    """What the guide promises to readers of a server with its settings."""
    files = site.files()
    hashed = [path for path in files if re.search(r"^assets/.*\.[0-9a-f]{8}\.(css|js)$", path)]
    pages = [path for path in files if path.endswith(".html") and not path.startswith("old/")]
    assert hashed and pages
    for path in hashed + pages:
        status, headers, content = site.get(f"/{path}")
        assert (status, content) == (200, (site.public / path).read_bytes()), (path, status)
        expected = FOREVER if path in hashed else "no-cache"
        assert headers.get("cache-control") == expected, (path, headers)
        assert SECURITY.items() <= headers.items(), (path, headers)
        validators = {"If_None_Match": headers.get("etag"), "If_Modified_Since": headers.get("last-modified")}
        again = site.get(f"/{path}", **{name: value for name, value in validators.items() if value})
        assert again[0] == 304 and not again[2], (path, again)
    for path in ["index.html", next(path for path in hashed if path.endswith(".css")), next(p for p in hashed if p.endswith(".js"))]:
        _, headers, content = site.get(f"/{path}", Accept_Encoding="gzip")
        assert headers.get("content-encoding") == "gzip", (path, headers)
        assert gzip.decompress(content) == (site.public / path).read_bytes()
    for path in ["/nowhere.html", "/tracks/nowhere/", "/assets/", "/assets/gone.00000000.css", "/.infralens-manifest.json",
                 "/redirects.nginx", "/redirects.caddy", "/_redirects", "/_headers"]:
        status, headers, content = site.get(path)
        assert (status, content) == (404, (site.public / "404.html").read_bytes()), (path, status)
        assert headers.get("cache-control") == "no-cache" and SECURITY.items() <= headers.items(), (path, headers)
        status, headers, content = site.get(path, Accept_Encoding="gzip")
        assert (status, headers.get("content-encoding")) == (404, "gzip"), (path, status, headers)
        assert gzip.decompress(content) == (site.public / "404.html").read_bytes(), path
    assert site.get("/.well-known/security.txt")[0] == 200
    status, headers, _ = site.get("/tracks/queues")
    assert status in (301, 308) and headers["location"].endswith(f"{site.base}/tracks/queues/"), (status, headers)
    for folder in ["/", "/tracks/queues/"]:
        assert site.get(folder)[2] == (site.public / folder[1:] / "index.html").read_bytes()
        assert site.get(folder)[1]["cache-control"] == "no-cache"
    for old in OLD:
        status, headers, _ = site.get(old)
        assert (status, headers.get("location")) == (301, f"{site.base}/about.html"), (old, status, headers)
    kinds = {"html": "text/html", "css": "text/css", "js": "javascript", "md": "text/markdown", "svg": "image/svg+xml", "json": "json"}
    for ending, kind in kinds.items():
        path = next((path for path in files if path.endswith(f".{ending}") and not path.startswith(".")), None)
        assert path is None or kind in site.get(f"/{path}")[1]["content-type"], (path, site.get(f"/{path}")[1])
    for path in [path for path in files if path.endswith((".html", ".md"))][:4]:
        assert "utf-8" in site.get(f"/{path}")[1]["content-type"].lower(), path
    links_of_404(site)


def links_of_404(site):
    """The page for unknown addresses has its styles at every depth."""
    text = (site.public / "404.html").read_text()
    styles = re.findall(r'<link rel="?stylesheet"? href="?([^"> ]+)', text)
    assert styles and all(style.startswith(f"{site.base}/") for style in styles), text[:600]
    assert all(site.get(style.removeprefix(site.base))[0] == 200 for style in styles), styles


def python_shows_pages(site):
    """Python's server has no settings: all pages and their files are there, and unknown addresses get its own text."""
    for path in site.files():
        assert site.get(f"/{path}")[0] == 200, path
    assert b'http-equiv="refresh"' in site.get("/old/about.html")[2]
    status, headers, _ = site.get("/tracks/queues")
    assert status == 301 and headers["location"].endswith("/tracks/queues/"), (status, headers)
    assert site.get("/nowhere.html")[0] == 404
    links_of_404(site)


def cloudflare_serves(site):
    """Cloudflare's own server reads both files, and has no page under a name that ends in `.html`."""
    pages = [path for path in site.files() if path.endswith(".html") and not path.startswith(("old/", "404"))]
    hashed = [path for path in site.files() if re.search(r"^assets/.*\.[0-9a-f]{8}\.(css|js)$", path)]
    assert pages and hashed
    for path in pages + hashed:
        bare = re.sub(r"(^|/)index$", r"\1", path.removesuffix(".html"))
        # The page of a starter keeps its name, because the file itself has the other.
        if path.endswith(".html") and (site.public / bare).is_file():
            bare = path
        elif bare != path:
            status, headers, _ = site.get(f"/{path}")
            assert (status, headers.get("location")) == (308, f"/{bare}"), (path, status, headers)
        status, headers, content = site.get(f"/{bare}")
        assert (status, content) == (200, (site.public / path).read_bytes()), (path, status)
        expected = FOREVER if path in hashed else "public, max-age=0, must-revalidate"
        assert headers["cache-control"] == expected and SECURITY.items() <= headers.items(), (path, headers)
    for path in ["/nowhere", "/tracks/nowhere/", "/_redirects", "/_headers"]:
        status, headers, content = site.get(path)
        assert (status, content) == (404, (site.public / "404.html").read_bytes()), (path, status)
    for old in OLD:
        status, headers, _ = site.get(old)
        assert (status, headers.get("location")) == (301, "/about.html"), (old, status, headers)
    links_of_404(site)


def netlify_reads(site):
    """Netlify's parsers find every old address, to be redirected although there is a page, and the headers."""
    command = ["node", "--input-type=module", "-e", NETLIFY, site.public]
    read = json.loads(subprocess.run(command, cwd=MODULES.parent, check=True, capture_output=True).stdout)
    assert not read["redirects"]["errors"] and not read["headers"]["errors"], read
    found = {rule["from"]: (rule["to"], rule["status"], rule["force"]) for rule in read["redirects"]["redirects"]}
    assert found == {old: ("/about.html", 301, True) for old in OLD}, found
    values = {rule["for"]: {name.lower(): value for name, value in rule["values"].items()} for rule in read["headers"]["headers"]}
    assert values == {"/*": SECURITY, "/assets/*": {"cache-control": FOREVER}}, values


def layout(site):
    """GitHub Pages and GitLab Pages take a folder with `index.html` and `404.html` at its root, with no links and no names that
    an archive of a workflow refuses."""
    files = site.files()
    assert {"index.html", "404.html"} <= set(files)
    assert not any(path.is_symlink() for path in site.public.rglob("*"))
    assert not [path for path in files if re.search(r'[":<>|*?\\\r\n]', path)]
    assert all((site.public / path).stat().st_mode & 0o444 == 0o444 for path in files)


STARTS = {"nginx": start_nginx, "caddy": start_caddy, "python3": start_python, "cloudflare": start_cloudflare}
TESTS = [(server, base, check) for base in ["", "queues"] for server, check in
         [("nginx", serves_well), ("caddy", serves_well), ("python3", python_shows_pages), ("", layout)]]
TESTS += [("cloudflare", "", cloudflare_serves), ("netlify", "", netlify_reads)]


def is_here(server):
    """Whether a server or a parser is on this machine."""
    if server in ("cloudflare", "netlify"):
        return (MODULES / {"cloudflare": "wrangler", "netlify": "@netlify"}[server]).is_dir()
    return not server or shutil.which(server, path=PATH)


def main():
    if not PROGRAM.exists():
        sys.exit(f"{PROGRAM} is missing: run `cargo test --no-run --features publish`")
    failed, word = 0, sys.argv[1] if len(sys.argv) > 1 else ""
    for server, base, check in TESTS:
        name = f"{server or 'folder'} {'/' + base + '/' if base else '/'}: {check.__name__}"
        if word not in name:
            continue
        if not is_here(server):
            print(f"SKIPPED {name}: {server} is not on this machine")
            continue
        with tempfile.TemporaryDirectory() as folder:
            hosts = "cloudflare" if server == "cloudflare" else "[nginx, caddy, netlify]"
            site = Site(folder, subfolder=base, hosts=hosts)
            try:
                STARTS.get(server, lambda site: None)(site)
                check(site)
                print(f"ok   {name}")
            except Exception as error:
                failed += 1
                print(f"FAIL {name}: {type(error).__name__}: {error}")
            finally:
                site.stop()
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
