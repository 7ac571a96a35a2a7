import ArgumentParser
import BridgeServer

/// A setting of `serve`: the help of its option, and how its value is read and what that changes.
///
/// It is declared once, as the value of an option. It has the same name in all places: `--root-url`, `BRIDGED_ROOT_URL`
/// and the key `root-url` of `bridged.yml`.
struct Setting: Sendable {
    /// Reads what was found, and changes the configuration.
    typealias Reader =
        @MainActor @Sendable (_ configuration: inout ServeConfiguration, _ found: FoundSetting) throws -> Void

    /// What the command line has. ArgumentParser does not check it, so an invalid value gets the same message in each
    /// place.
    private(set) var texts: [String] = []
    var isGiven: Bool { !texts.isEmpty }
    /// Whether an empty list in a file means something.
    let readsEmptyLists: Bool
    let read: Reader
    fileprivate let help: ArgumentHelp
    private let splitsTexts: Bool

    /// - Parameter splitsTexts: whether the option takes several values with commas between them.
    init(
        _ help: String, discussion: String = "", _ valueName: String, splitsTexts: Bool = false,
        readsEmptyLists: Bool = false, read: @escaping Reader
    ) {
        self.help = ArgumentHelp(help, discussion: discussion, valueName: valueName)
        (self.splitsTexts, self.readsEmptyLists, self.read) = (splitsTexts, readsEmptyLists, read)
    }

    fileprivate func given(_ text: String) -> Setting {
        var setting = self
        setting.texts = splitsTexts ? text.split(separator: ",").map(String.init) : [text]
        return setting
    }
}

extension Option<Setting> {
    /// An option whose last value counts.
    init(_ setting: Setting) { self.init(wrappedValue: setting, help: setting.help) { setting.given($0) } }
}

extension Option<[Setting]> {
    /// An option that may be repeated.
    init(_ setting: Setting) { self.init(wrappedValue: [setting], help: setting.help) { setting.given($0) } }
}

// MARK: Limits

/// Limits, whose help ends with the default in `BridgeServer.Configuration.Limits`.
extension Setting {
    typealias Limits = BridgeServer.Configuration.Limits
    typealias Limit<Value> = WritableKeyPath<Limits, Value> & Sendable

    static func count(
        _ help: String, _ limit: any Limit<Int>, in range: ClosedRange<Int> = 1...1_000_000,
        _ valueName: String = "count"
    ) -> Setting {
        Setting("\(help) (default: \(Limits()[keyPath: limit]))", valueName) {
            $0.server.limits[keyPath: limit] = try $1.count(in: range)
        }
    }

    /// A number of bytes, such as `512000`, `500KiB` or `16MiB`.
    static func size(
        _ help: String, _ limit: any Limit<Int>, in range: ClosedRange<Int> = 1_024...(1 << 30)
    ) -> Setting {
        let bytes = Limits()[keyPath: limit]
        let size = bytes % (1 << 20) == 0 ? "\(bytes >> 20)MiB" : "\(bytes >> 10)KiB"
        let expected = "a size such as 500KiB or 16MiB, from \(range.lowerBound) to \(range.upperBound) bytes"
        return Setting("\(help) (default: \(size))", "size") {
            $0.server.limits[keyPath: limit] = try $1.value(expected) { text in
                let units = [("KiB", 10), ("MiB", 20), ("", 0)]
                guard let (unit, shift) = units.first(where: { text.hasSuffix($0.0) }),
                    let number = Int(text.dropLast(unit.count)), number <= range.upperBound
                else { return nil }
                return range.contains(number << shift) ? number << shift : nil
            }
        }
    }

    /// - Parameter limits: they all get the time.
    static func time(_ help: String, _ limits: any Limit<Duration>...) -> Setting {
        let usual = Int(Limits()[keyPath: limits[0]].milliseconds / 1_000)
        return Setting("\(help) (default: \(usual)s)", "time") {
            // With less, the daemon would check its connections without a pause.
            let time = try $1.duration(atLeast: .milliseconds(10))
            for limit in limits { $0.server.limits[keyPath: limit] = time }
        }
    }
}
