import BridgeProtocol

extension DrivenPage {
    /// Calls a method of an interface object of native code. The page waits meanwhile, even if it is not attached yet.
    /// - Parameter completion: gets the text of an object with `result` or `error`.
    func callInterface(_ params: String, completion: @escaping @MainActor (String) -> Void) {
        guard let params = try? JSON.parse(params) else { return completion("") }
        let seq = outbox.reserveNumber()
        request("interface.call") { writer in
            writer.member("seq", seq)
            for key in ["handler", "method", "body", "types"] {
                if let value = params[key] { writer.member(named: key, value) }
            }
        } completion: { result in
            var writer = JSONWriter()
            writer.object { writer in
                switch result {
                case .success(let value): writer.member("result", value)
                case .failure(let error): writer.member("error", error)
                }
            }
            completion(writer.text)
        }
    }
}
