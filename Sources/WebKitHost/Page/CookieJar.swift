import BridgeProtocol
import CWebKitGTK

/// The cookies of a web view, those with HttpOnly included.
@MainActor struct CookieJar {
    private let manager: UnsafeMutablePointer<WebKitCookieManager>?

    init(_ manager: UnsafeMutablePointer<WebKitCookieManager>?) { self.manager = manager }

    func all() async -> [JSONValue] {
        await withCheckedContinuation { (continuation: CheckedContinuation<[JSONValue], Never>) in
            webkit_cookie_manager_get_all_cookies(
                manager, nil,
                { manager, result, data in
                    let manager = UnsafeMutableRawPointer(manager)?.assumingMemoryBound(to: WebKitCookieManager.self)
                    let list = webkit_cookie_manager_get_all_cookies_finish(manager, result, nil)
                    var cookies: [JSONValue] = []
                    var next = list
                    while let node = next?.pointee {
                        if let cookie = node.data.map(OpaquePointer.init) {
                            cookies.append(CookieJar.describe(cookie))
                            soup_cookie_free(cookie)
                        }
                        next = node.next
                    }
                    g_list_free(list)
                    Callback<[JSONValue]>.take(data)?.run(cookies)
                }, Callback { continuation.resume(returning: $0) }.retained())
        }
    }

    func set(_ json: JSON) async throws(RPCError) {
        let cookie = try Self.make(json)
        await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
            webkit_cookie_manager_add_cookie(
                manager, cookie, nil, { _, _, data in Callback<Void>.take(data)?.run(()) },
                Callback { continuation.resume() }.retained())
        }
        soup_cookie_free(cookie)
    }

    func delete(_ json: JSON) async throws(RPCError) {
        let cookie = try Self.make(json)
        await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
            webkit_cookie_manager_delete_cookie(
                manager, cookie, nil, { _, _, data in Callback<Void>.take(data)?.run(()) },
                Callback { continuation.resume() }.retained())
        }
        soup_cookie_free(cookie)
    }

    private static func make(_ json: JSON) throws(RPCError) -> OpaquePointer {
        guard let name = json["name"]?.string, let domain = json["domain"]?.string, !name.isEmpty, !domain.isEmpty,
            let cookie = soup_cookie_new(
                name, json["value"]?.string ?? "", domain, json["path"]?.string ?? "/", -1)
        else { throw .invalidParams(at: "/cookie", "expected a cookie with a name and a domain") }
        soup_cookie_set_secure(cookie, json["secure"]?.bool == true ? 1 : 0)
        soup_cookie_set_http_only(cookie, json["httpOnly"]?.bool == true ? 1 : 0)
        if let expires = json["expires"]?.number, let seconds = Int(exactly: expires.rounded()),
            let date = g_date_time_new_from_unix_utc(seconds)
        {
            soup_cookie_set_expires(cookie, date)
            g_date_time_unref(date)
        }
        return cookie
    }

    private static func describe(_ cookie: OpaquePointer) -> JSONValue {
        func text(_ characters: UnsafePointer<CChar>?) -> JSONValue {
            .string(characters.map { String(cString: $0) } ?? "")
        }
        var members: [JSONValue.Member] = [
            .init("name", text(soup_cookie_get_name(cookie))), .init("value", text(soup_cookie_get_value(cookie))),
            .init("domain", text(soup_cookie_get_domain(cookie))), .init("path", text(soup_cookie_get_path(cookie))),
            .init("secure", .bool(soup_cookie_get_secure(cookie) != 0)),
            .init("httpOnly", .bool(soup_cookie_get_http_only(cookie) != 0)),
        ]
        if let expires = soup_cookie_get_expires(cookie) {
            members.append(.init("expires", .number(Double(g_date_time_to_unix(expires)))))
        }
        return .object(members)
    }
}
