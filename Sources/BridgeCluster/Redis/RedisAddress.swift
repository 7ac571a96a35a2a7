import Foundation

/// Where a cluster's Redis is: `redis://user:password@host:6379/0?name=staging`, or `unix:///run/redis.sock?db=0`.
public struct RedisAddress: Sendable, Equatable {
    public enum Endpoint: Sendable, Equatable {
        case host(String, port: UInt16)
        case socket(path: String)
    }

    /// An address that cannot be used.
    public struct Mistake: Error, Sendable, Equatable, CustomStringConvertible {
        public let description: String
    }

    public let endpoint: Endpoint
    public let user: String?
    public let password: String?
    public let database: Int
    /// The name of the cluster. Clusters with different names share a Redis without seeing each other.
    public let name: String

    /// - Throws: ``Mistake`` that says what is wrong, and never shows the password.
    public init(_ text: String) throws(Mistake) {
        let form = "redis://[[user]:password@]host[:6379][/0][?name=staging], or unix:///path/to/redis.sock[?db=0]"
        guard let url = URLComponents(string: text), let scheme = url.scheme else {
            throw Mistake(description: "This is not the address of a Redis. Give \(form).")
        }
        var query: [String: String] = [:]
        for item in url.queryItems ?? [] {
            guard ["name", "db"].contains(item.name) else {
                throw Mistake(description: "'\(item.name)' is unknown in the address of a Redis. Give \(form).")
            }
            query[item.name] = item.value ?? ""
        }
        switch scheme {
        case "redis":
            guard let host = url.host, !host.isEmpty else {
                throw Mistake(description: "The address of the Redis names no host. Give \(form).")
            }
            let port = url.port ?? 6379
            guard let port = UInt16(exactly: port), port > 0 else {
                throw Mistake(description: "The port of the Redis is \(port). Give a number from 1 to 65535.")
            }
            endpoint = .host(host.trimmingCharacters(in: ["[", "]"]), port: port)
        case "unix": endpoint = .socket(path: url.path)
        case "rediss":
            throw Mistake(
                description:
                    "Debian's hiredis has no TLS, so rediss:// cannot be used. Run a TLS tunnel beside the daemon "
                    + "(stunnel, ssh -L) and give redis://localhost:PORT, or use a private network.")
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
}

extension RedisAddress: CustomStringConvertible {
    /// The address without the password.
    public var description: String {
        switch endpoint {
        case .host(let host, let port): "redis://\(host.contains(":") ? "[\(host)]" : host):\(port)/\(database)"
        case .socket(let path): "unix://\(path)?db=\(database)"
        }
    }
}
