"""A port in front of /mcp that adds the agents' token, for programs that cannot send one.

Its own Host and Origin become the product's; foreign ones are passed on as they are, so that the product judges them.
"""

import contextlib
import http.client
import http.server
import threading
import urllib.parse

HOP_BY_HOP = {"connection", "keep-alive", "transfer-encoding", "content-length", "te", "upgrade"}


@contextlib.contextmanager
def port(base, token):
    """Yields the URL of /mcp on the port, until the block ends."""
    product = urllib.parse.urlsplit(base)

    class Handler(http.server.BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def _pass_on(self):
            body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
            headers = {name: self._ours(value) for name, value in self.headers.items() if name.lower() not in HOP_BY_HOP}
            headers["Authorization"] = f"Bearer {token}"
            connection = http.client.HTTPConnection(product.hostname, product.port, timeout=60)
            connection.request(self.command, self.path, body or None, headers)
            answer = connection.getresponse()
            content = answer.read()
            self.send_response(answer.status)
            for name, value in answer.getheaders():
                if name.lower() not in HOP_BY_HOP | {"date", "server"}:
                    self.send_header(name, value)
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)
            connection.close()

        def _ours(self, value):
            """The product's own authority in place of this port's."""
            own = self.server.server_port
            for name in ("127.0.0.1", "localhost"):
                if value.removeprefix("http://") == f"{name}:{own}":
                    return value.replace(f"{name}:{own}", f"{name}:{product.port}")
            return value

        do_GET = do_POST = do_DELETE = do_OPTIONS = do_PUT = _pass_on

        def log_message(self, *_):
            pass

    class Server(http.server.ThreadingHTTPServer):
        def handle_error(self, *_):
            pass  # a client that hangs up, or a product that ended, which its own checks tell

    server = Server(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://localhost:{server.server_port}/mcp"
    finally:
        server.shutdown()
        server.server_close()
