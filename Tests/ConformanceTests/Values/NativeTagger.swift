import BridgeWebKit
import Foundation

/// Tags the values that native code received, as `page/tagger.js` tags values in JavaScript.
struct NativeTagger {
    private static let deepestLevel = 40
    private var seen: [ObjectIdentifier: String] = [:]
    /// The paths of the containers around the current value.
    private var enclosing: [String] = []

    static func tag(_ value: Any?) -> Tag {
        var tagger = NativeTagger()
        return tagger.tag(value, path: "$", depth: 0)
    }

    private init() {}

    private mutating func tag(_ value: Any?, path: String, depth: Int) -> Tag {
        guard let value = NativeTagger.unwrapped(value) else { return .undefined }
        // Containers come first, because the casts to classes below would convert all that is in them, at each level.
        if let tag = container(value, path: path, depth: depth) { return tag }
        switch value {
        case is NSNull: return .null
        case let number as NSNumber: return NativeTagger.tag(number)
        case let text as String: return .string(text)
        case let date as Date: return .date(NativeTagger.milliseconds(date))
        case let cycle as CyclicReference where cycle.levelsUp <= enclosing.count:
            return .ref(enclosing[enclosing.count - cycle.levelsUp])
        default: break
        }
        // Checks the type rather than casting, because every value bridges to an object.
        if type(of: value) is AnyClass {
            let identity = ObjectIdentifier(value as AnyObject)
            if let earlier = seen[identity] { return .ref(earlier) }
            seen[identity] = path
        }
        return .foreign("\(type(of: value))")
    }

    /// - Returns: nil if the value is neither an array nor an object.
    private mutating func container(_ value: Any, path: String, depth: Int) -> Tag? {
        let items = NativeTagger.items(of: value)
        let members = items == nil ? NativeTagger.members(of: value) : nil
        guard items != nil || members != nil else { return nil }
        guard depth <= NativeTagger.deepestLevel else { return .deep(NativeTagger.levels(value)) }
        enclosing.append(path)
        defer { enclosing.removeLast() }
        return items.map { array($0, path, depth) } ?? members.map { object($0, path, depth) }
    }

    private mutating func array(_ items: [Any], _ path: String, _ depth: Int) -> Tag {
        var tags: [Tag] = []
        for (index, item) in items.enumerated() {
            tags.append(item is NSNull ? .nullItem : tag(item, path: "\(path)[\(index)]", depth: depth + 1))
        }
        return .array(tags)
    }

    private mutating func object(_ members: [String: Any], _ path: String, _ depth: Int) -> Tag {
        let keys = members.keys.sorted { $0.utf16.lexicographicallyPrecedes($1.utf16) }
        return .object(keys.map { key in (key, tag(members[key], path: "\(path).\(key)", depth: depth + 1)) })
    }

    /// Removes nested optionals: `WKScriptMessage.body` is an `Any` that may hold nil.
    private static func unwrapped(_ value: Any?) -> Any? {
        guard let value else { return nil }
        let mirror = Mirror(reflecting: value)
        return mirror.displayStyle == .optional ? unwrapped(mirror.children.first?.value) : value
    }

    /// Tells booleans from numbers: a boolean's C type is `char`, and JavaScript's numbers are doubles.
    private static func tag(_ number: NSNumber) -> Tag {
        number.objCType.pointee == CChar(UInt8(ascii: "c")) ? .boolean(number.boolValue) : .number(number.doubleValue)
    }

    private static func items(of value: Any) -> [Any]? { value as? [Any] }

    private static func members(of value: Any) -> [String: Any]? { value as? [String: Any] }

    /// Returns whole milliseconds, as in JavaScript's dates.
    private static func milliseconds(_ date: Date) -> Double { (date.timeIntervalSince1970 * 1000).rounded() }

    /// Counts the levels of nesting along first items and members.
    private static func levels(_ value: Any) -> Int {
        var levels = 0
        var place: Any? = value
        while let current = place {
            if let items = items(of: current) {
                place = items.first
            } else if let members = members(of: current) {
                place = members.first?.value
            } else {
                return levels
            }
            levels += 1
        }
        return levels
    }
}
