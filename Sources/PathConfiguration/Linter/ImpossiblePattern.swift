import BridgeProtocol
import Foundation

/// Why a valid pattern never matches what was meant, and what to write instead.
struct ImpossiblePattern {
    let reason: String
    let fix: String

    /// - Parameters:
    ///   - text: a valid pattern, or one of its alternatives.
    ///   - hasQuery: whether patterns are matched against the query, too.
    /// - Returns: nil if some path can match.
    init?(_ text: String, subject: PathSubject, hasQuery: Bool) {
        if let mark = text.firstRange(of: /[A-Za-z0-9_%\/.-]\?[A-Za-z0-9_%.-]+(\\?\[\\?\])?=/) {
            let question = text[mark].firstIndex(of: "?") ?? mark.lowerBound
            let rest = text[text.index(after: question)...]
            self.init(
                "this ? makes the character before it optional, and a query begins with a question mark",
                .write(hasQuery ? text[..<question] + "\\?" + rest : text[..<question] + "$"))
            return
        }
        let reasons = PatternForms(text).forms.map { form in
            ImpossiblePattern(form, of: text, subject: subject, hasQuery: hasQuery)
        }
        guard let first = reasons.first, let first, reasons.allSatisfy({ $0 != nil }) else { return nil }
        self = first
    }

    private init(_ reason: String, _ fix: Fix) {
        self.reason = reason
        self.fix = fix.text
    }

    private enum Fix {
        case write(any StringProtocol)
        case text(String)

        var text: String {
            switch self {
            case .write(let pattern): "Write \(JSONValue.string(String(pattern)))."
            case .text(let text): text
            }
        }
    }

    private init?(_ form: PatternForms.Form, of text: String, subject: PathSubject, hasQuery: Bool) {
        let rough = form.rough
        if rough.contains("://") {
            self.init(
                "a path does not include scheme and host",
                .write(ImpossiblePattern.path(in: text, after: /^\^?\(?[A-Za-z?+.()|:]*?:(\\?\/){2}(?:\\.|[^\/\\])*/)))
        } else if ImpossiblePattern.beginsWithHost(rough) {
            self.init(
                "a path does not include the host",
                .write(ImpossiblePattern.path(in: text, after: /^\^?(\\?\/){0,2}(?:\\.|[^\/\\])*/)))
        } else if rough.contains("#") {
            let before = ImpossiblePattern.start(of: text, before: "#") ?? ""
            self.init(
                "a path does not include the fragment, which begins with #",
                ["", "/", "^"].contains(before)
                    ? .text("Remove it: all fragments of a page have the same rule.")
                    : .write(before.hasSuffix("$") ? before : before + "$"))
        } else if let name = rough.firstMatch(of: /(?:^|\/)(:[A-Za-z_][A-Za-z0-9_]*|<[A-Za-z_]+>)(?=$|[\/.?])/)?.1 {
            self.init(
                "\(name) is not a placeholder here: it matches the text \"\(name)\"",
                .write(
                    text.replacingOccurrences(of: "\\\(name)", with: "[^/]+").replacingOccurrences(
                        of: name, with: "[^/]+")))
        } else if let found = ImpossiblePattern.impossibleCharacter(in: form, of: text, subject, hasQuery: hasQuery) {
            self = found
        } else if let found = ImpossiblePattern.impossiblePlace(in: form, of: text) {
            self = found
        } else {
            return nil
        }
    }

    // MARK: Hosts

    /// Endings of file names, which may come first in a path: `index.php/posts`.
    private static let fileEndings: Set<Substring> = [
        "php", "html", "htm", "asp", "aspx", "jsp", "cgi", "json", "xml", "txt", "pdf", "js", "css", "do",
    ]

    private static func beginsWithHost(_ text: String) -> Bool {
        let host =
            #/
            ^(?://)?  (?: (localhost | \d{1,3}(?:\.\d{1,3}){3}) | www\.[a-z0-9.-]+ | (?:[A-Za-z0-9-]+\.)+([a-z]{2,}) )
            (:\d+)?  (/|$)
            /#
        guard let match = text.firstMatch(of: host) else { return false }
        let (hasPort, hasPath) = (match.3 != nil, match.4 == "/")
        if text.hasPrefix("//") || text.hasPrefix("www.") || hasPort { return true }
        if match.1 != nil { return hasPath }
        guard let ending = match.2, !fileEndings.contains(ending) else { return false }
        return hasPath || ["com", "org", "net", "example", "test"].contains(ending)
    }

    /// What comes after the host, as a pattern that begins with the path.
    private static func path<Output>(in text: String, after host: Regex<Output>) -> String {
        let rest = text.firstMatch(of: host).map { text[$0.range.upperBound...] } ?? ""
        return rest.isEmpty || rest == "$" ? "^/" + rest : "^" + rest
    }

    // MARK: Characters and places

    private static func impossibleCharacter(
        in form: PatternForms.Form, of text: String, _ subject: PathSubject, hasQuery: Bool
    ) -> ImpossiblePattern? {
        for part in form where part.takesCharacter {
            if case .text("?") = part, !hasQuery {
                let path = ImpossiblePattern.start(of: text, before: "?") ?? ""
                return ImpossiblePattern(
                    "the query takes no part (--no-match-query)",
                    ["", "^"].contains(path) ? .text("Remove what matches the query.") : .write(path + "$"))
            }
            guard subject == .encoded else { continue }
            switch part {
            case .text(let character) where !character.isASCII: return percentEncoded(text)
            case .text(" "):
                let trimmed = text.trimmingCharacters(in: .whitespaces)
                return ImpossiblePattern(
                    "a path contains no space",
                    .write(trimmed.contains(" ") ? trimmed.replacingOccurrences(of: " ", with: "%20") : trimmed))
            case .text("\\"):
                return ImpossiblePattern(
                    "a path contains no backslash",
                    .text("In JSON, write two backslashes for one of the pattern: \(JSONValue.string("\\d+"))."))
            case .text(let character) where "\"<>`{}\t\n".contains(character):
                return ImpossiblePattern(
                    "a path contains no \(JSONValue.string(String(character)))",
                    .text("Write the character percent-encoded, or [^/]+ to match any one segment."))
            case .set where !part.matches(anyOf: PathSubject.characters):
                return ImpossiblePattern(
                    "no character of a path is one of those that it requires", .text("Remove that part."))
            default: continue
            }
        }
        return nil
    }

    /// The part of a pattern before the first place where it takes a character itself, such as `/posts` for `/posts\?page=2`.
    /// - Returns: nil if there is none, or the part is no pattern of its own because the place is within a group or a class.
    private static func start(of text: String, before character: Character) -> String? {
        var start = ""
        var isEscaped = false
        for next in text {
            // A question mark that has no backslash repeats what comes before it.
            if next == character, isEscaped || character != "?" {
                return (try? PathPattern(start)) == nil ? nil : start
            }
            if isEscaped { start.append("\\") }
            isEscaped = next == "\\" && !isEscaped
            if !isEscaped { start.append(next) }
        }
        return nil
    }

    private static func percentEncoded(_ text: String) -> ImpossiblePattern {
        let escaped = text.addingPercentEncoding(withAllowedCharacters: .init(charactersIn: "\u{0}"..."\u{7F}"))
        return ImpossiblePattern("paths are percent-encoded", .write(escaped ?? text))
    }

    private static func impossiblePlace(in form: PatternForms.Form, of text: String) -> ImpossiblePattern? {
        if let end = form.firstIndex(of: .end), form[end...].contains(where: \.takesCharacter) {
            return ImpossiblePattern(
                "$ is the end of the path, and something follows it",
                .text("Write one pattern for each path, or remove the $."))
        }
        guard let start = form.lastIndex(of: .start) else { return nil }
        if form[..<start].contains(where: \.takesCharacter) {
            return ImpossiblePattern(
                "^ is the start of the path, and something comes before it",
                .text("Write one pattern for each path, or remove the ^."))
        }
        guard let first = form[start...].first(where: \.takesCharacter), !first.matches(anyOf: "/") else { return nil }
        let rest = text.hasPrefix("^") ? text.dropFirst() : text[...]
        return ImpossiblePattern(
            "every path begins with a slash",
            text.hasPrefix("^") ? .write("^/" + rest) : .text("Write a slash after the ^."))
    }
}

extension PathSubject {
    /// The characters of a percent-encoded path and its query.
    fileprivate static let characters =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/-._~%!$&'()*+,;=:@?|^[]"
}
