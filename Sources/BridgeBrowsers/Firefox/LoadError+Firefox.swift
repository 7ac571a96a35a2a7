extension LoadError {
    /// - Parameter error: Firefox's name of an error of a load, such as `NS_ERROR_CONNECTION_REFUSED`, or that in the URL of
    ///   its error page.
    init(firefox error: String) {
        let known: (code: Int, text: String) =
            switch error {
            case "NS_ERROR_CONNECTION_REFUSED", "NS_ERROR_PROXY_CONNECTION_REFUSED", "connectionFailure":
                (-1004, "Could not connect to the server.")
            case "NS_ERROR_UNKNOWN_HOST", "NS_ERROR_UNKNOWN_PROXY_HOST", "dnsNotFound":
                (-1003, "A server with the specified hostname could not be found.")
            case "NS_ERROR_NET_TIMEOUT", "NS_ERROR_NET_TIMEOUT_EXTERNAL", "netTimeout":
                (-1001, "The request timed out.")
            case "NS_ERROR_OFFLINE", "netOffline": (-1009, "The Internet connection appears to be offline.")
            case "NS_ERROR_NET_RESET", "NS_ERROR_NET_INTERRUPT", "NS_ERROR_NET_PARTIAL_TRANSFER",
                "NS_ERROR_NET_EMPTY_RESPONSE", "netReset", "netInterrupt":
                (-1005, "The network connection was lost.")
            case "NS_ERROR_REDIRECT_LOOP", "redirectLoop": (-1007, "too many HTTP redirects")
            case "NS_ERROR_UNKNOWN_PROTOCOL", "NS_ERROR_MALFORMED_URI", "unknownProtocolFound", "malformedURI":
                (-1002, "unsupported URL")
            case "NS_ERROR_FILE_NOT_FOUND", "fileNotFound": (-1100, "The requested URL was not found on this server.")
            case _ where error.contains("EXPIRED_CERTIFICATE") || error.contains("NOT_YET_VALID_CERTIFICATE"):
                (-1201, "The certificate for this server has expired.")
            case _ where error.contains("PKIX_ERROR") || error.contains("SEC_ERROR") || error == "nssBadCert":
                (-1202, "The certificate for this server is invalid.")
            case _ where error.contains("SSL_ERROR") || error.hasPrefix("nssFailure"):
                (-1200, "An SSL error has occurred and a secure connection to the server cannot be made.")
            default: (-1, "The load failed: \(error)")
            }
        (code, text) = known
    }
}
