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
        let owner = ownerOrNil.map { $0 as AnyObject }
        let report = { [name] (text: String) in Transitions.shared.warn("UINib '\(name)': \(text)") }
        let elements = file.children(of: "objects")
        let connections = InterfaceConnections(owner: owner, elements: elements, report: report)
        let objects = InterfaceObjects(connections, module: UIStoryboard.appModule, report: report)
        let (placeholders, others) = (elements.filter(\.isPlaceholder), elements.filter { !$0.isPlaceholder })
        placeholders.forEach(connections.addOwner)
        let made = others.compactMap(objects.makeTop)
        withExtendedLifetime((owner, made)) { connections.connect() }
        return made
    }

    /// Loads the view of a controller. UIKit raises an exception if the nib does not connect the outlet `view`.
    func loadView(of controller: UIViewController) {
        let made = instantiate(withOwner: controller)
        guard controller.viewIfLoaded == nil else { return }
        Transitions.shared.warn(
            "UINib '\(name)': the outlet view of \(controller.name) is not connected. The nib's first view is taken; a "
                + "device would end the app.")
        controller.view = made.lazy.compactMap { $0 as? UIView }.first
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

extension InterfaceElement {
    fileprivate var isPlaceholder: Bool { name == "placeholder" }
}
