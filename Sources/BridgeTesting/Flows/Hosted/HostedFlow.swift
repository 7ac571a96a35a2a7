import BridgeBrowsers
public import BridgeProtocol
import BridgeYAML
package import Foundation

/// A flow that runs in the process of a real app. `bridged test --app` gives it to the app in the environment, and reads
/// the result from a file.
public struct HostedFlow: Codable, Sendable {
    /// The name of the environment variable.
    public static let variable = "BRIDGED_FLOW"

    /// The path of the file with the flow.
    package let flow: String
    /// The row of the flow's table; nil if it has none.
    package let row: Int?
    /// The values of `--env`.
    package let variables: [String: String]
    /// The names of the variables that are secrets.
    package let secrets: [String]
    /// The raw value of the `BrowserEngine`.
    public let engine: String
    /// The path of the file for the result.
    package let result: String
    /// The raw value of the ``TraceMode``.
    package let traceMode: String
    package let traceFolder: String
    /// The name of the trace's file without an ending. The process that runs all flows has chosen it, so that two flows
    /// with the same file name in different folders do not replace each other's trace.
    package let traceName: String

    package init(
        _ flow: Flow, in engine: BrowserEngine, variables: [String: String], result: URL, traces: TraceMode,
        traceFolder: String, traceName: String
    ) {
        (self.flow, row, self.variables, secrets) = (flow.file, flow.row, variables, flow.secrets.names)
        self.engine = engine.rawValue
        self.result = result.path
        traceMode = traces.rawValue
        self.traceFolder = traceFolder
        self.traceName = traceName
    }

    /// The value of the environment variable.
    package func environmentValue() throws -> String { String(decoding: try JSONEncoder().encode(self), as: UTF8.self) }

    /// Reads what `bridged test` wants of this process. Nil if it wants nothing.
    public static func ofEnvironment() throws -> HostedFlow? {
        guard let text = ProcessInfo.processInfo.environment[variable] else { return nil }
        do { return try JSONDecoder().decode(HostedFlow.self, from: Data(text.utf8)) } catch {
            throw HostedFlowError.otherVersion("it cannot read the variable \(variable)")
        }
    }

    /// Runs the flow against the app, and writes the result.
    /// - Parameter app: makes the app's test, and says which browser it is in.
    @MainActor public func run(
        _ app: @escaping @MainActor (BrowserEngine) async throws -> BridgedApp
    ) async throws {
        guard let engine = BrowserEngine(rawValue: engine), let mode = TraceMode(rawValue: traceMode) else {
            throw HostedFlowError.otherVersion("it does not know the engine \(engine) or the traces \(traceMode)")
        }
        let traces = TraceFolder(mode, path: traceFolder, onlyName: traceName)
        let runner = FlowRunner(traces: traces) { _, _, _ in try await app(engine) }
        var inputs = FlowInputs(commandLine: variables)
        for name in secrets { inputs.redaction.add(name) }
        let flow = try Flow(YAMLFile(path: flow), inputs, row: row)
        let outcome = await runner.run(flow, in: .driven(engine))
        try JSONEncoder().encode(HostedFlowResult(outcome)).write(to: URL(fileURLWithPath: result), options: .atomic)
    }
}

/// An app and a `bridged test` that do not understand each other.
enum HostedFlowError: Error, CustomStringConvertible {
    case otherVersion(String)

    var description: String {
        switch self {
        case .otherVersion(let reason):
            "Another version of bridged has built the app: \(reason). Build it again: bridged run PROJECT --build"
        }
    }
}
