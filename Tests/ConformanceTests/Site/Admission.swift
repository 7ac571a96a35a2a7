/// What a developer adds to a site for the daemon's sake, as docs/fidelity.md and the daemon's own hints say: the tag, and
/// sources in a Content-Security-Policy.
struct Admission: Sendable {
    /// In the tag and in policies, as sites do that use nonces.
    static let nonce = "conformance"

    let port: UInt16
    let webView: String

    /// What stands first in documents.
    var tag: String { "<script nonce=\"\(Admission.nonce)\" src=\"\(script)\"></script>" }

    var script: String { "http://127.0.0.1:\(port)/bridge.js?web-view=\(webView)" }

    /// The policy with the daemon let in: its script, its connection, scripts with our nonce. Eval stays as it was.
    func admit(to policy: String) -> String {
        var directives: [(name: String, sources: [String])] = policy.split(separator: ";").map { text in
            let words = text.split(separator: " ").map(String.init)
            return (words.first ?? "", Array(words.dropFirst()))
        }
        let fallback = directives.first { $0.name == "default-src" }?.sources
        func add(_ sources: [String], to name: String) {
            let index = directives.firstIndex { $0.name == name }
            guard let present = index.map({ directives[$0].sources }) ?? fallback else { return }
            let all = present.filter { $0 != "'none'" } + sources
            if let index { directives[index].sources = all } else { directives.append((name, all)) }
        }
        add(["'nonce-\(Admission.nonce)'", "http://127.0.0.1:\(port)"], to: "script-src")
        add(["ws://127.0.0.1:\(port)", "http://127.0.0.1:\(port)"], to: "connect-src")
        for index in directives.indices where directives[index].name == "sandbox" {
            directives[index].sources += ["allow-scripts", "allow-same-origin"]
        }
        return directives.map { ([$0.name] + $0.sources).joined(separator: " ") }.joined(separator: "; ")
    }
}
