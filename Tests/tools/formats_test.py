"""Loads what bridged writes with tools that are not ours: DuckDB, pandas, jq and SQLite's shell for the traffic,
haralyzer for HAR, junitparser for JUnit, tap.py, PyYAML and prove for TAP.

scripts/install test puts the Python packages into .build/tools. A tool that is not there is skipped by its name.
"""
import importlib, json, os, pathlib, shutil, subprocess, sys, tempfile, unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
BRIDGED = os.environ.get("BRIDGED", str(ROOT / ".build" / "debug" / "bridged"))
FOLDER = tempfile.TemporaryDirectory()
sys.path.insert(0, str(ROOT / "clients" / "python"))
sys.dont_write_bytecode = True
os.environ["BRIDGED"] = BRIDGED
os.environ["XDG_RUNTIME_DIR"] = FOLDER.name
import bridged

PASSES = """
name: 'Passes: a "name" with <marks> & #5 é'
steps:
  - stub: {handler: notes, reply: {value: [1, null, {"a": "é"}]}}
  - open: /demo/?page=2&q=a%20b
  - evaluate: "webkit.messageHandlers.nativeApp.postMessage({name: 'Share', url: 'x', record: 1, when: new Date(0)}); 1"
  - evaluate: "webkit.messageHandlers.notes.postMessage('text'); console.log('a', {b: 1}); 1"
  - expect message: {handler: notes}
  - visit: /nothing-here
  - expect app: {isLoading: false}
"""
FAILS = """
name: Fails
steps:
  - open: /demo/
  - expect message: {name: Never}
    timeout: 0.2s
"""


def run(*arguments, check=True, **options):
    outcome = subprocess.run([str(a) for a in arguments], capture_output=True, text=True, **options)
    assert not check or outcome.returncode == 0, f"{arguments}: {outcome.stdout}{outcome.stderr}"
    return outcome


def package(name):
    try:
        return importlib.import_module(name)
    except ImportError:
        print(f"Skipped: the Python package {name} is not installed in .build/tools (scripts/install test).", flush=True)
        raise unittest.SkipTest(f"there is no Python package {name}")


def command(name):
    if not shutil.which(name):
        print(f"Skipped: there is no command {name} (scripts/install test).", flush=True)
        raise unittest.SkipTest(f"there is no {name}")
    return name


def unique(pairs):
    names = [name for name, _ in pairs]
    assert len(names) == len(set(names)), f"a name twice: {names}"
    return dict(pairs)


class Formats(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = pathlib.Path(FOLDER.name)
        (folder / "passes.yml").write_text(PASSES)
        (folder / "fails.yml").write_text(FAILS)

        def test(reporter, *options):
            outcome = run(BRIDGED, "test", "passes.yml", "fails.yml", "--port", 0, "--in", "chromium", "--trace", "off",
                          "--reporter", reporter, *options, check=False, cwd=folder)
            assert outcome.returncode == 1, outcome.stdout + outcome.stderr
            path = folder / f"report.{reporter}"
            path.write_text(outcome.stdout)
            return path

        cls.junit = test("junit", "--keep-log", folder)
        cls.tap = test("tap")
        cls.log = folder / "passes-chromium.ndjson"
        cls.har = folder / "traffic.har"
        run(BRIDGED, "log", "export", cls.log, "--har", cls.har)
        cls.database = folder / "traffic.db"
        with bridged.start(log=str(folder / "serve.ndjson"), database=str(cls.database)) as app:
            app.open("/demo/")
            app.evaluate("webkit.messageHandlers.nativeApp.postMessage({name: 'Unknown'}); 1")
            app.next_message("Unknown")
        cls.served = folder / "serve.ndjson"
        cls.records = [json.loads(line, object_pairs_hook=unique) for line in cls.log.read_text().splitlines()]

    # The traffic

    def test_the_log_has_what_the_tests_need(self):
        self.assertLessEqual({"message", "evaluate", "result", "page", "console", "app", "request"},
                             {record["kind"] for record in self.records})
        events = [(record["kind"], record.get("event")) for record in self.records]
        for event in [("page", "loaded"), ("app", "visit"), ("app", "visitFailed")]:
            self.assertIn(event, events)

    def test_duckdb_reads_the_log(self):
        duckdb = package("duckdb")
        for log in self.log, self.served:
            count = len(log.read_text().splitlines())
            rows = duckdb.sql(f"select kind, url, time from read_ndjson_auto('{log}', sample_size=-1)").fetchall()
            self.assertEqual(len(rows), count)
            self.assertEqual({type(time).__name__ for _, _, time in rows}, {"datetime"})
        visits = duckdb.sql(
            f"select location from read_ndjson_auto('{self.log}', sample_size=-1) where event = 'visit'").fetchall()
        self.assertTrue(visits[-1][0].endswith("/nothing-here"), visits)

    def test_pandas_reads_the_log(self):
        pandas = package("pandas")
        for log in self.log, self.served:
            frame = pandas.read_json(log, lines=True)
            self.assertEqual(len(frame), len(log.read_text().splitlines()))
            self.assertTrue(frame["record"].is_monotonic_increasing)
            self.assertFalse(pandas.to_datetime(frame["time"]).isna().any())

    def test_jq_reads_the_log(self):
        names = run(command("jq"), "-r", "select(.kind == \"message\") | .name // .body", self.log).stdout.split()
        self.assertIn("Share", names)
        self.assertIn("text", names)

    def test_sqlite_reads_the_database(self):
        shell = command("sqlite3")
        self.assertEqual(run(shell, "-readonly", self.database, "pragma integrity_check").stdout, "ok\n")
        lines = run(shell, "-readonly", self.database, "select line from record order by number").stdout
        self.assertEqual(lines, self.served.read_text())
        query = "select line ->> '$.verdict.reason' from record where kind = 'message' and name = 'Unknown'"
        self.assertEqual(run(shell, "-readonly", self.database, query).stdout, "unknownName\n")

    # HAR

    def test_haralyzer_reads_the_archive(self):
        haralyzer = package("haralyzer")
        parser = haralyzer.HarParser(json.loads(self.har.read_text(), object_pairs_hook=unique))
        self.assertEqual((parser.version, parser.creator["name"]), ("1.2", "bridged"))
        page = parser.pages[0]
        self.assertGreater(page.get_load_time(), 0)
        self.assertGreater(page.page_load_time if hasattr(page, "page_load_time") else page.pageTimings["onLoad"], 0)
        requests = [entry for page in parser.pages for entry in page.entries]
        queries = [entry.request.queryString for entry in requests if "page=2" in entry.request.url]
        self.assertIn([{"name": "page", "value": "2"}, {"name": "q", "value": "a b"}], queries)
        for entry in requests:
            self.assertGreaterEqual(entry.time, 0)
            self.assertIsNotNone(entry.startTime)
            self.assertIsNotNone(entry.status)

    def test_the_archive_has_what_har_requires(self):
        """The members without "optional" in the format's specification, and that times are sums."""
        required = {
            "page": "startedDateTime id title pageTimings",
            "entry": "startedDateTime time request response cache timings",
            "request": "method url httpVersion cookies headers queryString headersSize bodySize",
            "response": "status statusText httpVersion cookies headers content redirectURL headersSize bodySize",
            "content": "size mimeType", "timings": "send wait receive",
        }

        def check(kind, value):
            missing = set(required[kind].split()) - set(value)
            self.assertFalse(missing, f"{kind}: {value}")

        log = json.loads(self.har.read_text())["log"]
        pages = {page["id"] for page in log["pages"]}
        for page in log["pages"]:
            check("page", page)
        for entry in log["entries"]:
            for kind, value in [("entry", entry), ("request", entry["request"]), ("response", entry["response"]),
                                ("content", entry["response"]["content"]), ("timings", entry["timings"])]:
                check(kind, value)
            self.assertIn(entry["pageref"], pages)
            self.assertAlmostEqual(entry["time"], sum(t for t in entry["timings"].values() if t > 0))

    # Reports

    def test_junitparser_reads_the_report(self):
        junitparser = package("junitparser")
        report = junitparser.JUnitXml.fromfile(str(self.junit))
        suite = next(iter(report))
        self.assertEqual((suite.tests, suite.failures, suite.errors, suite.skipped), (2, 1, 0, 0))
        cases = list(suite)
        self.assertEqual([case.name for case in cases], 
                         ['passes.yml: Passes: a "name" with <marks> & #5 é', "fails.yml: Fails"])
        self.assertEqual([len(case.result) for case in cases], [0, 1])
        self.assertIn("Never", cases[1].result[0].message)
        self.assertAlmostEqual(suite.time, sum(case.time for case in cases), places=2)

    def test_tap_py_reads_the_report(self):
        package("yaml")
        package("tap")
        from tap.parser import Parser
        lines = list(Parser().parse_file(str(self.tap)))
        tests = [line for line in lines if line.category == "test"]
        self.assertEqual([test.ok for test in tests], [True, False])
        self.assertEqual([line.expected_tests for line in lines if line.category == "plan"], [2])
        self.assertFalse([line for line in lines if line.category == "unknown"])
        self.assertIn("Never", tests[1].yaml_block["expected"])
        self.assertIn("page loaded", tests[1].yaml_block["log"])

    def test_prove_reads_the_report(self):
        outcome = run(command("prove"), "--exec", "cat", self.tap, check=False)
        self.assertIn("Failed 1/2 subtests", outcome.stdout)
        self.assertNotIn("Parse errors", outcome.stdout)


if __name__ == "__main__":
    unittest.main()
