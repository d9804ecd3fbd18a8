"""Every page's HTML before the Nu HTML checker, whose warnings count as errors do. It is given the pages as they are
served, so that it knows what a policy's 'self' is."""

import json
import re
import subprocess

from context import HERE

JAR = HERE / "node_modules/vnu-jar/build/dist/vnu.jar"
# What the checker says of pages that are right, and why they are.
EXCEPTIONS = [
    # Global attributes of MathML Core, https://www.w3.org/TR/mathml-core/#global-attributes, with
    # #dfn-displaystyle and #dfn-scriptlevel: every element of MathML may have them. The checker has the lists of MathML 3.
    r"Attribute “(displaystyle|scriptlevel)” not allowed on element “m\w+”",
    # The guide shows the message about such a file name.
    r"Text run is not in Unicode Normalization Form C\.",
    # A data block: it runs nothing, and no policy blocks it; the checker takes each `script` for one that runs.
    r"Inline script violates Content Security Policy .* <script type=\"application/ld\+json\">",
    # A guess at the language by the letters in use; the bad course mixes four.
    r"This document appears to be written in",
]


def run(context):
    for site in (context.own, context.hard):
        with context.part(f"{site.name} course"):
            check(context, site, context.wanted(site.pages))


def check(context, site, pages):
    java = ["java", "-Xss8m", "-Dnu.validator.servlet.allow-forbidden-hosts=true", "-jar", JAR]
    command = [*java, "--format", "json", "--stdout", "--exit-zero-always", *map(site.http, pages)]
    done = subprocess.run(command, capture_output=True, text=True)
    said = json.loads(done.stdout or "{}").get("messages")
    if not context.check(said is not None, f"the checker gives no answer: {done.stderr[-400:]}"):
        return
    context.checks += len(pages)
    for entry in said:
        extract = " ".join(entry.get("extract", "").split())
        if any(re.match(pattern, f"{entry['message']} {extract}") for pattern in EXCEPTIONS):
            continue
        path = entry.get("url", "").removeprefix(site.root)
        context.fail(f"{entry.get('subType', entry['type'])}: {entry['message']}", f"{path}:{entry.get('lastLine', 0)} {extract[:160]}")
