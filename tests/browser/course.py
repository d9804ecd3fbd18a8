"""A course of bad inputs: whatever a course may hold that a page could overflow on, or cut off."""


def write(root):
    """Writes the course into a folder."""
    for path, text in files().items():
        place = root / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text)


def files():
    return {
        "content/site.yaml": "title: Hard\ntracks: [t]\nlabs: { sections: [{ title: Code }] }\n",
        "content/index.md": "---\ntitle: Home\n---\nThe first page.\n",
        "content/tracks/t/index.md": "---\ntitle: T\nsummary: s\n---\nA track.\n",
        "content/tracks/t/handbook/01-section.md": "---\ntitle: Section\nsummary: s\n---\nA section.\n",
    }
