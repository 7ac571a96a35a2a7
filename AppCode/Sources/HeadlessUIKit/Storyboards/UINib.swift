public import Foundation

/// A nib of the app: its views, with their outlets and actions.
@preconcurrency @MainActor open class UINib: NSObject {
    private let name: String
    private let file: InterfaceElement?

    public init(nibName name: String, bundle bundleOrNil: Bundle?) {
        self.name = name
        file = InterfaceElement.find("\(name).xib", in: bundleOrNil ?? .main)
        super.init()
    }

    /// - Returns: the objects at the top of the nib, without its owner.
    open func instantiate(withOwner ownerOrNil: Any?, options: [AnyHashable: Any]? = nil) -> [Any] {
        guard let file else {
            Transitions.shared.warn("UINib: Could not load a nib named '\(name)'.")
            return []
        }
        let owner = ownerOrNil.map { $0 as AnyObject } ?? NSObject()
        let objects = InterfaceObjects(owner: owner, module: UIStoryboard.appModule) {
            Transitions.shared.warn("UINib '\(self.name)': \($0)")
        }
        var made: [Any] = []
        for element in file.children(of: "objects") {
            if element.name == "placeholder" {
                if element.attributes["placeholderIdentifier"] == "IBFilesOwner", ownerOrNil != nil {
                    objects.add(owner, for: element)
                }
            } else if let other = objects.makeOther(element) {
                made.append(other)
            } else {
                made.append(objects.makeView(element))
            }
        }
        objects.connect()
        if let controller = owner as? UIViewController, controller.viewIfLoaded == nil {
            controller.view = made.lazy.compactMap { $0 as? UIView }.first
        }
        return made
    }

    static func exists(_ name: String, in bundle: Bundle?) -> Bool {
        InterfaceElement.find("\(name).xib", in: bundle ?? .main) != nil
    }
}

extension Bundle {
    /// - Returns: the objects at the top of the nib; nil if the bundle has no such nib.
    @preconcurrency @MainActor
    public func loadNibNamed(_ name: String, owner: Any?, options: [AnyHashable: Any]? = nil) -> [Any]? {
        guard UINib.exists(name, in: self) else { return nil }
        return UINib(nibName: name, bundle: self).instantiate(withOwner: owner, options: options)
    }
}
