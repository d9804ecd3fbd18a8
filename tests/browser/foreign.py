"""A page of another origin that tries to read a site."""

import contextlib
import http.server
import threading

# Defines what the site's scripts call. `window.got` is what it learns from them.
PAGE = """<!doctype html>
<title>Foreign</title>
<script>
  window.got = [];
  window.infralens = {{ take: (name, data) => got.push(data), orders: new Proxy({{}}, {{ set: (_, name, data) => got.push(data) }}) }};
  window.left = {count};
</script>
{scripts}
<iframe src="{frame}"></iframe>
"""


@contextlib.contextmanager
def page(scripts, frame):
    """Serves a page that loads the scripts and shows another page in a frame; yields its address."""
    nodes = "".join(f"<script src='{url}' onload='left--' onerror='left--'></script>\n" for url in scripts)
    text = PAGE.format(count=len(scripts), scripts=nodes, frame=frame).encode()

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            self.send_response(200)
            self.send_header("Content-Type", "text/html; charset=utf-8")
            self.end_headers()
            self.wfile.write(text if self.path == "/" else b"")

        def log_message(self, *_):
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/"
    finally:
        server.shutdown()
        server.server_close()
