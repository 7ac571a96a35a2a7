import BridgeProtocol
import CWebKitGTK

/// The cookies of a web view, those with HttpOnly included.
@MainActor struct CookieJar {
    private let manager: UnsafeMutablePointer<WebKitCookieManager>?

    init(_ manager: UnsafeMutablePointer<WebKitCookieManager>?) { self.manager = manager }

    func all() async -> [BrowserCookie] {
        await withCheckedContinuation { (continuation: CheckedContinuation<[BrowserCookie], Never>) in
            webkit_cookie_manager_get_all_cookies(
                manager, nil,
                { manager, result, data in
                    let manager = UnsafeMutableRawPointer(manager)?.assumingMemoryBound(to: WebKitCookieManager.self)
                    let list = webkit_cookie_manager_get_all_cookies_finish(manager, result, nil)
                    var cookies: [BrowserCookie] = []
                    var next = list
                    while let node = next?.pointee {
                        if let cookie = node.data.map(OpaquePointer.init) {
                            cookies.append(CookieJar.describe(cookie))
                            soup_cookie_free(cookie)
                        }
                        next = node.next
                    }
                    g_list_free(list)
                    Callback<[BrowserCookie]>.take(data)?.run(cookies)
                }, Callback { continuation.resume(returning: $0) }.retained())
        }
    }

    func set(_ cookie: BrowserCookie) async throws(RPCError) {
        let made = try Self.make(cookie)
        await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
            webkit_cookie_manager_add_cookie(
                manager, made, nil, { _, _, data in Callback<Void>.take(data)?.run(()) },
                Callback { continuation.resume() }.retained())
        }
        soup_cookie_free(made)
    }

    func delete(_ cookie: BrowserCookie) async throws(RPCError) {
        let made = try Self.make(cookie)
        await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
            webkit_cookie_manager_delete_cookie(
                manager, made, nil, { _, _, data in Callback<Void>.take(data)?.run(()) },
                Callback { continuation.resume() }.retained())
        }
        soup_cookie_free(made)
    }

    private static func make(_ cookie: BrowserCookie) throws(RPCError) -> OpaquePointer {
        guard !cookie.name.isEmpty, !cookie.domain.isEmpty,
            let made = soup_cookie_new(cookie.name, cookie.value, cookie.domain, cookie.path, -1)
        else { throw .invalidParams(at: "/cookie", "expected a cookie with a name and a domain") }
        soup_cookie_set_secure(made, cookie.isSecure ? 1 : 0)
        soup_cookie_set_http_only(made, cookie.isHTTPOnly ? 1 : 0)
        if let expires = cookie.expires, let seconds = Int(exactly: expires.rounded()),
            let date = g_date_time_new_from_unix_utc(seconds)
        {
            soup_cookie_set_expires(made, date)
            g_date_time_unref(date)
        }
        return made
    }

    private static func describe(_ cookie: OpaquePointer) -> BrowserCookie {
        func text(_ characters: UnsafePointer<CChar>?) -> String { characters.map { String(cString: $0) } ?? "" }
        return BrowserCookie(
            name: text(soup_cookie_get_name(cookie)), value: text(soup_cookie_get_value(cookie)),
            domain: text(soup_cookie_get_domain(cookie)), path: text(soup_cookie_get_path(cookie)),
            isSecure: soup_cookie_get_secure(cookie) != 0, isHTTPOnly: soup_cookie_get_http_only(cookie) != 0,
            expires: soup_cookie_get_expires(cookie).map { Double(g_date_time_to_unix($0)) })
    }
}
