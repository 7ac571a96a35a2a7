import Foundation

/// The `Info.plist` of an app, as Xcode makes it of a file and of build settings.
struct InfoPlist {
    private(set) var values: [String: Any] = [:]

    init(_ target: XcodeTarget) throws(BuildFailure) {
        let settings = target.settings
        if let path = settings["INFOPLIST_FILE"], !path.isEmpty {
            let file = URL(fileURLWithPath: path, relativeTo: target.project.folder)
            guard let data = try? Data(contentsOf: file),
                let list = try? PropertyListSerialization.propertyList(from: data, format: nil) as? [String: Any]
            else { throw BuildFailure("\(file.path), which the build setting INFOPLIST_FILE names, cannot be read.") }
            values = InfoPlist.resolve(list, settings) as? [String: Any] ?? [:]
        }
        addDefaults(settings)
        guard settings["GENERATE_INFOPLIST_FILE"] == "YES" else { return }
        for name in settings.names where name.hasPrefix("INFOPLIST_KEY_") {
            add(String(name.dropFirst("INFOPLIST_KEY_".count)), settings[name] ?? "")
        }
    }

    private mutating func addDefaults(_ settings: BuildSettings) {
        let defaults = [
            "CFBundleIdentifier": "PRODUCT_BUNDLE_IDENTIFIER", "CFBundleName": "PRODUCT_NAME",
            "CFBundleShortVersionString": "MARKETING_VERSION", "CFBundleVersion": "CURRENT_PROJECT_VERSION",
        ]
        for (key, setting) in defaults where values[key] == nil { values[key] = settings[setting] }
    }

    private mutating func add(_ key: String, _ value: String) {
        // Xcode writes these keys in a form of their own.
        if key == "UIApplicationSceneManifest_Generation" {
            values["UIApplicationSceneManifest"] =
                values["UIApplicationSceneManifest"] ?? ["UIApplicationSupportsMultipleScenes": false]
        } else if key.hasPrefix("UISupportedInterfaceOrientations") {
            values[
                key.replacing("_", with: "~").lowercased().hasSuffix("~ipad")
                    ? "UISupportedInterfaceOrientations~ipad" : "UISupportedInterfaceOrientations"] =
                value.split(separator: " ").map(String.init)
        } else {
            values[key] = ["YES": true, "NO": false][value] ?? value
        }
    }

    /// Replaces references to build settings in all texts.
    private static func resolve(_ value: Any, _ settings: BuildSettings) -> Any {
        switch value {
        case let text as String: settings.resolve(text)
        case let list as [Any]: list.map { resolve($0, settings) }
        case let members as [String: Any]: members.mapValues { resolve($0, settings) }
        default: value
        }
    }

    var data: Data? { try? PropertyListSerialization.data(fromPropertyList: values, format: .xml, options: 0) }
}
