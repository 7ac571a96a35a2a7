// Finds out where an app would go, from its path configuration. (`swift run Navigation`)
import EmulatedApp
import Foundation
import PathConfiguration

let text = #"{"rules": [{"patterns": ["/new$"], "properties": {"context": "modal", "title": "New post"}}]}"#
let configuration = PathConfiguration(sources: [.data(Data(text.utf8))]) { event in print(event) }
guard let start = URL(string: "https://app.example/"), let new = URL(string: "/posts/new", relativeTo: start) else {
    fatalError("These are URLs.")
}

// The properties of a URL, the framework's reading of them, and a type of the app's own.
struct Style: Decodable { let title: String? }
print(configuration[new], configuration[new].interpreted().context)
print(try configuration[new].decode(Style.self))

// A navigator is a value: each step changes its state and returns effects.
let document = configuration.document
var navigator = Navigator(startLocation: start, properties: { document.properties(for: $0) })
print(navigator.start())
print(navigator.visitProposed(new.absoluteURL, action: .advance, redirected: false))
print(navigator.state.modal.map(\.url), navigator.reasons)
