"""Tests of clients/python/bridged.py, with the daemon of the debug build, or the one that BRIDGED names."""
import atexit, concurrent.futures, contextlib, fcntl, http.server, json, os, pathlib, re, resource, signal, subprocess, sys
import tempfile, threading, time, types, unittest, warnings
from datetime import datetime, timezone
from unittest import mock
from urllib.parse import urlsplit

ROOT = pathlib.Path(__file__).resolve().parents[2]
CLIENT = ROOT / "clients" / "python"
sys.path.insert(0, str(CLIENT))
sys.dont_write_bytecode = True
import bridged

os.environ.setdefault("BRIDGED", str(ROOT / ".build" / "debug" / "bridged"))
RUNTIME = tempfile.TemporaryDirectory()
atexit.register(RUNTIME.cleanup)
os.environ["XDG_RUNTIME_DIR"] = tempfile.tempdir = RUNTIME.name


def discovery_file(app):
    return pathlib.Path(RUNTIME.name, "bridged", f"{urlsplit(app.url).port}.json")


def is_alive(pid):
    """Whether a process runs. A zombie, without other threads, does not."""
    try:
        status = pathlib.Path(f"/proc/{pid}/status").read_text()
        return not re.search(r"^State:\tZ.*^Threads:\t[01]$", status, re.DOTALL | re.MULTILINE)
    except (FileNotFoundError, ProcessLookupError):
        return False


def wait_for_end(pid):
    deadline = time.monotonic() + 10
    while is_alive(pid) and time.monotonic() < deadline:
        time.sleep(0.02)
    return not is_alive(pid)


class Page:
    """Takes the calls of a page of Playwright in Firefox, and keeps the scripts and headers that it is given."""
    context = types.SimpleNamespace(browser=None)

    def __init__(self):
        self.scripts, self.headers = [], {}

    def evaluate(self, _):
        return "Mozilla/5.0"

    def set_extra_http_headers(self, headers):
        self.headers.update(headers)

    def add_init_script(self, script):
        self.scripts.append(script)


class WithoutABrowser(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.app = bridged.start(root_url="http://localhost:3000", tab=["Home=/", "Posts=/posts"])
        cls.addClassCleanup(cls.app.close)

    def test_settings_become_options(self):
        self.assertEqual([tab["title"] for tab in self.app.state()["tabs"]], ["Home", "Posts"])

    def test_an_error_has_the_message_the_code_and_the_data(self):
        with self.assertRaisesRegex(bridged.Error, 'Did you mean "script.evaluate"') as caught:
            self.app.call("script.evaluat")
        self.assertEqual(caught.exception.code, -32601)
        with self.assertRaises(bridged.Error) as caught:
            self.app.call("handlers.unstub", stub="s99")
        self.assertEqual(caught.exception.data["stubs"], [])

    def test_the_text_of_a_page_controls_no_terminal(self):
        error = bridged.Error("a\nb\x1b[2J\x9b\u202e", 4)
        self.assertEqual(str(error), "a\\u000ab\\u001b[2J\\u009b\\u202e")
        self.assertEqual(str(bridged.Error("expected\nfound")), "expected\nfound")

    def test_a_time_out_shows_what_was_expected_and_the_traffic(self):
        self.app.call("origins.add", origin="http://localhost:3000")
        with self.assertRaisesRegex(TimeoutError, r'"name": "Push".* within 0.01 s. The latest traffic:'):
            self.app.next_message("Push", timeout=0.01)
        with self.assertRaises(bridged.TimedOut):
            self.app.evaluate("1", timeout=0.01)
        with self.assertRaisesRegex(bridged.TimedOut, "x > 1 to be true"):
            self.app.wait_until("x > 1", timeout=0.05)

    def test_none_of_the_options_is_lost(self):
        stub = self.app.stub("camera", match={"front": True}, web_view="modal", delay=0.25, error="no lens")
        handlers = self.app.call("handlers.list")["handlers"]
        found = next(handler for handler in handlers if handler["handler"] == "camera")["stubs"][0]
        self.assertEqual((found["webView"], found["match"], found["delayMs"]), ("modal", {"front": True}, 250))
        self.app.unstub(stub)

    def test_reset_removes_stubs_and_forgets_records(self):
        self.app.stub("camera", value=None)
        self.app.reset()
        names = [handler["handler"] for handler in self.app.call("handlers.list")["handlers"]]
        self.assertNotIn("camera", names)
        self.assertEqual(self.app.traffic(), [])

    def test_reset_removes_the_stubs_that_somebody_else_has_not_removed(self):
        stubs = [self.app.stub(name, value=None) for name in ("camera", "lamp")]
        self.app.call("handlers.unstub", stub=stubs[0])
        self.app.reset()
        self.assertNotIn("lamp", [handler["handler"] for handler in self.app.call("handlers.list")["handlers"]])
        self.app.unstub(self.app.stub("camera", value=None))

    def test_a_client_can_begin_with_the_latest_record(self):
        self.app.call("traffic.note", text="before")
        with bridged.connect() as all, bridged.connect(latest=True) as latest, bridged.attach(Page()) as attached:
            self.app.call("traffic.note", text="after")
            texts = [[record.get("text") for record in app.traffic(kind="app")] for app in (all, latest, attached)]
        self.assertIn("before", texts[0])
        self.assertEqual(texts[1:], [["after"], ["after"]])

    def test_a_page_gets_the_user_agent_of_the_app(self):
        page = Page()
        self.app.attach(page)
        self.assertRegex(page.headers["User-Agent"], "^Mozilla/5.0 Hotwire Native iOS")
        self.assertEqual(page.headers["User-Agent"], self.app.user_agent("Mozilla/5.0"))
        self.assertEqual(len(page.scripts), 1)

    def test_an_asynchronous_page_is_refused(self):
        class AsynchronousPage(Page):
            async def evaluate(self, _):
                return "Mozilla/5.0"

        with warnings.catch_warnings(record=True) as found, self.assertRaisesRegex(bridged.Error, "sync_playwright"):
            warnings.simplefilter("always")
            self.app.attach(AsynchronousPage())
        self.assertEqual(found, [])

    def test_what_cannot_be_sent_is_refused(self):
        for value in (object(), datetime.now().date(), {"a": b""}, {("a", "b"): 1}):
            with self.assertRaisesRegex(bridged.Error, "cannot be sent to a page"):
                self.app.call_async("", {"value": value})
        with self.assertRaisesRegex(bridged.Error, "at /value/a/0"):
            self.app.call_async("", {"value": {"a": [object()]}})
        with self.assertRaisesRegex(bridged.Error, "The parameters of messages.wait cannot be written as JSON: Out of range"):
            self.app.next_message("X", match={"x": float("nan")})

    def test_only_clients_with_processes_are_closed_at_the_end(self):
        before = atexit._ncallbacks()
        clients = [bridged.connect() for _ in range(3)]
        self.assertEqual(atexit._ncallbacks(), before)
        self.assertIn(self.app, bridged._OPEN)
        self.assertFalse(bridged._OPEN & set(clients))

    def test_finds_the_daemon_by_each_of_its_names(self):
        port = urlsplit(self.app.url).port
        for url in (None, f"http://localhost:{port}/", f"http://[::1]:{port}"):
            with bridged.connect(url) as found:
                self.assertEqual(found.call("daemon.info")["pid"], self.app.call("daemon.info")["pid"])
        for url in (f"http://example.com:{port}", "http://localhost:1"):
            with self.assertRaisesRegex(bridged.Error, f"No daemon of yours runs at {url}"):
                bridged.connect(url)

    def test_reads_no_folder_that_another_user_may_have_made(self):
        with tempfile.TemporaryDirectory() as folder:
            os.symlink(f"{RUNTIME.name}/bridged", f"{folder}/bridged")
            with mock.patch.dict(os.environ, XDG_RUNTIME_DIR=folder):
                with self.assertRaisesRegex(bridged.Error, "No daemon of yours runs"):
                    bridged.connect()

    def test_a_wrong_token_is_explained(self):
        with mock.patch.dict(os.environ, BRIDGED_TOKEN="wrong"), bridged.connect() as app:
            with self.assertRaisesRegex(bridged.Error, "token that is not this daemon's") as caught:
                app.state()
        self.assertEqual(caught.exception.code, -32004)

    def test_one_of_several_daemons_must_be_named(self):
        with bridged.start() as other:
            with self.assertRaisesRegex(bridged.Error, f"Several daemons run. Name one: .*{other.url}"):
                bridged.connect()
            pid = other.call("daemon.info")["pid"]
            os.kill(pid, signal.SIGKILL)
            self.assertTrue(wait_for_end(pid))
            self.assertTrue(discovery_file(other).exists())
            self.assertEqual(bridged.connect().url, self.app.url)
            with self.assertRaisesRegex(bridged.Error, f"{other.url} cannot be reached"):
                other.state()
        discovery_file(other).unlink()

    def test_a_fork_leaves_the_daemon_alone(self):
        child = os.fork()
        if child == 0:
            self.app.close()
            os._exit(0)
        os.waitpid(child, 0)
        self.assertIn("version", self.app.call("daemon.info"))


class Processes(unittest.TestCase):
    def test_a_daemon_that_has_ended_attaches_no_page(self):
        with self.assertRaisesRegex(bridged.Error, "The daemon at http://localhost:1/ cannot be reached: .*refused"):
            bridged.attach(Page(), bridged.connect("http://localhost:1/", "token"))

    def test_a_wrong_option_is_explained(self):
        expected = "did not start: error: Unknown option '--prot'. Did you mean '--port'"
        with self.assertRaisesRegex(bridged.Error, expected):
            bridged.start(prot=1)
        with mock.patch.dict(os.environ, BRIDGED="/nowhere"), self.assertRaisesRegex(bridged.Error, "not found"):
            bridged.start()
        with mock.patch.dict(os.environ, BRIDGED="", PATH="/nowhere"), self.assertRaisesRegex(bridged.Error, "on PATH"):
            bridged.start()

    def test_closes_if_the_test_fails(self):
        with self.assertRaises(ZeroDivisionError), bridged.start() as app:
            pid = app.call("daemon.info")["pid"]
            1 / 0
        self.assertFalse(is_alive(pid))
        self.assertFalse(discovery_file(app).exists())

    def test_the_daemon_ends_with_a_killed_process(self):
        script = "import bridged, time; print(bridged.start().call('daemon.info')['pid'], flush=True); time.sleep(60)"
        child = subprocess.Popen([sys.executable, "-B", "-c", script], cwd=CLIENT, stdout=subprocess.PIPE, text=True)
        with child:
            pid = int(child.stdout.readline())
            child.kill()
        self.assertTrue(wait_for_end(pid))

    def test_a_server_that_is_not_a_daemon_is_named(self):
        class Server(http.server.BaseHTTPRequestHandler):
            def do_POST(self):
                self.send_response(302)
                self.send_header("Location", "http://example.com/")
                self.end_headers()
                self.wfile.write(b"Not here")

            def log_message(self, *_):
                pass

        with http.server.HTTPServer(("127.0.0.1", 0), Server) as server:
            threading.Thread(target=server.handle_request).start()
            url = f"http://127.0.0.1:{server.server_port}/"
            with self.assertRaisesRegex(bridged.Error, f"The server at {url} refuses app.state: Not here"):
                bridged.connect(url, "token").state()


@contextlib.contextmanager
def false_daemon(behaviour):
    """Yields the URL of a server that answers as it is told, not as bridged does."""
    command = [sys.executable, str(ROOT / "Tests" / "clients" / "false_daemon.py"), behaviour]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as server:
        yield f"http://127.0.0.1:{int(server.stdout.readline())}/"
        server.stdin.close()


def result(value):
    return json.dumps({"jsonrpc": "2.0", "id": 1, "result": value})


class FalseDaemon(unittest.TestCase):
    def assert_fails(self, behaviour, expected, call, kind=bridged.Error):
        with self.subTest(behaviour[:60]), false_daemon(behaviour) as url, bridged.connect(url, "token") as app:
            with self.assertRaisesRegex(kind, expected) as caught:
                call(app)
            self.assertIn(url, str(caught.exception))
            self.assertLess(len(str(caught.exception)), 1_000)

    def test_answers_have_a_limit_of_size(self):
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        self.assert_fails("endless", "has more than 268435456 bytes", lambda app: app.state())
        for behaviour in ("hugeHeader", "manyHeaders", "cut", "noHTTP"):
            self.assert_fails(behaviour, "cannot be reached", lambda app: app.state())
        self.assertLess(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before, 1 << 20)

    def test_answers_have_a_limit_of_time(self):
        def fail(behaviour):
            began = time.monotonic()
            self.assert_fails(behaviour, "did not answer within 10.1 s", lambda app: app.call("daemon.info", timeoutMs=100))
            return time.monotonic() - began

        with concurrent.futures.ThreadPoolExecutor() as pool:
            self.assertLess(max(pool.map(fail, ["silent", "drip", "dripHeader"])), 20)

    def test_answers_that_are_no_answers_are_shown(self):
        self.assert_fails("errorPage", "refuses app.state: <h1>Bad Gateway</h1>.*HTTP status 502", lambda app: app.state())
        self.assert_fails("nested", "expected a JSON-RPC response to app.state", lambda app: app.state())
        error = {"jsonrpc": "2.0", "id": 1, "error": {"code": "x", "message": []}}
        for answer in ("7", "null", "[]", "{}", '"text"', '{"error": "no"}', '{"error": null}', json.dumps(error)):
            self.assert_fails(answer, "expected a JSON-RPC response to app.state", lambda app: app.state())

    def test_results_of_wrong_types_are_shown(self):
        calls = {
            "open": lambda app: app.open("/demo/", timeout=0.1), "next_message": lambda app: app.next_message("X", timeout=0.1),
            "traffic": lambda app: app.traffic(), "stub": lambda app: app.stub("x", value=1), "reset": lambda app: app.reset(),
            "evaluate": lambda app: app.evaluate("1"), "post": lambda app: app.post("x", 1),
        }
        results = [
            7, [], None, {"counters": 7, "pages": 7, "records": 7, "stub": 7, "notCleared": 7, "record": "x", "types": 7},
            {"counters": {"records": 1}, "pages": [7, {}], "records": [], "more": True, "next": 1, "value": 1, "types": {"/a": "date"}},
            {"counters": {"records": 1}, "pages": [{"attached": True, "webView": "main"}], "records": [], "more": True,
             "next": 1, "value": [1], "types": {"/0": "utf16", "x": 7}},
        ]
        for value in results:
            for name, call in calls.items():
                with self.subTest(name, value=value), false_daemon(result(value)) as url, bridged.connect(url, "t") as app:
                    with mock.patch.object(app, "_drive"), contextlib.suppress(bridged.Error):
                        call(app)

    def test_traffic_that_never_ends_is_given_up(self):
        answer = result({"records": [], "more": True, "next": 1})
        self.assert_fails(answer, "traffic.query", lambda app: app.traffic())

    def test_a_folder_that_others_can_write_to_is_not_read(self):
        with tempfile.TemporaryDirectory() as runtime:
            folder = pathlib.Path(runtime, "bridged")
            folder.mkdir()
            folder.chmod(0o770)
            with mock.patch.dict(os.environ, XDG_RUNTIME_DIR=runtime), self.assertRaisesRegex(bridged.Error, "chmod 700"):
                bridged.connect()

    def test_junk_in_the_folder_of_daemons_is_skipped_and_named(self):
        with tempfile.TemporaryDirectory() as runtime, contextlib.ExitStack() as stack:
            folder = pathlib.Path(runtime, "bridged")
            folder.mkdir()
            texts = {"text": b"hello", "binary": b"\xff\xfe", "number": b"7", "list": b"[]", "empty": b"{}", "deep": b"[" * 50_000,
                     "types": b'{"url": 7, "pid": "x", "token": []}', "url": b'{"url": "http://localhost:1e9/", "pid": 1, "token": "t"}'}
            for name, text in texts.items():
                (folder / f"{name}.json").write_bytes(text)
            with open(folder / "huge.json", "wb") as file:
                file.truncate(1 << 40)  # A hole, larger than memory.
            for path in folder.iterdir():
                fcntl.flock(stack.enter_context(open(path)), fcntl.LOCK_EX)
            os.mkfifo(folder / "pipe.json")
            (folder / "folder.json").mkdir()
            os.symlink("/dev/zero", folder / "link.json")
            with mock.patch.dict(os.environ, XDG_RUNTIME_DIR=runtime):
                with self.assertRaisesRegex(bridged.Error, f"not those of daemons: .*deep.json.*huge.json.*pipe.json.*text.json"):
                    bridged.connect()
                with bridged.start() as app, bridged.connect() as found:
                    self.assertEqual(found.url, app.url)

    def test_a_program_that_is_not_bridged_is_named(self):
        with mock.patch.dict(os.environ, BRIDGED="/bin/echo"), self.assertRaisesRegex(bridged.Error, "bridged did not start: .*serve"):
            bridged.start()

    def test_a_program_that_says_nothing_or_too_much_is_named(self):
        programs = [("sleep 60", "did not start: it has written no line in 0.2 s"), ("tr '\\0' x < /dev/zero", "did not start: .*found .*xxx")]
        for command, expected in programs:
            with tempfile.TemporaryDirectory() as folder:
                program = pathlib.Path(folder, "bridged")
                program.write_text(f"#!/bin/sh\nexec {command}\n")
                program.chmod(0o700)
                with mock.patch.dict(os.environ, BRIDGED=str(program)), mock.patch.object(bridged, "_START_TIME", 0.2):
                    with self.assertRaisesRegex(bridged.Error, expected):
                        bridged.start()


class InChromium(unittest.TestCase):
    def test_a_page(self):
        with bridged.start() as app:
            app.stub("contacts", match={"kind": "all"}, value=[{"name": "Zoe"}])
            app.open("/demo/", browser="chromium+tag")
            self.assertEqual(app.wait_for_page("*/demo/")["title"], "bridged demo")
            self.assertEqual(app.next_message("ActionButton", match={"icon": "plus"})["body"]["path"], "/customers/new")
            app.expect_none("RegisterPushToken", timeout=0.05)
            app.tap("#register-push-token")
            self.assertEqual(app.next_message(handler="nativeApp")["name"], "RegisterPushToken")
            app.wait_until("document.getElementById('token').textContent.length > 0")
            app.evaluate("console.warn('careful')")
            self.assertEqual(app.next_message(kind="console")["text"], "careful")
            self.assertEqual(app.call_async("return await promise", {"promise": 7}), 7)
            self.assertEqual(app.post("contacts", {"kind": "all"}), [{"name": "Zoe"}])
            message = "{name: 'ActionButton', path: '/', icon: 'x'}"
            app.evaluate(f"webkit.messageHandlers.nativeApp.postMessage({message}), 0")
            with self.assertRaisesRegex(AssertionError, "Expected no such record, but this one came: .*ActionButton"):
                app.expect_none("ActionButton", match={"icon": "x"})
            with self.assertRaisesRegex(bridged.TimedOut, "Expected an element #nothing to tap within 0.1 s"):
                app.tap("#nothing", timeout=0.1)
            with self.assertRaisesRegex(bridged.Error, "ReferenceError: nothing is not defined"):
                app.wait_until("nothing.there")
            self.assertIs(app.evaluate("confirm('Sure?')"), False)
            self.assertIn("bridged stub window.confirm", app.next_message(kind="problem", filter="text:dialog")["hint"])
            app.stub("window.prompt", value="Zoe")
            self.assertEqual(app.evaluate("alert('Saved'); prompt('Name?')"), "Zoe")
            self.values(app)
            app.open("/demo/?again")
            self.assertEqual(app.evaluate("location.search"), "?again")
            app.perform("visit", url="/demo/?third")
            app.wait_until("location.search == '?third'")
        self.expect_no_browser()

    def test_a_user_in_a_driven_browser(self):
        form = """<form><label>Email <input id=email></label><label>Country <select id=country><option>France</option>
            <option>Germany</option></select></label><label>Terms <input type=checkbox id=terms></label><input type=file
            id=photo aria-label=Photo><button type=button id=save>Save</button></form>"""
        with bridged.start() as app:
            app.open("/demo/")
            app.tap({"css": "#register-push-token"})
            self.assertEqual(app.next_message("RegisterPushToken")["verdict"]["outcome"], "handled")
            app.call_async("document.body.insertAdjacentHTML('beforeend', form)", {"form": form})
            app.evaluate("save.onclick = () => { save.textContent = 'Saved' }; 0")
            app.fill({"label": "Email"}, "me@example.com")
            app.press("Backspace", {"label": "Email"})
            app.type("g")
            app.select({"label": "Country"}, "Germany")
            app.check({"label": "Terms"})
            app.choose_files({"label": "Photo"}, __file__)
            app.tap({"role": "button", "name": "Save"})
            app.expect_text("Saved")
            app.expect_element({"label": "Email"}, value="me@example.cog")
            app.expect_element({"label": "Terms"}, checked=True)
            app.expect_url("/demo/")
            app.expect_title("bridged *")
            self.assertEqual(app.evaluate("[country.value, photo.files[0].name].join()"), "Germany,bridged_test.py")
            with self.assertRaisesRegex(bridged.Error, "use the step select"):
                app.fill("#country", "x", timeout=0.2)
            with self.assertRaisesRegex(bridged.TimedOut, r"Expected the page to show .*The latest traffic"):
                app.expect_element("#terms", checked=False, timeout=0.2)
            app.perform("visit", url="/demo/?second")
            app.expect_app(main=[{}, {"url": app.url + "demo/?second"}])
            app.expect_url("/demo/?second")
            with self.assertRaisesRegex(bridged.TimedOut, "Expected the app to show"):
                app.expect_app(title="Other", timeout=0.1)
            app.evaluate("document.cookie = 'signedIn=yes'; localStorage.kept = 1")
            self.assertEqual(app.reset(), [])
            self.assertEqual(app.state()["main"], [])
            app.open("/demo/")
            self.assertEqual(app.evaluate("`${document.cookie} ${localStorage.length}`"), " 0")
            self.assertEqual(len(app.state()["main"]), 1)
        self.expect_no_browser()

    def test_a_driven_browser_that_cannot_start_is_named(self):
        with bridged.start() as app, mock.patch.dict(os.environ, PATH="/nowhere"):
            with self.assertRaisesRegex(bridged.Error, "(?s)The browser has ended. .*[Cc]hromium"):
                app.open("/demo/")

    def expect_no_browser(self):
        left = subprocess.run(["pgrep", "-f", f"user-data-dir={RUNTIME.name}"], stdout=subprocess.PIPE, text=True)
        self.assertEqual(left.stdout, "")
        self.assertEqual([name for name in os.listdir(RUNTIME.name) if name.startswith("bridged-")], [])

    def test_a_page_that_cannot_attach_is_explained(self):
        agents = []

        class Server(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                agents.append(self.headers["User-Agent"])
                self.send_response(200)
                self.end_headers()
                self.wfile.write(b"<title>Plain</title>")

            def log_message(self, *_):
                pass

        with bridged.start() as app:
            with self.assertRaisesRegex(bridged.Error, "No server answers at http://127.0.0.1:1/: .*refused"):
                app.open("http://127.0.0.1:1/")
            with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Server) as server:
                threading.Thread(target=server.serve_forever).start()
                url = f"http://127.0.0.1:{server.server_port}/"
                with self.assertRaisesRegex(bridged.Error, f"No request for bridge.js came from {url}. Put this"):
                    app.open(url, browser="chromium+tag")
                server.shutdown()
            self.assertIn(" Mobile/15E148 Hotwire Native iOS; Turbo Native iOS; bridge-components: [", agents[0])

    def values(self, app):
        """What JSON cannot express arrives as Python's own."""
        self.assertIsNone(app.evaluate("undefined"))
        self.assertEqual(app.evaluate("new Date(0)"), datetime(1970, 1, 1, tzinfo=timezone.utc))
        self.assertEqual(repr(app.evaluate("({a: [NaN, -0, 1 / 0]})")), "{'a': [nan, -0.0, inf]}")
        self.assertEqual(app.evaluate("'\\ud83d\\ude00 \\ud83d'"), "😀 \ud83d")
        self.assertEqual(app.evaluate("new Date(8.64e15)"), "+275760-09-13T00:00:00.000Z")
        first, second, third = app.evaluate("(() => { const a = {'/~': new Date(1)}; return [a, a, a['/~']] })()")
        self.assertIs(first, second)
        self.assertEqual(first["/~"], third)
        loop = app.evaluate("(() => { const a = []; a.push(a); return a })()")
        self.assertIs(loop, loop[0])
        at, numbers = datetime(2026, 11, 20, 10, tzinfo=timezone.utc), [float("nan"), float("-inf"), -0.0]
        sent = {"at": at, "numbers": numbers, "/~": "\ud83d", "x": None}
        app.stub("echo", echo=True)
        app.stub("constant", value=sent)
        for found in (app.call_async("return sent", {"sent": sent}), app.post("echo", sent), app.post("constant", None)):
            self.assertEqual(repr(found), repr(sent))
        loop.append({"loop": loop})
        self.assertIs(app.call_async("return loop[0] === loop && loop[1].loop === loop && !('x' in loop)", {"loop": loop}), True)
        self.assertIs(app.call_async("return at instanceof Date && Number.isNaN(n)", {"at": at, "n": numbers[0]}), True)


if __name__ == "__main__":
    unittest.main()
