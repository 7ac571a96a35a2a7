export type Client = import("./bridged.mjs").Client;
export type Body = (app: Client, t: import("node:test").TestContext) => any;
/** The options of `test` of node:test, and `settings`, the options of `bridged serve`, as for `start`. */
export interface Options {
    settings?: Record<string, any>;
    /** How many milliseconds the function may take. */
    timeout?: number;
    concurrency?: number | boolean | null;
    only?: boolean;
    signal?: AbortSignal;
    skip?: boolean | string;
    todo?: boolean | string;
    plan?: number;
}
export interface Declare {
    (name: string, body?: Body, settings?: Record<string, any>): Promise<void>;
    (name: string, options: Options, body?: Body): Promise<void>;
}
/**
 * Runs a test with a daemon, as `test` of node:test does: `bridgedTest("name", async (app, t) => { … })`, or with options before
 * the function. The time-out is for the function alone. Settings may also follow the function.
 */
export const bridgedTest: Declare & {
    skip: Declare;
    only: Declare;
    todo: Declare;
};
