package import Foundation

/// A request of a page to a URL scheme for which native code answers: the body of `POST /web-view/scheme`.
package struct SchemeRequest: JSONObject, Sendable, Equatable {
    package let url: String
    package let method: String
    package let fields: [HeaderField]
    package let body: Data?

    package init(url: String, method: String = "GET", fields: [HeaderField] = [], body: Data? = nil) {
        (self.url, self.method, self.fields, self.body) = (url, method, fields, body)
    }

    /// - Returns: nil if it has no URL.
    package init?(_ json: JSON) {
        guard let url = json["url"]?.string else { return nil }
        self.init(
            url: url, method: json["method"]?.string ?? "GET", fields: HeaderField.all(in: json["headers"]),
            body: json["body"]?.string.flatMap { Data(base64Encoded: $0) })
    }

    package var members: JSONMembers {
        ["url": url, "method": method, "headers": fields, "body": body?.base64EncodedString()]
    }
}

/// A field of the header of a request or a response.
package struct HeaderField: JSONObject, Sendable, Equatable {
    package let name: String
    package let value: String

    package init(_ name: String, _ value: String) { (self.name, self.value) = (name, value) }

    fileprivate static func all(in json: JSON?) -> [HeaderField] {
        json?.elements.compactMap { field in
            guard let name = field["name"]?.string, let value = field["value"]?.string else { return nil }
            return HeaderField(name, value)
        } ?? []
    }

    package var members: JSONMembers { ["name": name, "value": value] }
}

/// What native code answers to a ``SchemeRequest``, before the body.
package enum SchemeAnswer: JSONObject, Sendable, Equatable {
    case response(SchemeResponse)
    case failure(NavigationFailure)

    package init(_ json: JSON) {
        guard let code = json["code"]?.wholeNumber else { self = .response(SchemeResponse(json)); return }
        self = .failure(
            NavigationFailure(
                url: json["url"]?.string ?? "", domain: json["domain"]?.string ?? "", code: code,
                text: json["text"]?.string ?? "", isProvisional: true))
    }

    package var members: JSONMembers {
        switch self {
        case .response(let response): response.members
        case .failure(let failure): failure.members
        }
    }

    /// The number of bytes before the JSON text that say how long it is: hexadecimal digits and the end of a line.
    package static let lengthBytes = 9

    /// The answer as it stands before the body: its length, and its JSON text.
    package var frame: [UInt8] {
        let text = Array(text.utf8)
        let length = String(text.count, radix: 16)
        return Array("\(String(repeating: "0", count: max(0, 8 - length.count)))\(length)\n".utf8) + text
    }

    /// Reads the length of the JSON text; nil if there is none.
    package static func length(of bytes: [UInt8]) -> Int? {
        guard bytes.count == lengthBytes, bytes.last == UInt8(ascii: "\n") else { return nil }
        return Int(String(decoding: bytes.dropLast(), as: UTF8.self), radix: 16)
    }
}

/// The header of a response of native code.
package struct SchemeResponse: JSONObject, Sendable, Equatable {
    /// The HTTP status; nil for a response that has none.
    package let status: Int?
    package let mimeType: String?
    /// The name of the text's encoding, such as `utf-8`.
    package let charset: String?
    /// The number of bytes of the body; nil if native code has not said it.
    package let length: Int?
    package let fields: [HeaderField]

    package init(
        status: Int? = nil, mimeType: String? = nil, charset: String? = nil, length: Int? = nil,
        fields: [HeaderField] = []
    ) {
        (self.status, self.mimeType, self.charset, self.length) = (status, mimeType, charset, length)
        self.fields = fields
    }

    package init(_ json: JSON) {
        self.init(
            status: json["status"]?.wholeNumber, mimeType: json["mimeType"]?.string, charset: json["charset"]?.string,
            length: json["length"]?.wholeNumber, fields: HeaderField.all(in: json["headers"]))
    }

    package var members: JSONMembers {
        ["status": status, "mimeType": mimeType, "charset": charset, "length": length, "headers": fields]
    }
}
