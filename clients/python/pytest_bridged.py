"""pytest's plugin of bridged: the fixtures `bridged_app` and `bridged_browser`, and the trace of a test that has failed.

    def test_registers_for_push(bridged_app):
        bridged_app.open("/demo/")
        bridged_app.tap("#register-push-token")
        assert bridged_app.next_message("RegisterPushToken")["verdict"]["outcome"] == "handled"

One daemon, and one browser, serves all tests of a run; each begins with a fresh app. The settings are those of
`bridged.yml`; override the fixture `bridged_settings` for others.
"""
from __future__ import annotations

import contextlib
import functools
import json
import os
import pathlib
import re
from collections.abc import Iterator
from typing import Any

import bridged
import pytest

_REPORTS = pytest.StashKey[dict]()


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("bridged")
    group.addoption("--bridged-engine", action="append", metavar="ENGINE",
                    help="chromium (default), firefox or webkit; with +tag for pages with the script tag; several run each test in each")
    group.addoption("--bridged-framework", metavar="FRAMEWORK", help="the app's framework, such as android or ios@1.2")
    group.addoption("--bridged-traces", metavar="FOLDER", default=os.environ.get("BRIDGED_TRACES", "bridged-traces"),
                    help="the folder for the traces of failed tests, or off (default: bridged-traces)")


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    engines = metafunc.config.getoption("--bridged-engine") or []
    if "bridged_browser" in metafunc.fixturenames and len(engines) > 1:
        metafunc.parametrize("bridged_browser", engines, scope="session")


@pytest.fixture(scope="session")
def bridged_browser(request: pytest.FixtureRequest) -> str:
    """The name of the engine. (unittest's classes run in the first of several, because pytest cannot repeat their tests.)"""
    return (request.config.getoption("--bridged-engine") or ["chromium"])[0]


@pytest.fixture(scope="session")
def bridged_settings() -> dict[str, Any]:
    """The options of `bridged serve`, as in {"root_url": "http://localhost:3000"}."""
    return {}


@pytest.fixture(scope="session")
def bridged_daemon(bridged_browser: str, bridged_settings: dict[str, Any], request: pytest.FixtureRequest) -> Iterator[bridged.Client]:
    """The daemon of all tests in one engine."""
    framework = request.config.getoption("--bridged-framework")
    settings = {**bridged_settings, **({"framework": framework} if framework else {})}
    with bridged.start(**settings) as app:
        app.open = functools.partial(app.open, browser=bridged_browser)
        yield app


@pytest.fixture
def bridged_app(bridged_daemon: bridged.Client, request: pytest.FixtureRequest) -> Iterator[bridged.Client]:
    """The daemon, with a fresh app: no stubs, stacks, cookies or traffic of another test."""
    bridged_daemon.reset()
    yield bridged_daemon
    reports = request.node.stash.get(_REPORTS, {})
    folder = request.config.getoption("--bridged-traces")
    if folder != "off" and any(report.failed for report in reports.values()):
        with contextlib.suppress(bridged.Error, OSError):  # A daemon that has ended must not hide why the test has failed.
            path = _path(pathlib.Path(folder), request.node.nodeid)
            path.parent.mkdir(parents=True, exist_ok=True)
            failed = next(report for report in reports.values() if report.failed)
            bridged_daemon.save_trace(path, request.node.nodeid, failed.longreprtext[-20_000:])


@pytest.hookimpl(hookwrapper=True)  # `wrapper` would need pytest 8, which Debian 12 does not have.
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo) -> Any:
    report = (yield).get_result()
    item.stash.setdefault(_REPORTS, {})[call.when] = report
    app = getattr(item, "funcargs", {}).get("bridged_app")
    if report.failed and call.when == "call" and app:
        with contextlib.suppress(bridged.Error):
            folder = item.config.getoption("--bridged-traces")
            latest = [json.dumps(record, ensure_ascii=False)[:300] for record in app.traffic()[-10:]]
            trace = [] if folder == "off" else [f"trace: {_path(pathlib.Path(folder), item.nodeid)}"]
            report.sections.append(("bridged: the latest traffic", "\n".join(latest + trace)))


def _path(folder: pathlib.Path, test: str) -> pathlib.Path:
    return folder / (re.sub(r"[^\w.\-\[\]]+", "-", test) + ".html")
