"""Flows run in an app of its own (app.py, a real WebKit with real message handlers), which a running daemon observes."""
import contextlib, json, os, pathlib, re, shutil, signal, subprocess, sys, tempfile, time, unittest

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
sys.dont_write_bytecode = True
import android
from device_test import PYTHON, Site, bridged, why_not

PROGRAM = os.environ["BRIDGED"]
FLOWS = HERE / "phone-flows"


def run(*arguments, **options):
    return subprocess.run([PROGRAM, *arguments], capture_output=True, text=True, timeout=240, **options)


class Phone:
    """The app, which runs until it is ended."""

    def __init__(self, url):
        command = ["xvfb-run", "-a", PYTHON, str(HERE / "app.py"), url, "600"]
        self.process = subprocess.Popen(
            command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True)

    def end(self, with_signal=signal.SIGTERM):
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.process.pid, with_signal)
        self.process.wait()


@unittest.skipIf(why_not(), why_not())
class FlowsOnAPhone(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder)
        self.site = Site()
        self.addCleanup(self.site.close)
        self.daemon = bridged.start()
        self.addCleanup(self.daemon.close)
        self.site.tag = f'<script src="{self.daemon.url}bridge.js"></script>'
        self.url = self.site.url + "/flow"

    def open_phone(self, url=None, count=1):
        phone = Phone(url or self.url)
        self.addCleanup(phone.end)
        # Each app has one page.
        deadline = time.monotonic() + 60
        while len(self.pages()) < count:
            self.assertLess(time.monotonic(), deadline, "the app's page did not attach")
            time.sleep(0.1)
        return phone

    def pages(self):
        return [page for page in self.daemon.call("pages.list")["pages"] if page["attached"] and page.get("device")]

    def command(self, flow, *arguments, on="phone"):
        return [
            "test", str(FLOWS / f"{flow}.yml"), "--on", on, "--url", self.daemon.url, "--env", f"URL={self.url}",
            *arguments]

    def flow(self, flow, *arguments, on="phone", **options):
        return run(*self.command(flow, *arguments, on=on), **options)

    def test_a_flow_passes_there_and_here_and_nothing_differs(self):
        self.open_phone()
        logs = self.folder / "logs"
        done = self.flow("posts", "--keep-log", str(logs))
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertRegex(done.stdout, r"✓ .*posts\.yml: Posts \(iPhone, iOS 18\.5, Hotwire Native iOS, [\d.]+ s\)\n1 passed\.\n")
        phone = logs / "posts-phone.ndjson"
        self.site.tag = "<!-- none -->"
        cassette = self.folder / "phone.yml"
        made = run("cassette", "record", str(cassette), "--from", str(phone))
        self.assertEqual(made.returncode, 0, made.stderr)
        here = run(
            "test", str(FLOWS / "posts.yml"), "--env", f"URL={self.url}", "--cassette", str(cassette), "--in", "chromium",
            "--keep-log", str(logs))
        self.assertEqual(here.returncode, 0, here.stdout + here.stderr)
        compared = run("compare", str(phone), str(logs / "posts-chromium.ndjson"))
        self.assertEqual(compared.returncode, 0, compared.stdout + compared.stderr)
        self.assertRegex(compared.stdout, r"no difference\. Compared: 3 pages, \d+ messages, \d repl")

    def test_native_steps_are_skipped_with_the_reason(self):
        self.open_phone()
        self.assertIn("(observed, d1, iPhone, iOS 18.5, Hotwire Native iOS)", run("devices", "--url", self.daemon.url).stdout)
        done = self.flow("native")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        skipped = re.findall(r"    skipped   step (\d), \S+: (.*)", done.stdout)
        self.assertEqual([int(number) for number, _ in skipped], [3, 4, 5, 6], done.stdout)
        self.assertIn("perform back: only the user can do that, outside of the page; with --ask you are asked for it", done.stdout)
        self.assertIn("1 passed. 4 steps were skipped.", done.stdout)
        report = json.loads(self.flow("native", "--reporter", "json").stdout)["flows"][0]
        self.assertEqual([report["browser"], report["device"]], ["phone", "iPhone, iOS 18.5, Hotwire Native iOS"])
        self.assertEqual(report["skippedSteps"][0]["step"]["text"], "perform back")
        junit = self.flow("native", "--reporter", "junit").stdout
        self.assertIn("skipped: step 3", junit)

    def test_the_user_does_what_only_a_user_can_do(self):
        self.open_phone()
        done = self.flow("native", "--ask", input="\n")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertIn("step 3: now go back on the phone (press Return)\n", done.stderr)
        self.assertIn("3 steps were skipped.", done.stdout)
        done = self.flow("native", "--ask", input="s\n")
        self.assertIn("perform back: nobody said that it was done", done.stdout)

    def test_a_failure_says_what_came(self):
        self.open_phone()
        done = self.flow("fails")
        self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
        self.assertIn('expected  a message {"name":"save","match":{"title":"Tea"}} within 2.0 seconds', done.stdout)
        self.assertRegex(done.stdout, r'found     .*record \d+ has \{"name":"save","title":"Coffee","size":"S"\}: /title is "Coffee" and not "Tea"')
        # The step of `after` has run.
        self.assertEqual(self.daemon.evaluate("document.getElementById('saved').textContent", web_view="device"), "cleaned")

    def test_an_app_that_ends_ends_the_flow_with_the_reason(self):
        phone = self.open_phone()
        running = subprocess.Popen([PROGRAM, *self.command("away")], stdout=subprocess.PIPE, text=True)
        self.wait_for("kind:message name:arrived", 2)
        start = time.monotonic()
        phone.end(signal.SIGKILL)
        text = running.communicate(timeout=40)[0]
        self.assertEqual(running.returncode, 1, text)
        self.assertLess(time.monotonic() - start, 25)
        self.assertIn("it shows none for 10.0 seconds: its app has ended or lost the connection", text)

    def test_a_daemon_that_is_started_again_ends_the_flow_with_the_reason(self):
        self.open_phone()
        running = subprocess.Popen([PROGRAM, *self.command("away")], stdout=subprocess.PIPE, text=True)
        self.wait_for("kind:message name:arrived", 2)
        port = int(self.daemon.url.split(":")[-1].strip("/"))
        self.daemon._process.kill()
        self.daemon._process.wait()
        self.daemon.close()
        with bridged.start(port=port):
            text = running.communicate(timeout=40)[0]
        self.assertEqual(running.returncode, 1, text)
        self.assertRegex(text, r"the daemon (was started again|has gone) in the middle of the flow")

    def wait_for(self, filter, count):
        deadline = time.monotonic() + 60
        while len(self.daemon.call("traffic.query", filter=filter)["records"]) < count:
            self.assertLess(time.monotonic(), deadline, filter)
            time.sleep(0.1)

    def test_two_devices_do_the_same_flow_at_once(self):
        self.site.tag_for = lambda path: self.site.tag.replace(
            "<script ", '<script data-web-view="second" ' if "/second" in path else "<script ")
        self.open_phone()
        self.open_phone(self.url + "/second", count=2)
        done = self.flow("native")
        self.assertEqual(done.returncode, 64)
        self.assertRegex(done.stderr, r"2 devices are meant by 'phone'\. Name one, as in --on d1: d1  iPhone, iOS 18\.5.*; d2  ")
        commands = [self.command("posts", on="d1"), self.command("posts", "--env", f"URL={self.url}/second", on="device.second")]
        running = [subprocess.Popen([PROGRAM, *command], stdout=subprocess.PIPE, text=True) for command in commands]
        for process in running:
            text = process.communicate(timeout=120)[0]
            self.assertEqual(process.returncode, 0, text)
        paths = {page["deviceId"]: page["frame"]["url"].split("/page")[1] for page in self.pages()}
        self.assertEqual(paths, {"d1": "/flow?at=next", "d2": "/flow/second?at=next"})

    def hostile(self, kind):
        """The result of a flow in a page that answers in its own way, and how long that took."""
        phone = self.open_phone(f"{self.site.url}/hostile?kind={kind}&daemon={self.daemon.url}")
        try:
            start = time.monotonic()
            done = run("test", str(FLOWS / "hostile.yml"), "--on", "phone", "--url", self.daemon.url)
            return done, time.monotonic() - start
        finally:
            phone.end(signal.SIGKILL)
            deadline = time.monotonic() + 60
            while self.pages() and time.monotonic() < deadline:
                time.sleep(0.1)

    def test_a_hostile_page_fails_the_flow_and_nothing_else(self):
        for kind, found in [
            ("silent", "a script in its page does not end"), ("garbage", "expected a value, found nothing"),
            ("types", "date|expected"), ("close", "shows no page any more"), ("large", "Reason: x{1000}"),
            ("huge", "shows no page any more|does not end|has gone"),
            ("error", r"red\\n::error::no"),
        ]:
            with self.subTest(kind):
                done, seconds = self.hostile(kind)
                self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
                self.assertRegex(done.stdout, found)
                self.assertNotIn("\x1b", done.stdout)
                self.assertLess(len(done.stdout), 100_000)
                self.assertNotRegex(done.stdout, "(?m)^::error")
                self.assertLess(seconds, 60)
        self.assertEqual(self.daemon.call("daemon.info")["name"], "bridged")

    def test_there_is_no_phone(self):
        done = self.flow("native")
        self.assertEqual(done.returncode, 64)
        self.assertIn("No real app is attached", done.stderr)


@unittest.skipIf(not shutil.which("chromium"), "chromium is missing")
class FlowsOnAndroid(unittest.TestCase):
    def test_a_flow_passes_in_an_app_for_android(self):
        site = Site()
        self.addCleanup(site.close)
        app = android.App()
        self.addCleanup(app.close)
        with bridged.start() as daemon:
            site.tag = f'<script src="{daemon.url}bridge.js"></script>'
            url = site.url + "/android-flow"
            app.call("Page.navigate", url=url)
            while not daemon.call("pages.list")["pages"]:
                app.take_messages()
            flow = [PROGRAM, "test", str(FLOWS / "android.yml"), "--on", "Pixel 8", "--url", daemon.url, "--env", f"URL={url}"]
            running = subprocess.Popen(flow, stdout=subprocess.PIPE, text=True)
            # Native code gets its messages in this thread.
            while running.poll() is None:
                app.take_messages()
            text = running.communicate()[0]
        self.assertEqual(running.returncode, 0, text)
        self.assertIn("(Pixel 8, Android 15", text)
        self.assertIn("1 passed. 1 step was skipped.", text)
        self.assertIn(["listener", "postMessage", ["Tea"]], app.got)


if __name__ == "__main__":
    unittest.main()
