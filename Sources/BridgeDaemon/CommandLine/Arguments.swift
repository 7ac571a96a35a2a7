public import ArgumentParser
public import BridgeTesting
public import EmulatedApp
import PathConfiguration

extension Browser.Engine: ExpressibleByArgument {
    /// Ignores case, because nobody remembers the capitals of webKitGTK.
    public init?(argument: String) {
        guard let engine = Self.allCases.first(where: { $0.rawValue.lowercased() == argument.lowercased() }) else {
            return nil
        }
        self = engine
    }
}

extension FlowReporter: ExpressibleByArgument {}

extension Platform: ExpressibleByArgument {}

extension NavigationRules: ExpressibleByArgument {
    public init?(argument: String) {
        guard let rules = NavigationRules.all.first(where: { $0.name == argument }) else { return nil }
        self = rules
    }

    public var defaultValueDescription: String { name }
    public static var allValueStrings: [String] { all.map(\.name) }
}
