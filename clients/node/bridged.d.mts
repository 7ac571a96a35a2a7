/**
 * Starts the daemon that BRIDGED names, or that of the npm package, or `bridged` on PATH. It ends with this process at the latest.
 *
 * Settings are the options of `bridged serve`: `start({ port: 2734, rootUrl: "http://localhost:3000" })`.
 * @param {Fields} [settings]
 */
export function start(settings?: Fields): Promise<Client>;
/**
 * Finds a daemon that runs: that at `url` or BRIDGED_URL, or the one on port 2734, or the only one.
 *
 * A daemon of another user or machine needs its token, here or in BRIDGED_TOKEN. The client has all messages that the daemon
 * keeps; with `latest` only those that come from now on.
 * @param {string} [url] @param {{token?: string, latest?: boolean}} [options]
 */
export function connect(url?: string, { token, latest }?: {
    token?: string;
    latest?: boolean;
}): Client;
/**
 * Gives a page of Playwright or Puppeteer the bridge of `app`, or of the daemon that `connect` finds, and returns the client.
 * Without `app`, that has the messages that come from now on.
 * @param {any} page @param {{app?: Client, url?: string}} [options]
 */
export function attach(page: any, { app, url }?: {
    app?: Client;
    url?: string;
}): Promise<Client>;
/** @typedef {Record<string, any>} Fields */
/** @typedef {{page?: string, webView?: string, timeout?: number}} Options */
/** The daemon cannot do what was asked, or cannot be reached. The message says how to fix it. */
export class BridgedError extends Error {
    /** @param {string} message @param {number} [code] @param {Fields} [data] */
    constructor(message: string, code?: number, data?: Fields);
    code: number;
    data: Fields;
    /** Whether what was waited for did not come in time. */
    get timedOut(): boolean;
}
/** A daemon, and the page that it shows. `close` it. */
export class Client {
    /**
     * @param {{url: string, token: string}} endpoint @param {import("node:child_process").ChildProcess} [daemon]
     * @param {boolean} [latest] whether it begins with the latest record
     */
    constructor({ url, token }: {
        url: string;
        token: string;
    }, daemon?: import("node:child_process").ChildProcess, latest?: boolean);
    url: string;
    /** Closes the browser that `open` has started, and stops the daemon that `start` has started. */
    close(): Promise<void>;
    /**
     * Calls a control method, with the names that docs/control.md gives, and returns its result.
     * @param {string} method @param {Fields} [params] @returns {Promise<any>}
     */
    call(method: string, params?: Fields): Promise<any>;
    /**
     * Shows a page, in a browser without a window if there is none yet. A path is the daemon's own.
     *
     * bridged drives `"chromium"`, `"firefox"` and `"webkit"`. Pages in `"chromium+tag"` need the script tag. Waits for the
     * page's load event, and for the app's visit of it; with `until: "attached"` only until it attaches.
     * @param {string} url @param {{timeout?: number, until?: "attached" | "load", browser?: string}} [options]
     */
    open(url: string, { timeout, until, browser }?: {
        timeout?: number;
        until?: "attached" | "load";
        browser?: string;
    }): Promise<void>;
    /**
     * Gives a page of Playwright or Puppeteer the bridge: each document that it loads from now on, without a script tag.
     *
     * Its requests carry the app's user agent, but not those of windows that it opens: `userAgent` is for these. `url` is one of
     * the app's, if the first page is not. A context with `bypassCSP: true` (Puppeteer: `page.setBypassCSP(true)`) attaches pages
     * in spite of their Content-Security-Policy. Handlers that are not there yet, and stubs for such, are known to documents
     * after the next call.
     * @param {any} page @param {{url?: string}} [options]
     */
    attach(page: any, { url }?: {
        url?: string;
    }): Promise<void>;
    /**
     * Returns the app's user agent for a browser whose own is `browser`. A context of Playwright that has it sends it with the
     * requests of all pages, also of windows that open by themselves.
     * @param {string} browser
     */
    userAgent(browser: string): Promise<string>;
    /**
     * Waits until a browser shows a page whose URL fits: a path, or a whole URL. * stands for any characters.
     * @param {string} [url] @param {Options} [options]
     */
    waitForPage(url?: string, options?: Options): Promise<any>;
    /**
     * Runs a script in the page, and returns its completion value.
     * @param {string} source @param {Options} [options] @returns {Promise<any>}
     */
    evaluate(source: string, options?: Options): Promise<any>;
    /**
     * Runs the body of an async function in the page, and returns what the function returns.
     *
     * Values can be what JSON has, dates, `undefined`, `NaN` and the infinities, and objects that contain each other.
     * @param {string} body @param {Fields} [values] @param {Options} [options] @returns {Promise<any>}
     */
    callAsync(body: string, values?: Fields, options?: Options): Promise<any>;
    /**
     * Waits until an expression is true in the page, or in the page that replaces it.
     * @param {string} expression @param {{timeout?: number}} [options]
     */
    waitUntil(expression: string, { timeout }?: {
        timeout?: number;
    }): Promise<void>;
    /** @typedef {string | Fields} Element */
    /** @param {Element} element @param {{timeout?: number}} [options] */
    tap(element: string | Fields, options?: {
        timeout?: number;
    }): Promise<void>;
    /**
     * Replaces what a field contains.
     * @param {Element} element @param {string} text @param {{timeout?: number}} [options]
     */
    fill(element: string | Fields, text: string, options?: {
        timeout?: number;
    }): Promise<void>;
    /**
     * Types with one key for each character, into what has the focus if no element is named.
     * @param {string} text @param {Element} [element] @param {{timeout?: number}} [options]
     */
    type(text: string, element?: string | Fields, options?: {
        timeout?: number;
    }): Promise<void>;
    /**
     * Presses a key, such as `Enter` or `a`.
     * @param {string} key @param {Element} [element] @param {{timeout?: number}} [options]
     */
    press(key: string, element?: string | Fields, options?: {
        timeout?: number;
    }): Promise<void>;
    /**
     * Selects the options of a `<select>` with these labels or values, and no others.
     * @param {Element} element @param {string | string[]} options @param {{timeout?: number}} [settings]
     */
    select(element: string | Fields, options: string | string[], settings?: {
        timeout?: number;
    }): Promise<void>;
    /** @param {Element} element @param {{timeout?: number}} [options] */
    check(element: string | Fields, options?: {
        timeout?: number;
    }): Promise<void>;
    /** @param {Element} element @param {{timeout?: number}} [options] */
    uncheck(element: string | Fields, options?: {
        timeout?: number;
    }): Promise<void>;
    /**
     * Chooses files of this machine for an `<input type=file>`.
     * @param {Element} element @param {string | string[]} paths @param {{timeout?: number}} [options]
     */
    chooseFiles(element: string | Fields, paths: string | string[], options?: {
        timeout?: number;
    }): Promise<void>;
    /** @param {Element} element @param {{timeout?: number}} [options] */
    scrollTo(element: string | Fields, options?: {
        timeout?: number;
    }): Promise<void>;
    /** @param {Element} element @param {{timeout?: number}} [options] */
    hover(element: string | Fields, options?: {
        timeout?: number;
    }): Promise<void>;
    /** @param {Element} element @param {Element} to @param {{timeout?: number}} [options] */
    drag(element: string | Fields, to: string | Fields, options?: {
        timeout?: number;
    }): Promise<void>;
    /**
     * Waits until an element is as expected: `visible`, `enabled`, `checked`, `value`, `contains`, `count`; without any,
     * visible.
     * @param {Element} element @param {Fields & {timeout?: number}} [expected]
     */
    expectElement(element: string | Fields, { timeout, ...expected }?: Fields & {
        timeout?: number;
    }): Promise<void>;
    /**
     * Waits until the page shows a text.
     * @param {string} text @param {{timeout?: number}} [options]
     */
    expectText(text: string, { timeout }?: {
        timeout?: number;
    }): Promise<void>;
    /**
     * Waits until the page has this path or URL; * stands for any characters.
     * @param {string} url @param {{timeout?: number}} [options]
     */
    expectURL(url: string, { timeout }?: {
        timeout?: number;
    }): Promise<void>;
    /** @param {string} title @param {{timeout?: number}} [options] */
    expectTitle(title: string, { timeout }?: {
        timeout?: number;
    }): Promise<void>;
    /**
     * Returns the earliest message that fits and that no call has returned, or waits for it.
     *
     * Filters are those of `messages.wait`: `match: {…}` is a part of the body, `handler: "nativeApp"` the handler,
     * `kind: "console"` another kind of record.
     * @param {string | Fields} name the name in the body, or filters @param {Fields} [filters]
     */
    nextMessage(name: string | Fields, filters?: Fields): Promise<any>;
    /**
     * Fails if there is a message that fits and that no call has returned, or if one comes in this time.
     * @param {string | Fields} name as for `nextMessage` @param {Fields} [filters]
     */
    expectNone(name: string | Fields, filters?: Fields): Promise<void>;
    /**
     * Returns the records that fit and that the daemon keeps, the oldest first.
     * @param {Fields} [filters] @returns {Promise<any[]>}
     */
    traffic(filters?: Fields): Promise<any[]>;
    /**
     * Writes what the app shows, and its traffic since the last reset, as a page that any browser shows.
     * @param {string} path
     * @param {{ name?: string, failure?: string }} [options]
     */
    saveTrace(path: string, { name, failure }?: {
        name?: string;
        failure?: string;
    }): Promise<void>;
    /**
     * Posts a message as the page would, and returns the reply.
     * @param {string} handler @param {any} body @param {Options} [options] @returns {Promise<any>}
     */
    post(handler: string, body: any, options?: Options): Promise<any>;
    /**
     * Answers in place of a handler. Returns the stub's id, for `unstub`.
     * @param {string} handler
     * @param {{value: any} | {error: string} | {echo: true} | {none: true}} reply `none` means no answer
     * @param {{match?: any, webView?: string, delay?: number}} [options]
     * @returns {Promise<string>}
     */
    stub(handler: string, reply: {
        value: any;
    } | {
        error: string;
    } | {
        echo: true;
    } | {
        none: true;
    }, options?: {
        match?: any;
        webView?: string;
        delay?: number;
    }): Promise<string>;
    /** @param {string} stub what `stub` has returned */
    unstub(stub: string): Promise<void>;
    /**
     * Removes this client's stubs, takes the app back to a fresh install (stacks, cookies, storage, faults), and forgets the
     * traffic, for the next test with the same daemon. Browsers that bridged drives show about:blank after it.
     *
     * Returns what could not be cleared. With `closeBrowser`, it closes the browser that `open` has started, and with it what the
     * browser has stored, if it could not clear that.
     * @param {{closeBrowser?: boolean}} [options] @returns {Promise<string[]>}
     */
    reset({ closeBrowser }?: {
        closeBrowser?: boolean;
    }): Promise<string[]>;
    /** Returns what the emulated app shows. */
    state(): Promise<any>;
    /**
     * Waits until the state contains this, as in `expectApp({ title: "Posts", modal: [] })`, and returns it.
     * @param {Fields} state @param {{timeout?: number}} [options] @returns {Promise<any>}
     */
    expectApp(state: Fields, { timeout }?: {
        timeout?: number;
    }): Promise<any>;
    /**
     * Does what the app's user would, as in `perform("visit", { url: "/posts" })`, and returns the new state.
     * @param {string} action @param {Record<string, string>} [values]
     */
    perform(action: string, values?: Record<string, string>): Promise<any>;
    #private;
}
export type Fields = Record<string, any>;
export type Options = {
    page?: string;
    webView?: string;
    timeout?: number;
};
