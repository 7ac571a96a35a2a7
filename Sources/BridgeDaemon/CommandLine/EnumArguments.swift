public import ArgumentParser
public import BridgeTesting

extension Browser.Engine: ExpressibleByArgument {
    public init?(argument: String) {
        guard let engine = Self.allCases.first(where: { $0.rawValue.lowercased() == argument.lowercased() }) else {
            return nil
        }
        self = engine
    }
}

extension FlowReporter: ExpressibleByArgument {}
