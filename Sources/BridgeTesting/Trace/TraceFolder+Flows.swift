public import EmulatedApp
import Foundation

extension TraceFolder {
    /// Writes the trace of a flow, if it should have one.
    func write(_ recorder: TraceRecorder, of result: FlowResult) -> TraceFile? {
        guard mode == .on || result.failure != nil else { return nil }
        let trace = recorder.trace(
            name: result.flow.name, file: result.flow.file, framework: result.framework?.name,
            steps: result.flow.steps.map { ($0.line, "\($0.action)") },
            failure: result.failure.map {
                Trace.Failure(step: $0.step?.number, expected: $0.expected, found: $0.found)
            })
        let name = result.flow.fileName(in: result.engine, with: result.framework, result.binary)
        return write(trace, as: name, recorder.app.server.traffic.withoutTokens)
    }
}

extension Flow {
    /// The name of the files of a run, without an ending: `push-chromium`, or `push-chromium-ios@1.3` if flows run with
    /// several frameworks. The name of the app's build comes last.
    public func fileName(
        in engine: TestBrowser, with framework: Framework?, _ binary: String? = nil
    ) -> String {
        let name = URL(fileURLWithPath: file).deletingPathExtension().lastPathComponent
        return [name, "\(engine)", framework?.name, binary?.replacing("/", with: "-")].compactMap(\.self).joined(
            separator: "-")
    }
}
