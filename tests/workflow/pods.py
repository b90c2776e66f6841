"""A made-up Kubernetes: it takes jobs as the real one's address does, and runs each command in an empty folder.

It knows the handful of requests that Snakemake's executor makes. It is no proof that a real cluster takes the jobs; it
shows what they ask for, and that their commands do the work with nothing but an image and a storage.
"""

from __future__ import annotations

import base64
import http.server
import json
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import yaml


class Cluster:
    """What the made-up cluster was asked for, and how the jobs ended.

    Args:
        folder: where pods get their folders.
        path: ``PATH`` of the image.
    """

    def __init__(self, folder: Path, path: str) -> None:
        self.folder, self.path = folder, path
        self.jobs: dict[str, dict[str, Any]] = {}
        self.status: dict[str, dict[str, int]] = {}
        self.secrets: dict[str, dict[str, str]] = {}

    def taken(self, job: dict[str, Any]) -> None:
        """Run a job's container in the background."""
        name = job["metadata"]["name"]
        self.jobs[name], self.status[name] = job, {"active": 1}
        threading.Thread(target=self._run, args=(name,), daemon=True).start()

    def container(self, name: str) -> dict[str, Any]:
        """The container of a job."""
        (found,) = self.jobs[name]["spec"]["template"]["spec"]["containers"]
        return found

    def _run(self, name: str) -> None:
        """Run the command in an empty folder with the environment that the job declares, and nothing else."""
        container, place = self.container(name), self.folder / name
        place.mkdir(parents=True)
        environment = {"PATH": self.path, "HOME": str(place), "OMP_NUM_THREADS": "1"}
        for one in container.get("env") or []:
            reference = one["valueFrom"]["secretKeyRef"]
            environment[one["name"]] = self.secrets[reference["name"]][reference["key"]]
        words = [*container["command"], *container["args"]]
        with (self.folder / f"{name}.out").open("w") as out:
            done = subprocess.run(words, cwd=place, env=environment, stdout=out, stderr=out, check=False)
        self.status[name] = {"succeeded": 1} if done.returncode == 0 else {"failed": 1}

    def said(self) -> str:
        """What the pods printed."""
        return "\n".join(path.read_text(encoding="utf-8")[-3000:] for path in sorted(self.folder.glob("*.out")))


def handler(cluster: Cluster) -> type[http.server.BaseHTTPRequestHandler]:
    """Return what answers requests for a cluster."""

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            if self.path.endswith("/secrets"):
                told = {key: base64.b64decode(value).decode() for key, value in (body.get("data") or {}).items()}
                cluster.secrets[body["metadata"]["name"]] = told
            elif self.path.endswith("/jobs"):
                cluster.taken(body)
            self.answer(body)

        def do_GET(self) -> None:
            parts = self.path.split("?")[0].split("/")
            if parts[-1] == "status":
                name = parts[-2]
                self.answer({**cluster.jobs[name], "status": cluster.status[name]})
            else:
                self.answer({"kind": "PodList", "apiVersion": "v1", "metadata": {}, "items": []})

        def do_DELETE(self) -> None:
            self.rfile.read(int(self.headers.get("Content-Length", 0)))
            self.answer({"kind": "Status", "apiVersion": "v1", "status": "Success"})

        def answer(self, body: dict[str, Any]) -> None:
            text = json.dumps(body).encode()
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(text)))
            self.end_headers()
            self.wfile.write(text)

        def log_message(self, *words: object) -> None:
            pass

    return Handler


def image_path(folder: Path) -> str:
    """Return the ``PATH`` of an image: this Python, and a pip that finds everything there already (no network)."""
    folder.mkdir()
    for name, text in (("python", f'exec "{sys.executable}" "$@"'), ("pip", "exit 0")):
        (folder / name).write_text(f"#!/bin/sh\n{text}\n", encoding="utf-8")
        (folder / name).chmod(0o755)
    return os.pathsep.join([str(folder), str(Path(sys.executable).parent), os.defpath])


@contextmanager
def kubernetes(folder: Path, monkeypatch: Any) -> Iterator[Cluster]:
    """Serve a made-up Kubernetes on this machine and name it in ``KUBECONFIG``."""
    folder.mkdir()
    cluster = Cluster(folder / "pods", image_path(folder / "image"))
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler(cluster))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    known = {
        "apiVersion": "v1",
        "kind": "Config",
        "current-context": "here",
        "clusters": [{"name": "here", "cluster": {"server": f"http://127.0.0.1:{server.server_port}"}}],
        "users": [{"name": "me", "user": {}}],
        "contexts": [{"name": "here", "context": {"cluster": "here", "user": "me"}}],
    }
    (folder / "kubeconfig").write_text(yaml.safe_dump(known), encoding="utf-8")
    monkeypatch.setenv("KUBECONFIG", str(folder / "kubeconfig"))
    try:
        yield cluster
    finally:
        server.shutdown()
        server.server_close()
