import HeadlessSwiftUI
import Testing

@testable import AppHost

extension ScreenTests {
    /// Screens of SwiftUI: what dismisses them, what their views say about their bars, what becomes of pushed ones.
    @MainActor @Suite struct SwiftUIScreenTests: ViewTests {
        @Test func dismiss_inTheRootOfAStack_closesTheSheet() async throws {
            try await show(SheetWithStack()) { controller in
                #expect(await texts(controller) == ["presented: false", "Open"])
                try await tap("Open")
                #expect(await frontTexts() == ["presented: true", "Close", "Next"])
                try await tap("Next")
                #expect(await frontTexts() == ["presented: true", "Close"])
                // In a pushed screen, it pops.
                try await tap("Close")
                #expect(await frontTexts() == ["presented: true", "Close", "Next"])
                try await tap("Close")
                #expect(controller.presentedViewController == nil)
                try await tap("Open")
                #expect(controller.presentedViewController != nil)
            }
        }

        /// UIKit code has pushed or presented the hosting controller.
        @Test func dismiss_inAHostingController_leavesIt() async throws {
            let root = UIViewController()
            root.title = "Root"
            let navigation = UINavigationController(rootViewController: root)
            try await Screen.run(navigation) { _ in
                navigation.pushViewController(UIHostingController(rootView: CloseButton()), animated: true)
                await Transitions.shared.settled()
                try await tap("Close")
                #expect(navigation.viewControllers == [root])
                root.present(UIHostingController(rootView: CloseButton()), animated: true)
                await Transitions.shared.settled()
                try await tap("Close")
                #expect(root.presentedViewController == nil)
            }
        }

        @Test func dismiss_inATab_closesTheSheet() async throws {
            try await show(SheetWithTabs()) { controller in
                try await tap("Open")
                try await tap("Close")
                #expect(controller.presentedViewController == nil)
            }
        }

        @Test func pushedScreen_getsTheSourcesNewContent() async throws {
            let model = Page()
            try await show(PushingView(model: model)) { _ in
                try await tap("Show")
                #expect(await frontTexts() == ["old"])
                model.text = "new"
                #expect(await frontTexts() == ["new"])
                try await perform("back")
                #expect(titles == ["Root"] && !model.shows)
                try await tap("Show")
                #expect(await frontTexts() == ["new"])
                model.hasSource = false
                await Transitions.shared.settled()
                #expect(titles == ["Root"])
            }
        }

        /// The stack itself goes. What it has pushed is not popped one by one, and the binding keeps its value.
        @Test func pushedScreen_goesWithItsStack() async throws {
            let model = Page()
            try await show(RemovableStack(model: model)) { controller in
                model.shows = true
                await Transitions.shared.settled()
                #expect(titles == ["Root", "Pushed"])
                model.hasSource = false
                #expect(await texts(controller) == ["Nothing"])
                #expect(model.shows)
            }
        }

        @Test func hiddenBar_isShownAgain_afterThePop() async throws {
            try await show(StackWithHiddenBar()) { _ in
                try await tap("Immersive")
                let navigation = try #require(ScreenState.current.front?.navigationController)
                #expect(navigation.isNavigationBarHidden)
                #expect(throws: (any Error).self) {
                    try #require(UserAction.all.first { $0.action.name == "back" }).perform([:])
                }
                try await tap("Leave")
                #expect(titles == ["Root"])
                #expect(!navigation.isNavigationBarHidden)
                try await tap("Plain")
                try await perform("back")
                #expect(titles == ["Root"])
            }
        }

        /// The tabs' screens say nothing about the bar, which the stack's screen hides.
        @Test func hiddenBar_staysHidden_overTabs() async throws {
            try await show(StackWithTabs()) { controller in
                let navigation = try #require(stack(in: controller))
                #expect(navigation.isNavigationBarHidden)
                try await perform("tapTab", ["tab": "Two"])
                #expect(navigation.isNavigationBarHidden)
            }
        }

        /// What the views no longer say is no longer so.
        @Test func bars_areThoseThatTheViewsSay() async throws {
            try await show(Titled(says: true)) { controller in
                let item = controller.navigationItem
                #expect(item.title == "Title" && item.hidesBackButton && item.searchController != nil)
                controller.rootView = Titled(says: false)
                await Transitions.shared.settled()
                #expect(item.title == nil && !item.hidesBackButton && item.searchController == nil)
                item.title = "The controller's own"
                controller.rootView = Titled(says: false, text: "other")
                await Transitions.shared.settled()
                #expect(item.title == "The controller's own")
            }
        }

        private func stack(in controller: UIViewController) -> UINavigationController? {
            controller as? UINavigationController ?? controller.children.lazy.compactMap { stack(in: $0) }.first
        }
    }
}

private struct CloseButton: View {
    @Environment(\.dismiss) private var dismiss

    var body: some View { Button("Close") { dismiss() } }
}

private struct PresentedText: View {
    @Environment(\.isPresented) private var isPresented

    var body: some View { Text("presented: \(isPresented)") }
}

private struct SheetWithStack: View {
    @State private var isOpen = false

    var body: some View {
        VStack {
            PresentedText()
            Button("Open") { isOpen = true }
        }
        .sheet(isPresented: $isOpen) {
            NavigationStack {
                VStack {
                    PresentedText()
                    CloseButton()
                    NavigationLink("Next") {
                        VStack {
                            PresentedText()
                            CloseButton()
                        }
                        .navigationTitle("Second")
                    }
                }
                .navigationTitle("Form")
            }
        }
    }
}

private struct SheetWithTabs: View {
    @State private var isOpen = false

    var body: some View {
        Button("Open") { isOpen = true }
            .sheet(isPresented: $isOpen) {
                TabView {
                    NavigationStack { CloseButton() }.tabItem { Text("One") }
                    Text("Second").tabItem { Text("Two") }
                }
            }
    }
}

private final class Page: ObservableObject {
    @Published var text = "old"
    @Published var shows = false
    @Published var hasSource = true
}

private struct PushingView: View {
    @ObservedObject var model: Page

    var body: some View {
        NavigationStack {
            VStack {
                Button("Show") { model.shows = true }
                if model.hasSource {
                    Text("Source")
                        .navigationDestination(isPresented: $model.shows) {
                            Text(model.text).navigationTitle("Pushed")
                        }
                }
            }
            .navigationTitle("Root")
        }
    }
}

private struct RemovableStack: View {
    @ObservedObject var model: Page

    var body: some View {
        if model.hasSource {
            NavigationStack {
                Text("Text")
                    .navigationTitle("Root")
                    .navigationDestination(isPresented: $model.shows) { Text("Text").navigationTitle("Pushed") }
            }
        } else {
            Text("Nothing")
        }
    }
}

private struct StackWithHiddenBar: View {
    var body: some View {
        NavigationStack {
            VStack {
                NavigationLink("Immersive") { LeaveButton().toolbar(.hidden, for: .navigationBar) }
                NavigationLink("Plain") { Text("Text").navigationTitle("Plain") }
            }
            .navigationTitle("Root")
        }
    }

    private struct LeaveButton: View {
        @Environment(\.dismiss) private var dismiss

        var body: some View { Button("Leave") { dismiss() } }
    }
}

private struct StackWithTabs: View {
    var body: some View {
        NavigationStack {
            TabView {
                Text("First").tabItem { Text("One") }
                Text("Second").tabItem { Text("Two") }
            }
            .toolbar(.hidden, for: .navigationBar)
        }
    }
}

private struct Titled: View {
    let says: Bool
    var text = "Text"

    var body: some View {
        if says {
            Text(text).navigationTitle("Title").navigationBarBackButtonHidden().searchable(text: .constant(""))
        } else {
            Text(text)
        }
    }
}
