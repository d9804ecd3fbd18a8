"""A server of S3 for the tests: moto, behind a proxy that checks each signature, keeps a log, and can fail on purpose."""

import datetime
import email.utils
import http.client
import http.server
import logging
import threading

from moto.server import ThreadedMotoServer

import sigv4

KEYS = {"TESTKEY": "the secret of the tests", "READER": "the secret of one who only reads"}
BUCKET = "courses"
UNCHECKED = "AWS4-HMAC-SHA256 Credential=TESTKEY/20260101/us-east-1/s3/aws4_request, SignedHeaders=host, Signature=x"


class Server:
    """Moto and the proxy."""

    def __init__(self):
        logging.getLogger("werkzeug").setLevel(logging.ERROR)
        self.moto = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
        self.moto.start()
        self.log = []
        # Called with the method, the key and the number of the request; may return (status, S3's code), or wait.
        self.hook = lambda method, key, number: None
        self.skew = 0
        self.ahead = {}
        self.lock = threading.Lock()
        server = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def handle_one(self):
                server.handle(self)

            do_GET = do_HEAD = do_PUT = do_POST = do_DELETE = handle_one

            def log_message(self, *_):
                pass

        self.http = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.http.daemon_threads = True
        threading.Thread(target=self.http.serve_forever, daemon=True).start()
        self.address = f"http://127.0.0.1:{self.http.server_port}"

    def stop(self):
        self.http.shutdown()
        self.moto.stop()

    def environment(self, key="TESTKEY", secret=None):
        return {
            "AWS_ENDPOINT": self.address,
            "AWS_ALLOW_HTTP": "true",
            "AWS_ACCESS_KEY_ID": key,
            "AWS_SECRET_ACCESS_KEY": secret or KEYS.get(key, "x"),
            "USER": "ann",
        }

    def request(self, method, target, body=None, headers=None):
        """Asks moto itself, which does not check the signature. Returns the status, the headers and the body."""
        host, port = self.moto.get_host_and_port()
        connection = http.client.HTTPConnection(host, port, timeout=60)
        connection.request(method, target, body=body, headers=headers or {"authorization": UNCHECKED})
        answer = connection.getresponse()
        result = answer.status, {name.lower(): value for name, value in answer.getheaders()}, answer.read()
        connection.close()
        return result

    def handle(self, handler):
        body = handler.rfile.read(int(handler.headers.get("content-length") or 0))
        headers = {name.lower(): value for name, value in handler.headers.items()}
        method, target = handler.command, handler.path
        key = target.partition("?")[0].removeprefix(f"/{BUCKET}").removeprefix("/")
        with self.lock:
            number = len(self.log)
            kind = "COPY" if "x-amz-copy-source" in headers else method
            self.log.append((kind, key, headers))
        refused = self.refuse(method, target, headers, body) or self.hook(kind, key, number)
        if refused:
            status, code = refused
            answer = f"<Error><Code>{code}</Code><Message>About {code}</Message></Error>".encode()
            result = status, {"content-type": "application/xml"}, answer
        else:
            forward = {name: value for name, value in headers.items() if name not in ("connection", "content-length")}
            result = self.request(method, target, body, forward)
        status, found, answer = result
        if key in self.ahead and "last-modified" in found:
            time = email.utils.parsedate_to_datetime(found["last-modified"]) + datetime.timedelta(seconds=self.ahead[key])
            found["last-modified"] = email.utils.format_datetime(time, usegmt=True)
        try:
            handler.send_response(status)
            for name, value in found.items():
                if name not in ("connection", "content-length", "date", "server", "transfer-encoding"):
                    handler.send_header(name, value)
            length = found.get("content-length", "0") if method == "HEAD" else str(len(answer))
            handler.send_header("content-length", length)
            handler.end_headers()
            if method != "HEAD":
                handler.wfile.write(answer)
        except OSError:
            handler.close_connection = True  # The program was killed while it waited.

    def refuse(self, method, target, headers, body):
        """What S3 refuses: a wrong clock, a wrong signature, a key without the right to write."""
        fault = sigv4.fault(method, target, headers, body, KEYS)
        if fault:
            return 403, fault
        form = "%Y%m%dT%H%M%S%z"
        sent = datetime.datetime.strptime(headers["x-amz-date"].replace("Z", "+0000"), form).timestamp()
        if abs(sent - datetime.datetime.now().timestamp() - self.skew) > 900:
            return 403, "RequestTimeTooSkewed"
        if "READER" in headers["authorization"] and method not in ("GET", "HEAD"):
            return 403, "AccessDenied"
        return None
