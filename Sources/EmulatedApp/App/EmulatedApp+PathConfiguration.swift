public import BridgeProtocol
import BridgeServer
import Foundation
import PathConfiguration

/// Reports what goes wrong with the path configuration while the app runs, and explains its rules.
extension EmulatedApp {
    public func explain(_ text: String) throws -> any JSONWritable & Sendable {
        guard !text.isEmpty, let url = URL(string: text, relativeTo: baseURL)?.absoluteURL else {
            throw ActionRefusal("'\(text)' is not a URL. Give one like /posts/1.")
        }
        let framework = configuration.framework
        return PathExplanation(
            url, in: configuration.pathConfiguration.document,
            meanings: { NavigationMeaning.all(of: $0, framework: framework) })
    }

    func report(_ event: PathConfiguration.Event) {
        switch event {
        case .updated: binaryFindings.reportMissingScreens()
        case .failed(_, let error):
            server.traffic.problem(
                "pathConfigurationFailed", "The path configuration was not loaded: \(error)",
                hint: "The last one that was loaded stays in force. bridged path lint checks a file.")
        case .skipped(let source, let error):
            server.traffic.problem(
                "patternSkipped", "A pattern of \(source) is not in force: \(error)",
                hint: "bridged path lint checks the whole file.")
        case .gaveUp(let pattern, let path):
            server.traffic.problem(
                "slowPattern",
                """
                The pattern \(quoted(pattern)) takes too long for the path \(quoted(path)), so it counts as not matching.
                """,
                hint: PathPattern.adviceIfSlow)
        }
    }
}
