public import HeadlessUIKit

public struct Font: Sendable {
    public enum Weight: Sendable { case ultraLight, thin, light, regular, medium, semibold, bold, heavy, black }
    public enum Design: Sendable { case `default`, serif, rounded, monospaced }

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

    public static func system(size: CGFloat, weight: Weight? = nil, design: Design? = nil) -> Font { Font() }
}

public enum TextAlignment: Sendable { case leading, center, trailing }
public enum HorizontalAlignment: Sendable { case leading, center, trailing }
public enum VerticalAlignment: Sendable { case top, center, bottom }

public struct Edge {
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

/// Modifiers of looks. Nothing is drawn, so that they return the view as it is.
extension View {
    public func font(_ font: Font?) -> some View { self }
    public func fontWeight(_ weight: Font.Weight?) -> some View { self }
    public func bold() -> some View { self }
    public func foregroundColor(_ color: Color?) -> some View { self }
    public func foregroundStyle(_ color: Color) -> some View { self }
    public func tint(_ color: Color?) -> some View { self }
    public func background(_ color: Color) -> some View { self }
    public func multilineTextAlignment(_ alignment: TextAlignment) -> some View { self }
    public func lineLimit(_ number: Int?) -> some View { self }
    public func padding(_ length: CGFloat) -> some View { self }
    public func padding(_ edges: Edge.Set = .all, _ length: CGFloat? = nil) -> some View { self }
    public func frame(
        minWidth: CGFloat? = nil, idealWidth: CGFloat? = nil, maxWidth: CGFloat? = nil, minHeight: CGFloat? = nil,
        idealHeight: CGFloat? = nil, maxHeight: CGFloat? = nil
    ) -> some View { self }
    public func frame(width: CGFloat? = nil, height: CGFloat? = nil) -> some View { self }
    public func cornerRadius(_ radius: CGFloat) -> some View { self }
    public func opacity(_ opacity: Double) -> some View { self }
    public func ignoresSafeArea() -> some View { self }
    public func clipped() -> some View { self }
    public func imageScale(_ scale: ImageScale) -> some View { self }
    public func accessibilityLabel(_ label: String) -> some View { self }
    public func accessibilityHidden(_ hidden: Bool) -> some View { self }
    public func mapStyle(_ style: MapStyle) -> some View { self }
}

public enum ImageScale: Sendable { case small, medium, large }
