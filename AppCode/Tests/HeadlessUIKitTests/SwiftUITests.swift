import HeadlessSwiftUI
import Testing

@testable import AppHost

extension ScreenTests {
    /// How SwiftUI behaves: what is made once, what is made again, what keeps its state.
    @MainActor @Suite struct SwiftUITests: ViewTests {
        @Test func state_isKept_andTheViewIsMadeAgain() async throws {
            try await show(Counter()) { controller in
                #expect(await texts(controller) == ["0", "More"])
                try await tap("More")
                try await tap("More")
                #expect(await texts(controller) == ["2", "More"])
            }
        }

        /// `makeUIView` runs once for a place in the tree. `updateUIView` runs after it, and whenever what it has read
        /// changes, but not for another state of the view above.
        @Test func representable_isMadeOnce_andUpdatedForItsOwnChanges() async throws {
            let log = Log()
            try await show(Wrapper(log: log)) { controller in
                #expect(log.lines == ["coordinator", "make 0", "update 0"])
                try await tap("Other")
                #expect(log.lines == ["coordinator", "make 0", "update 0"])
                try await tap("More")
                #expect(log.lines == ["coordinator", "make 0", "update 0", "update 1"])
                try await tap("Hide")
                #expect(log.lines.last == "dismantle")
            }
        }

        /// The branches of `if` have identities of their own, as have the elements of `ForEach`.
        @Test func state_belongsToItsPlace() async throws {
            try await show(Branches()) { controller in
                try await tap("More")
                #expect(await texts(controller) == ["1", "More", "Switch"])
                try await tap("Switch")
                #expect(await texts(controller) == ["0", "More", "Switch"])
            }
            try await show(Rows()) { controller in
                try await tap("b 0")
                #expect(await texts(controller) == ["a 0", "b 1", "Reverse"])
                try await tap("Reverse")
                #expect(await texts(controller) == ["b 1", "a 0", "Reverse"])
            }
        }

        @Test func objects_makeTheirReadersAgain() async throws {
            let object = Model()
            try await show(ModelReader().environmentObject(object)) { controller in
                #expect(await texts(controller) == ["0 of the environment", "0 of its own"])
                object.count = 5
                #expect(await texts(controller) == ["5 of the environment", "0 of its own"])
            }
        }

        @Test func lifeCycle_isReported() async throws {
            let log = Log()
            try await show(Living(log: log)) { controller in
                await Transitions.shared.settled()
                #expect(log.lines == ["appear"])
                try await tap("More")
                #expect(log.lines == ["appear", "0 to 1"])
                controller.rootView = Living(log: log, isShown: false)
                await Transitions.shared.settled()
                #expect(log.lines == ["appear", "0 to 1", "disappear"])
            }
        }

        @Test func sheet_followsItsBinding() async throws {
            try await show(Sheets()) { controller in
                try await tap("Open")
                let sheet = try #require(controller.presentedViewController)
                #expect(await texts(sheet) == ["In the sheet", "Close"])
                try await tap("Close")
                #expect(controller.presentedViewController == nil)
                try await tap("Open")
                #expect(controller.presentedViewController?.swipeDown() == true)
                #expect(await texts(controller) == ["dismissed 2", "Open", "Ask"])
                try await tap("Open")
                #expect(controller.presentedViewController != nil)
            }
        }

        /// A cover hides the screen that presents it, which dismisses it nevertheless.
        @Test func cover_followsItsBinding() async throws {
            try await show(Covered()) { controller in
                try await tap("Open")
                #expect(controller.presentedViewController != nil)
                try await tap("Close")
                #expect(controller.presentedViewController == nil)
            }
        }

        @Test func alert_hasTheButtonsOfItsViews() async throws {
            try await show(Sheets()) { controller in
                try await tap("Ask")
                let alert = try #require(controller.presentedViewController as? UIAlertController)
                #expect(alert.title == "Sure?" && alert.message == "It is gone then.")
                #expect(alert.actions.map(\.title) == ["Delete", "Keep"])
                #expect(alert.actions.map(\.style) == [.destructive, .cancel])
                try await tap("Delete")
                #expect(await texts(controller) == ["deleted", "Open", "Ask"])
                #expect(controller.presentedViewController == nil)
            }
        }

        @Test func navigation_followsItsPath() async throws {
            try await show(Paths()) { controller in
                #expect(titles == ["Numbers"])
                try await tap("Seven")
                #expect(titles == ["Numbers", "Number 7"])
                try await tap("Deeper")
                #expect(titles == ["Numbers", "Number 7", "Number 8"])
                let back = try #require(UserAction.all.first { $0.action.name == "back" })
                try back.perform([:])
                await Transitions.shared.settled()
                #expect(titles == ["Numbers", "Number 7"])
                try await tap("Home")
                #expect(titles == ["Numbers"])
                try await tap("About")
                #expect(titles == ["Numbers", "About"])
            }
        }

        @Test func tabs_areThoseOfATabBar_andAppearWhenSelected() async throws {
            let log = Log()
            try await show(Tabs(log: log)) { controller in
                #expect(ScreenState.current.tabs.map { $0["title"]?.string } == ["Home", "Settings"])
                #expect(log.lines == ["home"])
                let tapTab = try #require(UserAction.all.first { $0.action.name == "tapTab" })
                try tapTab.perform(["tab": "Settings"])
                await Transitions.shared.settled()
                #expect(log.lines == ["home", "settings 2"])
                #expect(ScreenState.current.front.map { ViewTree.texts($0.view) } == ["selected 2", "Back"])
                try await tap("Back")
                #expect(ScreenState.current.tabs.map { $0["isSelected"]?.bool } == [true, false])
            }
        }

        @Test func toolbar_hasBarButtons_andFormsHaveFields() async throws {
            try await show(Settings()) { controller in
                let item = try #require(ScreenState.current.front).navigationItem
                #expect(item.leftBarButtonItems?.map(\.shownTitle) == ["Cancel"])
                #expect(item.rightBarButtonItems?.map(\.shownTitle) == ["Save"])
                try await tap("Notify")
                let fill = try #require(UserAction.all.first { $0.action.name == "fill" })
                try fill.perform(["field": "Name", "text": "Ada"])
                await Transitions.shared.settled()
                try await tap("Save")
                #expect(ScreenState.current.front.map { ViewTree.texts($0.view) }?.contains("Ada true") == true)
            }
        }

        @Test func app_showsItsWindow_withItsDelegate() async throws {
            // Other tests leave their scenes.
            UIApplication.shared.end()
            let delegate = AppLauncher.start(TestApp.init)
            UIApplication.shared.launch(delegate, sceneDelegate: { _ in AppLauncher.sceneDelegate(with: nil) })
            defer { UIApplication.shared.end() }
            await Transitions.shared.settled()
            #expect((delegate as? TestApp.Delegate)?.hasLaunched == true)
            let front = try #require(ScreenState.current.front)
            #expect(ViewTree.texts(front.view) == ["active", "opened nothing"])
            #expect(ScreenName.name(of: front) == "native:UIHostingController<Opener>")
            #expect(UIApplication.shared.receive(try #require(URL(string: "app://x"))))
            #expect(await texts(front) == ["active", "opened app://x"])
        }
    }
}

@MainActor private final class Log { var lines: [String] = [] }

private struct Counter: View {
    @State private var count = 0

    var body: some View {
        VStack {
            Text("\(count)")
            Button("More") { count += 1 }
        }
    }
}

private struct Wrapper: View {
    let log: Log
    @State private var count = 0
    @State private var other = 0
    @State private var isHidden = false

    var body: some View {
        Text("other \(other)")
        if !isHidden { Wrapped(log: log, count: $count) }
        Button("Other") { other += 1 }
        Button("More") { count += 1 }
        Button("Hide") { isHidden = true }
    }
}

private struct Wrapped: UIViewRepresentable {
    final class Coordinator {
        let log: Log
        init(_ log: Log) { self.log = log }
    }

    let log: Log
    @Binding var count: Int

    func makeCoordinator() -> Coordinator {
        log.lines.append("coordinator")
        return Coordinator(log)
    }

    func makeUIView(context: Context) -> UIView {
        context.coordinator.log.lines.append("make \(count)")
        return UIView()
    }

    func updateUIView(_ uiView: UIView, context: Context) { context.coordinator.log.lines.append("update \(count)") }

    static func dismantleUIView(_ uiView: UIView, coordinator: Coordinator) {
        coordinator.log.lines.append("dismantle")
    }
}

private struct Branches: View {
    @State private var isFirst = true

    var body: some View {
        if isFirst { Counter() } else { Counter() }
        Button("Switch") { isFirst.toggle() }
    }
}

private struct Rows: View {
    @State private var names = ["a", "b"]

    var body: some View {
        List {
            ForEach(names, id: \.self) { Row(name: $0) }
            Button("Reverse") { names.reverse() }
        }
    }

    private struct Row: View {
        let name: String
        @State private var count = 0

        var body: some View { Button("\(name) \(count)") { count += 1 } }
    }
}

private final class Model: ObservableObject { @Published var count = 0 }

private struct ModelReader: View {
    @EnvironmentObject private var model: Model
    @StateObject private var own = Model()

    var body: some View {
        Text("\(model.count) of the environment")
        Text("\(own.count) of its own")
    }
}

private struct Living: View {
    let log: Log
    var isShown = true
    @State private var count = 0

    var body: some View {
        if isShown {
            Button("More") { count += 1 }
                .onAppear { log.lines.append("appear") }
                .onDisappear { log.lines.append("disappear") }
                .onChange(of: count) { old, new in log.lines.append("\(old) to \(new)") }
        }
    }
}

private struct Sheets: View {
    @State private var isOpen = false
    @State private var isAsking = false
    @State private var dismissals = 0
    @State private var isDeleted = false

    var body: some View {
        VStack {
            Text(isDeleted ? "deleted" : "dismissed \(dismissals)")
            Button("Open") { isOpen = true }
            Button("Ask") { isAsking = true }
        }
        .sheet(isPresented: $isOpen, onDismiss: { dismissals += 1 }) { SheetContent() }
        .alert("Sure?", isPresented: $isAsking) {
            Button("Delete", role: .destructive) { isDeleted = true }
            Button("Keep", role: .cancel) {}
        } message: {
            Text("It is gone then.")
        }
    }

    private struct SheetContent: View {
        @Environment(\.dismiss) private var dismiss

        var body: some View {
            Text("In the sheet")
            Button("Close") { dismiss() }
        }
    }
}

private struct Covered: View {
    @State private var isOpen = false

    var body: some View {
        Button("Open") { isOpen = true }
            .fullScreenCover(isPresented: $isOpen) {
                NavigationView { Text("Cover").navigationBarItems(leading: Button("Close") { isOpen.toggle() }) }
            }
    }
}

private struct Paths: View {
    @State private var path: [Int] = []

    var body: some View {
        NavigationStack(path: $path) {
            List {
                NavigationLink("Seven", value: 7)
                NavigationLink("About") { Text("Text").navigationTitle("About") }
            }
            .navigationTitle("Numbers")
            .navigationDestination(for: Int.self) { number in
                VStack {
                    NavigationLink("Deeper", value: number + 1)
                    Button("Home") { path = [] }
                }
                .navigationTitle("Number \(number)")
            }
        }
    }
}

private struct Tabs: View {
    let log: Log
    @State private var selection = 1

    var body: some View {
        TabView(selection: $selection) {
            Text("Home screen")
                .onAppear { log.lines.append("home") }
                .tabItem { Label("Home", systemImage: "house") }
                .tag(1)
            VStack {
                Text("selected \(selection)")
                Button("Back") { selection = 1 }
            }
            .onAppear { log.lines.append("settings \(selection)") }
            .tabItem { Text("Settings") }
            .tag(2)
        }
    }
}

private struct Settings: View {
    @State private var name = ""
    @State private var notifies = false
    @State private var saved = ""

    var body: some View {
        NavigationView {
            Form {
                Section(header: Text("You")) { TextField("Name", text: $name) }
                Toggle("Notify", isOn: $notifies)
                Text(saved)
            }
            .toolbar {
                ToolbarItem(placement: .cancellationAction) { Button("Cancel") {} }
                ToolbarItem(placement: .confirmationAction) { Button("Save") { saved = "\(name) \(notifies)" } }
            }
        }
    }
}

private struct TestApp: App {
    final class Delegate: UIResponder, UIApplicationDelegate {
        var hasLaunched = false

        func application(
            _ application: UIApplication,
            didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
        ) -> Bool {
            hasLaunched = true
            return true
        }
    }

    @UIApplicationDelegateAdaptor(Delegate()) private var delegate
    @Environment(\.scenePhase) private var phase

    var body: some Scene { WindowGroup { Opener(phase: phase) } }
}

private struct Opener: View {
    let phase: ScenePhase
    @State private var url = "nothing"

    var body: some View {
        Text("\(phase)")
        Text("opened \(url)").onOpenURL { url = $0.absoluteString }
    }
}
