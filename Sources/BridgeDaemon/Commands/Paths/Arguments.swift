import PathConfiguration
public import ArgumentParser
public import EmulatedApp

extension PathProfile: ExpressibleByArgument {}

extension NavigationRules: ExpressibleByArgument {
    public init?(argument: String) {
        guard let rules = NavigationRules.all.first(where: { $0.name == argument }) else { return nil }
        self = rules
    }

    public var defaultValueDescription: String { name }
    public static var allValueStrings: [String] { all.map(\.name) }
}
