extension BridgeComponent {
    /// What the emulated app has of its own, in the order of docs/components.md.
    public static let builtIn: [BridgeComponent.Type] = [FormComponent.self]
}
