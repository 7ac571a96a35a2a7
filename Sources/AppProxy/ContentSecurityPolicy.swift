/// How a document's Content-Security-Policy comes to allow `bridge.js`, and nothing more.
///
/// - A policy with a nonce is left as it is: the tag takes that nonce.
/// - A policy with `'unsafe-inline'` allows the page's own origin, because a nonce would switch `'unsafe-inline'` off.
/// - Any other policy of scripts allows a nonce of its own, new for each response.
/// - A policy of connections allows the page's own origin.
///
/// The patterns are those of nginx's `map`, in which the first that matches decides.
enum ContentSecurityPolicy {
    static let maps = """
        map $upstream_http_content_security_policy $nonce {
                default $request_id;
                "~(?:script-src|default-src)[^;]*'nonce-(?<n1>[A-Za-z0-9+/_=-]+)'" $n1;
            }
            map $upstream_http_content_security_policy $script_policy {
                default $upstream_http_content_security_policy;
                "~script-src[^;]*'nonce-" $upstream_http_content_security_policy;
                "~^(?!.*script-src).*default-src[^;]*'nonce-" $upstream_http_content_security_policy;
                "~^(?<a1>.*script-src(?:-elem)?)(?=[^;]*'unsafe-inline')(?<a2>[^;]*)(?<a3>.*)$" "$a1 'self'$a2$a3";
                "~^(?<b1>.*script-src(?:-elem)?)(?<b2>[^;]*)(?<b3>.*)$" "$b1 'nonce-$request_id'$b2$b3";
                "~^(?<c1>.*default-src)(?=[^;]*'unsafe-inline')(?<c2>[^;]*)(?<c3>.*)$" "$c1$c2$c3; script-src 'self'$c2";
                "~^(?<d1>.*default-src)(?<d2>[^;]*)(?<d3>.*)$" "$d1$d2$d3; script-src 'nonce-$request_id'$d2";
            }
            map $script_policy $policy {
                default $script_policy;
                "~connect-src[^;]*'self'" $script_policy;
                "~^(?!.*connect-src).*default-src[^;]*'self'" $script_policy;
                "~^(?<e1>.*connect-src)(?<e2>[^;]*)(?<e3>.*)$" "$e1 'self'$e2$e3";
                "~^(?<f1>.*default-src)(?<f2>[^;]*)(?<f3>.*)$" "$f1$f2$f3; connect-src 'self'$f2";
            }
            map "$upstream_http_content_encoding;$upstream_http_content_security_policy" $is_noted {
                ";" 0;
                default 1;
            }
        """
}
