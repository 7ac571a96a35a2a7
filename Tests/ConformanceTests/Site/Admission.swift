/// The changes that a developer makes to a site for the daemon, as in docs/fidelity.md and the daemon's hints: the
/// script tag, and sources in the Content-Security-Policy.
struct Admission: Sendable {
    /// The nonce of the script tag and of policies.
    static let nonce = "conformance"

    let port: UInt16
    let webView: String

    /// The script tag, which must be the first in a document.
    var tag: String { "<script nonce=\"\(Admission.nonce)\" src=\"\(script)\"></script>" }

    var script: String { "http://127.0.0.1:\(port)/bridge.js?web-view=\(webView)" }

    /// Returns the policy with sources for the daemon's script, its connection and scripts with our nonce. It does not
    /// change whether the policy allows eval.
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
