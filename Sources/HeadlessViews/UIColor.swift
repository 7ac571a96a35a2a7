public import Foundation

/// A colour: its components, or the name of one that the system adapts.
public final class UIColor: NSObject, @unchecked Sendable {
    // @unchecked Sendable: nothing changes after `init`.
    let components: [CGFloat]
    let systemName: String?

    public init(red: CGFloat, green: CGFloat, blue: CGFloat, alpha: CGFloat) {
        components = [red, green, blue, alpha]
        systemName = nil
    }

    public convenience init(displayP3Red red: CGFloat, green: CGFloat, blue: CGFloat, alpha: CGFloat) {
        self.init(red: red, green: green, blue: blue, alpha: alpha)
    }

    public convenience init(white: CGFloat, alpha: CGFloat) {
        self.init(red: white, green: white, blue: white, alpha: alpha)
    }

    public convenience init(hue: CGFloat, saturation: CGFloat, brightness: CGFloat, alpha: CGFloat) {
        func component(_ number: CGFloat) -> CGFloat {
            let place = (number + hue * 6).truncatingRemainder(dividingBy: 6)
            return brightness - brightness * saturation * max(0, min(place, 4 - place, 1))
        }
        self.init(red: component(5), green: component(3), blue: component(1), alpha: alpha)
    }

    /// A colour of the app's asset catalogue. Catalogues are not read, so that every name gives a colour.
    public convenience init?(
        named name: String, in bundle: Bundle? = nil, compatibleWith traits: UITraitCollection? = nil
    ) {
        self.init(systemName: name)
    }

    /// Asks for the colour of the light appearance, once.
    @MainActor public convenience init(dynamicProvider: @escaping (UITraitCollection) -> UIColor) {
        let color = dynamicProvider(UITraitCollection())
        self.init(components: color.components, systemName: color.systemName)
    }

    fileprivate init(components: [CGFloat], systemName: String?) {
        self.components = components
        self.systemName = systemName
    }

    private convenience init(systemName: String) { self.init(components: [0, 0, 0, 1], systemName: systemName) }

    public func withAlphaComponent(_ alpha: CGFloat) -> UIColor {
        UIColor(components: Array(components.prefix(3)) + [alpha], systemName: systemName)
    }

    public func getRed(
        _ red: UnsafeMutablePointer<CGFloat>?, green: UnsafeMutablePointer<CGFloat>?,
        blue: UnsafeMutablePointer<CGFloat>?, alpha: UnsafeMutablePointer<CGFloat>?
    ) -> Bool {
        guard components.count == 4 else { return false }
        red?.pointee = components[0]
        green?.pointee = components[1]
        blue?.pointee = components[2]
        alpha?.pointee = components[3]
        return true
    }

    public override func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? UIColor else { return false }
        return components == other.components && systemName == other.systemName
    }

    public override var hash: Int { components.hashValue ^ systemName.hashValue }

    public override var description: String { systemName ?? "UIColor(\(components))" }
}

extension UIColor {
    public static let black = UIColor(white: 0, alpha: 1)
    public static let white = UIColor(white: 1, alpha: 1)
    public static let clear = UIColor(white: 0, alpha: 0)
    public static let gray = UIColor(white: 0.5, alpha: 1)
    public static let darkGray = UIColor(white: 1 / 3, alpha: 1)
    public static let lightGray = UIColor(white: 2 / 3, alpha: 1)
    public static let red = UIColor(red: 1, green: 0, blue: 0, alpha: 1)
    public static let green = UIColor(red: 0, green: 1, blue: 0, alpha: 1)
    public static let blue = UIColor(red: 0, green: 0, blue: 1, alpha: 1)
    public static let cyan = UIColor(red: 0, green: 1, blue: 1, alpha: 1)
    public static let yellow = UIColor(red: 1, green: 1, blue: 0, alpha: 1)
    public static let magenta = UIColor(red: 1, green: 0, blue: 1, alpha: 1)
    public static let orange = UIColor(red: 1, green: 0.5, blue: 0, alpha: 1)
    public static let purple = UIColor(red: 0.5, green: 0, blue: 0.5, alpha: 1)
    public static let brown = UIColor(red: 0.6, green: 0.4, blue: 0.2, alpha: 1)

    public static let systemRed = UIColor(systemName: "systemRed")
    public static let systemGreen = UIColor(systemName: "systemGreen")
    public static let systemBlue = UIColor(systemName: "systemBlue")
    public static let systemOrange = UIColor(systemName: "systemOrange")
    public static let systemYellow = UIColor(systemName: "systemYellow")
    public static let systemPink = UIColor(systemName: "systemPink")
    public static let systemPurple = UIColor(systemName: "systemPurple")
    public static let systemTeal = UIColor(systemName: "systemTeal")
    public static let systemIndigo = UIColor(systemName: "systemIndigo")
    public static let systemGray = UIColor(systemName: "systemGray")
    public static let systemGray2 = UIColor(systemName: "systemGray2")
    public static let systemGray3 = UIColor(systemName: "systemGray3")
    public static let systemGray4 = UIColor(systemName: "systemGray4")
    public static let systemGray5 = UIColor(systemName: "systemGray5")
    public static let systemGray6 = UIColor(systemName: "systemGray6")
    public static let tintColor = UIColor(systemName: "tintColor")
    public static let label = UIColor(systemName: "label")
    public static let secondaryLabel = UIColor(systemName: "secondaryLabel")
    public static let tertiaryLabel = UIColor(systemName: "tertiaryLabel")
    public static let link = UIColor(systemName: "link")
    public static let placeholderText = UIColor(systemName: "placeholderText")
    public static let separator = UIColor(systemName: "separator")
    public static let systemFill = UIColor(systemName: "systemFill")
    public static let systemBackground = UIColor(systemName: "systemBackground")
    public static let secondarySystemBackground = UIColor(systemName: "secondarySystemBackground")
    public static let tertiarySystemBackground = UIColor(systemName: "tertiarySystemBackground")
    public static let systemGroupedBackground = UIColor(systemName: "systemGroupedBackground")
    public static let secondarySystemGroupedBackground = UIColor(systemName: "secondarySystemGroupedBackground")
}

/// A colour of Core Graphics, which nothing is drawn with.
public final class CGColor: Sendable {
    let color: UIColor

    init(_ color: UIColor) { self.color = color }
}

extension UIColor {
    public var cgColor: CGColor { CGColor(self) }

    public convenience init(cgColor: CGColor) {
        self.init(components: cgColor.color.components, systemName: cgColor.color.systemName)
    }
}
