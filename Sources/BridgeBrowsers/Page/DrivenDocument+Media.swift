import BridgeProtocol

extension DrivenDocument {
    /// Decides about a call of `getUserMedia`, which waits for the answer as a message does.
    func decideMediaCapture(_ devices: [CaptureDevice], _ id: Int, in world: ScriptWorld) {
        let answer = { @MainActor [weak world] (decision: MediaDecision) -> Void in
            guard let world, let reply = try? JSON.parse(#"{"value":"\#(decision.rawValue)"}"#) else { return }
            world.ended.append((id, .reply(reply)))
            world.document.endRound()
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
}
