public import HeadlessViews

/// A picture, known by its name. Its pixels are not read, because nothing is drawn.
public final class UIImage: NSObject, @unchecked Sendable {
    // @unchecked Sendable: nothing changes after `init`.
    public enum RenderingMode: Int, Sendable { case automatic, alwaysOriginal, alwaysTemplate }
    public enum Orientation: Int, Sendable { case up, down, left, right }

    /// The name of an SF Symbol, or of an image in the app's assets. (Not in UIKit.)
    public let name: String?
    public let isSystemSymbol: Bool
    public let size: CGSize
    private let data: Data?

    private init(name: String?, isSystemSymbol: Bool, data: Data? = nil) {
        (self.name, self.isSystemSymbol, self.data) = (name, isSystemSymbol, data)
        size = CGSize(width: 24, height: 24)
    }

    /// An empty picture.
    public override convenience init() { self.init(name: nil, isSystemSymbol: false) }

    /// An SF Symbol. There is no list of the symbols, so that every name but an empty one gives an image.
    public convenience init?(systemName: String, withConfiguration configuration: Configuration? = nil) {
        guard !systemName.isEmpty else { return nil }
        self.init(name: systemName, isSystemSymbol: true)
    }

    /// An image of the app's assets. Catalogues are not read, so that every name but an empty one gives an image.
    public convenience init?(named name: String) {
        guard !name.isEmpty else { return nil }
        self.init(name: name, isSystemSymbol: false)
    }

    public convenience init?(named name: String, in bundle: Bundle?, with configuration: Configuration? = nil) {
        self.init(named: name)
    }

    public convenience init?(data: Data) {
        guard !data.isEmpty else { return nil }
        self.init(name: nil, isSystemSymbol: false, data: data)
    }

    public convenience init?(contentsOfFile path: String) {
        guard let data = FileManager.default.contents(atPath: path) else { return nil }
        self.init(data: data)
    }

    public func withRenderingMode(_ renderingMode: RenderingMode) -> UIImage { self }
    public func withTintColor(_ color: UIColor, renderingMode: RenderingMode = .automatic) -> UIImage { self }
    public func withConfiguration(_ configuration: Configuration) -> UIImage { self }
    public func applyingSymbolConfiguration(_ configuration: SymbolConfiguration) -> UIImage? { self }
    public func pngData() -> Data? { data }
    public func jpegData(compressionQuality: CGFloat) -> Data? { data }

    public override func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? UIImage else { return false }
        return self === other
            || name != nil && name == other.name && isSystemSymbol == other.isSystemSymbol
            || data != nil && data == other.data
    }

    public override var hash: Int { name.hashValue }

    public class Configuration: NSObject, @unchecked Sendable {}

    public final class SymbolConfiguration: Configuration, @unchecked Sendable {
        public convenience init(pointSize: CGFloat) { self.init() }
        public convenience init(pointSize: CGFloat, weight: SymbolWeight) { self.init() }
        public convenience init(weight: SymbolWeight) { self.init() }
        public convenience init(scale: SymbolScale) { self.init() }
        public convenience init(textStyle: UIFont.TextStyle) { self.init() }
        public convenience init(paletteColors: [UIColor]) { self.init() }
    }

    public enum SymbolWeight: Int, Sendable {
        case unspecified, ultraLight, thin, light, regular, medium, semibold, bold
    }
    public enum SymbolScale: Int, Sendable { case `default` = -1, unspecified = 0, small, medium, large }
}
