"""A cassette is recorded from an app of its own (app.py, a real WebKit with real message handlers). Then the same flows pass
without that app, in three browsers."""
import os, pathlib, re, shutil, subprocess, sys, tempfile, unittest

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
sys.dont_write_bytecode = True
from device_test import PYTHON, Site, bridged, why_not

PROGRAM = os.environ["BRIDGED"]
FLOWS = str(HERE / "flows")


def run(*arguments, **options):
    return subprocess.run([PROGRAM, *arguments], capture_output=True, text=True, timeout=240, **options)


def without_times(text):
    return re.sub(r", delay: \d+ms|    delay: \d+ms\n", "", text)


def run_app(site):
    command = ["xvfb-run", "-a", PYTHON, str(HERE / "app.py"), site.url + "/cassette?auto", "60"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=90)
    assert '["title", "done"]' in done.stdout, done.stdout + done.stderr[-2000:]


@unittest.skipIf(why_not(), why_not())
class Cassettes(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        """Records the app once: from the running daemon, and in a log."""
        cls.folder = pathlib.Path(tempfile.mkdtemp())
        cls.addClassCleanup(shutil.rmtree, cls.folder)
        cls.site = Site()
        cls.addClassCleanup(cls.site.close)
        cls.phone, cls.log = cls.folder / "phone.yml", cls.folder / "traffic.ndjson"
        with bridged.start(log=cls.log) as daemon:
            command = [PROGRAM, "cassette", "record", str(cls.phone), "--url", daemon.url]
            recording = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
            try:
                assert recording.stdout.readline().startswith("Recording")
                cls.site.tag = f'<script src="{daemon.url}bridge.js"></script>'
                run_app(cls.site)
                # Each line says how many entries there are.
                while not re.search(": 5 entries", recording.stdout.readline()):
                    pass
            finally:
                recording.terminate()
                recording.wait()
                recording.stdout.close()
        cls.site.tag = "<!-- none -->"

    def flows(self, *arguments, query="", flows=(FLOWS,), cwd=None):
        return run("test", *flows, "--env", f"URL={self.site.url}/cassette{query}", *arguments, cwd=cwd)

    def test_what_is_recorded(self):
        text = self.phone.read_text()
        self.assertRegex(text, r"\Acassette: 1\nrecorded: \d{4}-\d\d-\d\d\nexpires: 90d\ndevice: \{model: iPhone, ")
        entries = without_times(text[text.index("entries:"):]).replace(
            "{size: [640, 480], photo: cat.jpg}", "{photo: cat.jpg, size: [640, 480]}")
        self.assertEqual(re.sub(r"string, \d+ char", "string, … char", entries), """entries:
  - component: form
    event: connect
    data: {submitTitle: Save}
    replies: [{event: submitDisabled, data: {title: Save}}]
  - handler: camera
    body: {name: take, password: "[redacted string, … characters]"}
    reply: {value: {photo: cat.jpg, size: [640, 480]}}
  - handler: nativeApp
    body: {name: RegisterPushToken}
    calls: [{call: window.bridge.register, with: [c0ffee]}]
  - handler: nativeApp
    body: {name: CallLater}
    calls: [{call: window.bridge.sayHello, with: [you]}]
  - handler: camera
    body: {name: fail, delay: 10}
    reply: {error: The user has no camera.}
""")

    def test_the_log_gives_the_same(self):
        other = self.folder / "log.yml"
        done = run("cassette", "record", str(other), "--from", str(self.log))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(other.read_text(), self.phone.read_text())

    def test_the_flows_pass_without_the_app_in_three_browsers(self):
        done = self.flows("--cassette", str(self.phone), "--in", "chromium,firefox,webkit")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertRegex(done.stdout, r"\n15 passed", done.stdout)

    def test_they_fail_without_the_cassette(self):
        # Each of them waits until its time is over.
        folder = pathlib.Path(tempfile.mkdtemp(dir=self.folder))
        for flow in pathlib.Path(FLOWS).glob("*.yml"):
            (folder / flow.name).write_text(flow.read_text().replace("timeout: 30s", "timeout: 2s"))
        done = self.flows("--in", "chromium", "--trace", "off", flows=[str(folder)])
        self.assertEqual(done.returncode, 1, done.stdout)
        self.assertIn("5 of 5 failed", done.stdout)
        self.assertNotIn("notInCassette", done.stdout)

    def test_a_changed_body_fails_with_the_difference(self):
        arguments = ["--cassette", str(self.phone), "--in", "chromium", "--trace", "off"]
        done = self.flows(*arguments, query="?title=Send", flows=[f"{FLOWS}/form.yml"])
        self.assertEqual(done.returncode, 1, done.stdout)
        line = next(n for n, text in enumerate(self.phone.read_text().splitlines(), 1) if "component: form" in text)
        place = f"{self.phone}:{line}"
        self.assertIn(
            f'dropped: notInCassette at /data/submitTitle: expected "Save" as in {place}, found "Send".', done.stdout)

    def test_stubs_from_the_cassette_answer_the_same(self):
        folder = pathlib.Path(tempfile.mkdtemp(dir=self.folder))
        parts = [run("stub", name, "--from", str(self.phone)).stdout for name in ["camera", "nativeApp", "form"]]
        # Two lists of stubs become one.
        text = parts[0] + parts[1].replace("stubs:\n", "") + parts[2]
        (folder / "bridged.yml").write_text(text)
        flows = [f"{FLOWS}/{name}.yml" for name in ["camera", "token", "hello", "fail"]]
        done = self.flows("--in", "chromium", "--trace", "off", flows=flows, cwd=folder)
        self.assertEqual(done.returncode, 0, text + done.stdout + done.stderr)

    def test_new_episodes_adds_what_the_file_lacks(self):
        file = self.folder / "some.yml"
        text = self.phone.read_text()
        cut = text.index("  - handler: nativeApp")
        file.write_text(text[:cut])
        with bridged.start(cassette=file, cassette_mode="new_episodes") as daemon:
            self.site.tag = f'<script src="{daemon.url}bridge.js"></script>'
            self.addCleanup(setattr, self.site, "tag", "<!-- none -->")
            run_app(self.site)
        self.assertEqual(without_times(file.read_text()), without_times(text))


if __name__ == "__main__":
    unittest.main()
