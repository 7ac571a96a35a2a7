import Foundation

/// The `Info.plist` of an app, as Xcode makes it of a file and of build settings.
struct InfoPlist {
    private(set) var values: [String: Any] = [:]
    /// How much its texts may still grow by settings that are put in.
    private var left = BuildSettings.maximumGrowth

    init(_ target: XcodeTarget) throws(BuildFailure) {
        let settings = try target.settings
        if let path = try settings["INFOPLIST_FILE"], !path.isEmpty {
            let file = URL(fileURLWithPath: path, relativeTo: target.project.folder)
            guard let data = try? Data(contentsOf: file),
                let list = try? PropertyListSerialization.propertyList(from: data, format: nil) as? [String: Any]
            else { throw BuildFailure("\(file.path), which the build setting INFOPLIST_FILE names, cannot be read.") }
            values = try resolve(list, settings, "The file \(file.path)") as? [String: Any] ?? [:]
        }
        try addDefaults(settings)
        guard try settings["GENERATE_INFOPLIST_FILE"] == "YES" else { return }
        for name in settings.names where name.hasPrefix("INFOPLIST_KEY_") {
            add(String(name.dropFirst("INFOPLIST_KEY_".count)), try settings.value(of: name, &left) ?? "")
        }
    }

    private mutating func addDefaults(_ settings: BuildSettings) throws(BuildFailure) {
        let defaults = [
            "CFBundleIdentifier": "PRODUCT_BUNDLE_IDENTIFIER", "CFBundleName": "PRODUCT_NAME",
            "CFBundleShortVersionString": "MARKETING_VERSION", "CFBundleVersion": "CURRENT_PROJECT_VERSION",
        ]
        for (key, setting) in defaults where values[key] == nil { values[key] = try settings[setting] }
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
    /// - Parameter what: what has the value, as the beginning of a sentence.
    private mutating func resolve(
        _ value: Any, _ settings: BuildSettings, _ what: String
    ) throws(BuildFailure) -> Any {
        switch value {
        case let text as String: return try settings.resolve(text, what, [], &left)
        case var list as [Any]:
            for index in list.indices { list[index] = try resolve(list[index], settings, what) }
            return list
        case var members as [String: Any]:
            for (key, member) in members { members[key] = try resolve(member, settings, what) }
            return members
        default: return value
        }
    }

    var data: Data? { try? PropertyListSerialization.data(fromPropertyList: values, format: .xml, options: 0) }
}
