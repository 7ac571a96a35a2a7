"""pytest's plugin of bridged: the fixtures `bridged_app` and `bridged_browser`, and the trace of a test that has failed.

    def test_registers_for_push(bridged_app):
        bridged_app.open("/demo/")
        bridged_app.tap("#register-push-token")
        assert bridged_app.next_message("RegisterPushToken")["verdict"]["outcome"] == "handled"

One daemon, and one browser, serves all tests of a run that have the same settings; each begins with a fresh app. The settings
are those of `bridged.yml`; override the fixture `bridged_settings` for others, in a module or a folder.
"""
from __future__ import annotations

import functools
import hashlib
import json
import os
import pathlib
import re
import warnings
from collections.abc import Iterator
from typing import Any

import bridged
import pytest

# pytest before 7 has no stash. It loads this plugin too, if the wheel is installed, and other tests must run in spite of that.
_APP = pytest.StashKey["bridged.Client"]() if hasattr(pytest, "StashKey") else None


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
def bridged_daemons() -> Iterator[dict[tuple[str, str], bridged.Client]]:
    """The daemons of this run, by their engine and their settings.

    A fixture of this scope that took the settings itself would keep those of the first test."""
    daemons: dict[tuple[str, str], bridged.Client] = {}
    yield daemons
    for app in daemons.values():
        app.close()


@pytest.fixture
def bridged_app(bridged_browser: str, bridged_settings: dict[str, Any], bridged_daemons: dict[tuple[str, str], bridged.Client],
                request: pytest.FixtureRequest) -> Iterator[bridged.Client]:
    """The daemon for these settings, with a fresh app: no page, stubs, stacks, cookies or traffic of another test."""
    if _APP is None:
        raise bridged.Error(f"The fixtures of bridged need pytest 7 or later, and this is {pytest.__version__}. Install it: "
                            "pip install 'pytest>=7'")
    framework = request.config.getoption("--bridged-framework")
    settings = {**bridged_settings, **({"framework": framework} if framework else {})}
    key = (bridged_browser, json.dumps(settings, sort_keys=True, default=str))
    if key not in bridged_daemons:
        bridged_daemons[key] = bridged.start(**settings)
        bridged_daemons[key].open = functools.partial(bridged_daemons[key].open, browser=bridged_browser)
    app = bridged_daemons[key]
    try:
        _reset(app, warn=True)
        request.node.stash[_APP] = app
        yield app
        del request.node.stash[_APP]  # The item may run again.
        _reset(app)
    except bridged.Error:  # The next test gets a daemon that works.
        bridged_daemons.pop(key).close()
        raise


def _reset(app: bridged.Client, warn: bool = False) -> None:
    left = app.reset(close_browser=True)
    # A page that is not attached was in a browser that has ended.
    if warn and left and any(page["attached"] for page in app.call("pages.list")["pages"]):
        warnings.warn(f"This test may find what an earlier one has stored: {'; '.join(left)}", stacklevel=2)


@pytest.hookimpl(hookwrapper=True)  # `wrapper` would need pytest 8, which Debian 12 does not have.
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo) -> Any:
    report = (yield).get_result()
    # At the tear-down the fixtures have been torn down, and the page is gone.
    app = item.stash.get(_APP, None) if _APP and call.when != "teardown" else None
    if app and report.failed:
        report.sections.append(("bridged: the latest traffic", "\n".join([*_traffic(app), *_trace(app, item, report)])))


def _traffic(app: bridged.Client) -> list[str]:
    try:
        return [json.dumps(record, ensure_ascii=False)[:300] for record in app.traffic()[-10:]]
    except bridged.Error as error:  # A daemon that has ended must not hide why the test has failed.
        return [str(error)]


def _trace(app: bridged.Client, item: pytest.Item, report: pytest.TestReport) -> list[str]:
    """Writes the trace of a test, and returns the line that says where it is."""
    folder = item.config.getoption("--bridged-traces")
    if folder == "off":
        return []
    # A test may have changed the current folder.
    path = item.config.invocation_params.dir / folder / _file_name(item.nodeid)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        app.save_trace(path, item.nodeid, report.longreprtext[-20_000:])
    except (bridged.Error, OSError) as error:
        return [f"trace: {error}"]
    return [f"trace: {path}"]


def _file_name(test: str) -> str:
    """Returns a name for the trace of a test. It ends with a hash if another test could have the same name without it."""
    name = re.sub(r"[^\w.\-\[\]]+", "-", test).encode(errors="ignore")
    if len(name) <= 200 and re.fullmatch(r"[\w.\[\]/]+(::[\w.\[\]]+)*", test):
        return f"{name.decode()}.html"
    return f"{name[:200].decode(errors='ignore')}-{hashlib.sha256(test.encode(errors='replace')).hexdigest()[:8]}.html"
