// Starts a headless browser at an address, and ends it again.

import { spawn } from "node:child_process"
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"

const commands = {
  chromium: (profile) => ["chromium", "--headless=new", "--no-sandbox", `--user-data-dir=${profile}`,
    "--remote-debugging-port=0", "--disable-popup-blocking", "--disable-gpu",
    "--disable-background-timer-throttling", "--disable-renderer-backgrounding",
    "--disable-backgrounding-occluded-windows"],
  firefox: (profile) => ["firefox-esr", "--headless", "--no-remote", "--profile", profile]
}

/** @param {"chromium" | "firefox"} name @returns {Promise<() => Promise<void>>} ends the browser */
export const openBrowser = async (name, url) => {
  const profile = await mkdtemp(join(tmpdir(), "bridged-browser-"))
  const [command, ...options] = commands[name](profile)
  const child = spawn(command, [...options, url], { stdio: "ignore", detached: true })
  const ended = new Promise((resolve) => child.once("exit", resolve))
  return async () => {
    process.kill(-child.pid, "SIGKILL") // The group: a browser is many processes.
    await ended
    await rm(profile, { recursive: true, force: true, maxRetries: 5 }).catch(() => {})
  }
}
