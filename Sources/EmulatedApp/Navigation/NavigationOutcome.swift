public import BridgeProtocol
public import Foundation
import PathConfiguration

/// What one step came to: the state after it, and the effects of it.
public struct NavigationOutcome: Sendable, Equatable {
    public let state: NavigationState
    public let effects: [NavigationEffect]

    public init(_ state: NavigationState, _ effects: [NavigationEffect]) {
        self.state = state
        self.effects = effects
    }

    public var visits: [VisitOrder] { effects.compactMap { if case .visit(let order) = $0 { order } else { nil } } }

    var transitions: [StackTransition] {
        effects.compactMap { if case .transition(let transition) = $0 { transition } else { nil } }
    }

    /// Writes `main`, `modal` and `visits`.
    public func writeStacks(to writer: inout JSONWriter) {
        writer.member("main", state.main.map(\.name))
        writer.member("modal", state.modal.map(\.name))
        writer.member("visits", visits)
    }

    /// Each native screen, from the bottom of main to the top of the modal.
    public var nativeScreens: [NativeScreen] {
        NavigationStack.allCases.flatMap { stack in
            state[stack].enumerated().filter { !$0.element.isWeb }.map { index, screen in
                NativeScreen(stack: stack, index: index, url: screen.url)
            }
        }
    }

    /// Writes what only some states have: `native`, `external`, `alert`, and of a presented modal `modalStyle`, `dismissible`.
    func writeDetails(to writer: inout JSONWriter) {
        if !nativeScreens.isEmpty { writer.member("native", nativeScreens) }
        let external = effects.filter { if case .open = $0 { true } else { false } }
        if !external.isEmpty { writer.member("external", external.map(ExternalVisit.init)) }
        for case .presentAlert(let stack) in effects { writer.member("alert", stack.rawValue) }
        writer.member("transitions", transitions)
        guard state.isModalPresented else { return }
        writer.member("modalStyle", state.modalStyle.presentationStyle)
        writer.member("dismissible", state.isDismissible)
    }
}

extension Screen {
    /// The URL of a web screen, `native:` and the class of a native one.
    public var name: String {
        switch kind {
        case .web: url.absoluteString
        case .native(let name): "native:\(name)"
        }
    }
}

extension ModalStyle {
    /// UIKit's name for what is asked of the modal when it comes up. Sheets of either height are automatic.
    var presentationStyle: String {
        switch self {
        case .medium, .large: "automatic"
        case .full: "fullScreen"
        case .pageSheet: "pageSheet"
        case .formSheet: "formSheet"
        }
    }
}

/// Where a native screen stands, and its URL, which its name does not tell.
public struct NativeScreen: Sendable, Equatable, JSONWritable {
    public let stack: NavigationStack
    /// From the bottom of its stack.
    public let index: Int
    public let url: URL

    public func write(to writer: inout JSONWriter) {
        writer.object { writer in
            writer.member("stack", stack.rawValue)
            writer.member("index", index)
            writer.member("url", url.absoluteString)
        }
    }
}

/// What left the app, without what kind of effect it is.
private struct ExternalVisit: JSONWritable {
    let effect: NavigationEffect

    init(_ effect: NavigationEffect) { self.effect = effect }

    func write(to writer: inout JSONWriter) {
        guard case .open(let url, let browser) = effect else { return writer.null() }
        writer.object { writer in
            writer.member("url", url.absoluteString)
            writer.member("via", browser.rawValue)
        }
    }
}
