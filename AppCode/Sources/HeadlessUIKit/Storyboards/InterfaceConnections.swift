import Foundation
import HeadlessViews

/// Connects the objects of a scene or of a nib with each other: outlets, actions and segues.
///
/// It retains none of them, because the view controller retains it. Views are retained by the view above them, bar buttons
/// by their bar, and what is at the top by the scene or by whoever has loaded the nib.
@MainActor final class InterfaceConnections {
    private var objects: [String: WeakTarget] = [:]
    private weak var owner: AnyObject?
    private let elements: [InterfaceElement]
    private let report: (String) -> Void
    /// Performs the segue of a control, of a row or of a recogniser.
    var performSegue: (InterfaceElement, Any?) -> Void = { _, _ in }
    /// Fills a container with the controller of its segue.
    var embed: (InterfaceElement, UIView) -> Void = { _, _ in }
    private var embeddings: [(InterfaceElement, UIView)] = []
    /// The elements whose objects have been made and are not connected yet.
    private var unconnected: [InterfaceElement] = []
    /// Connections that lead to objects that are made with the controller's view.
    private var waiting: [(source: WeakTarget, connections: [InterfaceElement])] = []

    /// - Parameter owner: the controller, or the nib's owner.
    /// - Parameter elements: everything in the scene or in the nib.
    init(owner: AnyObject?, elements: [InterfaceElement], report: @escaping (String) -> Void) {
        (self.owner, self.elements, self.report) = (owner, elements, report)
    }

    func add(_ object: AnyObject, for element: InterfaceElement) {
        guard let id = element.id else { return }
        objects[id] = WeakTarget(object)
        unconnected.append(element)
    }

    /// Lets the owner stand for a placeholder, such as the first responder.
    func addOwner(for placeholder: InterfaceElement) {
        if let owner { add(owner, for: placeholder) }
    }

    func object(_ id: String?) -> AnyObject? { id.flatMap { objects[$0] }?.object }

    /// Connects the objects that have been made since the last call, and tells them.
    /// - Parameter viewFollows: whether the view is made later. What leads to an object in it waits for the next call.
    func connect(viewFollows: Bool = false) {
        let (new, old) = (unconnected, waiting)
        (unconnected, waiting) = ([], [])
        for (source, connections) in old {
            if let source = source.object { connect(connections, of: source, viewFollows: viewFollows) }
        }
        for element in new {
            guard let source = object(element.id) else { continue }
            connect(element.children(of: "connections"), of: source, viewFollows: viewFollows)
        }
        for element in new where element.name != "placeholder" {
            (object(element.id) as? UIResponder)?.awakeFromNib()
        }
    }

    /// Fills the containers, once their controller has its view.
    func embedChildren() {
        let all = embeddings
        embeddings = []
        for (segue, container) in all { embed(segue, container) }
    }

    private func connect(_ connections: [InterfaceElement], of source: AnyObject, viewFollows: Bool) {
        var later: [InterfaceElement] = []
        var collections: [(name: String, connections: [InterfaceElement])] = []
        for connection in connections {
            let name = connection.attributes["property"] ?? ""
            if connection.name != "outletCollection" {
                if viewFollows, isMissing(connection) {
                    later.append(connection)
                } else {
                    connect(connection, of: source)
                }
            } else if let index = collections.firstIndex(where: { $0.name == name }) {
                collections[index].connections.append(connection)
            } else {
                collections.append((name, [connection]))
            }
        }
        for (name, connections) in collections {
            if viewFollows, connections.contains(where: isMissing) {
                later += connections
            } else {
                set(name, of: source, to: connections.compactMap { destination($0, of: source) })
            }
        }
        if !later.isEmpty { waiting.append((WeakTarget(source), later)) }
    }

    private func isMissing(_ connection: InterfaceElement) -> Bool {
        guard connection.name != "segue", let id = connection.attributes["destination"] else { return false }
        return object(id) == nil
    }

    /// - Returns: nil, and reports it, if there is no such object.
    private func destination(_ connection: InterfaceElement, of source: AnyObject) -> AnyObject? {
        let id = connection.attributes["destination"]
        if let found = object(id) { return found }
        let name = connection.attributes["property"] ?? connection.attributes["selector"] ?? connection.name
        let reason =
            switch elements.lazy.flatMap(\.all).first(where: { $0.id == id })?.name {
            case nil: "the file has no object with the id '\(id ?? "")'"
            case "placeholder": "the nib was loaded without an owner"
            case let kind?: "a \(kind) is not made here"
            }
        report("\(name) of \(type(of: source)) is not connected: \(reason).")
        return nil
    }

    private func connect(_ connection: InterfaceElement, of source: AnyObject) {
        switch connection.name {
        case "outlet":
            guard let name = connection.attributes["property"], let value = destination(connection, of: source) else {
                return
            }
            set(name, of: source, to: value)
        case "action": connectAction(connection, of: source)
        case "segue" where connection.attributes["kind"] == "embed":
            if let view = source as? UIView { embeddings.append((connection, view)) }
        case "segue": connectSegue(connection, of: source)
        default: break
        }
    }

    private func set(_ name: String, of object: AnyObject, to value: Any) {
        if name == "gestureRecognizers", let view = object as? UIView, let recognizers = value as? [AnyObject] {
            for case let recognizer as UIGestureRecognizer in recognizers { view.addGestureRecognizer(recognizer) }
        } else if let outlet = InterfaceTable.outlet(name, of: object) {
            guard !outlet.set(object, value) else { return }
            report("The outlet \(name) of \(type(of: object)) has another type than \(type(of: value)), and stays nil.")
        } else {
            report("\(type(of: object)) has no outlet \(name).")
        }
    }

    private func connectAction(_ connection: InterfaceElement, of sender: AnyObject) {
        // Without a destination, the first responder is meant.
        let isNamed = connection.attributes["destination"] != nil
        guard let name = connection.attributes["selector"],
            let target = isNamed ? destination(connection, of: sender) : owner
        else { return }
        guard let action = InterfaceTable.action(name, of: target) else {
            return report("\(type(of: target)) has no action \(name).")
        }
        switch sender {
        case let control as UIControl:
            control.addTarget(
                target, action: action, for: InterfaceAttributes.event(connection.attributes["eventType"]))
        case let item as UIBarButtonItem: (item.target, item.action) = (target, action)
        case let recognizer as UIGestureRecognizer: recognizer.addTarget(target, action: action)
        default: report("\(type(of: sender)) sends no action \(name) here.")
        }
    }

    private func connectSegue(_ segue: InterfaceElement, of sender: AnyObject) {
        let perform = { [weak self] (sender: Any?) -> Void in self?.performSegue(segue, sender) }
        switch sender {
        case let control as UIControl: control.addHandler(for: [.touchUpInside]) { perform($0) }
        case let item as UIBarButtonItem: item.primaryAction = UIAction { [weak item] _ in perform(item) }
        case let recognizer as UIGestureRecognizer: recognizer.addHandler { perform($0) }
        case let cell as UITableViewCell where segue.attributes["trigger"] != "accessoryAction":
            cell.selectionSegue = { perform($0) }
        // The app performs it itself, or it says which controllers are in this one.
        case is UIViewController: break
        default:
            let kind = segue.attributes["kind"] ?? ""
            report(
                "Nothing performs the segue '\(segue.attributes["identifier"] ?? kind)' of a \(type(of: sender)) here.")
        }
    }
}
