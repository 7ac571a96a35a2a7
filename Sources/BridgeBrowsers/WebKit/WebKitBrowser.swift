import BridgeProcesses
import BridgeProtocol
import Foundation

/// WebKit itself, in a process of ours: `bridged-webkit` (Sources/WebKitHost). It connects to the daemon itself, so that
/// messages take no detour; this object only opens and closes its windows. On the main actor.
@MainActor package final class WebKitBrowser: DrivenBrowser {
    private let executable: URL
    private let options: LaunchOptions
    package let process: DrivenProcess
    private let input = Pipe.withoutInheritance()
    private let output = Pipe.withoutInheritance()
    private var reader: PipeReader?
    private var incoming: [UInt8] = []
    private var isRunning = false
    private var webViews: [String: DrivenWebView] = [:]
    private var opening: [String: CheckedContinuation<Void, any Error>] = [:]
    private var ready: CheckedContinuation<Void, any Error>?
    private var renewal: CheckedContinuation<Void, any Error>?

    init(_ executable: URL, _ options: LaunchOptions) throws {
        self.executable = executable
        self.options = options
        process = try DrivenProcess(.webkit)
        process.onClose = { [weak self] in self?.letGo($0) }
        process.grace = .seconds(3)
        // A process of WebKit that has crashed must not end this one.
        signal(SIGPIPE, SIG_IGN)
    }

    /// The process starts with the first window, which names the daemon.
    package func start() async throws {}

    package func open(_ url: String?, in webView: DrivenWebView) async throws {
        if !isRunning { try await start(webView.link) }
        webViews[webView.name] = webView
        let limit = Task { [weak self, name = webView.name] in
            guard (try? await Task.sleep(for: BrowserCommands.limit)) != nil else { return }
            self?.opening.removeValue(forKey: name)?.resume(
                throwing: BrowserError("WebKit opened no window within \(BrowserCommands.limit)."))
        }
        defer { limit.cancel() }
        try await withCheckedThrowingContinuation { continuation in
            opening[webView.name] = continuation
            let link = webView.link
            send([
                "open": url.map { .string($0) } ?? .null, "webView": .string(webView.name), "host": .string(link.host),
                "port": .number(Double(link.port)), "token": .string(link.token),
            ])
        }
    }

    package func close(_ webView: DrivenWebView) { send(["close": .string(webView.name)]) }

    package func renewed() async throws -> any DrivenBrowser {
        webViews = [:]
        fail(BrowserError("The windows of WebKit were closed."))
        // It has shown nothing, and starts with its first window.
        guard isRunning, !process.isClosed else { return self }
        let limit = Task { [weak self] in
            guard (try? await Task.sleep(for: BrowserCommands.limit)) != nil else { return }
            self?.fail(BrowserError("WebKit did not close its windows within \(BrowserCommands.limit)."))
        }
        defer { limit.cancel() }
        try await withCheckedThrowingContinuation { continuation in
            renewal = continuation
            send(["renew": true])
        }
        return self
    }

    /// Starts the process for a daemon, and waits until it is ready.
    private func start(_ link: DaemonLink) async throws {
        isRunning = true
        var arguments = ["--parent-pipe", "--daemon", link.origin]
        if options.isHeadless { arguments.append("--headless") }
        if let device = options.device {
            arguments += ["--size", "\(device.width)x\(device.height)", "--user-agent", device.userAgent]
            // A window in which each point takes three pixels of the screen would be larger than the screen.
            if options.isHeadless { arguments += ["--scale", "\(Int(device.scale.rounded()))"] }
        }
        let command = LaunchCommand(
            arguments: arguments + options.arguments, environment: ["BRIDGED_TOKEN": link.token])
        try process.run(executable, command, streams: (input, output))
        reader = PipeReader(output.fileHandleForReading) { [weak self] in self?.receive($0) }
        let timeout = Task { [weak self, limit = options.timeout] in
            try await Task.sleep(for: limit)
            self?.process.ended("WebKit's process did not answer within \(limit).")
        }
        defer { timeout.cancel() }
        try await withCheckedThrowingContinuation { ready = $0 }
    }

    private func send(_ command: JSONValue) {
        guard !process.isClosed else { return }
        let line = Array("\(command.text)\n".utf8)
        _ = line.withUnsafeBytes {
            Foundation.write(input.fileHandleForWriting.fileDescriptor, $0.baseAddress, $0.count)
        }
    }

    // MARK: Answers

    /// - Parameter bytes: if there are none, the process has ended or is about to; `BrowserProcess` says how.
    private func receive(_ bytes: [UInt8]) {
        incoming += bytes
        while let newline = incoming.firstIndex(of: UInt8(ascii: "\n")) {
            let line = Array(incoming[..<newline])
            incoming.removeFirst(newline + 1)
            if let json = try? JSON.parse(line) { handle(json) }
        }
    }

    private func handle(_ json: JSON) {
        if json["ready"] != nil {
            ready.take()?.resume()
        } else if json["renewed"] != nil {
            renewal.take()?.resume()
        } else if let name = json["opened"]?.string {
            opening.removeValue(forKey: name)?.resume()
        } else if let name = json["closed"]?.string {
            // A window that has closed on its own before the others were closed is no longer known.
            guard webViews.removeValue(forKey: name) != nil else { return }
            if webViews.isEmpty { process.windowsClosed() }
        } else if let problem = json["problem"]?.string {
            webViews.sorted { $0.key < $1.key }.first?.value.report(problem)
        } else if let error = json["error"]?.string {
            fail(BrowserError(error))
        }
    }

    /// Fails everything that waits.
    private func fail(_ error: BrowserError) {
        ready.take()?.resume(throwing: error)
        renewal.take()?.resume(throwing: error)
        let list = opening.sorted { $0.key < $1.key }
        opening = [:]
        for (_, continuation) in list { continuation.resume(throwing: error) }
    }

    // MARK: The end

    private func letGo(_ reason: String) {
        reader?.stop()
        reader = nil
        // The process ends with its input, and deletes what it has made.
        try? input.fileHandleForWriting.close()
        fail(BrowserError(reason))
    }
}
