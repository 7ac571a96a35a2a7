import Foundation

/// What a server shows to be who it says it is (RFC 8446): two PEM files.
public struct TLSFiles: Sendable, Equatable {
    /// The certificate, and behind it those that lead to its root.
    public let certificate: String
    /// Its private key, without a password.
    public let key: String

    public init(certificate: String, key: String) {
        self.certificate = certificate
        self.key = key
    }

    /// Looks at the files, because libwebsockets would only say that it can't go on.
    ///
    /// - Throws: `ConfigurationError`
    func check() throws(ConfigurationError) {
        let texts = try (read(certificate, "certificate"), read(key, "key"))
        guard texts.0.contains("-----BEGIN CERTIFICATE-----") else {
            throw ConfigurationError(
                description: "\(certificate) is no certificate: a PEM file has a line -----BEGIN CERTIFICATE-----.")
        }
        guard texts.1.contains("PRIVATE KEY-----") else {
            throw ConfigurationError(
                description: "\(key) is no private key: a PEM file has a line -----BEGIN PRIVATE KEY-----.")
        }
        guard !texts.1.contains("ENCRYPTED") else {
            throw ConfigurationError(
                description: "The key \(key) has a password. Write one without: openssl pkey -in \(key) -out plain.pem")
        }
    }

    private func read(_ path: String, _ what: String) throws(ConfigurationError) -> String {
        guard let bytes = FileManager.default.contents(atPath: path) else {
            throw ConfigurationError(
                description: "The \(what) \(path) can't be read: there is no such file, or it may not be read.")
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
