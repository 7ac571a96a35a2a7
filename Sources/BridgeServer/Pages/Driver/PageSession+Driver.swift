import BridgeProtocol

/// Answers what the driver of a page asks.
extension PageSession {
    func receive(_ message: DriverMessage, id: RequestID?) {
        let reply = DriverReply(to: message) { [channel] answer in
            guard let id, let channel else { return }
            channel.send { $0.result(id: id, answer) }
        }
        switch message {
        case .dialog(let question): show(question, reply)
        case .finished(let request):
            let visit = hub.scope(of: page.webView).visitOfRequest?(request, page)
            traffic.append(.request(request, visit: visit), .toNative, page)
            if let fault = request.fault { hub.countFault(fault) }
        default: hub.scope(of: page.webView).driverHandler?(message, page, reply)
        }
    }

    /// Shows a dialog after all messages that are held back.
    private func show(_ question: DialogQuestion, _ reply: DriverReply) {
        guard predecessorWait == nil else {
            predecessorWait?.calls.append { $0.show(question, reply) }
            return
        }
        let kind = Dialog.Kind(question.type)
        let texts = [question.text] + (question.default.map { [$0] } ?? [])
        let message = PostMessage(
            seq: hub.nextToolSeq(), handler: "window.\(kind.rawValue)",
            body: ScriptValue(.array(texts.map(JSONValue.string))))
        _ = showDialog(kind, message) { result in
            // Without a value, the dialog was not answered in time.
            guard case .success(let value) = result else { return }
            switch kind {
            case .alert: reply.answer(["confirmed": true])
            case .confirm: reply.answer(["confirmed": .bool(value.bool ?? false)])
            case .prompt:
                reply.answer(value.string.map { ["confirmed": true, "text": .string($0)] } ?? ["confirmed": false])
            }
        }
    }
}

extension Dialog.Kind {
    fileprivate init(_ type: DialogQuestion.Kind) {
        switch type {
        case .alert: self = .alert
        case .confirm: self = .confirm
        case .prompt: self = .prompt
        }
    }
}
