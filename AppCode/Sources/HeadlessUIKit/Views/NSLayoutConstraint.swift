public import Foundation

/// A priority of a constraint. The constants are UIKit's.
public struct UILayoutPriority: Hashable, RawRepresentable, Sendable {
    public let rawValue: Float

    public init(rawValue: Float) { self.rawValue = rawValue }
    public init(_ rawValue: Float) { self.rawValue = rawValue }

    public static let required = UILayoutPriority(1000)
    public static let defaultHigh = UILayoutPriority(750)
    public static let defaultLow = UILayoutPriority(250)
    public static let fittingSizeLevel = UILayoutPriority(50)
}

/// A declaration of Auto Layout. It is kept, and nothing is laid out by it, because nothing is drawn.
@preconcurrency @MainActor open class NSLayoutConstraint: NSObject {
    public enum Axis: Int, Sendable { case horizontal, vertical }
    public enum Relation: Int, Sendable { case lessThanOrEqual = -1, equal, greaterThanOrEqual }
    public enum Attribute: Int, Sendable {
        case left = 1
        case right, top, bottom, leading, trailing, width, height, centerX, centerY
        case notAnAttribute = 0
    }

    open var isActive = false
    open var constant: CGFloat
    open var priority = UILayoutPriority.required
    open var identifier: String?
    public let relation: Relation
    public let multiplier: CGFloat

    init(_ relation: Relation, constant: CGFloat = 0, multiplier: CGFloat = 1) {
        self.relation = relation
        self.constant = constant
        self.multiplier = multiplier
    }

    public convenience init(
        item: Any, attribute: Attribute, relatedBy relation: Relation, toItem other: Any?,
        attribute otherAttribute: Attribute, multiplier: CGFloat, constant: CGFloat
    ) {
        self.init(relation, constant: constant, multiplier: multiplier)
    }

    open class func activate(_ constraints: [NSLayoutConstraint]) {
        for constraint in constraints { constraint.isActive = true }
    }

    open class func deactivate(_ constraints: [NSLayoutConstraint]) {
        for constraint in constraints { constraint.isActive = false }
    }
}

/// An edge, a centre or a size of a view that constraints refer to.
@preconcurrency @MainActor open class NSLayoutAnchor<AnchorType: AnyObject>: NSObject {
    public func constraint(equalTo anchor: NSLayoutAnchor<AnchorType>, constant: CGFloat = 0) -> NSLayoutConstraint {
        NSLayoutConstraint(.equal, constant: constant)
    }

    public func constraint(
        greaterThanOrEqualTo anchor: NSLayoutAnchor<AnchorType>, constant: CGFloat = 0
    ) -> NSLayoutConstraint {
        NSLayoutConstraint(.greaterThanOrEqual, constant: constant)
    }

    public func constraint(
        lessThanOrEqualTo anchor: NSLayoutAnchor<AnchorType>, constant: CGFloat = 0
    ) -> NSLayoutConstraint {
        NSLayoutConstraint(.lessThanOrEqual, constant: constant)
    }
}

open class NSLayoutXAxisAnchor: NSLayoutAnchor<NSLayoutXAxisAnchor> {}
open class NSLayoutYAxisAnchor: NSLayoutAnchor<NSLayoutYAxisAnchor> {}

open class NSLayoutDimension: NSLayoutAnchor<NSLayoutDimension> {
    public func constraint(equalToConstant constant: CGFloat) -> NSLayoutConstraint {
        NSLayoutConstraint(.equal, constant: constant)
    }

    public func constraint(greaterThanOrEqualToConstant constant: CGFloat) -> NSLayoutConstraint {
        NSLayoutConstraint(.greaterThanOrEqual, constant: constant)
    }

    public func constraint(lessThanOrEqualToConstant constant: CGFloat) -> NSLayoutConstraint {
        NSLayoutConstraint(.lessThanOrEqual, constant: constant)
    }

    public func constraint(
        equalTo anchor: NSLayoutDimension, multiplier: CGFloat, constant: CGFloat = 0
    ) -> NSLayoutConstraint {
        NSLayoutConstraint(.equal, constant: constant, multiplier: multiplier)
    }
}

/// The anchors of a view or of a layout guide.
@MainActor public final class LayoutAnchors {
    public let leading = NSLayoutXAxisAnchor()
    public let trailing = NSLayoutXAxisAnchor()
    public let left = NSLayoutXAxisAnchor()
    public let right = NSLayoutXAxisAnchor()
    public let centerX = NSLayoutXAxisAnchor()
    public let top = NSLayoutYAxisAnchor()
    public let bottom = NSLayoutYAxisAnchor()
    public let centerY = NSLayoutYAxisAnchor()
    public let firstBaseline = NSLayoutYAxisAnchor()
    public let lastBaseline = NSLayoutYAxisAnchor()
    public let width = NSLayoutDimension()
    public let height = NSLayoutDimension()
}

/// What has anchors: views and layout guides.
@preconcurrency @MainActor public protocol LayoutItem: AnyObject {
    var anchors: LayoutAnchors { get }
}

extension LayoutItem {
    public var leadingAnchor: NSLayoutXAxisAnchor { anchors.leading }
    public var trailingAnchor: NSLayoutXAxisAnchor { anchors.trailing }
    public var leftAnchor: NSLayoutXAxisAnchor { anchors.left }
    public var rightAnchor: NSLayoutXAxisAnchor { anchors.right }
    public var centerXAnchor: NSLayoutXAxisAnchor { anchors.centerX }
    public var topAnchor: NSLayoutYAxisAnchor { anchors.top }
    public var bottomAnchor: NSLayoutYAxisAnchor { anchors.bottom }
    public var centerYAnchor: NSLayoutYAxisAnchor { anchors.centerY }
    public var firstBaselineAnchor: NSLayoutYAxisAnchor { anchors.firstBaseline }
    public var lastBaselineAnchor: NSLayoutYAxisAnchor { anchors.lastBaseline }
    public var widthAnchor: NSLayoutDimension { anchors.width }
    public var heightAnchor: NSLayoutDimension { anchors.height }
}

/// A rectangle that constraints refer to, such as a view's safe area.
@preconcurrency @MainActor open class UILayoutGuide: NSObject, LayoutItem {
    public private(set) lazy var anchors = LayoutAnchors()
    open var identifier = ""
    /// What `topLayoutGuide` and `bottomLayoutGuide` have: how much of the screen bars cover.
    public var length: CGFloat { 0 }
}
