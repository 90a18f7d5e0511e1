"""Starts the product for one suite: `python3 product.py COMMAND…`.

The product runs on 127.0.0.1 on free ports, with a new world in a temporary folder that is removed at the end; COMMAND
runs beside it and finds it through its environment:

    BASE_URL, PEOPLE_TOKEN, AGENTS_TOKEN      the product and its two tokens
    ACCOUNT_URL                               the simulated account
    AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY  the account's root credentials
    AWS_DEFAULT_REGION, AWS_ENDPOINT_URL      so that AWS's own clients go to the account

PRODUCT_SPEED (default 600) divides AWS's durations. What the product says on standard error is shown when COMMAND fails.
The product is the debug build, where cargo puts it. Only Python's standard library is used, so that every suite can start
with it.
"""

import contextlib
import json
import os
import pathlib
import queue
import re
import signal
import socket
import subprocess
import sys
import tempfile
import threading

REPOSITORY = pathlib.Path(__file__).resolve().parents[2]
REGION = "us-west-2"
# A cluster each; the suites make fewer.
KUBERNETES_PORTS = 12
# A debug build on a busy machine.
PATIENCE = 240


def binary():
    """The built product, where cargo puts it."""
    target = pathlib.Path(os.environ.get("CARGO_TARGET_DIR", REPOSITORY / "target"))
    return pathlib.Path(os.environ.get("PRODUCT_BINARY", target / "debug" / "gateway"))


def is_free(port):
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", port))
        except OSError:
            return False
    return True


def free_ports():
    """The first of a row of free ports: the product's, the account's, and Kubernetes' from there on."""
    row = KUBERNETES_PORTS + 2
    for first in range(4199, 9000, row):
        if all(is_free(port) for port in range(first, first + row)):
            return first
    raise RuntimeError("there is no row of free ports")


class Product:
    """The running product; ends with the `with` block. It goes on with the world that one before it kept in the folder
    `kept`, or begins a new one."""

    def __init__(self, kept=None):
        self.kept = kept
        self.folder = tempfile.TemporaryDirectory(prefix="instantstart-")
        self.noise = open(os.path.join(self.folder.name, "stderr"), "w+", encoding="utf-8")

    def __enter__(self):
        first = free_ports()
        command = [
            str(binary()), *([] if self.kept else ["--fresh"]),
            "--state", os.path.join(self.kept or self.folder.name, "state"),
            "--speed", os.environ.get("PRODUCT_SPEED", "600"), "--console", str(REPOSITORY / "web" / "dist"),
            "--port", str(first), "--account-port", str(first + 1),
            "--kubernetes-port", str(first + 2),
        ]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=self.noise, text=True)
        lines = queue.Queue()
        threading.Thread(target=self._read, args=(lines,), daemon=True).start()
        said = ""
        while "Ctrl-C" not in said:
            try:
                line = lines.get(timeout=PATIENCE)
            except queue.Empty:
                line = None
            if line is None:
                self.__exit__()
                raise RuntimeError(f"the product did not start: {said}")
            said += line
        self.environment = self._environment(said, first)
        return self

    def _read(self, lines):
        for line in self.process.stdout:
            lines.put(line)
        lines.put(None)

    @staticmethod
    def _environment(said, first):
        configuration = json.loads(re.search(r"^MCP client\s+(.*)$", said, re.M)[1])
        (server,) = configuration["mcpServers"].values()
        return {
            "BASE_URL": f"http://127.0.0.1:{first}",
            "PEOPLE_TOKEN": re.search(r"#token=(\w+)", said)[1],
            "AGENTS_TOKEN": server["headers"]["Authorization"].removeprefix("Bearer "),
            "ACCOUNT_URL": f"http://127.0.0.1:{first + 1}",
            "AWS_ENDPOINT_URL": f"http://127.0.0.1:{first + 1}",
            "AWS_ACCESS_KEY_ID": re.search(r"AWS_ACCESS_KEY_ID=(\S+)", said)[1],
            "AWS_SECRET_ACCESS_KEY": re.search(r"AWS_SECRET_ACCESS_KEY=(\S+)", said)[1],
            "AWS_DEFAULT_REGION": REGION,
            "AWS_EC2_METADATA_DISABLED": "true",
        }

    def errors(self):
        self.noise.seek(0)
        return self.noise.read()

    def kill(self):
        """Ends it as a power cut would: nothing is put in order before."""
        self.process.kill()
        self.process.wait()

    def __exit__(self, *_):
        self.process.send_signal(signal.SIGINT)
        try:
            self.process.wait(timeout=20)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self.noise.close()
        self.folder.cleanup()


def together(command, environment):
    """Runs COMMAND as a group of processes, all of which end with it; answers its exit status."""
    child = subprocess.Popen(command, env=environment, start_new_session=True)
    try:
        return child.wait()
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(child.pid, signal.SIGKILL)
        child.wait()


def main(command):
    # Whoever ends this ends the product with it.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))
    with Product() as product:
        ended = together(command, {**os.environ, **product.environment})
        stopped = product.process.poll()
        if ended or stopped is not None:
            print(f"the product's standard error ({'running' if stopped is None else f'ended with {stopped}'}):")
            print(product.errors()[-4000:])
    return ended or int(stopped is not None)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
