public import BridgeProtocol
import Foundation

extension ScriptValue {
    /// The value as native code gets it in `WKScriptMessage.body` and as the result of an evaluation, as WebKit makes
    /// it in `Source/WebKit/Shared/JavaScriptEvaluationResult.mm`.
    ///
    /// It consists of `NSNumber`, `String`, `Date`, `NSNull`, arrays and dictionaries, so that casts such as
    /// `as? Int`, `as? [String: Any]` and `as? [String: AnyHashable]` work at any depth. (The containers within it are
    /// hashable, because `[Any]` on Linux is not. If all that they hold is strings, or numbers, they print without
    /// `AnyHashable`, as the outermost one does.)
    ///
    /// It is nil for `undefined`. An undefined property is left out, and an undefined element of an array becomes
    /// `NSNull`. An object that occurs in several places is copied to each of them. A cycle ends with a
    /// ``CyclicReference``.
    public var nativeValue: Any? {
        var decoder = NativeValueDecoder(referenceTargets: referenceTargets)
        return switch decoder.decode(self) {
        case let items as [AnyHashable]: items.map(\.base)
        case let members as [String: AnyHashable]: members.mapValues(\.base)
        case let value: value
        }
    }
}

/// A reference to one of the containers around it. It takes the place of an object that contains itself.
///
/// On Apple's systems, the object itself appears here again. On Linux, Swift's containers cannot contain themselves,
/// and Foundation recurses endlessly when it casts an `NSDictionary` that does. If a value with this reference is sent
/// back to the page, the page gets the cycle again.
public final class CyclicReference: NSObject, Sendable {
    /// The number of containers to go outwards from this reference. 1 means the container that holds the reference.
    public let levelsUp: Int

    init(levelsUp: Int) { self.levelsUp = levelsUp }

    public override var description: String { "CyclicReference(\(levelsUp) levels up)" }
}

/// Makes the native value of one script value.
private struct NativeValueDecoder {
    /// The places of objects to which other places of the value refer.
    let referenceTargets: Set<JSONPointer>
    /// The native values of these objects, by their places.
    private var made: [JSONPointer: any Hashable] = [:]
    private var place = JSONPointer()

    init(referenceTargets: Set<JSONPointer>) { self.referenceTargets = referenceTargets }

    mutating func decode(_ value: ScriptValue) -> (any Hashable)? {
        switch value.kind {
        case .undefined: return nil
        case .null: return NSNull()
        case .bool: return NSNumber(value: value.bool ?? false)
        case .number: return NativeValueDecoder.number(value.number ?? .nan)
        case .string: return value.string ?? ""
        case .date: return value.date ?? Date(timeIntervalSince1970: .nan)
        case .array: return remember(decodeArray(value))
        case .object: return remember(decodeObject(value))
        case .reference: return decodeReference(value)
        }
    }

    /// Makes an `NSNumber`. For a whole number it is made from an `Int`, so that it prints without a fraction, as on
    /// Apple's systems.
    private static func number(_ value: Double) -> NSNumber {
        let isNegativeZero = value == 0 && value.sign == .minus
        guard let whole = Int(exactly: value), whole.magnitude <= 1 << 53, !isNegativeZero else {
            return NSNumber(value: value)
        }
        return NSNumber(value: whole)
    }

    private mutating func decodeArray(_ value: ScriptValue) -> [AnyHashable] {
        var items: [AnyHashable] = []
        items.reserveCapacity(value.json.count)
        for index in 0..<value.json.count {
            if let item = value.child(index: index) {
                items.append(decode(item, at: String(index)) ?? AnyHashable(NSNull()))
            }
        }
        return items
    }

    private mutating func decodeObject(_ value: ScriptValue) -> [String: AnyHashable] {
        var members: [String: AnyHashable] = [:]
        members.reserveCapacity(value.json.count)
        value.json.forEachMember { key, _ in
            if let member = value.child(key) { members[key] = decode(member, at: key) }
        }
        return members
    }

    private mutating func decode(_ value: ScriptValue, at token: String) -> AnyHashable? {
        place.tokens.append(token)
        defer { place.tokens.removeLast() }
        return switch decode(value) {
        case nil: nil
        case let items as [AnyHashable]: AnyHashable(items.withCommonType)
        case let members as [String: AnyHashable]: AnyHashable(members.withCommonType)
        case let value?: AnyHashable(value)
        }
    }

    private func decodeReference(_ value: ScriptValue) -> (any Hashable)? {
        guard let target = value.referenceTarget else { return nil }
        guard place.tokens.starts(with: target.tokens), target != place else { return made[target] }
        return CyclicReference(levelsUp: place.tokens.count - target.tokens.count)
    }

    private mutating func remember(_ value: some Hashable) -> any Hashable {
        if referenceTargets.contains(place) { made[place] = value }
        return value
    }
}

extension [AnyHashable] {
    /// The same array as one of strings or of numbers, if it is one. These print without `AnyHashable`.
    fileprivate var withCommonType: any Hashable {
        func typed<Item: Hashable>(_: Item.Type) -> any Hashable {
            let items = compactMap { $0.base as? Item }
            return items.count == count ? items : self
        }
        return switch first?.base {
        case is String: typed(String.self)
        case is NSNumber: typed(NSNumber.self)
        default: self
        }
    }
}

extension [String: AnyHashable] {
    /// The same dictionary with strings or numbers as its values, if all are. These print without `AnyHashable`.
    fileprivate var withCommonType: any Hashable {
        func typed<Member: Hashable>(_: Member.Type) -> any Hashable {
            let members = compactMapValues { $0.base as? Member }
            return members.count == count ? members : self
        }
        return switch first?.value.base {
        case is String: typed(String.self)
        case is NSNumber: typed(NSNumber.self)
        default: self
        }
    }
}
