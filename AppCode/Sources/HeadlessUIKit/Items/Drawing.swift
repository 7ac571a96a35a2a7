public import Foundation
public import HeadlessViews

/// Draws pictures. Nothing is drawn here: the picture is empty, and has the size.
@preconcurrency @MainActor open class UIGraphicsImageRenderer: NSObject {
    private let size: CGSize

    public init(size: CGSize) { self.size = size }
    public init(size: CGSize, format: UIGraphicsImageRendererFormat) { self.size = size }
    public init(bounds: CGRect) { size = bounds.size }
    public init(bounds: CGRect, format: UIGraphicsImageRendererFormat) { size = bounds.size }

    open func image(actions: (UIGraphicsImageRendererContext) -> Void) -> UIImage {
        actions(UIGraphicsImageRendererContext(size))
        return UIImage()
    }
    open func pngData(actions: (UIGraphicsImageRendererContext) -> Void) -> Data {
        actions(UIGraphicsImageRendererContext(size))
        return Data()
    }
    open func jpegData(withCompressionQuality quality: CGFloat, actions: (UIGraphicsImageRendererContext) -> Void)
        -> Data
    {
        pngData(actions: actions)
    }
}

@preconcurrency @MainActor open class UIGraphicsImageRendererFormat: NSObject {
    open var scale: CGFloat = 3
    open var opaque = false
    open class func `default`() -> UIGraphicsImageRendererFormat { UIGraphicsImageRendererFormat() }
}

@preconcurrency @MainActor open class UIGraphicsImageRendererContext: NSObject {
    public let cgContext = CGContext()
    public let format = UIGraphicsImageRendererFormat()
    private let size: CGSize

    init(_ size: CGSize) { self.size = size }

    open func fill(_ rect: CGRect) {}
    open func stroke(_ rect: CGRect) {}
    open func clip(to rect: CGRect) {}
}

/// Where one draws. Nothing is drawn.
public final class CGContext: NSObject {
    public func setFillColor(_ color: UIColor) {}
    public func fill(_ rect: CGRect) {}
    public func translateBy(x: CGFloat, y: CGFloat) {}
    public func scaleBy(x: CGFloat, y: CGFloat) {}
    public func rotate(by angle: CGFloat) {}
    public func saveGState() {}
    public func restoreGState() {}
    public func addEllipse(in rect: CGRect) {}
    public func clip() {}
}

public func UIGraphicsBeginImageContext(_ size: CGSize) {}
public func UIGraphicsBeginImageContextWithOptions(_ size: CGSize, _ opaque: Bool, _ scale: CGFloat) {}
public func UIGraphicsGetImageFromCurrentImageContext() -> UIImage? { UIImage() }
public func UIGraphicsGetCurrentContext() -> CGContext? { CGContext() }
public func UIGraphicsEndImageContext() {}

extension UIImage {
    public func draw(in rect: CGRect) {}
    public func draw(at point: CGPoint) {}
}

extension UIView {
    @discardableResult
    public func drawHierarchy(in rect: CGRect, afterScreenUpdates afterUpdates: Bool) -> Bool { false }
}
