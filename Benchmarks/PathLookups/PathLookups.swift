// Path look-ups: 1,000 rules × 10,000 URLs, and what of it the search for literals spares.
//
//     swift run -c release PathLookups

import Foundation
import Turbo

/// A configuration as large apps might have it in their nightmares: a rule for all, then sections of some patterns each.
let rules = (0..<1_000).map { index -> String in
    let section = "section\(index)"
    let patterns = [
        [".*"], ["^/\(section)$"], ["^/\(section)/\\\\d+$", "/\(section)/new$"], ["/\(section)/[^/]+/edit$"],
        ["^/(\(section)|\(section)s)/archive"],
    ]
    let chosen = index == 0 ? patterns[0] : patterns[1 + index % 4]
    let list = chosen.map { "\"\($0)\"" }.joined(separator: ", ")
    return "{\"patterns\": [\(list)], \"properties\": {\"context\": \"modal\", \"rule\": \(index)}}"
}
let text = "{\"settings\": {}, \"rules\": [\(rules.joined(separator: ",\n"))]}"

let endings = ["", "/17", "/new", "/some-name/edit", "/archive?page=2"]
let urls = (0..<10_000).compactMap { URL(string: "https://app.test/section\($0 % 1_000)\(endings[$0 / 1_000 % 5])") }

let clock = ContinuousClock()
var document = PathConfigurationDocument()
let reading = try clock.measure { document = try PathConfigurationDocument(text.utf8) }

var matched = 0
let lookups = clock.measure {
    for url in urls where document.properties(for: url).values.count > 0 { matched += 1 }
}

func milliseconds(_ duration: Duration) -> Double { duration / .milliseconds(1) }

print("\(document.rules.count) rules read and compiled in \(milliseconds(reading)) ms")
print("\(urls.count) URLs looked up in \(milliseconds(lookups)) ms, \(matched) of them with properties")
print("\(milliseconds(lookups) * 1_000 / Double(urls.count)) µs a URL")
