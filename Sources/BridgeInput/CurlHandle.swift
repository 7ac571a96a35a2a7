import CCurl
import Foundation

/// A handle of libcurl (curl_easy_init(3)), which keeps cookies from one request to the next. One thread uses it.
final class CurlHandle {
    enum End {
        /// The response has arrived, or as much of it as is wanted.
        case complete
        case timedOut
        case failed(String)
    }

    /// nil if the system has no libcurl. Nothing changes it after it was loaded, so threads may share it.
    private nonisolated(unsafe) static let library: bridged_curl? = {
        var library = bridged_curl()
        return bridged_curl_load(&library) == 1 ? library : nil
    }()

    private var curl: bridged_curl
    private let handle: UnsafeMutableRawPointer

    init?() {
        guard let curl = CurlHandle.library, let handle = curl.easy_init() else { return nil }
        self.curl = curl
        self.handle = handle
        set(BRIDGED_CURL_NO_SIGNAL, 1)
        set(BRIDGED_CURL_NO_PROGRESS, 0)
        set(BRIDGED_CURL_PROTOCOLS, BRIDGED_CURL_ONLY_HTTP_AND_HTTPS)
        set(BRIDGED_CURL_HTTP_VERSION, BRIDGED_CURL_HTTP_1_1)
        // An empty name turns cookies on and reads none.
        set(BRIDGED_CURL_COOKIE_FILE, "")
        set(BRIDGED_CURL_USER_AGENT, "bridged")
        #if os(Linux)
            if let file = CertificateAuthorities.file { set(BRIDGED_CURL_AUTHORITIES, file) }
        #endif
    }

    deinit { curl.easy_cleanup(handle) }

    /// Sends one request and blocks until its end.
    /// - Parameter json: the body of a POST request; nil for a GET request.
    func perform(
        _ url: URL, _ json: [UInt8]?, header lines: [String], within time: Duration, _ response: CurlResponse
    ) -> End {
        let context = Unmanaged.passUnretained(response).toOpaque()
        var header: UnsafeMutablePointer<bridged_curl_list>?
        // Without the empty `Expect`, libcurl would wait for the server's consent to a long body.
        for line in lines + (json == nil ? [] : ["Content-Type: application/json", "Expect:"]) {
            header = curl.slist_append(header, line)
        }
        defer { curl.slist_free_all(header) }
        set(BRIDGED_CURL_URL, url.absoluteString)
        let milliseconds = time / .milliseconds(1)
        // 0 is no limit. libcurl has none above 24 days.
        set(BRIDGED_CURL_TIMEOUT_MS, milliseconds > Double(Int32.max) ? 0 : max(1, Int(milliseconds)))
        bridged_curl_set_pointer(&curl, handle, BRIDGED_CURL_HTTP_HEADER, header)
        if let json {
            set(BRIDGED_CURL_POST_FIELD_SIZE, json.count)
            bridged_curl_set_pointer(&curl, handle, BRIDGED_CURL_COPY_POST_FIELDS, json)
        } else {
            set(BRIDGED_CURL_HTTP_GET, 1)
        }
        for option in [BRIDGED_CURL_WRITE_DATA, BRIDGED_CURL_HEADER_DATA, BRIDGED_CURL_PROGRESS_DATA] {
            bridged_curl_set_pointer(&curl, handle, option, context)
        }
        bridged_curl_set_receive(&curl, handle, BRIDGED_CURL_HEADER_FUNCTION, receiveHeader)
        bridged_curl_set_receive(&curl, handle, BRIDGED_CURL_WRITE_FUNCTION, receiveBody)
        bridged_curl_set_progress(&curl, handle, checkCancellation)
        let code = withExtendedLifetime(response) { curl.easy_perform(handle) }
        if code == BRIDGED_CURL_OK || response.isEnough { return .complete }
        if code == BRIDGED_CURL_TIMED_OUT { return .timedOut }
        // So libcurl reports a line of a header beyond its own limit of 100 KiB (CURL_MAX_HTTP_HEADER).
        let isOutOfMemory = code == BRIDGED_CURL_OUT_OF_MEMORY || code == BRIDGED_CURL_TOO_LARGE
        if isOutOfMemory, !response.hasHeader { response.libraryRefusedHeader() }
        return .failed(curl.easy_strerror(code).map { String(cString: $0) } ?? "error \(code) of libcurl")
    }

    /// The cookies of all responses so far.
    var cookies: [HTTPAnswer.Cookie] {
        let first = bridged_curl_cookies(&curl, handle)
        defer { curl.slist_free_all(first) }
        var cookies: [HTTPAnswer.Cookie] = []
        var next = first
        while let cookie = next?.pointee {
            if let cookie = cookie.data.flatMap({ HTTPAnswer.Cookie(line: String(cString: $0)) }) {
                cookies.append(cookie)
            }
            next = cookie.next
        }
        return cookies
    }

    private func set(_ option: Int, _ value: Int) { bridged_curl_set_number(&curl, handle, option, value) }
    private func set(_ option: Int, _ text: String) { bridged_curl_set_pointer(&curl, handle, option, text) }
}

extension HTTPAnswer.Cookie {
    /// Reads a line of Netscape's cookie file, in which libcurl writes cookies: host, whether it holds for subdomains,
    /// path, whether it is secure, expiry, name and value, with tabs between them. `#HttpOnly_` may come first.
    fileprivate init?(line: String) {
        let parts = line.split(separator: "\t", maxSplits: 6, omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 7 else { return nil }
        self.init(name: parts[5], value: parts[6], path: parts[2], isHTTPOnly: line.hasPrefix("#HttpOnly_"))
    }
}
