"""Tests that practice sounds like an interview, and that readers predict before they see."""
import re

from course import CONTENT
from limits import LABS, part

TENS = "twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety"
SPELLED = rf"(?:eleven|twelve|thirteen|fourteen|fifteen|sixteen|seventeen|eighteen|nineteen|{TENS}|hundred|thousand|million)"
# A number of several words is one, and numbers from one to ten are not counted: "two passes" is no figure to remember.
FIGURE = rf"\b\d[\d,.]*|\b{SPELLED}(?:[ -](?:{SPELLED}|one|two|three|four|five|six|seven|eight|nine))*\b"
FORM = re.compile(r"(?m)^( *)<details>\n\1<summary>Predict: [^\n]*[^\s]</summary>\n\n(?:(?!\1<details>)[^\n]*\n)+?\1</details>\n")


def spoken():
    """A spoken explanation answers a question and has at most five figures from eleven on, or with a decimal point."""
    for file in LABS:
        section = part(file.read_text(encoding="utf-8"), "Interview explanation")
        question, _, answer = section.strip().partition("\n\n")
        assert re.fullmatch(r"\*\*[^*\n]+\?\*\*", question), f"{file.name} begins with {question[:60]!r}"
        figures = [figure for figure in re.findall(FIGURE, answer) if not re.fullmatch(r"10|\d", figure.strip(".,"))]
        assert len(figures) <= 5, f"{file.name}: {figures}"


def follow_ups():
    """Follow-up questions are cards: each lab has two, which end with a question mark and can be read alone."""
    for file in LABS:
        text = file.read_text(encoding="utf-8")
        blocks = [block for block in part(text, "Follow-up questions").strip().split("\n\n") if block]
        assert len(blocks) == 2, f"{file.name}: {len(blocks)} follow-up questions"
        for title in ("Check yourself", "Follow-up questions"):
            for block in part(text, title).strip().split("\n\n"):
                question, _, answer = block.partition("\n: ")
                assert answer and re.search(r"[?.]$", question), f"{file.name}: {question}"
                lost = re.match(r"(?i)(?:and|so|then|it|these|this|that)\b", question) or re.search(r"\b[Tt]h(?:is|e) (?:lab|page|sum|section|script)\b", question)
                assert not lost, f"{file.name}, without its lab: {question}"


def predictions():
    """An opening question and the result of each change are behind a reveal, in the form that the generator knows, and ask for a number."""
    for file in LABS:
        text = file.read_text(encoding="utf-8")
        found = len(FORM.findall(text))
        assert found == text.count("<details>") == text.count("Predict:"), f"{file.name}: {found} of {text.count('<details>')}"
        opening, changes = part(text, "Concept goal"), part(text, "Vary it")
        assert FORM.search(opening), f"{file.name} does not ask before it tells"
        tried = [change for change in re.findall(r"(?m)^\d+\. (.*)", changes) if not change.startswith("With a GPU")]
        assert len(FORM.findall(changes)) == len(tried) > 0, f"{file.name} tells what its changes do"
        for question in re.findall(r"<summary>Predict: (.*)</summary>", opening + changes):
            assert re.search(r"(?i)\bhow (?:many|much|long|large)\b|\bwhat (?:share|factor)\b", question), f"{file.name} asks for no number: {question}"
        assert "rite down" not in part(text, "Concept goal"), f"{file.name} asks for a guess without a reveal"


def ways():
    """Each way through the track holds what its labs require, and the two weeks before an interview name every lab."""
    front = (CONTENT / "tracks/ai-infra/index.md").read_text(encoding="utf-8")
    needs = {}
    for file in LABS:
        found = re.search(r"(?m)^after: \[(.*)\]$", file.read_text(encoding="utf-8"))
        needs[file.stem] = set(found[1].split(", ")) if found else set()
    for way, labs in re.findall(r"(?m)^  ([^:\n]+): \[(lab-[^\]]*)\]$", front):
        held = labs.split(", ")
        missing = {need for lab in held for need in needs[lab]} - set(held)
        assert not missing, f"{way} lacks {sorted(missing)}"
        assert held == sorted(held), f"{way} is not in reading order"
    plan = part(front, "Two weeks before an interview")
    assert {number for number in re.findall(r"\d\d", " ".join(re.findall(r"[Ll]abs? \d\d(?: and \d\d)?", plan)))} \
        == {f"{number:02}" for number in range(1, 13)}, plan


CHECKS = [ways, spoken, follow_ups, predictions]
