extension WebApp.Library {
    /// The messages that a page posts from a tap on a link to the end of the visit.
    var visit: [String] { ["visitProposed"] + visitFromNative }

    /// The messages after the native side has started the visit.
    var visitFromNative: [String] {
        switch self {
        case .turbo, .turbo8:
            [
                "visitStarted", "visitRequestStarted", "visitRequestFinished", "visitRequestCompleted",
                "visitCompleted",
                "visitRendered",
            ]
        case .turbolinks:
            [
                "visitStarted", "visitRequestStarted", "visitRequestCompleted", "visitRequestFinished",
                "visitCompleted",
                "visitRendered",
            ]
        }
    }

    /// The messages of a visit to a cached page, which needs no request.
    var restoration: [String] { ["visitStarted", "visitCompleted", "visitRendered"] }

    /// The messages of a visit whose response Turbo already has: it reports the request as if it had just ended.
    var visitWithStoredResponse: [String] {
        [
            "visitStarted", "visitRequestStarted", "visitRequestCompleted", "visitRequestFinished", "visitCompleted",
            "visitRendered",
        ]
    }

    var failedVisit: [String] {
        let end = ["visitRequestFinished", "visitRequestFailed"]
        return ["visitProposed", "visitStarted", "visitRequestStarted"] + (isTurbo ? end : end.reversed())
    }

    var visitWithoutAnswer: [String] {
        [
            "visitProposed", "visitStarted", "visitRequestStarted", "visitRequestFailedWithNonHttpStatusCode",
            "visitRequestFinished",
        ]
    }
}
