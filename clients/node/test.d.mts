/**
 * Runs a test with a daemon. Settings are the options of `bridged serve`, as for `start`.
 * @param {string} name
 * @param {(app: Client, t: import("node:test").TestContext) => any} body
 * @param {Record<string, any>} [settings]
 */
export function bridgedTest(name: string, body: (app: Client, t: import("node:test").TestContext) => any, settings?: Record<string, any>): Promise<void>;
export type Client = import("./bridged.mjs").Client;
