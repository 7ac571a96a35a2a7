public import HeadlessViews

#if !canImport(ObjectiveC)
    public enum NSPointerFunctions {
        public struct Options: OptionSet, Sendable {
            public let rawValue: UInt

            public init(rawValue: UInt) { self.rawValue = rawValue }

            public static let strongMemory: Options = []
            public static let weakMemory = Options(rawValue: 5)
            public static let objectPersonality: Options = []
        }
    }

    /// A table with weak keys and strong values. Entries whose key is gone disappear.
    public final class NSMapTable<KeyType: AnyObject, ObjectType> {
        private struct Entry {
            weak var key: KeyType?
            let value: ObjectType
        }

        private var entries: [ObjectIdentifier: Entry] = [:]

        public init(keyOptions: NSPointerFunctions.Options = [], valueOptions: NSPointerFunctions.Options = []) {}

        public static func weakToStrongObjects() -> NSMapTable { NSMapTable() }

        public func object(forKey aKey: KeyType?) -> ObjectType? {
            guard let aKey, let entry = entries[ObjectIdentifier(aKey)], entry.key === aKey else { return nil }
            return entry.value
        }

        public func setObject(_ anObject: ObjectType?, forKey aKey: KeyType?) {
            guard let aKey else { return }
            entries = entries.filter { $0.value.key != nil }
            entries[ObjectIdentifier(aKey)] = anObject.map { Entry(key: aKey, value: $0) }
        }

        public func removeObject(forKey aKey: KeyType?) { setObject(nil, forKey: aKey) }
        public func removeAllObjects() { entries = [:] }
        public var count: Int { entries.values.filter { $0.key != nil }.count }
    }

    /// `JSONSerialization` with the results that it has on Apple's systems.
    ///
    /// There every value is an `NSObject`, so that arrays and objects are `AnyHashable` at any depth, and a boolean is a
    /// `Bool`. On Linux they are `[Any]` and `[String: Any]`, which are not hashable.
    public enum AppleJSONSerialization {
        public typealias ReadingOptions = JSONSerialization.ReadingOptions
        public typealias WritingOptions = JSONSerialization.WritingOptions

        public static func jsonObject(with data: Data, options: ReadingOptions = []) throws -> Any {
            hashable(try JSONSerialization.jsonObject(with: data, options: options)).base
        }

        public static func data(withJSONObject object: Any, options: WritingOptions = []) throws -> Data {
            try JSONSerialization.data(withJSONObject: object, options: options)
        }

        public static func isValidJSONObject(_ object: Any) -> Bool { JSONSerialization.isValidJSONObject(object) }

        private static func hashable(_ value: Any) -> AnyHashable {
            switch value {
            case let object as [String: Any]: AnyHashable(object.mapValues(hashable))
            case let array as [Any]: AnyHashable(array.map(hashable))
            case let number as NSNumber: number.isBoolean ? AnyHashable(number.boolValue) : AnyHashable(number)
            case let value as AnyHashable: value
            default: AnyHashable(NSNull())
            }
        }
    }

    extension NSNumber {
        /// Numbers of JSON's `true` and `false` have the type of C's `signed char`.
        fileprivate var isBoolean: Bool { String(cString: objCType) == "c" }
    }
#endif

/// How a value is associated with an object.
public enum objc_AssociationPolicy: UInt, Sendable {
    case OBJC_ASSOCIATION_ASSIGN = 0
    case OBJC_ASSOCIATION_RETAIN_NONATOMIC = 1
    case OBJC_ASSOCIATION_COPY_NONATOMIC = 3
    case OBJC_ASSOCIATION_RETAIN = 769
    case OBJC_ASSOCIATION_COPY = 771
}

#if !canImport(ObjectiveC)
    /// Values that belong to objects, as long as these live.
    ///
    /// `@unchecked Sendable`: `lock` guards `entries`.
    private final class AssociatedObjects: @unchecked Sendable {
        struct Entry {
            weak var object: AnyObject?
            var values: [UnsafeRawPointer: Any]
        }

        static let shared = AssociatedObjects()
        let lock = NSLock()
        var entries: [ObjectIdentifier: Entry] = [:]
    }

    public func objc_setAssociatedObject(
        _ object: Any, _ key: UnsafeRawPointer, _ value: Any?, _ policy: objc_AssociationPolicy
    ) {
        let owner = object as AnyObject
        let shared = AssociatedObjects.shared
        shared.lock.withLock {
            shared.entries = shared.entries.filter { $0.value.object != nil }
            shared.entries[ObjectIdentifier(owner), default: .init(object: owner, values: [:])].values[key] = value
        }
    }

    public func objc_getAssociatedObject(_ object: Any, _ key: UnsafeRawPointer) -> Any? {
        let owner = object as AnyObject
        let shared = AssociatedObjects.shared
        return shared.lock.withLock {
            guard let entry = shared.entries[ObjectIdentifier(owner)], entry.object === owner else { return nil }
            return entry.values[key]
        }
    }
#endif

// MARK: Keys of Info.plist

public let kCFBundleIdentifierKey = "CFBundleIdentifier"
public let kCFBundleNameKey = "CFBundleName"
public let kCFBundleExecutableKey = "CFBundleExecutable"
public let kCFBundleVersionKey = "CFBundleVersion"
public let kCFBundleDevelopmentRegionKey = "CFBundleDevelopmentRegion"
public let kCFBundleInfoDictionaryVersionKey = "CFBundleInfoDictionaryVersion"
