import Foundation

/// Where a cluster's Redis is: `redis://user:password@host:6379/0?name=staging`, `rediss://` for TLS, or
/// `unix:///run/redis.sock?db=0`.
public struct RedisAddress: Sendable, Equatable {
    public enum Endpoint: Sendable, Equatable {
        case host(String, port: UInt16)
        case socket(path: String)
    }

    /// The settings of TLS. The files are PEM files.
    public struct TLS: Sendable, Equatable {
        /// The name or IP address that the server's certificate must have.
        public let host: String
        /// The file with the authorities to trust; nil for those of the system.
        public let authority: String?
        /// The file with the certificate of this client, for a server that demands one.
        public let certificate: String?
        public let key: String?
    }

    /// An address that cannot be used.
    public struct Mistake: Error, Sendable, Equatable, CustomStringConvertible {
        public let description: String
    }

    public let endpoint: Endpoint
    /// Nil for a connection that is not encrypted.
    public let tls: TLS?
    public let user: String?
    public let password: String?
    public let database: Int
    /// The name of the cluster. Clusters with different names share a Redis without seeing each other.
    public let name: String

    /// - Throws: ``Mistake`` that says what is wrong, and never shows the password.
    public init(_ text: String) throws(Mistake) {
        let form = RedisAddress.form
        guard let url = URLComponents(string: text), let scheme = url.scheme else {
            throw Mistake(description: "This is not the address of a Redis. Give \(form).")
        }
        let query = try RedisAddress.query(of: url, scheme)
        switch scheme {
        case "redis", "rediss":
            guard let host = url.host, !host.isEmpty else {
                throw Mistake(description: "The address of the Redis names no host. Give \(form).")
            }
            let port = url.port ?? 6379
            guard let port = UInt16(exactly: port), port > 0 else {
                throw Mistake(description: "The port of the Redis is \(port). Give a number from 1 to 65535.")
            }
            let bare = host.trimmingCharacters(in: ["[", "]"])
            endpoint = .host(bare, port: port)
            tls =
                scheme == "redis"
                ? nil : TLS(host: bare, authority: query["ca"], certificate: query["cert"], key: query["key"])
        case "unix":
            endpoint = .socket(path: url.path)
            tls = nil
        default: throw Mistake(description: "'\(scheme)://' is no scheme of Redis. Give \(form).")
        }
        user = url.user.flatMap { $0.isEmpty ? nil : $0 }
        password = url.password
        let number = scheme == "unix" ? query["db"] ?? "" : String(url.path.dropFirst())
        guard let database = number.isEmpty ? 0 : Int(number), database >= 0 else {
            throw Mistake(description: "'\(number)' is no number of a database. Give \(form).")
        }
        self.database = database
        name = query["name"] ?? "bridged"
        let isPlain = name.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "-_.".contains($0)) }
        guard !name.isEmpty, name.count <= 64, isPlain else {
            throw Mistake(
                description: "'\(name)' is no name of a cluster. Use up to 64 letters, digits, dots, - and _.")
        }
    }

    private static let form =
        "redis://[[user]:password@]host[:6379][/0][?name=staging], rediss:// for TLS[?ca=FILE&cert=FILE&key=FILE], "
        + "or unix:///path/to/redis.sock[?db=0]"

    private static func query(of url: URLComponents, _ scheme: String) throws(Mistake) -> [String: String] {
        let files = ["ca", "cert", "key"]
        var query: [String: String] = [:]
        for item in url.queryItems ?? [] {
            guard (["name", "db"] + files).contains(item.name) else {
                throw Mistake(description: "'\(item.name)' is unknown in the address of a Redis. Give \(form).")
            }
            guard scheme == "rediss" || !files.contains(item.name) else {
                throw Mistake(description: "'\(item.name)' is about TLS. Give rediss:// instead of \(scheme)://.")
            }
            query[item.name] = item.value ?? ""
        }
        guard (query["cert"] == nil) == (query["key"] == nil) else {
            throw Mistake(description: "A certificate of this client needs its key: give both cert=FILE and key=FILE.")
        }
        return query
    }
}

extension RedisAddress: CustomStringConvertible {
    /// The address without the password.
    public var description: String {
        switch endpoint {
        case .host(let host, let port):
            "\(tls == nil ? "redis" : "rediss")://\(host.contains(":") ? "[\(host)]" : host):\(port)/\(database)"
        case .socket(let path): "unix://\(path)?db=\(database)"
        }
    }
}
