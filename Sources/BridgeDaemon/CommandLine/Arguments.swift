public import ArgumentParser
import BridgeBrowsers
public import BridgeProtocol
public import BridgeTesting
public import EmulatedApp
import PathConfiguration

extension Browser.Engine: ExpressibleByArgument {
    /// Reads an engine's name, in upper or lower case, because the capitals of webKitGTK are hard to remember.
    public init?(argument: String) {
        guard let engine = Self.allCases.first(where: { $0.rawValue.lowercased() == argument.lowercased() }) else {
            return nil
        }
        self = engine
    }
}

extension BrowserEngine: ExpressibleByArgument {}

extension Device: ExpressibleByArgument {
    public init?(argument: String) { self.init(named: argument) }

    public static var allValueStrings: [String] { all.map(\.name) }
}

extension FlowReporter: ExpressibleByArgument {}

extension TraceMode: ExpressibleByArgument {}

/// Releases with commas between them, such as `ios@1.2,ios@1.3`.
struct FrameworkList: ExpressibleByArgument {
    let frameworks: [Framework]
}

extension FrameworkList {
    init?(argument: String) {
        let names = argument.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
        let found = names.compactMap { Framework(named: $0) }
        guard found.count == names.count else { return nil }
        frameworks = found
    }

    var defaultValueDescription: String { frameworks.map(\.name).joined(separator: ",") }
    static var allValueStrings: [String] { Framework.allValueStrings }
}

extension Framework: ExpressibleByArgument {
    public init?(argument: String) {
        self.init(named: argument)
    }

    public var defaultValueDescription: String { name }
    public static var allValueStrings: [String] { all.map(\.name) }
}
