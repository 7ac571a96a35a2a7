public import ArgumentParser
import BridgeBrowsers
public import BridgeProtocol
public import BridgeTesting
public import EmulatedApp
import PathConfiguration

/// Browsers with commas between them, such as `chromium,firefox+tag`.
struct BrowserList: ExpressibleByArgument, CustomStringConvertible {
    let browsers: [TestBrowser]

    /// The browsers in which flows run if none is named.
    static let usual = BrowserList(browsers: [.driven(.chromium)])

    /// Those that bridged drives.
    var driven: [BrowserEngine] {
        browsers.compactMap { if case .driven(let engine) = $0 { engine } else { nil } }
    }

    var description: String { browsers.map(\.description).joined(separator: ",") }
}

extension BrowserList {
    init?(argument: String) {
        let names = argument.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
        let found = names.compactMap { TestBrowser($0) }
        guard found.count == names.count else { return nil }
        browsers = found
    }

    static var allValueStrings: [String] { TestBrowser.all.map(\.description) }
}

extension BrowserEngine: ExpressibleByArgument {}

extension TestDevice: ExpressibleByArgument {
    public init?(argument: String) {
        if argument.lowercased() == "none" {
            self = .none
        } else {
            guard let device = Device(named: argument) else { return nil }
            self = .named(device.name)
        }
    }

    public static var allValueStrings: [String] { Device.all.map(\.name) + ["none"] }
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
