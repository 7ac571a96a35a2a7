import BridgeProtocol

/// The way to a value in a JSON text, written as in RFC 9535: `$.rules[3].patterns[0]`.
public struct JSONPath: Sendable, Hashable, CustomStringConvertible {
    enum Step: Sendable, Hashable {
        case member(String)
        case element(Int)
    }

    private(set) var steps: [Step] = []

    public static let root = JSONPath()

    package func member(_ name: String) -> JSONPath { appending(.member(name)) }
    package func element(_ index: Int) -> JSONPath { appending(.element(index)) }

    /// The way to what this value is part of; nil for the root.
    var parent: JSONPath? {
        guard !steps.isEmpty else { return nil }
        var path = self
        path.steps.removeLast()
        return path
    }

    private func appending(_ step: Step) -> JSONPath {
        var path = self
        path.steps.append(step)
        return path
    }

    public var description: String {
        steps.reduce(into: "$") { text, step in
            switch step {
            case .element(let index): text += "[\(index)]"
            case .member(let name) where JSONPath.isPlain(name): text += ".\(name)"
            case .member(let name): text += "[\(JSONValue.string(name))]"
            }
        }
    }

    private static func isPlain(_ name: String) -> Bool {
        guard let first = name.utf8.first, !(UInt8(ascii: "0")...UInt8(ascii: "9")).contains(first) else {
            return false
        }
        return name.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"):
                true
            default: false
            }
        }
    }
}
