"""Tests the bridge of a page with bridged. `pip install` the wheel, or copy this file beside your tests: it needs Python 3.9,
and nothing else.

    with bridged.start() as app:                     # a daemon of its own, on a free port
        app.open("/demo/")                           # in a Chromium without a window
        app.tap("#register-push-token")
        assert app.next_message("RegisterPushToken")["verdict"]["outcome"] == "handled"

clients/README.md and docs/test.md list the methods, and docs/control.md what `call` can do. Times are seconds.
"""
from __future__ import annotations

import atexit, contextlib, datetime, fcntl, http.client, inspect, json, math, os, pathlib, re, selectors, shutil, signal, socket
import stat, struct, subprocess, sysconfig, tempfile, threading, time, urllib.request
from urllib.parse import urljoin, urlsplit

__tracebackhide__ = True  # pytest shows the line of the test.


class Error(Exception):
    """The daemon cannot do what was asked, or cannot be reached. The message says how to fix it."""

    def __init__(self, message, code=0, data=None):
        # A code that is positive is WebKit's, and its message the page's.
        super().__init__(_printable(message, "\n" if code > 0 else ""))
        self.code = code
        self.data = data or {}


class TimedOut(Error, TimeoutError):
    """What was waited for did not come in time."""


def _printable(text, more=""):
    """Returns a text without what controls a terminal, because a page may have written it."""
    controls = f"[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069{more}]"
    return re.sub(controls, lambda found: f"\\u{ord(found[0]):04x}", text)


def start(**settings) -> Client:
    """Starts the daemon that BRIDGED names, or the wheel's, or `bridged` on PATH. It ends with this process at the latest.

    Settings are the options of `bridged serve`: `start(port=2734, root_url="http://localhost:3000")`."""
    program = _program()
    options = [
        f"--{name.replace('_', '-')}" + ("" if value is True else f"={value}")
        for name, values in {"port": 0, **settings}.items()
        for value in (values if isinstance(values, (list, tuple)) else [values])
        if value is not None and value is not False
    ]
    with tempfile.TemporaryFile() as errors:
        process = _spawn([program, "serve", "--json", *options], stdout=subprocess.PIPE, stderr=errors)
        try:
            first = _first_line(process.stdout)
            # The daemon writes its traffic there too, and would wait for a reader.
            threading.Thread(target=_drain, args=[process.stdout], daemon=True).start()
            if not first:
                errors.seek(0)
                raise Error(f"bridged did not start: {errors.read().decode(errors='replace').strip()}")
            return Client(_started(first), process)
        except BaseException:
            _stop(process)
            raise


def connect(url=None, token=None, latest=False) -> Client:
    """Finds a daemon that runs: that at `url` or BRIDGED_URL, or the one on port 2734, or the only one.

    A daemon of another user or machine needs its token, here or in BRIDGED_TOKEN. The client has all messages that the daemon
    keeps; with `latest` only those that come from now on."""
    client = Client(_found(url, token))
    if latest:
        client._first = client._last_record()
    return client


def _found(url, token):
    """Returns the address and the token of the daemon for `connect`."""
    url, token = url or os.environ.get("BRIDGED_URL"), token or os.environ.get("BRIDGED_TOKEN")
    if url and token:
        return {"url": url, "token": token}
    running, others = _running()
    found = [daemon for daemon in running if not url or _address(url) == _address(daemon["url"])]
    found = [daemon for daemon in found if _address(daemon["url"])[1] == 2734] or found
    if not found:
        raise Error(f"No daemon of yours runs{f' at {url}' if url else ''}. Start one with: bridged serve{others}")
    if len(found) > 1:
        raise Error("Several daemons run. Name one: " + ", ".join(daemon["url"] for daemon in found))
    return {**found[0], "token": token or found[0]["token"]}


def attach(page, app=None, url=None) -> Client:
    """Gives a page of Playwright (its synchronous API) the bridge of `app`, or of the daemon that `connect` finds.

    Without `app`, the client that it returns has the messages that come from now on."""
    app = app or connect(latest=True)
    app.attach(page, url)
    return app


class Client:
    """A daemon, and the page that it shows. `close` it: a `with` statement does."""

    def __init__(self, endpoint, process=None):
        self.url, self._token = endpoint["url"], endpoint["token"]
        self._process, self._browser, self._profile, self._owner = process, None, None, os.getpid()
        self._first, self._taken, self._stubs, self._attached = 0, set(), [], []
        if process:
            _OPEN.add(self)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        """Closes the browser that `open` has started, and stops the daemon that `start` has started."""
        _OPEN.discard(self)
        if os.getpid() != self._owner:
            return  # A fork must not end the processes of its parent.
        self._close_browser()
        if self._process:
            _stop(self._process)
            self._process = None

    def call(self, method, **params):
        """Calls a control method, with the names that docs/control.md gives, and returns its result."""
        try:
            body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}, allow_nan=False)
        except (TypeError, ValueError, RecursionError) as error:
            raise Error(f"The parameters of {method} cannot be written as JSON: {error}") from None
        status, content = self._exchange(body, params.get("timeoutMs", 60_000) / 1000 + _PATIENCE)
        try:
            answer = json.loads(content)
        except (ValueError, RecursionError):
            answer = None
        error = answer.get("error") if isinstance(answer, dict) else None
        if isinstance(answer, dict) and isinstance(answer.get("result"), dict):
            return answer["result"]
        if not (isinstance(error, dict) and type(error.get("code")) is int and isinstance(error.get("message"), str)):
            raise self._strange(method, f"a JSON-RPC response to {method}", content, f" with HTTP status {status}")
        kind = TimedOut if error["code"] in (1, -32005) else Error
        raise kind(error["message"], error["code"], error["data"] if isinstance(error.get("data"), dict) else None)

    def _exchange(self, body, seconds):
        """POSTs a call, and returns the status and the body of the answer, which must be complete in time."""
        parts, content, late = urlsplit(self.url), bytearray(), threading.Event()
        kind = http.client.HTTPSConnection if parts.scheme == "https" else http.client.HTTPConnection
        headers = {"Authorization": f"Bearer {self._token}", "Content-Type": "application/json"}

        def give_up(connected):
            late.set()
            with contextlib.suppress(OSError):
                connected.shutdown(socket.SHUT_RDWR)

        try:
            with contextlib.closing(kind(parts.hostname, parts.port, timeout=seconds)) as connection:
                connection.connect()
                # The time-out of a socket begins anew with each byte.
                timer = threading.Timer(seconds, give_up, [connection.sock])
                timer.daemon = True
                timer.start()
                try:
                    connection.request("POST", "/rpc", body, headers)
                    response = connection.getresponse()
                    while part := response.read(1 << 16):
                        content += part
                        if len(content) > _LARGEST_ANSWER:
                            raise Error(f"The answer of {self.url} has more than {_LARGEST_ANSWER} bytes. {_IS_IT_BRIDGED}")
                    if response.length and not late.is_set():
                        raise http.client.IncompleteRead(bytes(content[:100]), response.length)
                finally:
                    timer.cancel()
        except (OSError, http.client.HTTPException) as error:
            if not late.is_set() and not isinstance(error, TimeoutError):
                raise self._unreachable(error) from error
            late.set()
        if late.is_set():
            raise Error(f"The daemon at {self.url} did not answer within {seconds:g} s. Does it still run?")
        return response.status, content

    def _ask(self, method, member, kind, **params):
        """Returns a member of a method's result, which must have this type."""
        return self._member(method, self.call(method, **params), member, kind)

    def _member(self, method, result, member, kind):
        value = _read(result, member)
        if not isinstance(value, kind):
            raise self._strange(method, f"{kind.__name__} {member}", _text(result).encode())
        return value

    def _evaluated(self, method, **params):
        result = self.call(method, **params)
        try:
            return _value(result)
        except (LookupError, TypeError, ValueError, AttributeError, OverflowError, struct.error):
            raise self._strange(method, "a script value", _text(result).encode()) from None

    def _unreachable(self, error):
        return Error(f"The daemon at {self.url} cannot be reached: {error}. Does it still run?")

    def _strange(self, method, expected, content, status=""):
        """Returns an error about an answer that no daemon gives."""
        text = content[:300].decode(errors="replace").strip()
        return Error(f"The server at {self.url} refuses {method}: {text}. This client expected {expected}, and found "
                     f"this{status}. {_IS_IT_BRIDGED}")

    # The page

    def open(self, url, timeout=30, until="load", browser="chromium"):
        """Shows a page, in a browser without a window if there is none yet. A path is the daemon's own.

        bridged drives "chromium", "firefox" and "webkit". Pages in "chromium+tag" need the script tag. Waits for the page's
        load event, and for the app's visit of it; with until="attached" only until it attaches."""
        url = urljoin(self.url, url)
        if not url.startswith(self.url):
            _check_server(url)
        after, deadline = self._last_record(), time.monotonic() + timeout
        pages = self._ask("pages.list", "pages", list)
        wanted = {"attached": True, "webView": "main", "frame.isMainFrame": True}
        if any(all(_read(page, name) == value for name, value in wanted.items()) for page in pages):
            self.call("origins.add", origin=url)
            self.call("page.navigate", url=url, webView="main")
        elif browser == "chromium+tag":
            launch = self.call("page.launch", url=url)
            self._open_browser(self._member("page.launch", launch, "url", str), launch.get("userAgent"))
        else:
            self._drive(browser, url)

        def wait():
            record = {"record": after}
            while (record.get("event"), record.get("webView")) != ("attached", "main"):
                left = max(0, deadline - time.monotonic()) * 1000
                fits = {"after": self._member("messages.wait", record, "record", int), "timeoutMs": min(left, 500), "filter": "kind:page,problem"}
                try:
                    record = self.call("messages.wait", **fits)
                except TimedOut:
                    self._check_driver()
                    if left <= 500:
                        raise
                if record.get("code") == "scriptMissing":
                    raise Error(f"{record.get('text')}. {record.get('hint')}")

        self._expecting(f"{url} to attach within {timeout} s; its first script must be {self.url}bridge.js", wait)
        if until != "attached":
            left = max(0, deadline - time.monotonic())
            options = {"web_view": "main", "timeout": left, "until": until}
            self._expecting(f"{url} to load within {timeout} s", lambda: self.wait_for_page(**options))

    def attach(self, page, url=None):
        """Gives a page of Playwright the bridge: each document that it loads from now on, without a script tag.

        Its requests carry the app's user agent, but not those of windows that it opens: `user_agent` is for these. `url` is one of
        the app's, if the first page is not. A context with `bypass_csp=True` attaches pages in spite of their
        Content-Security-Policy. Handlers that are not there yet, and stubs for such, are known to documents after the next
        call."""
        own = page.evaluate("navigator.userAgent")
        if inspect.iscoroutine(own):
            own.close()  # Python would warn that nothing has awaited it.
            raise Error("attach needs a page of Playwright's synchronous API, and this one is of the asynchronous API. Get it from "
                        "playwright.sync_api: sync_playwright() instead of async_playwright(), in pytest the fixture `page`.")
        if url:
            self.call("origins.add", origin=url)
        script, agent = self._page_script(own)
        if page.context.browser and page.context.browser.browser_type.name == "chromium":
            session = page.context.new_cdp_session(page)
            session.send("Emulation.setUserAgentOverride", {"userAgent": agent})
            self._attached.append(session)  # The override ends with it.
        else:
            page.set_extra_http_headers({"User-Agent": agent})
        page.add_init_script(script)

    def user_agent(self, browser):
        """Returns the app's user agent for a browser whose own is `browser`. A context of Playwright that has it sends it with
        the requests of all pages, also of windows that open by themselves."""
        return self._page_script(browser)[1]

    def _page_script(self, agent):
        """Returns bridge.js for a browser with this user agent, as a script for each new document, and the app's user agent."""
        request = urllib.request.Request(urljoin(self.url, "bridge.js"), headers={"User-Agent": agent})
        try:
            with urllib.request.build_opener(urllib.request.ProxyHandler({})).open(request, timeout=_PATIENCE) as answer:
                script = answer.read().decode()
        except (OSError, http.client.HTTPException) as error:
            raise self._unreachable(error) from error
        settings = re.search(r"\bconst settings = (\{.*\})$", script, re.MULTILINE)
        own = _read(json.loads(settings[1]), "webViews.main.userAgent") if settings else None
        return _INIT.replace("SCRIPT", script, 1), own or agent

    def wait_for_page(self, url="*", **options):
        """Waits until a browser shows a page whose URL fits: a path, or a whole URL. * stands for any characters."""
        return self.call("pages.wait", url=url, **_params(options))

    def evaluate(self, source, **options):
        """Runs a script in the page, and returns its completion value."""
        return self._evaluated("script.evaluate", source=source, **_params(options))

    def call_async(self, body, arguments=None, **options):
        """Runs the body of an async function in the page, and returns what the function returns.

        Arguments can be what JSON has, dates with a time, NaN and the infinities, and lists and dicts that contain each other."""
        typed = _typed("arguments", arguments or {})
        return self._evaluated("script.callAsync", body=body, **{**typed, **_params(options)})

    def wait_until(self, expression, timeout=5):
        """Waits until an expression is true in the page, or in the page that replaces it."""
        self._expecting(
            f"{expression} to be true within {timeout} s",
            lambda: self.call("script.wait", condition=expression, **_params({"timeout": timeout})))

    # Elements: a CSS selector, or a dict as in a flow, such as {"role": "button", "name": "Save"}. Each call waits until a
    # user can do it. A browser that bridged drives gets real input.

    def tap(self, element, timeout=5):
        self._act("tap", element, timeout)

    def fill(self, element, text, timeout=5):
        """Replaces what a field contains."""
        self._act("fill", element, timeout, text=text)

    def type(self, text, element=None, timeout=5):
        """Types with one key for each character, into what has the focus if no element is named."""
        self._act("type", element, timeout, text=text)

    def press(self, key, element=None, timeout=5):
        """Presses a key, such as "Enter" or "a"."""
        self._act("press", element, timeout, key=key)

    def select(self, element, *options, timeout=5):
        """Selects the options of a <select> with these labels or values, and no others."""
        self._act("select", element, timeout, options=options)

    def check(self, element, timeout=5):
        self._act("check", element, timeout)

    def uncheck(self, element, timeout=5):
        self._act("uncheck", element, timeout)

    def choose_files(self, element, *paths, timeout=5):
        """Chooses files of this machine for an <input type=file>."""
        self._act("chooseFiles", element, timeout, files=[os.path.abspath(path) for path in paths])

    def scroll_to(self, element, timeout=5):
        self._act("scrollTo", element, timeout)

    def hover(self, element, timeout=5):
        self._act("hover", element, timeout)

    def drag(self, element, to, timeout=5):
        self._act("drag", element, timeout, to=to)

    def expect_element(self, element, timeout=5, **expected):
        """Waits until an element is as expected: visible, enabled, checked, value, contains, count; without any, visible."""
        self._expecting_page({"element": element, **expected}, timeout)

    def expect_text(self, text, timeout=5):
        """Waits until the page shows a text."""
        self._expecting_page({"text": text}, timeout)

    def expect_url(self, url, timeout=5):
        """Waits until the page has this path or URL; * stands for any characters."""
        self._expecting_page({"url": url}, timeout)

    def expect_title(self, title, timeout=5):
        self._expecting_page({"title": title}, timeout)

    # Messages

    def next_message(self, name=None, timeout=5, **filters):
        """Returns the earliest message that fits and that no call has returned, or waits for it.

        Filters are those of `messages.wait`: `match={…}` is a part of the body, `handler="nativeApp"` the handler,
        `kind="console"` another kind of record."""
        fits = _params({"name": name, **filters})

        def wait():
            deadline, after = time.monotonic() + timeout, self._first
            while True:
                left = max(0, deadline - time.monotonic())
                record = self.call("messages.wait", after=after, timeoutMs=left * 1000, **fits)
                after = self._member("messages.wait", record, "record", int)
                if after not in self._taken:
                    self._taken.add(after)
                    return record

        return self._expecting(f"a record with {_text(fits)} within {timeout} s", wait)

    def expect_none(self, name=None, timeout=0.5, **filters):
        """Fails if there is a message that fits and that no call has returned, or if one comes in this time."""
        with contextlib.suppress(TimedOut):
            record = self.next_message(name, timeout, **filters)
            raise AssertionError(f"Expected no such record, but this one came: {_text(record)}")

    def traffic(self, **filters):
        """Returns the records that fit and that the daemon keeps, the oldest first."""
        params = _params({"after": self._first, "limit": 10_000, **filters})
        records, more = [], True
        while more and len(records) < params["limit"]:  # An answer has a part of many large records.
            part = self.call("traffic.query", **{**params, "limit": params["limit"] - len(records)})
            found, after = (self._member("traffic.query", part, *member) for member in (("records", list), ("next", int)))
            more = part.get("more")
            if more and (after <= params["after"] or not found):
                raise self._strange("traffic.query", "more records", _text(part).encode())
            records, params["after"] = records + found, after
        return records

    def save_trace(self, path, name="A test", failure="It failed."):
        """Writes what the app shows, and its traffic since the last reset, as a page that any browser shows."""
        options = {"url": self.url, "after": self._first, "name": name, "failure": failure[:20_000]}
        command = [_program(), "trace", "save", str(path), *(f"--{key}={value}" for key, value in options.items())]
        command = [argument.replace("\0", "\ufffd") for argument in command]
        try:
            ended = subprocess.run(
                command, stdin=subprocess.DEVNULL, capture_output=True, timeout=60,
                env={**os.environ, "BRIDGED_TOKEN": self._token})
        except (OSError, subprocess.TimeoutExpired) as error:
            raise Error(f"The trace cannot be written: {error}") from None
        if ended.returncode:
            raise Error(f"The trace cannot be written: {ended.stderr.decode(errors='replace').strip()}")

    def post(self, handler, body, **options):
        """Posts a message as the page would, and returns the reply."""
        return self._evaluated("message.post", handler=handler, **{**_typed("body", body), **_params(options)})

    def stub(self, handler, match=None, web_view=None, delay=None, **reply):
        """Answers in place of a handler: `value=…`, `error="text"`, `echo=True`, or `none=True` for no answer."""
        options = _params({"match": match, "web_view": web_view, "delay": delay})
        if "value" in reply:
            reply.update(_typed("value", reply["value"]))
        self._stubs.append(self._ask("handlers.stub", "stub", str, handler=handler, reply=reply, **options))
        return self._stubs[-1]

    def unstub(self, stub):
        """Removes what `stub` has returned."""
        self.call("handlers.unstub", stub=stub)
        if stub in self._stubs:
            self._stubs.remove(stub)

    def reset(self, close_browser=False):
        """Removes this client's stubs, takes the app back to a fresh install (stacks, cookies, storage, faults), and forgets the
        traffic, for the next test with the same daemon. Browsers that bridged drives show about:blank after it.

        Returns what could not be cleared. With `close_browser`, it closes the browser that `open` has started, and with it what
        the browser has stored, if it could not clear that."""
        self._remove_stubs()
        left = self._ask("app.reset", "notCleared", list)
        pages = self._driven_pages()
        if pages:
            left += self._leave(pages)
            self.call("app.reset")  # The pages could do something until they left.
        if close_browser and left and self._close_browser():
            left = []
        self._first = self._last_record()
        return left

    def _remove_stubs(self):
        while self._stubs:
            try:
                self.call("handlers.unstub", stub=self._stubs.pop())
            except Error as error:
                if error.code != -32602:  # Somebody else has removed it.
                    raise

    def _driven_pages(self):
        """Returns the pages that driven browsers show, by their ids, but not empty ones."""
        pages = self._ask("pages.list", "pages", list)
        wanted = {"attached": True, "device": None, "frame.isMainFrame": True}
        found = [page for page in pages if all(_read(page, name) == value for name, value in wanted.items())]
        found = [page for page in found if _read(page, "engine") and _read(page, "frame.url") != "about:blank"]
        return {page["page"]: page for page in found if isinstance(_read(page, "page"), str)}

    def _leave(self, pages):
        """Sends these pages to about:blank, because a page that lives on would post messages in the next test. Returns what it
        could not do; a browser that this client has started is closed in that case."""
        for page in pages:
            with contextlib.suppress(Error):  # A page may have left by itself.
                self.call("page.navigate", url="about:blank", page=page, timeoutMs=5_000)
        deadline = time.monotonic() + 5
        while not self._have_left(pages):
            if time.monotonic() > deadline:
                return [] if self._close_browser() else [f"pages that do not leave: {', '.join(map(str, pages))}"]
            time.sleep(0.01)
        return []

    def _have_left(self, pages):
        """Whether these pages are gone, and `open` finds a page in the main web view if one of them was there."""
        shown = [page for page in self._ask("pages.list", "pages", list) if _read(page, "attached")]
        had_main, has_main = (any(_read(page, "webView") == "main" for page in some) for some in (pages.values(), shown))
        return not any(_read(page, "page") in pages for page in shown) and (has_main or not had_main)

    # The emulated app

    def state(self):
        """Returns what the emulated app shows."""
        return self.call("app.state")

    def expect_app(self, timeout=5, **state):
        """Waits until the state contains this, as in expect_app(title="Posts", modal=[]), and returns it."""
        return self._expecting(
            f"the app to show {json.dumps(state, ensure_ascii=False)} within {timeout} s",
            lambda: self.call("app.wait", state=state, **_params({"timeout": timeout})))

    def perform(self, action, **arguments):
        """Does what the app's user would, as in `perform("visit", url="/posts")`, and returns the new state."""
        return self.call("app.perform", action=action, **arguments)

    # Private

    def _act(self, action, element, timeout, **params):
        name = "the focus" if element is None else f"an element {element if isinstance(element, str) else json.dumps(element)}"
        params.update(_params({"element": element, "timeout": timeout}))
        self._expecting(f"{name} to {action} within {timeout} s", lambda: self.call("page.act", action=action, **params))

    def _expecting_page(self, expected, timeout):
        self._expecting(
            f"the page to show {json.dumps(expected, ensure_ascii=False)} within {timeout} s",
            lambda: self.call("page.expect", **expected, **_params({"timeout": timeout})))

    def _last_record(self):
        return self._ask("daemon.info", "counters.records", int)

    def _expecting(self, what, wait):
        """Returns what `wait` returns. Adds what was expected, and the latest traffic, to a time-out."""
        try:
            return wait()
        except TimedOut as error:
            records = self.traffic(filter="-kind:evaluate,callAsync,result")[-10:]
            latest = "".join(f"\n  {_text(record)}" for record in records) or " none"
            raise TimedOut(f"Expected {what}. The latest traffic:{latest}", error.code, error.data) from None

    def _open_browser(self, url, user_agent):
        names = ["chromium", "chromium-browser", "google-chrome"]
        program = os.environ.get("CHROME_BIN") or next(filter(None, map(shutil.which, names)), None)
        if not program:
            raise Error("There is no Chromium on PATH. Install it, or name it in CHROME_BIN.")
        self._close_browser()
        # With this, stubs may answer dialogs, and any other one is dismissed; by itself Chromium would wait for a user.
        self.call("handlers.stub", handler="window.alert", reply={"none": True})
        self._profile = self._new_profile()
        root = ["--no-sandbox"] if os.getuid() == 0 else []  # The sandbox refuses to run as root.
        agent = [f"--user-agent={user_agent}"] if user_agent else []
        command = [program, *_CHROMIUM, *root, *agent, f"--user-data-dir={self._profile}", url]
        self._browser = _spawn(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def _drive(self, browser, url):
        program = _program()
        self._close_browser()
        self._profile = self._new_profile()
        command = [program, "open", url, f"--in={browser}", "--headless", f"--url={self.url}"]
        with open(os.path.join(self._profile, "errors"), "wb") as errors:
            self._browser = _spawn(command, stdout=subprocess.DEVNULL, stderr=errors)

    def _new_profile(self):
        _OPEN.add(self)
        return tempfile.mkdtemp(prefix="bridged-")

    def _check_driver(self):
        """Says why the browser that bridged drives has ended, if it has."""
        if self._browser and self._browser.poll() not in (None, 0):
            errors = pathlib.Path(self._profile, "errors")
            raise Error(f"The browser has ended. {errors.read_text() if errors.exists() else ''}".strip())

    def _close_browser(self):
        """Closes the browser that this client has started, with all that it has stored. Returns whether there was one."""
        browser, self._browser = self._browser, None
        if browser:
            _stop(browser)
            shutil.rmtree(self._profile, ignore_errors=True)
        return bool(browser)


# The clients that have started a daemon or a browser.
_OPEN = set()


@atexit.register
def _close_all():
    for client in list(_OPEN):
        client.close()


# All clients together make a daemon hold at most so much, by default.
_LARGEST_ANSWER = 256 << 20
# How many seconds an answer may take beyond the time that its call may wait.
_PATIENCE = 10
# How many seconds a daemon may take to write its first line, and how long the line may be.
_START_TIME = 60
_LONGEST_LINE = 64 << 10
_IS_IT_BRIDGED = "Is it bridged? Give the address that `bridged serve` prints."

# Chromium makes no requests of its own, and does not slow down pages that are behind another window.
_CHROMIUM = """--headless=new --disable-gpu --no-first-run --disable-background-networking --disable-component-update
    --disable-sync --password-store=basic --disable-dev-shm-usage --disable-popup-blocking
    --disable-background-timer-throttling --disable-renderer-backgrounding
    --disable-backgrounding-occluded-windows""".split()

# bridge.js as a script that browsers run in each new document. Frames, and the empty page, would be pages of their own. It waits
# for the root element, which is there before the first script of the page runs.
_INIT = """if (window === window.top && location.protocol.startsWith("http") && !document.bridged) {
const start = () => {
SCRIPT
}
if (document.documentElement) start()
else new MutationObserver((_, observer) => { if (document.documentElement) { observer.disconnect(); start() } })
  .observe(document, { childList: true })
}"""

# Ends the process group of a program within a second of this process, even if this one is killed.
_WATCH = '(while kill -0 $PPID && kill -0 $$; do sleep 1; done; kill -KILL -$$) </dev/null >/dev/null 2>&1 & exec "$@"'


def _program():
    # The wheel's is of this version, and pytest may run without the environment's folder on PATH.
    folders = [sysconfig.get_path("scripts"), sysconfig.get_path("scripts", f"{os.name}_user")]
    found = (shutil.which("bridged", path=folder) for folder in [*folders, os.environ.get("PATH", os.defpath)])
    program = os.environ.get("BRIDGED") or next(filter(None, found), None)
    if not program:
        raise Error("There is no bridged on PATH. Install its wheel or package, or name it in BRIDGED.")
    return program


def _spawn(command, **files):
    """Starts a program in a process group of its own."""
    shell = ["/bin/sh", "-c", _WATCH, "sh", *command]
    return subprocess.Popen(shell, stdin=subprocess.DEVNULL, start_new_session=True, **files)


def _first_line(output):
    """Returns the first line that a program writes; the beginning of one that is too long; b"" if it ends without one."""
    line, deadline = b"", time.monotonic() + _START_TIME
    with selectors.DefaultSelector() as selector:
        selector.register(output, selectors.EVENT_READ)
        while b"\n" not in line and len(line) < _LONGEST_LINE:
            if not selector.select(max(0, deadline - time.monotonic())):
                raise Error(f"bridged did not start: it has written no line in {_START_TIME} s. Does BRIDGED, or PATH, lead to bridged?")
            piece = os.read(output.fileno(), _LONGEST_LINE)
            if not piece:
                break
            line += piece
    return line.partition(b"\n")[0]


def _drain(output):
    with output:
        for _ in output:
            pass


def _stop(process):
    """Ends a program, and kills what is left of its process group after 5 seconds."""
    process.terminate()
    with contextlib.suppress(subprocess.TimeoutExpired):
        process.wait(5)
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def _started(line):
    """Returns the contents of the discovery file that a daemon names in its first line."""
    try:
        endpoint = _endpoint(_read(json.loads(line), "runFile"))
    except (OSError, ValueError, TypeError, RecursionError):
        endpoint = None
    if not endpoint:
        raise Error("bridged did not start: expected a line of JSON that names its runFile, found "
                    f"{line[:300].decode(errors='replace').strip()}. Does BRIDGED, or PATH, lead to bridged?")
    return endpoint


def _running():
    """Returns the daemons that run, whose discovery files hold a lock (docs/protocol.md, "Security"), and a sentence about the
    files that are not those of daemons."""
    runtime, temporary = os.environ.get("XDG_RUNTIME_DIR", ""), os.environ.get("TMPDIR", "")
    folder = pathlib.Path(temporary if temporary.startswith("/") else "/tmp", f"bridged-{os.getuid()}")
    folder = pathlib.Path(runtime, "bridged") if runtime.startswith("/") else folder
    # Another user could have made this folder, with files that lead elsewhere.
    if not folder.is_dir() or folder.is_symlink() or folder.stat().st_uid != os.getuid():
        return [], ""
    if folder.stat().st_mode & (stat.S_IWGRP | stat.S_IWOTH):
        return [], f". Other users can write to {folder}, so it is not read. Correct it with: chmod 700 {folder}"
    found, others = [], []
    for path in sorted(folder.glob("*.json")):
        with contextlib.suppress(FileNotFoundError):
            try:
                endpoint = _endpoint(path, locked=True)
                found += [endpoint] if endpoint else []
            except (OSError, ValueError, RecursionError):
                others.append(path.name)
    shown = ", ".join(others[:10]) + (", …" if len(others) > 10 else "")
    return found, f". These files in {folder} are not those of daemons: {shown}" if others else ""


def _endpoint(path, locked=False):
    """Returns the contents of a discovery file; None if it has to be locked, and is not: then its daemon was killed. A file that
    is something else is a ValueError."""
    # Without O_NONBLOCK, opening a pipe would wait for a writer.
    with open(os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW | os.O_CLOEXEC), "rb") as file:
        if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
            raise ValueError("not a file")
        if locked:
            with contextlib.suppress(BlockingIOError):
                fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
                return None
        text = file.read((64 << 10) + 1)
    endpoint = json.loads(text) if len(text) <= 64 << 10 else None
    if not (isinstance(_read(endpoint, "url"), str) and isinstance(_read(endpoint, "token"), str)):
        raise ValueError("not a discovery file")
    if not _address(endpoint["url"])[0]:
        raise ValueError("no host")
    return endpoint


def _read(value, path):
    """Returns the member to which names lead, with dots between them; None if there is none."""
    for name in path.split("."):
        value = value.get(name) if isinstance(value, dict) else None
    return value


def _address(url):
    """Returns the host and port of a URL. The names of this machine are one; no other host must get its token."""
    parts = urlsplit(url)
    return "localhost" if parts.hostname in ("127.0.0.1", "::1") else parts.hostname, parts.port


def _check_server(url):
    """Fails if nothing listens at an address."""
    parts = urlsplit(url)
    try:
        socket.create_connection((parts.hostname, parts.port or {"https": 443}.get(parts.scheme, 80)), 5).close()
    except OSError as error:
        raise Error(f"No server answers at {url}: {error}. Start the app's server.") from None


def _params(options):
    """Gives options the names of docs/control.md, turns seconds into milliseconds, and leaves out None."""
    names = {"web_view": "webView", "timeout": "timeoutMs", "delay": "delayMs"}
    seconds = ("timeout", "delay")
    return {names.get(k, k): v * 1000 if k in seconds else v for k, v in options.items() if v is not None}


def _text(value):
    """Returns the value as JSON for a message, without what is the same in most records."""
    usual = ("time", "url", "webView", "direction")
    value = {k: v for k, v in value.items() if k not in usual} if isinstance(value, dict) else value
    with contextlib.suppress(RecursionError):
        return json.dumps(value, ensure_ascii=False)[:300]
    return "a value that is nested too deeply"


def _typed(name, value):
    """Returns a value as the member of a call's parameters, with what JSON cannot express (docs/protocol.md, "Script values")."""
    types, places = {}, {}

    def encode(value, pointer):
        if isinstance(value, (dict, list, tuple)):
            # The second place refers to the first, so that a list can contain itself.
            if id(value) in places:
                types[pointer] = "ref"
                return places[id(value)]
            places[id(value)] = pointer
            pairs = [(_key(key), item) for key, item in value.items()] if isinstance(value, dict) else enumerate(value)
            items = {key: encode(item, f"{pointer}/{_escaped(key)}") for key, item in pairs}
            return items if isinstance(value, dict) else list(items.values())
        kind, written = _scalar(value, pointer)
        if kind:
            types[pointer] = kind
        return written

    try:
        encoded = encode(value, "")
    except RecursionError:
        raise Error(f"The {name} cannot be sent: it is nested too deeply.") from None
    return {name: encoded, **({"types": types} if types else {})}


def _scalar(value, pointer):
    """Returns the type that the protocol gives to a value which contains no others, None for one of JSON, and its JSON."""
    if isinstance(value, datetime.datetime):
        return "date", value.astimezone(datetime.timezone.utc).isoformat(timespec="milliseconds")[:-len("+00:00")] + "Z"
    if isinstance(value, float) and (not math.isfinite(value) or (value == 0 and math.copysign(1, value) < 0)):
        return "number", "NaN" if math.isnan(value) else "-0" if value == 0 else "Infinity" if value > 0 else "-Infinity"
    if isinstance(value, str) and re.search("[\ud800-\udfff]", value):
        units = value.encode("utf-16-le", "surrogatepass")
        return "utf16", list(struct.unpack(f"<{len(units) // 2}H", units))
    if value is None or isinstance(value, (str, int, float)):
        return None, value
    raise Error(f"A value of the type {type(value).__name__} cannot be sent to a page{f' (at {pointer})' if pointer else ''}. "
                "Pass what JSON has, or a datetime.datetime.")


def _key(key):
    """Returns the key of a dict as JSON writes it."""
    if isinstance(key, str):
        return key
    if key is None or isinstance(key, (int, float)):
        return json.dumps(key)
    raise Error(f"A key of the type {type(key).__name__} cannot be sent to a page. Pass a text.")


def _escaped(key):
    """Returns a key as a part of a JSON Pointer."""
    return str(key).replace("~", "~0").replace("/", "~1")


def _value(result):
    """Returns the value of a result, with what JSON cannot express (docs/protocol.md, "Script values")."""
    root = {"": result.get("value")}

    def place(pointer):
        *path, last = [part.replace("~1", "/").replace("~0", "~") for part in pointer.split("/")]
        holder = root
        for part in path:
            holder = holder[int(part) if isinstance(holder, list) else part]
        return holder, int(last) if isinstance(holder, list) else last

    # References come last, because they may lead to values that are replaced.
    for pointer, kind in sorted((result.get("types") or {}).items(), key=lambda item: item[1] == "ref"):
        holder, key = place(pointer)
        value = holder[key]
        if kind == "number":
            holder[key] = float(value)
        elif kind == "date" and value:
            with contextlib.suppress(ValueError):  # Python has no dates after the year 9999.
                holder[key] = datetime.datetime.fromisoformat(value.replace("Z", "+00:00"))
        elif kind == "utf16":
            holder[key] = struct.pack(f"<{len(value)}H", *value).decode("utf-16-le", "surrogatepass")
        elif kind == "ref":
            other, name = place(value)
            holder[key] = other[name]
    return root[""]
