/// The pages of the documentation with the rules behind the reasons of verdicts, the codes of problems, and errors.
package enum RulePage {
    /// The hint, followed by the page of the documentation with the rule.
    package static func linked(_ hint: String, _ code: String) -> String {
        let link = " See \(page(of: code))."
        return hint.hasSuffix(link) ? hint : sentence(hint) + link
    }

    package static func page(of code: String) -> String { "docs/" + (pages[code] ?? "verdicts.md") }

    /// The page with the meaning of an error's code.
    package static func page(of code: RPCError.Code) -> String {
        switch code {
        case .parseError, .invalidRequest, .methodNotFound, .invalidParams, .internalError: "docs/control.md#errors"
        default: "docs/protocol.md#errors-in-results"
        }
    }

    /// The codes that have a page, for tests.
    package static var codes: [String] { pages.keys.sorted() }

    private static let pages = Dictionary(
        uniqueKeysWithValues: codesOfPages.flatMap { page, codes in
            codes.split(separator: " ").map { (String($0), page) }
        })

    private static let codesOfPages: KeyValuePairs = [
        "security.md": "hostNotAllowed originNotAllowed navigationNotAllowed originMissing refererHidden",
        "security.md#the-apps-origin": "otherOrigin",
        "security.md#tokens": "tokenNeeded",
        "security.md#tls": "unencrypted tlsFailed",
        "protocol.md#http": "unknownPath malformedRequest lengthRequired wrongContentType",
        "protocol.md#encoding": "unknownSubprotocol wrongUpgrade wrongVersion binaryMessage invalidUTF8",
        "protocol.md#page-channel":
            "attachMissing parseError invalidRequest methodNotFound invalidParams badBeacon malformed tooManyErrors",
        "protocol.md#attaching-again": "attachedAnew",
        "configuration.md#limits":
            "requestTimeout bodyTooLarge messageTooBig tooManyConnections tooManyCalls queueFull slowReader memoryUsedUp "
            + "fewDescriptors heldBackTooMuch textCut",
        "configuration.md#stubs": "noStubFits",
        "configuration.md#message-types": "schemaMismatch",
        "browsers.md#faults": "faultIgnored",
        "browsers.md":
            "authenticationFailed authenticationUnanswered departureLost dialogUnanswered fileMissing processTerminated "
            + "webViewNotOpened",
        "security.md#driven-browsers": "loadCancelled notOfDriver",
        "get-started.md#attach-a-page": "scriptMissing",
        "delivery.md#how-a-message-can-end": "rejectedByHandler noReply replyTimedOut pageGone daemonStopped",
        "delivery.md#how-an-evaluation-can-end": "lateResult",
        "scale.md#if-redis-fails": "clusterUnreachable clusterReachable clusterRefused clusterForgot",
        "scale.md#durable": "clusterNotDurable clusterEvicts",
        "delivery.md#if-the-log-cannot-be-written": "logFailed",
        "write-a-handler.md#typed-messages": "noHandler unknownName handlerFailed handlerTaken",
        "write-a-handler.md#types": "undecodable",
        "write-a-handler.md#which-page-belongs-to-which-web-view": "webViewGone webViewNameTaken webViewNotMain",
        "write-a-handler.md#interface-objects": "unknownMethod argumentCount argumentCoerced noInterface badCall",
        "fidelity.md#what-an-in-page-script-cannot-do": "policy contentWorldUnsupported",
        "notes/webkit.md": "webKitUnsupported",
        "notes/uikit.md": "uiKitWarning",
        "navigation.md#how-a-proposal-is-handled": "proposalOutside proposalRefused",
        "emulate.md":
            "otherVisit turboMissing adapterMissing pageLoadedMissing visitEvaluationFailed pageLost scriptFailed",
        "notes/turbo.md":
            "doubleVisit formRefused serverError turboLate",
        "emulate.md#sign-in": "cookieKept",
        "path-configuration.md": "pathConfigurationFailed patternSkipped slowPattern",
        "components.md#why-nothing-happened":
            "unknownComponent componentNotEmulated unknownEvent inactiveDestination urlMismatch componentReplyLost",
        "emulate.md#an-older-build": "componentNotRegistered screenNotRegistered",
        "emulate.md#tabs": "tooManyTabs",
    ]
}

extension RPCError {
    /// The error with the page that explains it, as `see` in its data. Errors of scripts and of handlers have none.
    package var withPage: RPCError {
        var members: [JSONValue.Member] = []
        if case .object(let found)? = data { members = found } else if data != nil { return self }
        let reason: String? =
            if case .string(let reason)? = members.first(where: { $0.key == "reason" })?.value { reason } else { nil }
        guard code.rawValue < 0, code != .handlerRejected || reason != nil else { return self }
        let page = reason.map { RulePage.page(of: $0) } ?? RulePage.page(of: code)
        members.append(.init("see", .string(page)))
        return RPCError(code, message, data: .object(members))
    }
}
