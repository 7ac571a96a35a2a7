import ArgumentParser
import BridgeClient
import BridgeProcesses
import BridgeProtocol
import BridgeTesting
import BridgeTraffic
import EmulatedApp
import Foundation
import Logging

/// `bridged compare`
struct Compare: ClientCommand {
    static let configuration = CommandConfiguration(
        commandName: "compare",
        abstract: "Say how two runs of an app differ, such as one on a phone and one here.",
        discussion: """
            Messages, replies, calls of native code and documents are compared; visits, stacks and requests too, if both \
            logs have some. Origins, times, and ids that the app makes anew in each run, are no differences.

            Examples:
              bridged compare phone.ndjson here.ndjson
              bridged compare phone.ndjson
              bridged compare phone.ndjson --flow flows/posts.yml --framework ios@1.2,ios@1.3
              bridged compare before.ndjson after.ndjson --ignore /body/data/token

            Exit codes: 0 if nothing differs (with --flow: from one of the releases), 1 if something differs or the flow \
            fails, 64 for a mistake in the arguments or a log, 69 no daemon can be reached.
            """)

    @Argument(help: ArgumentHelp("A log that bridged serve --log or bridged test --keep-log wrote.", valueName: "log"))
    var first: String

    @Argument(
        help: ArgumentHelp("The log to compare it with. (default: the running daemon's records)", valueName: "log"))
    var second: String?

    @Option(
        help: ArgumentHelp("Run this flow, and compare its traffic.", valueName: "flow"))
    var flow: String?

    @Option(help: "With --flow: the releases to run it with, best first in the answer.")
    var framework: FrameworkList?

    @Option(
        name: .customLong("in"),
        help: ArgumentHelp("With --flow: the browser. (default: \(BrowserList.usual))", valueName: "browser"))
    var browser: BrowserList?

    @Option(help: ArgumentHelp("With --flow: a configuration. (default: bridged.yml)", valueName: "file"))
    var config: String?

    @Option(
        help: ArgumentHelp(
            "A place that may differ, such as /body/token, /value/at or /arguments/0; * is any one part. May be repeated.",
            valueName: "pointer"))
    var ignore: [String] = []

    @OptionGroup var options: ClientOptions

    func validate() throws {
        guard flow != nil else {
            let needless = [("--framework", framework != nil), ("--in", browser != nil), ("--config", config != nil)]
            if let (name, _) = needless.first(where: \.1) {
                throw ValidationError("\(name) says how a flow runs: give the flow with --flow, or leave it out.")
            }
            if second != nil, options.url != nil {
                throw ValidationError("--url names a daemon, and the records come from a log: leave out one of them.")
            }
            return
        }
        if second != nil || options.url != nil {
            throw ValidationError(
                "--flow makes the traffic to compare with: leave out \(second != nil ? "the second log" : "--url").")
        }
        if let browser, browser.browsers.count > 1 { throw ValidationError("Give --in one browser.") }
    }

    /// Needs a daemon only if neither a second log nor a flow is given.
    func run() throws {
        guard second == nil, flow == nil else {
            let ignored = try ignored
            let records = try LogReader.records(in: first)
            guard let second else { return try run(flow ?? "", records, ignored) }
            return try show(records, LogReader.records(in: second), ignored, second)
        }
        try runWithDaemon()
    }

    func run(_ daemon: DaemonClient) throws {
        let ignored = try ignored
        try show(LogReader.records(in: first), LogReader.records(of: daemon), ignored, "the daemon")
    }

    private var ignored: [JSONPointer] {
        get throws {
            try ignore.map { text in
                guard let pointer = JSONPointer(text) else {
                    throw CommandFailure(
                        "'\(text)' is not a JSON Pointer. Give one like /body/token or /arguments/0.", .usage)
                }
                return pointer
            }
        }
    }

    // MARK: Two logs

    private func show(
        _ records: [TrafficRecord], _ others: [TrafficRecord], _ ignored: [JSONPointer], _ name: String
    ) throws {
        let comparison = TrafficComparison(records, others, ignoring: ignored)
        try check(comparison, name)
        let text = ComparisonText(first, name)
        for difference in comparison.differences {
            Terminal.print(json ? text.json(difference).text : text.lines(difference))
        }
        Terminal.print(json ? text.json(comparison).text : text.summary(comparison))
        if !comparison.differences.isEmpty { throw ExitCode(CommandFailure.Code.failed.rawValue) }
    }

    private func check(_ comparison: TrafficComparison, _ name: String) throws {
        guard comparison.isEmpty else { return }
        throw CommandFailure(
            "Neither \(first) nor \(name) has a page, message, call or visit, so nothing was compared. Give logs of runs "
                + "in which a page was shown.", .usage)
    }

    // MARK: A flow

    /// Runs the flow with each release, and prints what differs, that of the most similar release first.
    private func run(_ flow: String, _ records: [TrafficRecord], _ ignored: [JSONPointer]) throws {
        LoggingSystem.bootstrap { _ in SwiftLogNoOpLogHandler() }
        let folder = try FileManager.default.makeTemporaryFolder("bridged-compare")
        var arguments = [flow, "--keep-log", folder.path, "--trace", "off"]
        if let framework { arguments += ["--framework", framework.frameworks.map(\.name).joined(separator: ",")] }
        if let browser { arguments += ["--in", "\(browser)"] }
        if let config { arguments += ["--config", config] }
        if json { arguments += ["--reporter", "json"] }
        let command = try TestCommand.parse(arguments)
        try MainActor.assumeIsolated {
            let plan = try command.plan(try ServeConfiguration.all(command.options))
            Task {
                let results = await command.report(plan.runs(of: plan.flows))
                plan.browsers.close()
                var code = CommandFailure.Code.failed.rawValue
                do {
                    code = try show(results, command, records, ignored) ? 0 : code
                } catch let failure as CommandFailure {
                    failure.report(asJSON: json)
                    code = failure.code.rawValue
                } catch {
                    Terminal.printError("error: \(TerminalText.escape("\(error)"))")
                }
                try? FileManager.default.removeItem(at: folder)
                Foundation.exit(code)
            }
        }
        dispatchMain()
    }

    /// - Returns: whether the flow passed everywhere, and one run does not differ.
    @MainActor private func show(
        _ results: [FlowResult], _ command: TestCommand, _ records: [TrafficRecord], _ ignored: [JSONPointer]
    ) throws -> Bool {
        var runs: [(text: ComparisonText, comparison: TrafficComparison)] = []
        for result in results where result.skipped == nil {
            let path = try command.logPath(result.flow, result.engine, result.framework, result.binary) ?? ""
            let name = result.framework?.name ?? "here"
            let comparison = TrafficComparison(records, try LogReader.records(in: path), ignoring: ignored)
            try check(comparison, name)
            runs.append((ComparisonText(first, name), comparison))
        }
        runs.sort { $0.comparison.differences.count < $1.comparison.differences.count }
        for (text, comparison) in runs {
            for difference in comparison.differences {
                Terminal.print(json ? text.json(difference).text : text.lines(difference))
            }
            Terminal.print(json ? text.json(comparison).text : text.summary(comparison))
        }
        let isEqual = runs.first?.comparison.differences.isEmpty ?? false
        return isEqual && results.allSatisfy { $0.failure == nil }
    }
}

/// The words for differences between two runs.
private struct ComparisonText {
    private let first: String
    private let second: String

    /// Shortens paths to the names of the files, if those differ.
    init(_ first: String, _ second: String) {
        let names = [first, second].map { URL(fileURLWithPath: $0).lastPathComponent }
        (self.first, self.second) = names[0] == names[1] ? (first, second) : (names[0], names[1])
    }

    func lines(_ difference: TrafficDifference) -> String {
        let place = "\(difference.place)".isEmpty ? "" : " at \(difference.place)"
        let order = difference.isOrder ? ", in another order" : ""
        let what = difference.kind == .page ? "" : ", \(difference.kind.rawValue) \(difference.name)"
        let width = max(first.count, second.count)
        let sides = [(first, difference.first), (second, difference.second)].map { name, side in
            let text = side.map { "\(shortened($0.text, to: 200))   (record \($0.record))" } ?? "nothing"
            return "    \(name.padding(toLength: width, withPad: " ", startingAt: 0))  \(text)"
        }
        return ([difference.page + what + place + order] + sides).map { TerminalText.escape($0) }
            .joined(separator: "\n")
    }

    func summary(_ comparison: TrafficComparison) -> String {
        let counts = TrafficDifference.Kind.allCases.compactMap { kind in
            comparison.counts[kind].map { "\($0) \($0 == 1 ? kind.rawValue : kind.plural)" }
        }
        let differences = comparison.differences.count
        let found = differences == 0 ? "no difference" : "\(differences) difference\(differences == 1 ? "" : "s")"
        var lines = ["\(second): \(found). Compared: \(counts.isEmpty ? "nothing" : counts.joined(separator: ", "))."]
        if !comparison.kindsOfOneRun.isEmpty {
            let kinds = comparison.kindsOfOneRun.map(\.plural).joined(separator: " and ")
            lines.append("Only one of the logs has \(kinds): they are not compared.")
        }
        return lines.map { TerminalText.escape($0) }.joined(separator: "\n")
    }

    func json(_ difference: TrafficDifference) -> JSONValue {
        var object: JSONValue = [
            "with": .string(second), "kind": .string(difference.kind.rawValue), "name": .string(difference.name),
            "page": .string(difference.page), "place": .string(difference.place.description),
            "first": json(difference.first), "second": json(difference.second),
        ]
        if difference.isOrder { object["order"] = true }
        return object
    }

    func json(_ comparison: TrafficComparison) -> JSONValue {
        let counts = TrafficDifference.Kind.allCases.map { kind in
            JSONValue.Member(kind.rawValue, .number(Double(comparison.counts[kind] ?? 0)))
        }
        return [
            "with": .string(second), "differences": .number(Double(comparison.differences.count)),
            "compared": .object(counts),
            "notCompared": .array(comparison.kindsOfOneRun.map { .string($0.rawValue) }),
        ]
    }

    private func json(_ side: TrafficDifference.Side?) -> JSONValue {
        guard let side else { return .null }
        return ["record": .number(Double(side.record)), "value": .string(side.text)]
    }
}

extension TrafficDifference.Kind {
    fileprivate var plural: String { self == .reply ? "replies" : "\(rawValue)s" }
}
