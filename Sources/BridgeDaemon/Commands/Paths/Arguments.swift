public import ArgumentParser
public import EmulatedApp
import PathConfiguration

extension Platform: ExpressibleByArgument {}

extension NavigationRules: ExpressibleByArgument {
    public init?(argument: String) {
        guard let rules = NavigationRules.all.first(where: { $0.name == argument }) else { return nil }
        self = rules
    }

    public var defaultValueDescription: String { name }
    public static var allValueStrings: [String] { all.map(\.name) }
}
