"""Tests of what the wheel and the npm package add to the clients: pytest's fixtures, helpers for node:test, attach.

With the daemon of the debug build, or the one that BRIDGED names. What needs pytest, Playwright or Django is skipped where they
are not installed."""
import atexit, importlib.util, os, pathlib, re, shutil, subprocess, sys, tempfile, unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
os.environ.setdefault("BRIDGED", str(ROOT / ".build" / "debug" / "bridged"))
FOLDER = tempfile.TemporaryDirectory()
atexit.register(FOLDER.cleanup)
ENVIRONMENT = {
    **os.environ, "XDG_RUNTIME_DIR": FOLDER.name, "TMPDIR": FOLDER.name, "PYTHONPATH": str(ROOT / "clients" / "python"),
    "PYTHONDONTWRITEBYTECODE": "1", "DJANGO_ALLOW_ASYNC_UNSAFE": "1",
}


def needs(*modules):
    missing = [module for module in modules if not importlib.util.find_spec(module)]
    return unittest.skipIf(missing, f"There is no {', '.join(missing)}.")


def run(command, files):
    """Runs a command in a folder with these files, and returns its status, its output and the folder."""
    folder = pathlib.Path(tempfile.mkdtemp(dir=FOLDER.name))
    for name, text in files.items():
        (folder / name).write_text(text)
    ended = subprocess.run(command, cwd=folder, env=ENVIRONMENT, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    return ended.returncode, ended.stdout, folder


def run_pytest(text, *arguments, **modules):
    """Runs pytest with these tests, and with those of other modules."""
    command = [sys.executable, "-m", "pytest", *arguments, "-p", "pytest_bridged", "-p", "no:cacheprovider"]
    return run(command, {"test_it.py": text, **{f"{name}.py": module for name, module in modules.items()}})


class Pytest(unittest.TestCase):
    @needs("pytest")
    def test_each_test_has_a_fresh_app_and_a_failed_one_keeps_its_trace(self):
        status, output, folder = run_pytest("""
def test_registers_for_push(bridged_app, bridged_browser):
    bridged_app.open("/demo/")
    bridged_app.tap("#register-push-token")
    assert bridged_app.next_message("RegisterPushToken")["verdict"]["outcome"] == "handled"
    assert bridged_browser == "chromium"

def test_fails(bridged_app):
    assert bridged_app.traffic() == [] and bridged_app.state()["main"] == []
    bridged_app.open("/demo/")
    assert False
""", "--bridged-framework", "android")
        self.assertEqual(status, 1, output)
        self.assertIn("1 failed, 1 passed", output)
        self.assertIn("bridged-traces/test_it.py-test_fails.html", output)
        traces = folder / "bridged-traces"
        self.assertEqual(os.listdir(traces), ["test_it.py-test_fails.html"])
        trace = (traces / "test_it.py-test_fails.html").read_text()
        self.assertIn('"name":"ActionButton"', trace)
        self.assertIn('id="picture-0">iVBOR', trace)
        self.assertIn("assert False", trace)
        self.assertNotIn("RegisterPushToken", re.search('id="trace">(.*)', trace)[1])

    @needs("pytest")
    def test_several_engines_run_each_test_in_each(self):
        test = "def test_name(bridged_browser): pass"
        status, output, _ = run_pytest(test, "-v", "--bridged-engine", "chromium", "--bridged-engine", "firefox")
        self.assertEqual(status, 0, output)
        self.assertRegex(output, r"test_name\[chromium\] PASSED[^$]*test_name\[firefox\] PASSED")

    @needs("pytest")
    def test_each_module_has_a_daemon_with_its_settings(self):
        settings = """
import pytest

@pytest.fixture(scope="module")
def bridged_settings():
    return {"tab": ["Home=/"]}

def test_tabs(bridged_app):
    assert [tab["title"] for tab in bridged_app.state()["tabs"]] == ["Home"]
    bridged_app.call("origins.add", origin="http://shared.test")
"""
        third = settings.split("def test_tabs")[0] + """
def test_the_daemon_is_the_same(bridged_app):
    assert "http://shared.test" in bridged_app.call("origins.add", origin="http://localhost:1")["origins"]
"""
        first = "def test_no_tabs(bridged_app): assert bridged_app.state()['tabs'] == []"
        status, output, _ = run_pytest(first, test_it_2=settings, test_it_3=third)
        self.assertEqual(status, 0, output)

    @needs("pytest")
    def test_nothing_of_the_page_of_an_earlier_test_is_left(self):
        status, output, _ = run_pytest("""
import time

TICK = "setInterval(() => webkit.messageHandlers.nativeApp.postMessage({name: 'Tick'}), 5)"
APP = []

def test_ticks(bridged_app):
    bridged_app.open("/demo/")
    bridged_app.evaluate(TICK)
    bridged_app.next_message("Tick")
    APP.append(bridged_app)

def test_the_page_is_gone_after_the_test():
    assert [page["frame"]["url"] for page in APP[0].call("pages.list")["pages"]] == ["about:blank"]

def test_no_message_comes(bridged_app):
    time.sleep(0.1)
    assert bridged_app.traffic() == []
    browser = bridged_app._browser
    bridged_app.open("/demo/?again")
    assert bridged_app._browser is browser and bridged_app.evaluate("location.search") == "?again"

def test_opens_a_browser_that_bridged_does_not_drive(bridged_app):
    bridged_app._close_browser()
    bridged_app.open("/demo/", browser="chromium+tag")

def test_what_reset_cannot_clear_went_with_the_browser(bridged_app, recwarn):
    assert bridged_app._browser is None and not list(recwarn)
""")
        self.assertEqual(status, 0, output)
        self.assertNotIn("warning", output)

    @needs("pytest")
    def test_each_failure_shows_its_traffic_and_the_path_of_its_trace(self):
        status, output, folder = run_pytest("""
import pytest

@pytest.fixture
def signed_in(bridged_app):
    bridged_app.call("traffic.note", text="in the fixture")
    raise AssertionError("no session")

@pytest.fixture
def moved(bridged_app):
    yield
    bridged_app.call("traffic.note", text="torn down")

def test_fails_in_a_fixture(signed_in): pass

def test_asks_for_its_app(request, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    request.getfixturevalue("bridged_app").call("traffic.note", text="asked")
    assert False

def test_fails_before_the_tear_down(bridged_app, moved):
    bridged_app.call("traffic.note", text="in the test")
    assert False

@pytest.mark.parametrize("name", ["a b", "a-b", "ä" * 150, "ä" * 150 + "?"])
def test_name(bridged_app, name):
    assert False
""", "--basetemp=temporary")
        self.assertEqual(status, 1, output)
        paths = re.findall("^trace: (.*)", output, re.MULTILINE)
        self.assertEqual(len(set(paths)), 7, output)
        traces = {re.sub("-.*", "", path.split("test_it.py-")[1]): pathlib.Path(path).read_text() for path in paths}
        self.assertIn('"text": "in the fixture"', output)
        self.assertIn('"text": "asked"', output)
        self.assertEqual({pathlib.Path(path).parent for path in paths}, {folder / "bridged-traces"})
        self.assertIn("in the test", traces["test_fails_before_the_tear_down.html"])
        self.assertNotIn("torn down", traces["test_fails_before_the_tear_down.html"])
        self.assertIn("no session", traces["test_fails_in_a_fixture.html"])

    @needs("pytest")
    def test_pytest_6_runs_tests_without_the_fixtures(self):
        test = "def test_other(): pass\ndef test_app(bridged_app): pass"
        status, output, _ = run_pytest(test, "-p", "pytest_6", pytest_6="import pytest; del pytest.StashKey")
        self.assertIn("1 passed, 1 error", output)
        self.assertIn("need pytest 7 or later", output)

    @needs("pytest", "playwright")
    def test_a_page_of_playwright_has_the_bridge(self):
        status, output, _ = run_pytest("""
import http.server, threading
import bridged
from playwright.sync_api import sync_playwright

PAGE = b"<script>window.bridge = {register() {}}; webkit.messageHandlers.nativeApp.postMessage({name: 'RegisterPushToken'})</script><iframe src=/frame></iframe>"
AGENTS = []

class Server(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        AGENTS.append(self.headers["User-Agent"])
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.end_headers()
        self.wfile.write(PAGE)

    def log_message(self, *_):
        pass

def test_attach(bridged_app):
    with sync_playwright() as playwright, http.server.ThreadingHTTPServer(("127.0.0.1", 0), Server) as server:
        threading.Thread(target=server.serve_forever).start()
        try:
            browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
            page = browser.new_page()
            bridged.attach(page, bridged_app)
            for path in ("/", "/two"):
                page.goto(f"http://127.0.0.1:{server.server_port}{path}")
                assert bridged_app.next_message("RegisterPushToken")["verdict"]["outcome"] == "handled"
                bridged_app.wait_for_page(f"*{path}")
            browser.close()
        finally:
            server.shutdown()
    assert all("Hotwire Native iOS" in agent for agent in AGENTS), AGENTS
    assert bridged_app.traffic(filter="kind:problem") == []
""".replace("CHROMIUM", repr(shutil.which("chromium"))))
        self.assertEqual(status, 0, output)

    @needs("pytest", "django")
    def test_a_live_server_of_django(self):
        status, output, _ = run_pytest("""
import django, pytest
from django.conf import settings

settings.configure(
    ROOT_URLCONF=__name__, ALLOWED_HOSTS=["*"], STATIC_URL="/static/", INSTALLED_APPS=["django.contrib.staticfiles"],
    DATABASES={"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": ":memory:"}})
django.setup()
from django.http import HttpResponse
from django.test.testcases import LiveServerTestCase
from django.urls import path

urlpatterns = [path("posts", lambda request: HttpResponse(
    f"<title>{'Native' if 'Hotwire Native' in request.headers['User-Agent'] else 'Web'}</title>"))]

class PostsTest(LiveServerTestCase):
    @pytest.fixture(autouse=True)
    def app(self, bridged_app):
        self.app = bridged_app

    def test_posts(self):
        self.app.open(f"{self.live_server_url}/posts")
        self.app.expect_title("Native")
""")
        self.assertEqual(status, 0, output)


class NodeTest(unittest.TestCase):
    @unittest.skipUnless(shutil.which("node"), "There is no node.")
    def test_helpers_for_node(self):
        status, output, folder = run(["node", "--test", "it.test.mjs"], {"it.test.mjs": f"""
import assert from "node:assert"
import {{ describe }} from "node:test"
import {{ bridgedTest }} from "{(ROOT / 'clients' / 'node' / 'test.mjs').as_uri()}"

bridgedTest("registers for push", async (app) => {{
  await app.open("/demo/")
  await app.tap("#register-push-token")
  assert.equal((await app.nextMessage("RegisterPushToken")).verdict.outcome, "handled")
  await app.evaluate("setInterval(() => webkit.messageHandlers.nativeApp.postMessage({{name: 'Tick'}}), 5); 0")
}})
bridgedTest("fails", async (app) => {{
  assert.deepEqual(await app.traffic(), [])
  await app.open("/demo/")
  assert.fail()
}})
bridgedTest("has settings", {{ settings: {{ tab: ["Home=/"] }}, timeout: 60_000 }}, async (app) => {{
  assert.equal((await app.state()).tabs.length, 1)
}})
bridgedTest("has settings at its end", async (app) => assert.equal((await app.state()).tabs.length, 1), {{ tab: ["Home=/"] }})
let stray
bridgedTest("never ends", {{ timeout: 200 }}, async (app) => {{
  await app.call("traffic.note", {{ text: "waits" }})
  stray = app
  await new Promise(() => {{}})
}})
bridgedTest("comes after it", async (app) => {{
  assert.notEqual(app, stray)
  await assert.rejects(stray.state(), /cannot be reached/)
}})
bridgedTest.skip("is skipped", () => assert.fail())
bridgedTest.todo("is planned")
bridgedTest("has a subtest", async (app, t) => {{
  await t.test("inner", async () => {{
    await app.call("traffic.note", {{ text: "in the subtest" }})
    assert.fail("of the subtest")
  }})
  await app.call("traffic.note", {{ text: "after the subtest" }})
}})
for (const name of ["Käse", "Käse?", "ß".repeat(300)]) {{
  describe(name, () => {{
    bridgedTest("fails", async () => {{
      process.chdir("/")
      assert.fail()
    }})
  }})
}}
"""})
        self.assertEqual(status, 1, output)
        self.assertRegex(output, r"pass 4\b[^$]*fail 7\b[^$]*skipped 1\b[^$]*todo 1\b")
        traces = {path.name: path.read_text() for path in (folder / "bridged-traces").iterdir()}
        self.assertEqual(set(re.findall("trace: (.*)", output)), {str(folder / "bridged-traces" / name) for name in traces})
        self.assertEqual(len(traces), 6, traces.keys())
        self.assertIn("it.test.mjs-Käse-fails.html", traces)
        self.assertIn("did not end within 200 ms", traces["it.test.mjs-never-ends.html"])
        self.assertIn('"text":"waits"', output)
        self.assertIn("of the subtest", traces["it.test.mjs-has-a-subtest.html"])
        self.assertNotIn("after the subtest", traces["it.test.mjs-has-a-subtest.html"])
        trace = traces["it.test.mjs-fails.html"]
        self.assertIn('"name":"ActionButton"', trace)
        self.assertIn('id="picture-0">iVBOR', trace)

    def test_no_parameter_has_lost_its_type(self):
        types = (ROOT / "clients" / "node" / "bridged.d.mts").read_text()
        self.assertEqual(re.findall(r"^ .*(?:options|source|text|timeout): any.*", types, re.MULTILINE), [])

    @unittest.skipUnless(shutil.which("tsc"), "There is no tsc.")
    def test_types(self):
        with_types = f"""
import {{ attach, connect, start, type Client }} from "{ROOT}/clients/node/bridged.mjs"
import {{ bridgedTest }} from "{ROOT}/clients/node/test.mjs"

export async function calls(app: Client): Promise<string[]> {{
  connect("http://localhost:2734", {{ latest: true }})
  await attach({{}}, {{ app }})
  await start({{ rootUrl: "http://localhost:3000" }})
  await app.evaluate("1")
  await app.fill("#email", "me@example.com")
  await app.fill({{ label: "Email" }}, "me@example.com", {{ timeout: 1_000 }})
  await app.expectText("Saved")
  await app.expectText("Saved", {{ timeout: 1_000 }})
  await app.callAsync("return at", {{ at: new Date() }})
  await app.traffic({{ kind: "console" }})
  await app.nextMessage("RegisterPushToken")
  // @ts-expect-error: a text is no number
  await app.expectText(7)
  return app.reset({{ closeBrowser: true }})
}}
bridgedTest("name", async (app) => {{ await app.open("/demo/") }})
bridgedTest("name", async (app) => {{ await app.tap("a") }}, {{ rootUrl: "http://localhost:3000" }})
bridgedTest("name", {{ timeout: 1_000, settings: {{}} }}, async (app, t) => {{ await app.state() }})
bridgedTest.skip("name", async (app) => {{ await app.state() }})
bridgedTest.todo("name")
"""
        options = ["--noEmit", "--strict", "--skipLibCheck", "--target", "es2022", "--module", "node16", "--moduleResolution", "node16"]
        status, output, _ = run(["tsc", *options, "it.mts"], {"it.mts": with_types})
        self.assertEqual(status, 0, output)

    @needs("playwright")
    @unittest.skipUnless(shutil.which("node"), "There is no node.")
    def test_a_page_of_playwright_has_the_bridge(self):
        driver = pathlib.Path(importlib.util.find_spec("playwright").origin).parent / "driver" / "package" / "index.mjs"
        status, output, _ = run(["node", "it.mjs"], {"it.mjs": f"""
import assert from "node:assert"
import http from "node:http"
import {{ attach, start }} from "{(ROOT / 'clients' / 'node' / 'bridged.mjs').as_uri()}"
import {{ chromium }} from "{driver.as_uri()}"

const agents = []
const server = http.createServer((request, response) => {{
  agents.push(request.headers["user-agent"])
  response.setHeader("Content-Type", "text/html")
  response.end("<script>webkit.messageHandlers.nativeApp.postMessage({{name: 'RegisterPushToken'}})</script>")
}})
await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve))
const app = await start()
const browser = await chromium.launch({{ executablePath: "{shutil.which('chromium')}", args: ["--no-sandbox"] }})
const page = await browser.newPage()
assert.equal(await attach(page, {{ app }}), app)
await page.goto(`http://127.0.0.1:${{server.address().port}}/`)
assert.equal((await app.nextMessage("RegisterPushToken")).verdict.outcome, "handled")
assert(agents.every((agent) => agent.includes("Hotwire Native iOS")), agents.join())
await browser.close()
await app.close()
server.close()
"""})
        self.assertEqual(status, 0, output)


class Calls(unittest.TestCase):
    # Ruby's Capybara has a driver of its own (clients/ruby), and no pages of Playwright.
    WITHOUT = {"ruby": {"attach", "user_agent"}}

    def names(self, file, pattern):
        text = (ROOT / "clients" / file).read_text()
        text = text[re.search(r"^(export |\s*)class Client\b", text, re.MULTILINE).start():]
        return {re.sub(r"(?<=[a-z])([A-Z]+)", r"_\1", name).lower() for name in re.findall(pattern, text, re.MULTILINE)}

    def test_the_clients_have_the_same_calls(self):
        python = self.names("python/bridged.py", r"^    def ([a-z]\w*)\(self")
        node = self.names("node/bridged.mjs", r"^  (?:async )?([a-z]\w*)\(.*\) \{") - {"constructor", "for", "if", "while"}
        types = self.names("node/bridged.d.mts", r"^    ([a-z]\w*)\(") - {"constructor"}
        self.assertEqual(python, node)
        self.assertEqual(node, types)
        ruby = (ROOT / "clients" / "ruby" / "lib" / "bridged.rb").read_text()
        missing = {name for name in python - self.WITHOUT["ruby"] if not re.search(rf"\bdef {name}\b|alias_method :{name}\b", ruby)}
        self.assertEqual(missing, set())


if __name__ == "__main__":
    unittest.main()
