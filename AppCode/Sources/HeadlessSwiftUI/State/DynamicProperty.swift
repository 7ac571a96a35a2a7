/// A property of a view that SwiftUI connects before it asks for the view's body.
public protocol DynamicProperty {
    mutating func update()
}

extension DynamicProperty {
    public mutating func update() {}
}

/// A property that keeps something at the view's place in the tree.
protocol KeptProperty: DynamicProperty {
    @MainActor mutating func install(_ properties: inout PropertySlots, of node: Node)
}

/// What the properties of a view keep, in the order of the properties.
@MainActor struct PropertySlots {
    private var kept: [AnyObject] = []
    private var next = 0

    init() {}

    mutating func take<Kept: AnyObject>(_ make: () -> Kept) -> Kept {
        defer { next += 1 }
        if kept.indices.contains(next), let found = kept[next] as? Kept { return found }
        let made = make()
        if kept.indices.contains(next) { kept[next] = made } else { kept.append(made) }
        return made
    }

    /// Returns the value with its properties connected to what the node keeps.
    mutating func install<Value>(in value: Value, of node: Node) -> Value {
        var value = value
        next = 0
        connect(&value, node)
        return value
    }

    private mutating func connect<Value>(_ value: inout Value, _ node: Node) {
        guard !(Value.self is AnyClass) else { return }
        Fields.visit(&value) { type, place in
            if let type = type as? any DynamicProperty.Type {
                connectProperty(type, at: place, node)
            } else if let type = type as? any App.Type {
                connectApp(type, at: place, node)
            }
        }
    }

    private mutating func connectProperty<Property: DynamicProperty>(
        _ type: Property.Type, at place: UnsafeMutableRawPointer, _ node: Node
    ) {
        let pointer = place.assumingMemoryBound(to: Property.self)
        if let kept = pointer.pointee as? any KeptProperty {
            func install<Kept: KeptProperty>(_ kept: Kept) {
                var kept = kept
                kept.install(&self, of: node)
                if let property = kept as? Property { pointer.pointee = property }
            }
            install(kept)
        } else {
            connect(&pointer.pointee, node)
        }
        pointer.pointee.update()
    }

    private mutating func connectApp<Value: App>(
        _ type: Value.Type, at place: UnsafeMutableRawPointer, _ node: Node
    ) { connect(&place.assumingMemoryBound(to: Value.self).pointee, node) }
}
