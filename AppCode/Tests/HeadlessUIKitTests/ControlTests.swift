import Foundation
import HeadlessSwiftUI
import Testing

extension ScreenTests {
    /// Each test names the place of Apple's documentation that it rests on, in our words.
    @MainActor @Suite struct ControlTests {
        /// `UISearchResultsUpdating.updateSearchResults(for:)` is called when the search bar becomes active, and when the
        /// user changes its text.
        @Test func search_tellsItsUpdater() {
            let (search, updater) = (UISearchController(searchResultsController: nil), Updater())
            search.searchResultsUpdater = updater
            search.type("br")
            search.type("bri")
            #expect(updater.texts == ["", "br", "bri"])
            search.tapCancel()
            #expect(!search.isActive && updater.texts.last == "")
        }

        /// `UIAction.handler` runs when the action is chosen. `UIMenuElement.Attributes.disabled`: it cannot be chosen.
        @Test func menuEntry_runsItsHandler_unlessItIsDisabled() {
            var chosen: [String] = []
            let inner = UIMenu(
                options: .displayInline,
                children: [UIAction(title: "B", attributes: .disabled) { chosen.append($0.title) }])
            let menu = UIMenu(children: [UIAction(title: "A") { chosen.append($0.title) }, inner])
            #expect(menu.actions.map(\.title) == ["A", "B"])
            #expect(menu.actions.map { $0.perform() } == [true, false] && chosen == ["A"])
        }

        /// `gestureRecognizerShouldBegin(_:)` may refuse a gesture; `isEnabled` turns the recogniser off.
        @Test func gesture_callsItsTarget_unlessItIsRefused() {
            let target = Taps()
            let gesture = UITapGestureRecognizer(target: target, action: Selector("tapped(_:)", Taps.tapped))
            #expect(gesture.recognize() && target.count == 1)
            gesture.delegate = target
            #expect(!gesture.recognize())
            gesture.delegate = nil
            gesture.isEnabled = false
            #expect(!gesture.recognize() && target.count == 1)
        }

        /// `UIView.animate(withDuration:delay:options:animations:completion:)`: the changes are the new values at once,
        /// and `completion` runs when the animation has ended, not before the delay.
        @Test func animation_ends_afterItsDelay() async {
            let (view, clock) = (UIView(), ContinuousClock())
            let begin = clock.now
            await withCheckedContinuation { continuation in
                UIView.animate(withDuration: 0.1, delay: 0.05, animations: { view.alpha = 0 }) { finished in
                    #expect(finished)
                    continuation.resume()
                }
                #expect(view.alpha == 0)
            }
            #expect(clock.now - begin >= .milliseconds(50))
        }

        /// `UIAppearance.appearance()`: the proxy keeps what is set on it.
        @Test func appearanceProxy_keepsWhatIsSet() {
            let appearance = UINavigationBarAppearance()
            UINavigationBar.appearance().scrollEdgeAppearance = appearance
            defer { UINavigationBar.appearance().scrollEdgeAppearance = nil }
            #expect(UINavigationBar.appearance().scrollEdgeAppearance === appearance)
        }

        /// `NSLayoutConstraint.activate(_:)` activates each constraint. Nothing is computed from them here.
        @Test func constraints_areKept() {
            let (view, label) = (UIView(), UILabel())
            view.addSubview(label)
            let constraint = label.widthAnchor.constraint(equalTo: view.widthAnchor, multiplier: 0.5)
            #expect(!constraint.isActive)
            NSLayoutConstraint.activate([constraint])
            #expect(constraint.isActive && label.frame == .zero)
        }

        /// `UIHostingController.rootView`: the root view of the SwiftUI hierarchy that it shows.
        @Test func swiftUI_showsTexts_andItsButtonsCanBeTapped() throws {
            var count = 0
            let controller = UIHostingController(
                rootView: VStack {
                    Text("Offline")
                    Button("Retry") { count += 1 }
                })
            let views = ScreenTests.views(in: controller.view)
            #expect(views.compactMap { ($0 as? UILabel)?.text } == ["Offline"])
            let button = try #require(views.lazy.compactMap { $0 as? UIButton }.first)
            button.sendActions(for: .primaryActionTriggered)
            #expect(button.currentTitle == "Retry" && count == 1)
        }

        /// `ForEach` makes a view for each element, in the order of the collection.
        @Test func swiftUI_showsAViewForEachElement() {
            let controller = UIHostingController(
                rootView: ScrollView(.horizontal) {
                    ForEach(["b", "a"], id: \.self) { Text($0) }
                    ForEach(0..<2) { Text("\($0)") }
                    ForEach([Entry(id: 7)]) { Text("id \($0.id)") }
                })
            #expect(ScreenTests.texts(in: controller.view) == ["b", "a", "0", "1", "id 7"])
        }

        /// `withObservationTracking`, on which SwiftUI rests: a view is made again if an `@Observable` property that it has
        /// read changes. `task(priority:_:)` begins when the view appears, `navigationTitle(_:)` is the title in the bar.
        @Test func swiftUI_showsChangesOfObservableObjects() async throws {
            let controller = UIHostingController(rootView: ModelView(model: Model()))
            #expect(ScreenTests.texts(in: controller.view) == [])
            try await Screen.run(controller) { _ in
                #expect(controller.navigationItem.title == "Map")
                // The task runs, and the view is made again, in later turns of the main actor.
                for _ in 0..<1_000 where ScreenTests.texts(in: controller.view) == [] { await Task.yield() }
                #expect(ScreenTests.texts(in: controller.view) == ["Mount Tabor"])
            }
        }
    }

    @MainActor fileprivate static func texts(in view: UIView) -> [String] {
        views(in: view).compactMap { ($0 as? UILabel)?.text }
    }

    @MainActor private static func views(in view: UIView) -> [UIView] { [view] + view.subviews.flatMap(views) }
}

@MainActor @Observable private final class Model {
    var name: String?
}

private struct Entry: Identifiable {
    let id: Int
}

private struct ModelView: View {
    let model: Model

    var body: some View {
        Map {
            if let name = model.name {
                Marker(name, coordinate: CLLocationCoordinate2D(latitude: 45.5, longitude: -122.6))
            }
        }
        .navigationTitle("Map")
        .task { model.name = "Mount Tabor" }
    }
}

private final class Updater: NSObject, UISearchResultsUpdating {
    var texts: [String] = []

    func updateSearchResults(for searchController: UISearchController) {
        texts.append(searchController.searchBar.text ?? "")
    }
}

@MainActor private final class Taps: NSObject, UIGestureRecognizerDelegate {
    var count = 0

    func tapped(_ sender: AnyObject) { count += 1 }
    func gestureRecognizerShouldBegin(_ gestureRecognizer: UIGestureRecognizer) -> Bool { false }
}
