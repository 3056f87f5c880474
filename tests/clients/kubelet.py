"""Runs the pods of a small Kubernetes API as containers of buildah, on the network of the host."""

import os
import signal
import subprocess
import threading
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

from clients.kubernetes_api import KubernetesApi, Object
from e2e.processes import found_by, kill

BUILDAH = ("buildah", "--storage-driver", "overlay")
ISOLATION = ("--isolation", "chroot")
ADDRESS = "127.0.0.1"
SECONDS = 120


class Kubelet:
    """Starts a container for each pod that the API gets, and tells the API what became of it."""

    def __init__(self, api: KubernetesApi, folder: Path) -> None:
        self._api = api
        self._folder = folder
        self._running: dict[str, subprocess.Popen[str]] = {}
        self._hosts = folder / "hosts"
        self._hosts.write_text(f"{ADDRESS} localhost\n")
        api.created, api.deleted = self._created, self._deleted

    def log(self, pod: str) -> Path:
        return self._folder / f"{pod}.log"

    def logs(self) -> str:
        """Return the end of what each pod printed."""
        return "\n".join(
            f"--- {one.name}\n{one.read_text()[-3000:]}" for one in self._folder.glob("*.log")
        )

    def kill(self, *words: str) -> None:
        """Kill the containers that run a command with all these words."""
        found = found_by(*words)
        assert found, f"no pod runs {words}"
        for pid in found:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)

    def stop(self) -> None:
        for child in list(self._running.values()):
            kill(child)

    def _created(self, kind: str, made: Object) -> None:
        name = made["metadata"]["name"]
        host = {"services": f"{name}.default.svc", "pods": name}.get(kind)
        if host:
            with self._hosts.open("a") as hosts:
                hosts.write(f"{ADDRESS} {host}\n")
        if kind == "pods":
            threading.Thread(target=self._run, args=(name, made), daemon=True).start()

    def _deleted(self, kind: str, gone: Object) -> None:
        child = self._running.get(gone["metadata"]["name"]) if kind == "pods" else None
        if child:
            kill(child)

    def _run(self, name: str, pod: Object) -> None:
        (container,) = pod["spec"]["containers"]
        mounts = self._mounts(name, pod["spec"], container)
        _buildah("from", "--name", name, container["image"])
        command = [*BUILDAH, "run", *ISOLATION, "--no-hosts", "--hostname", name, *mounts]
        command += [f"--env={key}={value}" for key, value in _environment(pod, container)]
        command += [name, "--", "/opt/entrypoint.sh", *container.get("args", ())]
        began = {"podIP": ADDRESS, "hostIP": ADDRESS, "startTime": _now()}
        with self.log(name).open("w") as log:
            child = subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                text=True,
                start_new_session=True,
            )
            self._running[name] = child
            self._api.status(name, {**began, **_status("Running", {"running": {}})})
            code = child.wait()
        ended = {"terminated": {"exitCode": code, "finishedAt": _now(), "startedAt": _now()}}
        self._api.status(name, {**began, **_status("Failed" if code else "Succeeded", ended)})
        del self._running[name]
        _buildah("rm", name)

    def _mounts(self, name: str, spec: Object, container: Object) -> list[str]:
        volumes = {one["name"]: one for one in spec.get("volumes", ())}
        mounts = [f"--volume={self._hosts}:/etc/hosts:ro"]
        for mount in container.get("volumeMounts", ()):
            volume = volumes[mount["name"]]
            if "configMap" not in volume and "emptyDir" not in volume:
                continue  # The service account's token, which nobody checks.
            place = self._folder / name / mount["name"]
            place.mkdir(parents=True)
            place.chmod(0o777)
            if "configMap" in volume:
                self._fill(place, volume["configMap"])
            mounts.append(f"--volume={place}:{mount['mountPath']}")
        return mounts

    def _fill(self, place: Path, wanted: Object) -> None:
        end = time.monotonic() + SECONDS
        while not (found := self._api.get("configmaps", wanted["name"])):
            assert time.monotonic() < end, f"the config map {wanted['name']} never came"
            time.sleep(0.1)
        items = wanted.get("items") or [{"key": key, "path": key} for key in found["data"]]
        for item in items:
            (place / item["path"]).write_text(found["data"][item["key"]])


def _environment(pod: Object, container: Object) -> list[tuple[str, str]]:
    known = {"status.podIP": ADDRESS, "metadata.name": pod["metadata"]["name"]}
    found: list[tuple[str, Any]] = []
    for one in container.get("env", ()):
        field = one.get("valueFrom", {}).get("fieldRef", {}).get("fieldPath")
        found.append((one["name"], known[field] if field else one.get("value", "")))
    return found


def _status(phase: str, state: Object) -> Object:
    container = {"name": "spark", "ready": phase == "Running", "restartCount": 0, "state": state}
    return {"phase": phase, "containerStatuses": [{**container, "image": "", "imageID": ""}]}


def _buildah(*words: str) -> None:
    subprocess.run([*BUILDAH, *words], check=True, capture_output=True, timeout=SECONDS)


def _now() -> str:
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
