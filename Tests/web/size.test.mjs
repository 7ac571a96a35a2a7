import assert from "node:assert/strict"
import { test } from "node:test"
import { gzipSync } from "node:zlib"
import { source } from "./support/page.mjs"

/** Every page loads it. Whoever needs more room makes room first. */
const LIMIT = 14_070

test("is small as it is served", { skip: !process.env.BRIDGED_SCRIPT && "these are its parts" }, (t) => {
  const bytes = gzipSync(source, { level: 9 }).length
  t.diagnostic(`bridge.js: ${source.length} bytes, ${bytes} gzipped`)
  assert.ok(bytes <= LIMIT, `bridge.js is served with ${bytes} bytes (gzip -9), ${bytes - LIMIT} more than it may have`)
})
