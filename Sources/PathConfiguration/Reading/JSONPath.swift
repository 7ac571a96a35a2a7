import BridgeProtocol

/// The path of a value in a JSON text, written as in RFC 9535: `$.rules[3].patterns[0]`.
public struct JSONPath: Sendable, Hashable, CustomStringConvertible {
    enum Step: Sendable, Hashable {
        case member(String)
        case element(Int)
    }

    private(set) var steps: [Step] = []

    /// The number of steps from the root.
    var depth: Int { steps.count }

    public static let root = JSONPath()

    package func member(_ name: String) -> JSONPath { appending(.member(name)) }
    package func element(_ index: Int) -> JSONPath { appending(.element(index)) }

    /// The path of the array or object that contains the value. `nil` for the root.
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
            case .member(let name) where name.wholeMatch(of: /[A-Za-z_][A-Za-z0-9_]*/) != nil: text += ".\(name)"
            case .member(let name): text += "[\(JSONValue.string(name))]"
            }
        }
    }
}
