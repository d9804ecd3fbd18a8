#!/usr/bin/env python3
"""Tests `infralens publish` with a server of S3 on this machine, with the program that was built last.

    python3 tests/publish/run.py [WORD]      only the tests whose name holds WORD

The program must be built with `--features publish`. moto, the server, is installed below the build folder at first use.
"""

import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import threading
import time
import urllib.parse

sys.dont_write_bytecode = True

HERE = pathlib.Path(__file__).resolve().parent
TARGET = pathlib.Path(os.environ.get("CARGO_TARGET_DIR") or HERE.parents[1] / "target")
PROGRAM = TARGET / "debug" / "infralens"
DESTINATION = "s3://courses/queues/site"
FOLDER = "queues/site/"
ASSET = "public, max-age=31536000, immutable"


def enter_environment():
    """Starts this file again with the Python that has moto, which is installed if it is missing."""
    folder, wanted = TARGET / "publish", (HERE / "requirements.txt").read_text()
    done = folder / "installed.txt"
    if not done.exists() or done.read_text() != wanted:
        shutil.rmtree(folder, ignore_errors=True)
        quiet = {"check": True, "stdout": subprocess.DEVNULL}
        subprocess.run([sys.executable, "-m", "venv", folder], **quiet)
        pip = [folder / "bin" / "pip", "install", "--quiet", "--disable-pip-version-check"]
        subprocess.run([*pip, "-r", HERE / "requirements.txt"], **quiet)
        done.write_text(wanted)
    if pathlib.Path(sys.prefix).resolve() != folder.resolve():
        os.execv(folder / "bin" / "python", [str(folder / "bin" / "python"), *sys.argv])


class Course:
    """A course, and a bucket to publish it to."""

    def __init__(self, server, folder):
        from proxy import BUCKET
        self.server, self.bucket, self.root = server, BUCKET, pathlib.Path(folder) / "course"
        subprocess.run([PROGRAM, "init", self.root], check=True, stdout=subprocess.DEVNULL)
        self.about = self.root / "content" / "about.md"
        self.write("The first text.")
        server.request("POST", "/moto-api/reset")
        server.log.clear()
        server.hook, server.skew, server.ahead = lambda *_: None, 0, {}
        assert self.server.request("PUT", f"/{self.bucket}")[0] == 200

    def write(self, text):
        self.about.write_text(f"---\ntitle: About\n---\n\n{text}\n")

    def start(self, *arguments, destination=DESTINATION, key="TESTKEY", secret=None):
        command = [PROGRAM, "publish", destination, "--root", self.root, *arguments]
        environment = os.environ | self.server.environment(key, secret)
        return subprocess.Popen(command, env=environment, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE)

    def publish(self, *arguments, expected=0, **options):
        """Publishes, and returns what was printed on both outputs."""
        return finish(self.start(*arguments, **options), expected)

    def built(self):
        """The files of the site as `build` writes them."""
        out = self.root.parent / "public"
        subprocess.run([PROGRAM, "build", "--quiet", "--root", self.root, "-o", out], check=True)
        files = {path.relative_to(out).as_posix(): path.read_bytes() for path in out.rglob("*") if path.is_file()}
        del files[".infralens-manifest.json"]
        return files

    def keys(self, prefix=FOLDER):
        """The names of all objects below a folder of the bucket."""
        text = self.server.request("GET", f"/{self.bucket}?list-type=2&max-keys=10000&prefix={prefix}")[2].decode()
        return {key.removeprefix(prefix) for key in re.findall("<Key>(.*?)</Key>", text)}

    def get(self, path):
        return self.server.request("GET", f"/{self.bucket}/{FOLDER}{urllib.parse.quote(path)}")

    def published(self):
        """What readers can get, without the records."""
        return {path: self.get(path)[2] for path in self.keys() if not path.startswith(".infralens/")}

    def check(self, site, old=False):
        """The bucket has a site, and, if `old`, also assets of earlier ones."""
        files = self.published()
        files = {path: bytes for path, bytes in files.items() if path in site or not (old and path.startswith("assets/"))}
        assert files == site, sorted(path for path in files.keys() | site.keys() if files.get(path) != site.get(path))

    def check_halfway(self, old):
        """Each file is the old or the new one, and every style and script of both is there."""
        new, files = self.built(), self.published()
        assert all(bytes in (old.get(path), new.get(path)) for path, bytes in files.items())
        assert files.keys() >= {path for path in old | new if path in old or path.startswith("assets/")}

    def changes(self):
        """The requests that change something, since the last call: the method, and the key below the folder."""
        log = [(method, key.removeprefix(FOLDER)) for method, key, _ in self.server.log]
        self.server.log.clear()
        return [entry for entry in log if entry[0] not in ("GET", "HEAD")]


def finish(process, expected=0):
    out, error = process.communicate(timeout=120)
    assert process.returncode == expected, (process.returncode, out, error)
    return out + error


def holds(text, *parts):
    for part in parts:
        assert part in text, f"{part!r} is not in {text!r}"


def signatures(_):
    """The checker of signatures accepts Amazon's examples."""
    import sigv4
    sigv4.check_examples()


def first(course):
    """A first publish has every file of a build, with its headers, and the second has nothing to do."""
    site = course.built()
    text = course.publish()
    holds(text, f"published generation 1 to {DESTINATION}: {len(site)} files ({len(site)} new or changed, 0 unchanged)")
    course.check(site)
    kinds = {"html": "text/html; charset=utf-8", "css": "text/css; charset=utf-8", "js": "text/javascript; charset=utf-8",
             "md": "text/markdown; charset=utf-8", "py": "text/plain; charset=utf-8", "svg": "image/svg+xml; charset=utf-8"}
    for path in site:
        headers = course.get(path)[1]
        hashed = re.search(r"^assets/.*\.[0-9a-f]{8}\.(css|js)$", path)
        assert headers["cache-control"] == (ASSET if hashed else "no-cache"), (path, headers)
        kind = kinds.get(path.rsplit(".")[-1])
        assert kind in (None, headers["content-type"]), (path, headers)
    course.changes()
    text = course.publish()
    holds(text, f"{DESTINATION} is up to date: {len(site)} files")
    assert course.changes() == []


def order(course):
    """Only what has changed is uploaded; pages change after assets and before indexes; the state comes last."""
    course.publish()
    course.changes()
    course.write("The second text.")
    (course.root / "static").mkdir(exist_ok=True)
    (course.root / "static" / "custom.css").write_text("main { text-indent: 3px }\n")
    text = course.publish()
    site, changes = course.built(), course.changes()
    course.check(site, old=True)
    uploads = [key for method, key in changes if method == "PUT" and key.startswith(".infralens/objects/")]
    copies = [key for method, key in changes if method == "COPY"]
    holds(text, f"published generation 2 to {DESTINATION}: {len(site)} files ({len(copies)} new or changed, ")
    assert 2 <= len(uploads) <= len(copies) < len(site), (uploads, copies)
    kinds = [0 if key.startswith("assets/") else 1 if key.endswith((".html", ".md")) else 2 for key in copies]
    assert kinds == sorted(kinds) and set(kinds) == {0, 1, 2}, copies
    state, manifest = ("PUT", ".infralens/state.json"), ("PUT", ".infralens/sites/000002.json")
    after = [entry for entry in changes if entry[0] == "PUT" and "/objects/" not in entry[1] and "clock" not in entry[1]]
    assert after == [state, manifest, state, state, state], after
    at = [changes.index(("PUT", uploads[-1])), changes.index(manifest), changes.index(("COPY", copies[0]))]
    assert at == sorted(at), changes


def dry_run(course):
    """A dry run names what would change, and changes nothing."""
    text = course.publish("--dry-run")
    holds(text, f"would publish generation 1 to {DESTINATION}: ", "new pages and indexes:\n", "  about.html\n")
    assert course.keys() == set() and course.changes() == []


def bucket_disappears(course):
    """A bucket that disappears halfway is a clear error, and the same command goes on when it is back."""
    course.publish()
    for stage, told in [("PUT", f"the site at {DESTINATION} is as it was"), ("COPY", " changes of the site were made")]:
        old = course.published()
        course.write(f"Another text, {stage}.")
        seen = []

        def hook(method, key, _):
            if seen and len(seen) > 2:
                return 404, "NoSuchBucket"
            if method == stage and "state" not in key and "/sites/" not in key:
                seen.append(key)
            return (404, "NoSuchBucket") if len(seen) > 2 else None

        course.server.hook = hook
        text = course.publish(expected=2)
        holds(text, "error: cannot ", f" in {DESTINATION}: the bucket does not exist", told)
        course.server.hook = lambda *_: None
        if stage == "PUT":
            course.check(old)
        else:
            course.check_halfway(old)
        course.server.ahead = {f"{FOLDER}.infralens/clock": 120}
        course.changes()
        course.publish()
        uploads = [key for method, key in course.changes() if method == "PUT" and "/objects/" in key]
        assert len(uploads) < 20, uploads
        course.check(course.built(), old=True)


def published_site_stays(course):
    """Without rights or with a wrong clock, the published site stays; without them halfway, each of its files is whole."""
    course.publish()
    old = course.published()
    course.write("A text that may not be published.")
    (course.root / "static").mkdir()
    (course.root / "static" / "custom.css").write_text("main { text-indent: 3px }\n")
    holds(course.publish(expected=2, key="READER"), "cannot write `.infralens/state.json`", "do not allow it")
    for course.server.skew in (3600, -3600):
        holds(course.publish(expected=2), "the clock of this machine is wrong\nhelp: set the clock")
    course.server.skew, pages = 0, []

    def hook(method, key, _):
        if method == "COPY" and key.endswith(".html"):
            pages.append(key)
            return (403, "AccessDenied") if len(pages) > 2 else None
        return None

    course.check(old)
    course.server.hook = hook
    holds(course.publish(expected=2), "error: cannot replace `", "do not allow it", " changes of the site were made; the ")
    course.check_halfway(old)
    course.server.hook = lambda *_: None
    course.publish()
    course.check(course.built(), old=True)


def told(course):
    """Warnings are counted, and a site in a folder is told what its address is needed for; a rollback needs neither."""
    note = "note: the site has no `base_url`: at an address with a folder, such as `https://HOST/queues/site/`, "
    course.write("A [link](nowhere.md).\n\n- [ ] TODO")
    holds(course.publish(expected=1), "error[")
    course.write("TODO: later.")
    text = course.publish()
    holds(text, note, "1 warning; `infralens check` shows them\n")
    assert "warning[" not in text, text
    course.write("TODO: even later.")
    text = course.publish("--base-url", "https://a.example/queues/site/")
    assert "1 warning;" in text and "note:" not in text, text
    text = course.publish("--rollback")
    assert text.startswith(f"brought back generation 1 as generation 3 at {DESTINATION}: ") and text.count("\n") == 1, text
    assert "note:" not in course.publish(destination="s3://courses"), "at the root of a host, all links are right"
    assert course.publish("--quiet") == ""


def killed(course):
    """After a kill, others wait until the claim has expired, and then go on."""
    course.publish()
    course.write("A text whose publisher is killed.")
    reached = threading.Event()

    def hook(method, _key, _number):
        if method == "COPY":
            reached.set()
            threading.Event().wait(2)

    course.server.hook = hook
    process = course.start()
    assert reached.wait(60)
    process.kill()
    process.communicate()
    course.server.hook = lambda *_: None
    text = course.publish(expected=2)
    holds(text, f"error: ann is publishing to {DESTINATION} now\nhelp: if that was killed, try again in 1")
    course.server.ahead = {f"{FOLDER}.infralens/clock": 120}
    course.publish()
    course.check(course.built(), old=True)


def two_at_once(course):
    """Of two publishers, the second stops before it has changed anything."""
    course.publish()
    course.write("The first of two.")
    site, reached, go_on = course.built(), threading.Event(), threading.Event()

    def hook(method, key, _number):
        if method == "PUT" and "/objects/" in key and not reached.is_set():
            reached.set()
            go_on.wait(60)

    course.server.hook = hook
    process = course.start()
    assert reached.wait(60)
    course.server.hook = lambda *_: None
    course.write("The second of two.")
    holds(course.publish(expected=2), f"error: ann is publishing to {DESTINATION} now")
    # In the meantime, the first one renews its claim.
    states = lambda: sum(method == "PUT" and key.endswith("state.json") for method, key, _ in course.server.log)
    before = states()
    wait_until(lambda: states() > before)
    go_on.set()
    finish(process)
    course.check(site, old=True)
    # Both read the same state, and then one of them is the first to write it.
    both, met = threading.Barrier(2, timeout=60), threading.Event()

    def meet(method, key, _number):
        if method == "PUT" and key.endswith("state.json") and not met.is_set():
            both.wait()
            met.set()

    course.server.hook = meet
    course.write("At the same moment.")
    processes = [course.start(), course.start()]
    results = [(process.communicate(timeout=120)[1], process.returncode) for process in processes]
    assert sorted(code for _, code in results) == [0, 2], results
    holds("".join(text for text, _ in results), f"error: somebody else has begun to publish to {DESTINATION}")
    course.check(course.built(), old=True)


def wait_until(condition):
    for _ in range(600):
        if condition():
            return
        time.sleep(0.1)
    raise AssertionError("nothing happened in a minute")


def rollback(course):
    """An earlier generation comes back without an upload, until it is too old."""
    sites = []
    for text in ["One.", "Two.", "Three."]:
        course.write(text)
        (course.root / "static").mkdir(exist_ok=True)
        (course.root / "static" / "custom.css").write_text(f"/*! {text} */ main {{ order: {len(sites)} }}\n")
        course.publish()
        sites.append(course.built())
    course.changes()
    holds(course.publish("--rollback=1"), f"brought back generation 1 as generation 4 at {DESTINATION}: ")
    assert not any("/objects/" in key for method, key in course.changes() if method == "PUT")
    course.check(sites[0], old=True)
    holds(course.publish("--rollback=3", "--dry-run"), f"would bring back generation 3 as generation 5 at {DESTINATION}: ")
    course.publish("--rollback=3")
    course.check(sites[2], old=True)
    holds(course.publish("--rollback"), "brought back generation 2 as generation 6 at ")
    course.check(sites[1], old=True)
    holds(course.publish("--rollback=9", expected=2), f"error: {DESTINATION} does not have generation 9\nhelp: kept there: 1 (")
    holds(course.publish("--keep-days", "0"), "; deleted 6 earlier generations")
    course.check(sites[2])
    holds(course.publish("--rollback", expected=2), "no earlier generation is kept there")


def deletions(course):
    """More deletions than allowed are refused."""
    static = course.root / "static"
    static.mkdir(exist_ok=True)
    for number in range(3):
        (static / f"picture {number} ~ä#.svg").write_text(f"<svg><!-- {number} --></svg>")
    course.publish()
    course.check(course.built())
    shutil.rmtree(static)
    text = course.publish("--max-deletes", "2", expected=2)
    holds(text, f"error: 3 files would be deleted from {DESTINATION}, and the limit is 2")
    course.publish()
    course.check(course.built())


def refusals(course):
    """Wrong credentials, a wrong clock, no rights, no bucket, no server, files of others: the reason is named."""
    holds(course.publish(expected=2, key="NOBODY"), "the access key is not known there", "`AWS_ACCESS_KEY_ID`")
    holds(course.publish(expected=2, secret="wrong"), "the secret key does not fit the access key")
    holds(course.publish(expected=2, key="READER"), "cannot write `.infralens/state.json`", "do not allow it")
    course.server.skew = 3600
    holds(course.publish(expected=2), "the clock of this machine is wrong\nhelp: set the clock")
    course.server.skew = 0
    text = course.publish(expected=2, destination="s3://nowhere/x")
    holds(text, "error: cannot list what is there in s3://nowhere/x: the bucket does not exist")
    holds(course.publish(expected=2, destination="ftp://x"), "`ftp://x` is not a destination: its scheme is not known")
    environment = course.server.environment
    course.server.environment = lambda *given: environment(*given) | {"AWS_ENDPOINT": "http://127.0.0.1:9"}
    holds(course.publish(expected=2), f"error: cannot read `.infralens/state.json` in {DESTINATION}: ", "refused")
    plain = {"AWS_ALLOW_HTTP": "false"}
    course.server.environment = lambda *given: environment(*given) | plain
    holds(course.publish(expected=2), "the address of the store is not encrypted\nhelp: ", "`AWS_ALLOW_HTTP=true`")
    none = {"SSL_CERT_FILE": os.devnull, "SSL_CERT_DIR": "/nowhere"}
    course.server.environment = lambda *given: environment(*given) | none
    holds(course.publish(expected=2), "No CA certificates", "help: install the package `ca-certificates`")
    course.server.environment = environment
    course.server.request("PUT", f"/{course.bucket}/{FOLDER}index.html", b"theirs")
    text = course.publish(expected=2)
    holds(text, f"error: {DESTINATION} has `index.html`, which InfraLens has not put there\n", "`--overwrite`")
    assert course.keys() == {"index.html"}
    course.publish("--overwrite")
    course.check(course.built())
    course.about.write_text("no front matter\n")
    course.changes()
    holds(course.publish(expected=1), f"nothing was published; {DESTINATION} is unchanged\n")
    assert course.changes() == []


def state_is_small(course):
    """The records are JSON, and name the files."""
    course.publish()
    state = json.loads(course.get(".infralens/state.json")[2])
    assert (state["complete"], state["latest"], "publisher" in state) == (1, 1, False), state
    manifest = json.loads(course.get(".infralens/sites/000001.json")[2])
    assert manifest["assets"].keys() | manifest["files"].keys() == course.built().keys()


TESTS = [signatures, first, order, dry_run, bucket_disappears, published_site_stays, told, killed, two_at_once, rollback,
         deletions, refusals, state_is_small]


def main():
    enter_environment()
    sys.path.insert(0, str(HERE))
    from proxy import Server
    if not PROGRAM.exists():
        sys.exit(f"{PROGRAM} is missing: run `cargo test --no-run --features publish`")
    server, failed, word = Server(), 0, sys.argv[1] if len(sys.argv) > 1 else ""
    for test in [test for test in TESTS if word in test.__name__]:
        with tempfile.TemporaryDirectory() as folder:
            try:
                test(Course(server, folder))
                print(f"ok   {test.__name__}")
            except Exception as error:
                failed += 1
                print(f"FAIL {test.__name__}: {type(error).__name__}: {error}")
    server.stop()
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
