import Foundation
import HeadlessSwiftUI
import Observation
import Synchronization
import Testing

@testable import AppHost

extension ScreenTests {
    /// Which views are made again when data changes that they have read through a binding, an object or the user defaults.
    @MainActor @Suite struct SwiftUIDataTests: ViewTests {
        @Test func bindingToAnObject_showsTheObjectsValue() async throws {
            let model = Account()
            try await show(AccountView(model: model)) { controller in
                model.isOn = true
                #expect(await texts(controller).first == "on")
                #expect(all(UISwitch.self, in: controller).map(\.isOn) == [true])
                try await perform("fill", ["field": "Name", "text": "Ada"])
                #expect(model.name == "Ada")
                model.name = ""
                await Transitions.shared.settled()
                #expect(ViewTree.fields(controller.view).map(\.text) == [""])
            }
        }

        /// The field has the same value after that turn as before it, so that only the field itself differs.
        @Test func field_isCleared_ifItsSubmissionClearsTheObject() async throws {
            let model = Account()
            try await show(AccountView(model: model)) { controller in
                try await perform("fill", ["field": "Name", "text": "Ada", "return": "true"])
                #expect(model.submitted == ["Ada"])
                #expect(ViewTree.fields(controller.view).map(\.text) == [""])
            }
        }

        /// A view that has a binding is made again if the value changes, but not for other changes of the object.
        @Test func bindingToAnObject_isTheSame_ifItsValueIs() async throws {
            let (model, log) = (Account(), Lines())
            try await show(BoundView(model: model, log: log)) { controller in
                #expect(log.lines == ["false"])
                model.name = "Ada"
                await Transitions.shared.settled()
                #expect(log.lines == ["false"])
                model.isOn = true
                await Transitions.shared.settled()
                #expect(log.lines == ["false", "true"])
            }
        }

        /// Neither value is `Equatable`, and each has texts of its own in memory.
        @Test func optionalValue_isComparedByItsProperties() async throws {
            let log = Lines()
            try await show(Choosing(log: log)) { _ in
                for button in ["Same", "Other", "None", "None"] { try await tap(button) }
                #expect(log.lines == ["a name that is long 1", "a name that is long 2", "none"])
            }
        }

        @Test func control_showsWhatItsBindingSays() async throws {
            try await show(Toggle("Always", isOn: .constant(true))) { controller in
                try await tap("Always")
                #expect(all(UISwitch.self, in: controller).map(\.isOn) == [true])
            }
        }

        /// No body reads the properties: the modifiers and controls do.
        @Test func observable_isReadByModifiersAndControls() async throws {
            let model = Switchboard()
            try await show(SwitchboardView(model: model)) { controller in
                model.isOn = true
                model.name = "Ada"
                await Transitions.shared.settled()
                #expect(all(UISwitch.self, in: controller).map(\.isOn) == [true])
                #expect(ViewTree.fields(controller.view).map(\.text) == ["Ada"])
                model.isOpen = true
                await Transitions.shared.settled()
                #expect(controller.presentedViewController != nil)
                model.isOpen = false
                await Transitions.shared.settled()
                #expect(controller.presentedViewController == nil)
                model.isAsking = true
                await Transitions.shared.settled()
                #expect(controller.presentedViewController is UIAlertController)
            }
        }

        @Test func observable_isReadByStacksAndTabs() async throws {
            let model = Switchboard()
            try await show(TabsOfSwitchboard(model: model)) { controller in
                model.path = [7]
                await Transitions.shared.settled()
                #expect(titles == ["Numbers", "Number 7"])
                model.path = []
                await Transitions.shared.settled()
                #expect(titles == ["Numbers"])
                model.showsDetails = true
                await Transitions.shared.settled()
                #expect(titles == ["Numbers", "Details"])
                model.tab = 2
                #expect(await frontTexts() == ["Second"])
            }
        }

        /// What a pushed view reads concerns itself: the link that has pushed it is not made again, nor the view beside it.
        @Test func observable_inAPushedScreen_concernsOnlyItsReader() async throws {
            let (model, log) = (Switchboard(), Lines())
            try await show(StackOfReader(model: model, log: log)) { _ in
                #expect(log.lines == ["beside", "reader "])
                model.name = "Ada"
                await Transitions.shared.settled()
                #expect(log.lines == ["beside", "reader ", "reader Ada"])
            }
        }

        /// Only that a view is made again depends on `==`: the value itself is always the last one.
        @Test func state_keepsTheLastValue_evenIfItIsEqual() async throws {
            try await show(Items()) { controller in
                try await tap("Rename")
                try await tap("Refresh")
                #expect(await texts(controller).first == "new 1")
            }
        }

        @Test func state_isSetByAnyThread() async throws {
            let access = Access()
            try await show(Accessed(access: access)) { controller in
                let binding = try #require(access.binding)
                let torn = Atomic(0)
                DispatchQueue.concurrentPerform(iterations: 4) { thread in
                    for number in 0..<20_000 {
                        binding.wrappedValue = Wide(thread * 20_000 + number)
                        if !binding.wrappedValue.isWhole { torn.add(1, ordering: .relaxed) }
                    }
                }
                binding.wrappedValue = Wide(-1)
                #expect(torn.load(ordering: .relaxed) == 0)
                #expect(await texts(controller) == ["-1"])
            }
        }

        @Test func onChange_runsInitially_onlyOnce() async throws {
            let log = Lines()
            try await show(Reappearing(log: log)) { _ in
                #expect(log.lines == ["initial"])
                try await tap("Next")
                try await perform("back")
                #expect(titles == ["First"])
                #expect(log.lines == ["initial"])
            }
        }

        @Test func onReceive_followsTheViewsPublisher() async throws {
            let (log, first, second) = (Lines(), Account(), Account())
            try await show(Receiving(model: first, log: log)) { controller in
                #expect(log.lines == [""])
                first.name = "a"
                await Transitions.shared.settled()
                #expect(log.lines == ["", "a"])
                controller.rootView = Receiving(model: second, log: log)
                await Transitions.shared.settled()
                second.name = "b"
                first.name = "c"
                await Transitions.shared.settled()
                #expect(log.lines == ["", "a", "", "b"])
            }
        }

        #if !canImport(ObjectiveC)
            @Test func storedValue_changes_whoeverWritesIt() async throws {
                defer { UserDefaults.standard.removeObject(forKey: "bridged.test.loggedIn") }
                try await show(Stored()) { controller in
                    #expect(await texts(controller) == ["out", "Enter"])
                    AppleUserDefaults.standard.set(true, forKey: "bridged.test.loggedIn")
                    #expect(await texts(controller) == ["in", "Enter"])
                    AppleUserDefaults.standard.removeObject(forKey: "bridged.test.loggedIn")
                    #expect(await texts(controller) == ["out", "Enter"])
                    try await tap("Enter")
                    #expect(await texts(controller) == ["in", "Enter"])
                }
            }
        #endif

        @Test func slider_setsItsBinding() async throws {
            try await show(Volume()) { controller in
                let slider = try #require(all(UISlider.self, in: controller).first)
                slider.value = 0.5
                slider.sendActions(for: .valueChanged)
                #expect(await texts(controller) == ["0.5", "Off"])
                try await tap("Off")
                #expect(slider.value == 0)
            }
        }

        @Test func picker_keepsItsButtons() async throws {
            try await show(Colors()) { controller in
                let buttons = all(UIButton.self, in: controller)
                #expect(buttons.map(\.isSelected) == [true, false])
                try await tap("Blue")
                #expect(all(UIButton.self, in: controller).elementsEqual(buttons, by: ===))
                #expect(buttons.map(\.isSelected) == [false, true])
            }
        }

        @Test func rows_areInTheirOrder_andStayInTheirContainer() async throws {
            let log = Lines()
            try await show(Marked(names: ["a", "b", "c"], log: log)) { controller in
                #expect(log.lines == ["a", "b", "c"])
                for names in [["x", "a", "b", "c"], ["x", "a", "c"], ["c", "y", "a", "x"], []] {
                    controller.rootView = Marked(names: names, log: log)
                    await Transitions.shared.settled()
                    #expect(all(Mark.self, in: controller).map(\.name) == names)
                }
                #expect(log.lines == ["a", "b", "c", "x", "y"])
            }
        }
    }
}

@MainActor private final class Lines { var lines: [String] = [] }

private final class Account: ObservableObject {
    @Published var isOn = false
    @Published var name = ""
    var submitted: [String] = []
}

private struct AccountView: View {
    @ObservedObject var model: Account

    var body: some View {
        Row(isOn: $model.isOn)
        Toggle("Notify", isOn: $model.isOn)
        TextField("Name", text: $model.name)
            .onSubmit {
                model.submitted.append(model.name)
                model.name = ""
            }
    }

    private struct Row: View {
        @Binding var isOn: Bool

        var body: some View { Text(isOn ? "on" : "off") }
    }
}

private struct BoundView: View {
    @StateObject var model: Account
    let log: Lines

    init(model: Account, log: Lines) {
        _model = StateObject(wrappedValue: model)
        self.log = log
    }

    var body: some View { Row(isOn: $model.isOn, log: log) }

    private struct Row: View {
        @Binding var isOn: Bool
        let log: Lines

        var body: some View {
            let _ = log.lines.append("\(isOn)")
            Text("row")
        }
    }
}

private struct Choosing: View {
    struct Choice { let name: String }

    let log: Lines
    @State private var number: Int? = 1
    @State private var count = 0

    var body: some View {
        Chosen(choice: number.map { Choice(name: "a name that is long \($0)") }, log: log)
        Text("\(count)")
        Button("Same") { count += 1 }
        Button("Other") { number = 2 }
        Button("None") {
            number = nil
            count += 1
        }
    }

    private struct Chosen: View {
        let choice: Choice?
        let log: Lines

        var body: some View {
            let _ = log.lines.append(choice?.name ?? "none")
            Text("chosen")
        }
    }
}

@Observable @MainActor private final class Switchboard {
    var isOpen = false
    var isAsking = false
    var isOn = false
    var name = ""
    var path: [Int] = []
    var showsDetails = false
    var tab = 1
}

private struct SwitchboardView: View {
    @Bindable var model: Switchboard

    var body: some View {
        VStack {
            Toggle("Notify", isOn: $model.isOn)
            TextField("Name", text: $model.name)
        }
        .sheet(isPresented: $model.isOpen) { Text("Sheet") }
        .alert("Sure?", isPresented: $model.isAsking) { Button("Yes") {} }
    }
}

private struct TabsOfSwitchboard: View {
    @Bindable var model: Switchboard

    var body: some View {
        TabView(selection: $model.tab) {
            NavigationStack(path: $model.path) {
                Text("Root")
                    .navigationTitle("Numbers")
                    .navigationDestination(for: Int.self) { Text("Text").navigationTitle("Number \($0)") }
                    .navigationDestination(isPresented: $model.showsDetails) { Text("Text").navigationTitle("Details") }
            }
            .tag(1)
            Text("Second").tag(2)
        }
    }
}

private struct StackOfReader: View {
    let model: Switchboard
    let log: Lines

    var body: some View {
        NavigationStack {
            NavigationLink(isActive: .constant(true)) {
                // Its closure makes it differ each time that it is made.
                Beside(note: { log.lines.append("beside") })
                Reader(model: model, log: log)
            } label: {
                Text("Link")
            }
        }
    }

    private struct Beside: View {
        let note: () -> Void

        var body: some View {
            let _ = note()
            Text("beside")
        }
    }

    private struct Reader: View {
        let model: Switchboard
        let log: Lines

        var body: some View {
            let _ = log.lines.append("reader \(model.name)")
            Text(model.name)
        }
    }
}

private struct Item: Equatable {
    let id: Int
    var name: String

    static func == (left: Item, right: Item) -> Bool { left.id == right.id }
}

private struct Items: View {
    @State private var item = Item(id: 1, name: "old")
    @State private var count = 0

    var body: some View {
        Text("\(item.name) \(count)")
        Button("Rename") { item = Item(id: 1, name: "new") }
        Button("Refresh") { count += 1 }
    }
}

/// A value that no processor writes at once.
private struct Wide: Equatable {
    private var numbers: (Int, Int, Int, Int, Int, Int)

    init(_ number: Int) { numbers = (number, number, number, number, number, number) }

    var first: Int { numbers.0 }
    var isWhole: Bool { numbers == Wide(first).numbers }

    static func == (left: Wide, right: Wide) -> Bool { left.numbers == right.numbers }
}

@MainActor private final class Access { var binding: Binding<Wide>? }

private struct Accessed: View {
    let access: Access
    @State private var value = Wide(0)

    var body: some View {
        let _ = access.binding = $value
        Text("\(value.first)")
    }
}

private struct Reappearing: View {
    let log: Lines

    var body: some View {
        NavigationStack {
            NavigationLink("Next") { Text("Text").navigationTitle("Second") }
                .navigationTitle("First")
                .onChange(of: 1, initial: true) { log.lines.append("initial") }
        }
    }
}

private struct Receiving: View {
    let model: Account
    let log: Lines

    var body: some View { Text("Text").onReceive(model.$name) { log.lines.append($0) } }
}

private struct Stored: View {
    @AppStorage("bridged.test.loggedIn") private var isLoggedIn = false

    var body: some View {
        Text(isLoggedIn ? "in" : "out")
        Button("Enter") { isLoggedIn = true }
    }
}

private struct Volume: View {
    @State private var volume = 0.25

    var body: some View {
        Text("\(volume)")
        Slider(value: $volume)
        Button("Off") { volume = 0 }
    }
}

private struct Colors: View {
    @State private var color = "red"

    var body: some View {
        Picker("Color", selection: $color) {
            Text("Red").tag("red")
            Text("Blue").tag("blue")
        }
    }
}

private struct Marked: View {
    let names: [String]
    let log: Lines

    var body: some View { VStack { ForEach(names, id: \.self) { MarkView(name: $0, log: log) } } }
}

private struct MarkView: UIViewRepresentable {
    let name: String
    let log: Lines

    func makeUIView(context: Context) -> Mark { Mark(name, log) }
    func updateUIView(_ uiView: Mark, context: Context) {}
}

/// A view that notes when it comes into a container.
private final class Mark: UIView {
    let name: String
    private let log: Lines

    init(_ name: String, _ log: Lines) {
        (self.name, self.log) = (name, log)
        super.init(frame: .zero)
    }

    required init?(coder: NSCoder) { nil }

    override func didMoveToSuperview() { if superview != nil { log.lines.append(name) } }
}
