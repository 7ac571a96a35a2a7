import BridgeProtocol
import BridgeTesting
import Foundation

/// The browsers that `BRIDGED_BROWSERS` names, such as `chromium,webkit`; nil for all.
private let named = ProcessInfo.processInfo.environment["BRIDGED_BROWSERS"].map { text in
    let names = Set(text.split(separator: ","))
    let known = BrowserEngine.allCases.map(\.rawValue) + Browser.Engine.allCases.map(\.rawValue)
    precondition(
        names.allSatisfy { known.contains(String($0)) }, "BRIDGED_BROWSERS is '\(text)'. It can name \(known).")
    return names
}

extension Collection where Element: RawRepresentable<String> {
    /// Those of these browsers that this run tries: all, or those that `BRIDGED_BROWSERS` names. If it names none of them,
    /// all are tried, so that each test has at least one.
    ///
    /// `make test` leaves Firefox out, which takes half of the time. `make test-all` has it.
    var tried: [Element] {
        let list = filter { named?.contains(Substring($0.rawValue)) ?? true }
        return list.isEmpty ? Array(self) : list
    }
}
