// Starts a headless browser at an address, and ends it again.

import { spawn } from "node:child_process"
import { mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"

const commands = {
  chromium: (profile) => ["chromium", "--headless=new", "--no-sandbox", `--user-data-dir=${profile}`,
    "--remote-debugging-port=0", "--disable-popup-blocking", "--disable-gpu",
    "--disable-background-timer-throttling", "--disable-renderer-backgrounding",
    "--disable-backgrounding-occluded-windows"],
  firefox: (profile) => ["firefox-esr", "--headless", "--no-remote", "--profile", profile]
}

/** Scripts may open and close windows; nothing asks or calls home. */
const firefoxPreferences = `
user_pref("dom.disable_open_during_load", false);
user_pref("dom.popup_maximum", -1);
user_pref("dom.allow_scripts_to_close_windows", true);
user_pref("browser.shell.checkDefaultBrowser", false);
user_pref("browser.aboutwelcome.enabled", false);
user_pref("datareporting.policy.dataSubmissionPolicyBypassNotification", true);
`

/** @param {"chromium" | "firefox"} name @returns {Promise<() => Promise<void>>} ends the browser */
export const openBrowser = async (name, url) => {
  const profile = await mkdtemp(join(tmpdir(), "bridged-browser-"))
  if (name === "firefox") await writeFile(join(profile, "user.js"), firefoxPreferences)
  const [command, ...options] = commands[name](profile)
  const child = spawn(command, [...options, url], { stdio: "ignore", detached: true })
  const ended = new Promise((resolve) => child.once("exit", resolve))
  return async () => {
    process.kill(-child.pid, "SIGKILL") // The group: a browser is many processes.
    await ended
    await rm(profile, { recursive: true, force: true, maxRetries: 5 }).catch(() => {})
  }
}
