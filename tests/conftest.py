"""What all tests share: quiet threads, an order, and skips that count as failures where everything must run."""

from __future__ import annotations

import os
import signal
import tarfile
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

import sharing
import watchdog

# Examples have no time limit: on a busy machine each of them may take long.
settings.register_profile("busy", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("busy")

for name in ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS", "NUMBA_NUM_THREADS"):
    os.environ.setdefault(name, "1")

# A script that starts pytest in the background leaves Ctrl-C ignored, and all that tests start would inherit that.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

ROOT = Path(__file__).resolve().parents[1]
LEAN = str(ROOT / "tests" / "lean")  # see users_plugins.py there
_paths = os.environ.get("PYTHONPATH", "").split(os.pathsep)
if LEAN not in _paths:
    os.environ["PYTHONPATH"] = os.pathsep.join([LEAN, *filter(None, _paths)])
MUST_RUN = os.environ.get("CI", "").lower() in ("1", "true")


def pytest_configure(config: pytest.Config) -> None:
    """Whatever the tests start ends with them; processes that share the tests are children of one that is watched."""
    if not hasattr(config, "workerinput"):
        watchdog.start()


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers() -> int | None:
    """``-n auto``, unless the environment says a number."""
    return None if os.environ.get("PYTEST_XDIST_AUTO_NUM_WORKERS") else sharing.workers()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    items[:] = sharing.in_order(items)


@pytest.fixture(scope="session")
def root() -> Path:
    """The checkout."""
    return ROOT


@pytest.fixture(scope="module")
def finished_runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of its own with the finished runs of ``tests/data/finished``, one a measure."""
    folder = tmp_path_factory.mktemp("finished")
    with tarfile.open(ROOT / "tests" / "data" / "finished" / "version-1.tar.xz") as kept:
        kept.extractall(folder, filter="data")
    return folder


@pytest.fixture(scope="session")
def data_root() -> Path:
    """Folder with the real image data sets."""
    place = os.environ.get("AIQ_DATA_ROOT")
    if not place:
        pytest.skip("needs real image data: set AIQ_DATA_ROOT to a folder with MNIST/raw and FashionMNIST/raw")
    return Path(place)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[None]):
    """In CI a skip is a failure: what a laptop may lack, CI has to bring."""
    report = yield
    return report if hasattr(report, "wasxfail") else run_in_ci(report)


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report(collector: pytest.Collector):
    """A file that is skipped as a whole counts as a skip too."""
    report = yield
    return run_in_ci(report)


def run_in_ci(report: pytest.TestReport | pytest.CollectReport):
    """Return a report, a skip as a failure where everything must run."""
    if MUST_RUN and report.skipped:
        reason = report.longrepr[2] if isinstance(report.longrepr, tuple) else str(report.longrepr)
        report.outcome = "failed"
        report.longrepr = f"skipped in CI, where everything must run: {reason}"
    return report
