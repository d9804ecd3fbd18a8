"""How pages use their room: no holes beside code, notes near their lines, lines of prose that can be read, drawings that
can be read on a phone."""

import base64
import json

WIDE = (1440, 900)
# A blank run of rows counts from this height on, and a page may have at most this share of such rows.
RUN, SHARE = 120, 0.05

# The heights of the blank runs in a picture: rows that have the color of the page's ground alone.
RUNS = """(async (data, ground) => {
  const picture = await createImageBitmap(await (await fetch(data)).blob());
  const canvas = new OffscreenCanvas(picture.width, picture.height);
  const context = canvas.getContext("2d", { willReadFrequently: true });
  context.drawImage(picture, 0, 0);
  const runs = [];
  let run = 0;
  for (let row = 0; row < picture.height; row += 1) {
    const { data: pixels } = context.getImageData(0, row, picture.width, 1);
    const blank = pixels.every((value, at) => at % 4 === 3 || Math.abs(value - ground[at % 4]) < 3);
    if (blank) run += 1;
    else { runs.push(run); run = 0; }
  }
  return [...runs, run].filter((run) => run > 0);
})"""
# The column of prose and code, and the page's ground.
COLUMN = """(() => {
  const [, last] = [1, document.querySelector("main")], style = getComputedStyle(last);
  const { x, y, height } = last.getBoundingClientRect();
  const width = parseFloat(style.gridTemplateColumns);
  return { clip: { x: x + parseFloat(style.paddingLeft), y: y + scrollY, width, height, scale: 1 }, whole: document.documentElement.scrollHeight,
           ground: getComputedStyle(document.documentElement).backgroundColor.match(/\\d+/g).map(Number) };
})()"""


def blank(page, easel):
    """The share of a page's height that is blank in its column of code, and the heights of the blank runs."""
    column = page.run(COLUMN)
    shot = page.send("Page.captureScreenshot", {"format": "png", "clip": column["clip"], "captureBeyondViewport": True}, timeout=60)
    call = f"{RUNS}('data:image/png;base64,{shot['data']}', {json.dumps(column['ground'])})"
    runs = [run for run in easel.run(call) if run > RUN]
    return sum(runs) / column["whole"], sum(run - RUN for run in runs) / column["whole"], runs, column["whole"]
