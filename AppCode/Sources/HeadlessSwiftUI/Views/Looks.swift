public import Foundation
public import HeadlessUIKit

/// What is drawn is declared, so that apps compile. It is kept where it is a value, and has no effect.

public protocol ShapeStyle: Sendable {}

public struct Color: Hashable, ShapeStyle {
    let color: UIColor

    public init(_ color: UIColor) { self.color = color }
    public init(uiColor: UIColor) { color = uiColor }
    public init(_ name: String, bundle: Bundle? = nil) { color = UIColor(named: name) ?? .clear }
    public init(red: Double, green: Double, blue: Double, opacity: Double = 1) {
        color = UIColor(red: red, green: green, blue: blue, alpha: opacity)
    }
    public init(_ space: RGBColorSpace, red: Double, green: Double, blue: Double, opacity: Double = 1) {
        self.init(red: red, green: green, blue: blue, opacity: opacity)
    }
    public init(white: Double, opacity: Double = 1) {
        self.init(red: white, green: white, blue: white, opacity: opacity)
    }
    public init(hue: Double, saturation: Double, brightness: Double, opacity: Double = 1) {
        self.init(red: brightness, green: brightness, blue: brightness, opacity: opacity)
    }

    public enum RGBColorSpace: Sendable { case sRGB, sRGBLinear, displayP3 }

    public func opacity(_ opacity: Double) -> Color { self }
    public var gradient: Color { self }

    public static let accentColor = Color(.tintColor)
    public static let primary = Color(.label)
    public static let secondary = Color(.secondaryLabel)
    public static let white = Color(.white)
    public static let black = Color(.black)
    public static let red = Color(.systemRed)
    public static let blue = Color(.systemBlue)
    public static let green = Color(.systemGreen)
    public static let gray = Color(.systemGray)
    public static let orange = Color(.systemOrange)
    public static let yellow = Color(.systemYellow)
    public static let pink = Color(.systemPink)
    public static let purple = Color(.systemPurple)
    public static let teal = Color(.systemTeal)
    public static let indigo = Color(.systemIndigo)
    public static let mint = Color(.systemTeal)
    public static let cyan = Color(.systemTeal)
    public static let brown = Color(.systemOrange)
    public static let clear = Color(.clear)
}

extension ShapeStyle where Self == Color {
    public static var primary: Color { Color.primary }
    public static var secondary: Color { Color.secondary }
    public static var tertiary: Color { Color.secondary }
    public static var white: Color { Color.white }
    public static var black: Color { Color.black }
    public static var red: Color { Color.red }
    public static var blue: Color { Color.blue }
    public static var green: Color { Color.green }
    public static var gray: Color { Color.gray }
    public static var orange: Color { Color.orange }
    public static var yellow: Color { Color.yellow }
    public static var pink: Color { Color.pink }
    public static var purple: Color { Color.purple }
    public static var indigo: Color { Color.indigo }
    public static var teal: Color { Color.teal }
    public static var clear: Color { Color.clear }
    public static var tint: Color { Color.accentColor }
    public static var background: Color { Color(.systemBackground) }
    public static var ultraThinMaterial: Color { Color.clear }
    public static var thinMaterial: Color { Color.clear }
    public static var regularMaterial: Color { Color.clear }
    public static var thickMaterial: Color { Color.clear }
}

extension Color: View, GroupView {
    var parts: [Part] { [] }
}

public struct Gradient: Hashable, Sendable {
    public struct Stop: Hashable, Sendable {
        public init(color: Color, location: CGFloat) {}
    }
    public init(colors: [Color]) {}
    public init(stops: [Stop]) {}
}

public struct LinearGradient: ShapeStyle, View, GroupView {
    nonisolated public init(gradient: Gradient, startPoint: UnitPoint, endPoint: UnitPoint) {}
    nonisolated public init(colors: [Color], startPoint: UnitPoint, endPoint: UnitPoint) {}
    var parts: [Part] { [] }
}

public struct StrokeStyle: Equatable, Sendable {
    public init(lineWidth: CGFloat = 1, dash: [CGFloat] = []) {}
}

public protocol Shape: View, Sendable {}

extension Shape {
    public func fill(_ style: some ShapeStyle) -> some View { EmptyView() }
    public func stroke(_ style: some ShapeStyle, lineWidth: CGFloat = 1) -> some View { EmptyView() }
    public func stroke(_ style: some ShapeStyle, style stroke: StrokeStyle) -> some View { EmptyView() }
    public func stroke(lineWidth: CGFloat = 1) -> some View { EmptyView() }
    public func strokeBorder(_ style: some ShapeStyle, lineWidth: CGFloat = 1) -> some View { EmptyView() }
    public func trim(from: CGFloat = 0, to: CGFloat = 1) -> Self { self }
}

public enum RoundedCornerStyle: Sendable { case circular, continuous }

public struct Circle: Shape, GroupView {
    nonisolated public init() {}
    var parts: [Part] { [] }
}
public struct Ellipse: Shape, GroupView {
    nonisolated public init() {}
    var parts: [Part] { [] }
}
public struct Rectangle: Shape, GroupView {
    nonisolated public init() {}
    var parts: [Part] { [] }
}
public struct Capsule: Shape, GroupView {
    nonisolated public init(style: RoundedCornerStyle = .continuous) {}
    var parts: [Part] { [] }
}
public struct RoundedRectangle: Shape, GroupView {
    nonisolated public init(cornerRadius: CGFloat, style: RoundedCornerStyle = .continuous) {}
    var parts: [Part] { [] }
}

public struct Font: Hashable, Sendable {
    public enum Weight: Sendable { case ultraLight, thin, light, regular, medium, semibold, bold, heavy, black }
    public enum Design: Sendable { case `default`, serif, rounded, monospaced }
    public enum TextStyle: Sendable {
        case largeTitle, title, title2, title3, headline, subheadline, body, callout, footnote, caption, caption2
    }

    public static let largeTitle = Font()
    public static let title = Font()
    public static let title2 = Font()
    public static let title3 = Font()
    public static let headline = Font()
    public static let subheadline = Font()
    public static let body = Font()
    public static let callout = Font()
    public static let footnote = Font()
    public static let caption = Font()
    public static let caption2 = Font()

    public static func system(size: CGFloat, weight: Weight? = nil, design: Design? = nil) -> Font { Font() }
    public static func system(_ style: TextStyle, design: Design? = nil, weight: Weight? = nil) -> Font { Font() }
    public static func custom(_ name: String, size: CGFloat) -> Font { Font() }
    public func weight(_ weight: Weight) -> Font { self }
    public func bold() -> Font { self }
    public func italic() -> Font { self }
    public func monospaced() -> Font { self }
}

public enum TextAlignment: Sendable { case leading, center, trailing }
public enum HorizontalAlignment: Sendable { case leading, center, trailing }
public enum VerticalAlignment: Sendable { case top, center, bottom, firstTextBaseline, lastTextBaseline }
public enum Alignment: Sendable {
    case center, leading, trailing, top, bottom, topLeading, topTrailing, bottomLeading, bottomTrailing
}
public enum ContentMode: Sendable { case fit, fill }
public enum Visibility: Sendable { case automatic, visible, hidden }
public enum BlendMode: Sendable { case normal, multiply, screen, overlay }

public struct UnitPoint: Hashable, Sendable {
    public var x: CGFloat
    public var y: CGFloat
    public init(x: CGFloat, y: CGFloat) { (self.x, self.y) = (x, y) }
    public static let zero = UnitPoint(x: 0, y: 0)
    public static let center = UnitPoint(x: 0.5, y: 0.5)
    public static let leading = UnitPoint(x: 0, y: 0.5)
    public static let trailing = UnitPoint(x: 1, y: 0.5)
    public static let top = UnitPoint(x: 0.5, y: 0)
    public static let bottom = UnitPoint(x: 0.5, y: 1)
    public static let topLeading = UnitPoint(x: 0, y: 0)
    public static let topTrailing = UnitPoint(x: 1, y: 0)
    public static let bottomLeading = UnitPoint(x: 0, y: 1)
    public static let bottomTrailing = UnitPoint(x: 1, y: 1)
}

public struct Angle: Hashable, Sendable {
    public var degrees: Double
    public init(degrees: Double) { self.degrees = degrees }
    public static func degrees(_ degrees: Double) -> Angle { Angle(degrees: degrees) }
    public static func radians(_ radians: Double) -> Angle { Angle(degrees: radians * 180 / .pi) }
}

public struct EdgeInsets: Hashable, Sendable {
    public var top: CGFloat
    public var leading: CGFloat
    public var bottom: CGFloat
    public var trailing: CGFloat
    public init(top: CGFloat = 0, leading: CGFloat = 0, bottom: CGFloat = 0, trailing: CGFloat = 0) {
        (self.top, self.leading, self.bottom, self.trailing) = (top, leading, bottom, trailing)
    }
}

public enum Axis: Sendable, CaseIterable {
    case horizontal, vertical

    public struct Set: OptionSet, Sendable {
        public let rawValue: Int
        public init(rawValue: Int) { self.rawValue = rawValue }
        public static let horizontal = Set(rawValue: 1)
        public static let vertical = Set(rawValue: 2)
    }
}

public enum Edge: Sendable, CaseIterable {
    case top, leading, bottom, trailing

    public struct Set: OptionSet, Sendable {
        public let rawValue: Int
        public init(rawValue: Int) { self.rawValue = rawValue }
        public static let top = Set(rawValue: 1)
        public static let leading = Set(rawValue: 2)
        public static let bottom = Set(rawValue: 4)
        public static let trailing = Set(rawValue: 8)
        public static let horizontal: Set = [.leading, .trailing]
        public static let vertical: Set = [.top, .bottom]
        public static let all: Set = [.horizontal, .vertical]
    }
}

/// Animations end at once.
public struct Animation: Equatable, Sendable {
    public static let `default` = Animation()
    public static let linear = Animation()
    public static let easeIn = Animation()
    public static let easeOut = Animation()
    public static let easeInOut = Animation()
    public static let spring = Animation()
    public static let bouncy = Animation()
    public static let smooth = Animation()
    public static let snappy = Animation()
    public static func linear(duration: Double) -> Animation { Animation() }
    public static func easeIn(duration: Double) -> Animation { Animation() }
    public static func easeOut(duration: Double) -> Animation { Animation() }
    public static func easeInOut(duration: Double) -> Animation { Animation() }
    public static func spring(response: Double = 0.5, dampingFraction: Double = 0.8, blendDuration: Double = 0)
        -> Animation
    { Animation() }
    public static func spring(duration: Double, bounce: Double = 0) -> Animation { Animation() }
    public static func interactiveSpring(response: Double = 0.15, dampingFraction: Double = 0.86) -> Animation {
        Animation()
    }
    public static func timingCurve(_ x1: Double, _ y1: Double, _ x2: Double, _ y2: Double, duration: Double = 0.35)
        -> Animation
    { Animation() }
    public func repeatForever(autoreverses: Bool = true) -> Animation { self }
    public func repeatCount(_ count: Int, autoreverses: Bool = true) -> Animation { self }
    public func delay(_ delay: Double) -> Animation { self }
    public func speed(_ speed: Double) -> Animation { self }
}

public struct Transaction: Sendable {
    public var animation: Animation?
    public var disablesAnimations = false
    public init(animation: Animation? = nil) { self.animation = animation }
}

public func withAnimation<Result>(_ animation: Animation? = .default, _ body: () throws -> Result) rethrows -> Result {
    try body()
}

public func withTransaction<Result>(_ transaction: Transaction, _ body: () throws -> Result) rethrows -> Result {
    try body()
}

public struct AnyTransition: Sendable {
    public static let opacity = AnyTransition()
    public static let slide = AnyTransition()
    public static let scale = AnyTransition()
    public static let identity = AnyTransition()
    public static func move(edge: Edge) -> AnyTransition { AnyTransition() }
    public static func push(from edge: Edge) -> AnyTransition { AnyTransition() }
    public static func asymmetric(insertion: AnyTransition, removal: AnyTransition) -> AnyTransition { AnyTransition() }
    public func combined(with other: AnyTransition) -> AnyTransition { self }
    public func animation(_ animation: Animation?) -> AnyTransition { self }
}
