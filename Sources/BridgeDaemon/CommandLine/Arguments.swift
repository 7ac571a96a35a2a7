public import ArgumentParser
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

extension FlowReporter: ExpressibleByArgument {}

extension Framework: ExpressibleByArgument {
    public init?(argument: String) {
        self.init(named: argument)
    }

    public var defaultValueDescription: String { name }
    public static var allValueStrings: [String] { all.map(\.name) }
}
