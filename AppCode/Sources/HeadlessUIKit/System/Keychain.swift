import Foundation

// The keychain of the app: a file in its folder for application support.

public typealias CFTypeRef = AnyObject
public typealias OSStatus = Int32

public let errSecSuccess: OSStatus = 0
public let errSecParam: OSStatus = -50
public let errSecDuplicateItem: OSStatus = -25299
public let errSecItemNotFound: OSStatus = -25300

public let kSecClass = "class"
public let kSecClassGenericPassword = "genp"
public let kSecClassInternetPassword = "inet"
public let kSecAttrAccount = "acct"
public let kSecAttrService = "svce"
public let kSecAttrServer = "srvr"
public let kSecAttrAccessGroup = "agrp"
public let kSecAttrGeneric = "gena"
public let kSecAttrLabel = "labl"
public let kSecAttrSynchronizable = "sync"
public let kSecAttrAccessible = "pdmn"
public let kSecAttrAccessibleWhenUnlocked = "ak"
public let kSecAttrAccessibleAfterFirstUnlock = "ck"
public let kSecAttrAccessibleWhenUnlockedThisDeviceOnly = "aku"
public let kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly = "cku"
public let kSecValueData = "v_Data"
public let kSecReturnData = "r_Data"
public let kSecReturnAttributes = "r_Attributes"
public let kSecMatchLimit = "m_Limit"
public let kSecMatchLimitOne = "m_LimitOne"
public let kSecMatchLimitAll = "m_LimitAll"
public let kCFBooleanTrue = true
public let kCFBooleanFalse = false

/// An item: its attributes as texts, and its data.
private struct KeychainItem: Codable, Equatable {
    var attributes: [String: String]
    var data: Data?

    init(_ query: [String: Any]) {
        attributes = query.filter { !$0.key.hasPrefix("r_") && !$0.key.hasPrefix("m_") && $0.key != kSecValueData }
            .mapValues { "\($0)" }
        data = query[kSecValueData] as? Data
    }

    /// Whether this is one of the items that a query without data means.
    func matches(_ query: KeychainItem) -> Bool {
        query.attributes.allSatisfy { $0.key == kSecAttrAccessible || attributes[$0.key] == $0.value }
    }

    /// What tells items apart.
    var identity: [String] {
        [kSecClass, kSecAttrAccount, kSecAttrService, kSecAttrServer].map { attributes[$0] ?? "" }
    }
}

private enum Keychain {
    private static let lock = NSLock()

    private static var file: URL? {
        let folder = FileManager.default.urls(for: .applicationSupportDirectory, in: .userDomainMask).first
        return folder?.appendingPathComponent("\(ProcessInfo.processInfo.processName).keychain.json")
    }

    /// Reads the items, and writes them if they change.
    static func use<Result>(_ body: (inout [KeychainItem]) -> Result) -> Result {
        lock.withLock {
            let data = file.flatMap { try? Data(contentsOf: $0) }
            let old = data.flatMap { try? JSONDecoder().decode([KeychainItem].self, from: $0) } ?? []
            var items = old
            let result = body(&items)
            if items != old, let file, let data = try? JSONEncoder().encode(items) {
                try? FileManager.default.createDirectory(
                    at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
                try? data.write(to: file, options: .atomic)
            }
            return result
        }
    }
}

/// - Parameter query: a dictionary; `as CFDictionary` is left out on Linux.
@discardableResult
public func SecItemAdd(_ query: CFDictionary, _ result: UnsafeMutablePointer<CFTypeRef?>?) -> OSStatus {
    let item = KeychainItem(query)
    return Keychain.use { items in
        guard !items.contains(where: { $0.identity == item.identity }) else { return errSecDuplicateItem }
        items.append(item)
        return errSecSuccess
    }
}

public func SecItemCopyMatching(_ query: CFDictionary, _ result: UnsafeMutablePointer<CFTypeRef?>?) -> OSStatus {
    let wanted = KeychainItem(query)
    let found = Keychain.use { $0.filter { $0.matches(wanted) } }
    guard let first = found.first else { return errSecItemNotFound }
    let value = { (item: KeychainItem) -> Any in
        guard query[kSecReturnAttributes] as? Bool == true else { return item.data ?? Data() }
        var attributes: [String: Any] = item.attributes
        if query[kSecReturnData] as? Bool == true { attributes[kSecValueData] = item.data }
        return attributes
    }
    let isAll = query[kSecMatchLimit] as? String == kSecMatchLimitAll
    result?.pointee = (isAll ? found.map(value) : value(first)) as AnyObject
    return errSecSuccess
}

@discardableResult
public func SecItemUpdate(_ query: CFDictionary, _ attributesToUpdate: CFDictionary) -> OSStatus {
    let (wanted, changes) = (KeychainItem(query), KeychainItem(attributesToUpdate))
    return Keychain.use { items in
        let indices = items.indices.filter { items[$0].matches(wanted) }
        for index in indices {
            items[index].attributes.merge(changes.attributes) { _, new in new }
            items[index].data = changes.data ?? items[index].data
        }
        return indices.isEmpty ? errSecItemNotFound : errSecSuccess
    }
}

@discardableResult
public func SecItemDelete(_ query: CFDictionary) -> OSStatus {
    let wanted = KeychainItem(query)
    return Keychain.use { items in
        let count = items.count
        items.removeAll { $0.matches(wanted) }
        return items.count == count ? errSecItemNotFound : errSecSuccess
    }
}

/// A dictionary, because Linux has no Core Foundation.
public typealias CFDictionary = [String: Any]
public typealias CFString = String
