public import Foundation

/// A key of the environment, with the value that is there if no view sets one.
public protocol EnvironmentKey {
    associatedtype Value
    static var defaultValue: Value { get }
}

/// What views above say to those below.
public struct EnvironmentValues {
    private var values: [ObjectIdentifier: Any] = [:]
    private var objects: [ObjectIdentifier: AnyObject] = [:]
    weak var screenReference: Screen?
    /// Another number if a value may differ.
    private(set) var version = 0
    nonisolated(unsafe) private static var versions = 0

    public init() {}

    public subscript<Key: EnvironmentKey>(key: Key.Type) -> Key.Value {
        get { values[ObjectIdentifier(key)] as? Key.Value ?? Key.defaultValue }
        set {
            values[ObjectIdentifier(key)] = newValue
            touch()
        }
    }

    func object<Object: AnyObject>(of type: Object.Type) -> Object? { objects[ObjectIdentifier(type)] as? Object }

    mutating func set<Object: AnyObject>(_ object: Object?) {
        objects[ObjectIdentifier(Object.self)] = object
        touch()
    }

    /// Copies of the environment are made on the main thread only.
    mutating func touch() {
        EnvironmentValues.versions += 1
        version = EnvironmentValues.versions
    }
}

/// A value of the environment.
@propertyWrapper public struct Environment<Value>: DynamicProperty {
    private let read: (EnvironmentValues) -> Value
    private var values = EnvironmentValues()

    public init(_ keyPath: KeyPath<EnvironmentValues, Value>) { read = { $0[keyPath: keyPath] } }

    /// An `@Observable` object that `environment(_:)` of a view above has given.
    public init(_ type: Value.Type) where Value: AnyObject & Observable {
        read = { values in
            guard let object = values.object(of: type) else {
                fatalError(
                    "No Observable object of type \(type) found. A View.environment(_:) for \(type) may be missing as an "
                        + "ancestor of this view.")
            }
            return object
        }
    }

    public init<Object: AnyObject & Observable>(_ type: Object.Type) where Value == Object? {
        read = { $0.object(of: type) }
    }

    public var wrappedValue: Value { read(values) }
}

extension Environment: KeptProperty {
    @MainActor mutating func install(_ properties: inout PropertySlots, of node: Node) { values = node.environment }
}

public enum ColorScheme: Sendable, CaseIterable { case light, dark }
public enum ScenePhase: Sendable, Comparable { case background, inactive, active }
public enum LayoutDirection: Sendable { case leftToRight, rightToLeft }
public enum UserInterfaceSizeClass: Sendable { case compact, regular }

private struct Key<Value, Tag>: EnvironmentKey {
    static var defaultValue: Value? { nil }
}

private enum Tags {
    enum ColorScheme {}
    enum ScenePhase {}
    enum OpenURL {}
    enum IsEnabled {}
    enum Locale {}
    enum Scheme {}
}

extension EnvironmentValues {
    public var colorScheme: ColorScheme {
        get { self[Key<ColorScheme, Tags.ColorScheme>.self] ?? .light }
        set { self[Key<ColorScheme, Tags.ColorScheme>.self] = newValue }
    }
    public var scenePhase: ScenePhase {
        get { self[Key<ScenePhase, Tags.ScenePhase>.self] ?? .active }
        set { self[Key<ScenePhase, Tags.ScenePhase>.self] = newValue }
    }
    public var isEnabled: Bool {
        get { self[Key<Bool, Tags.IsEnabled>.self] ?? true }
        set { self[Key<Bool, Tags.IsEnabled>.self] = newValue }
    }
    public var locale: Locale {
        get { self[Key<Locale, Tags.Locale>.self] ?? .current }
        set { self[Key<Locale, Tags.Locale>.self] = newValue }
    }
    /// Hands a URL to the system, unless a view above takes it.
    public var openURL: OpenURLAction {
        get { self[Key<OpenURLAction, Tags.OpenURL>.self] ?? OpenURLAction { _ in .systemAction } }
        set { self[Key<OpenURLAction, Tags.OpenURL>.self] = newValue }
    }
    /// Dismisses the sheet, or pops the screen, in which the view is.
    public var dismiss: DismissAction { DismissAction(screen: screenReference) }
    public var presentationMode: Binding<PresentationMode> {
        let dismiss = dismiss
        return Binding(get: { PresentationMode(dismissAction: dismiss) }, set: { _ in })
    }
    @MainActor public var isPresented: Bool { screenReference?.isPresented ?? false }
    public var layoutDirection: LayoutDirection { .leftToRight }
    public var horizontalSizeClass: UserInterfaceSizeClass? { .compact }
    public var verticalSizeClass: UserInterfaceSizeClass? { .regular }
    public var displayScale: CGFloat { 3 }
    public var calendar: Calendar { .current }
    public var timeZone: TimeZone { .current }
}

@preconcurrency @MainActor public struct DismissAction {
    weak var screen: Screen?

    nonisolated init(screen: Screen?) { self.screen = screen }

    public func callAsFunction() { screen?.dismiss() }
}

public struct PresentationMode {
    let dismissAction: DismissAction

    public var isPresented: Bool { true }
    public mutating func dismiss() {
        let action = dismissAction
        Dependencies.onMain { action() }
    }
}

public struct OpenURLAction: @unchecked Sendable {
    // @unchecked Sendable: it is called on the main actor only.
    public enum Result: Sendable {
        case handled, discarded, systemAction
        public static func systemAction(_ url: URL) -> Result { .systemAction }
    }

    private let handler: (URL) -> Result

    public init(handler: @escaping (URL) -> Result) { self.handler = handler }

    @preconcurrency @MainActor public func callAsFunction(_ url: URL) {
        if case .systemAction = handler(url) { UIApplication.shared.open(url) }
    }

    @preconcurrency @MainActor public func callAsFunction(_ url: URL, completion: @escaping (Bool) -> Void) {
        callAsFunction(url)
        completion(true)
    }
}
