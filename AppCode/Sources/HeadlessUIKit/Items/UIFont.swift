public import HeadlessViews

public final class UIFont: NSObject, @unchecked Sendable {
    // @unchecked Sendable: nothing changes after `init`.
    public struct TextStyle: Hashable, RawRepresentable, Sendable {
        public let rawValue: String

        public init(rawValue: String) { self.rawValue = rawValue }

        public static let largeTitle = TextStyle(rawValue: "UICTFontTextStyleTitle0")
        public static let title1 = TextStyle(rawValue: "UICTFontTextStyleTitle1")
        public static let title2 = TextStyle(rawValue: "UICTFontTextStyleTitle2")
        public static let title3 = TextStyle(rawValue: "UICTFontTextStyleTitle3")
        public static let headline = TextStyle(rawValue: "UICTFontTextStyleHeadline")
        public static let subheadline = TextStyle(rawValue: "UICTFontTextStyleSubhead")
        public static let body = TextStyle(rawValue: "UICTFontTextStyleBody")
        public static let callout = TextStyle(rawValue: "UICTFontTextStyleCallout")
        public static let footnote = TextStyle(rawValue: "UICTFontTextStyleFootnote")
        public static let caption1 = TextStyle(rawValue: "UICTFontTextStyleCaption1")
        public static let caption2 = TextStyle(rawValue: "UICTFontTextStyleCaption2")
    }

    public struct Weight: Hashable, RawRepresentable, Sendable {
        public let rawValue: CGFloat

        public init(rawValue: CGFloat) { self.rawValue = rawValue }

        public static let ultraLight = Weight(rawValue: -0.8)
        public static let thin = Weight(rawValue: -0.6)
        public static let light = Weight(rawValue: -0.4)
        public static let regular = Weight(rawValue: 0)
        public static let medium = Weight(rawValue: 0.23)
        public static let semibold = Weight(rawValue: 0.3)
        public static let bold = Weight(rawValue: 0.4)
        public static let heavy = Weight(rawValue: 0.56)
        public static let black = Weight(rawValue: 0.62)
    }

    public let fontName: String
    public let pointSize: CGFloat
    public var lineHeight: CGFloat { pointSize * 1.2 }

    /// Every name gives a font, because nothing is drawn.
    public init?(name fontName: String, size fontSize: CGFloat) { (self.fontName, pointSize) = (fontName, fontSize) }

    private init(_ fontName: String, _ pointSize: CGFloat) { (self.fontName, self.pointSize) = (fontName, pointSize) }

    public static func systemFont(ofSize fontSize: CGFloat, weight: Weight = .regular) -> UIFont {
        UIFont("system", fontSize)
    }
    public static func boldSystemFont(ofSize fontSize: CGFloat) -> UIFont { UIFont("system-bold", fontSize) }
    public static func italicSystemFont(ofSize fontSize: CGFloat) -> UIFont { UIFont("system-italic", fontSize) }
    public static func monospacedSystemFont(ofSize fontSize: CGFloat, weight: Weight) -> UIFont {
        UIFont("system-monospaced", fontSize)
    }
    public static func preferredFont(forTextStyle style: TextStyle) -> UIFont { UIFont(style.rawValue, 17) }
    public func withSize(_ fontSize: CGFloat) -> UIFont { UIFont(fontName, fontSize) }
}
