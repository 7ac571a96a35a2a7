import BridgeProtocol
import Foundation
import TestSupport
import Testing

@testable import BridgeBrowsers

/// Browsers that do not start.
@MainActor @Suite(.timeLimit(.minutes(1))) struct BrowserStartTests {
    private func withProgram(_ script: String, _ body: (URL) async throws -> Void) async throws {
        let folder = try TemporaryFolder()
        let file = URL(fileURLWithPath: folder.path("browser"))
        try Data("#!/bin/sh\n\(script)\n".utf8).write(to: file)
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: file.path)
        try await body(file)
        withExtendedLifetime(folder) {}
    }

    private func failure(of browser: any DrivenBrowser) async throws -> String {
        defer { browser.close() }
        do {
            try await browser.start()
            return "It has started."
        } catch {
            return "\(error)"
        }
    }

    @Test func firefoxThatEndsAtOnceIsReported_withWhatItWrote() async throws {
        try await withProgram("echo no display >&2; exit 3") { program in
            let browser = try FirefoxBrowser(program, LaunchOptions())
            let text = try await failure(of: browser)
            #expect(text == "Firefox has ended with the status 3. It wrote: no display")
            #expect(!FileManager.default.fileExists(atPath: browser.profile.path))
        }
    }

    @Test func chromiumThatEndsAtOnceIsReported() async throws {
        try await withProgram("kill -SEGV $$") { program in
            let browser = try ChromiumBrowser(program, LaunchOptions())
            #expect(try await failure(of: browser) == "Chromium was ended by the signal 11.")
            #expect(!FileManager.default.fileExists(atPath: browser.profile.path))
        }
    }

    /// A program that answers the first command as an old Chromium does.
    @Test func chromiumThatIsTooOldIsReported() async throws {
        let answer = #"{"id":1,"result":{"product":"HeadlessChrome/90.0.4430.72","userAgent":"x"}}"#
        try await withProgram("printf '%s\\0' '\(answer)' >&4; exec sleep 1000") { program in
            let browser = try ChromiumBrowser(program, LaunchOptions())
            let text = try await failure(of: browser)
            #expect(text.hasPrefix("Version 90 is too old; bridged needs 112 or later."))
            #expect(!FileManager.default.fileExists(atPath: browser.profile.path))
        }
    }

    @Test func screenThatNamesNoDisplayIsReported() async throws {
        try await withProgram("exec sleep 1000") { program in
            let error = try await offThread {
                #expect(throws: BrowserError.self) { try VirtualScreen(program: program, within: .milliseconds(100)) }
            }
            #expect(error?.description.contains("did not say within 0.1 seconds which display it is") == true)
        }
    }

    @Test func newVersionsAreNotTooOld() throws {
        try BrowserEngine.chromium.check(version: "HeadlessChrome/156.0.7000.1")
        try BrowserEngine.firefox.check(version: "153.7.0")
        #expect(throws: BrowserError.self) { try BrowserEngine.firefox.check(version: "128.14.0") }
    }

    /// The first process is killed, and another one goes on writing to the profile.
    @Test func profileIsDeleted_whileOtherProcessesOfTheBrowserGoOn() async throws {
        let writing = "(while :; do mkdir -p \"$TMPDIR\"; echo x >\"$TMPDIR/x\"; done) &"
        try await withProgram("\(writing) exec sleep 1000") { program in
            let browser = try ChromiumBrowser(program, LaunchOptions())
            let ending = Task { try await failure(of: browser) }
            let file = browser.profile.appendingPathComponent("x").path
            try await waitUntil { FileManager.default.fileExists(atPath: file) }
            kill(browser.processID, SIGKILL)
            #expect(try await ending.value == "Chromium was ended by the signal 9.")
            #expect(!FileManager.default.fileExists(atPath: browser.profile.path))
        }
    }

    @Test func browserThatHangsIsReported() async throws {
        try await withProgram("exec sleep 1000") { program in
            var options = LaunchOptions()
            options.timeout = .milliseconds(300)
            let browsers: [any DrivenBrowser] = [
                try FirefoxBrowser(program, options), try ChromiumBrowser(program, options),
            ]
            for browser in browsers {
                let text = try await failure(of: browser)
                #expect(text.contains("within 0.3 seconds"))
                // The process has been killed. Foundation removes it from the system's table on a thread of its own.
                try await waitUntil { kill(browser.processID, 0) == -1 }
                #expect(!FileManager.default.fileExists(atPath: browser.profile.path))
            }
        }
    }
}
