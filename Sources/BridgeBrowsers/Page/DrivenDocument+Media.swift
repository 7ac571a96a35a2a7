import BridgeProtocol

extension DrivenDocument {
    /// Decides about a call of `getUserMedia`, which waits for the answer as a message does.
    func decideMediaCapture(_ devices: [CaptureDevice], _ id: Int, in world: ScriptWorld) {
        let answer = { @MainActor [weak world] (decision: MediaDecision) -> Void in
            world?.end(id, with: .string(decision.rawValue))
        }
        guard frame.asksAboutDialogs else { return answer(.prompt) }
        withPage { [frame] page in
            guard let page else { return answer(.deny) }
            page.decideMediaCapture(devices, hasUser: frame.hasUser) { decision in
                guard decision == .grant else { return answer(decision) }
                frame.allow(devices) { answer(.grant) }
            }
        }
    }

    /// Decides about a call of `navigator.geolocation`, which waits for the answer as a message does.
    func decideLocation(_ id: Int, in world: ScriptWorld) {
        let answer = { @MainActor [weak world] (decision: LocationDecision) -> Void in
            world?.end(id, with: decision.json)
        }
        guard frame.asksAboutDialogs else { return answer(.prompt) }
        withPage { [frame] page in
            guard let page else { return answer(.deny) }
            page.decideLocation(hasUser: frame.hasUser, decided: answer)
        }
    }
}

extension ScriptWorld {
    /// Answers what the document's script has asked the driver.
    fileprivate func end(_ id: Int, with value: JSONValue) {
        guard let reply = try? JSON.parse(JSONValue.object([.init("value", value)]).text) else { return }
        ended.append((id, .reply(reply)))
        document.endRound()
    }
}

extension LocationDecision {
    /// What `web/bridge/geolocation.js` takes.
    fileprivate var json: JSONValue {
        switch self {
        case .prompt: "prompt"
        case .deny: "deny"
        case .grant(let place):
            .array([.number(place.latitude), .number(place.longitude), .number(place.accuracy)])
        }
    }
}
