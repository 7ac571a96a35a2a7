import EmulatedApp
import Foundation

/// A component as it is written for iOS, in Swift 5 mode. Only the import differs: an app imports HotwireNative.
///
/// It keeps the stars of a review and replies in every form that Hotwire Native has.
final class ReviewComponent: BridgeComponent {
    override class var name: String { "review" }

    required init(destination: BridgeDestination, delegate: BridgingDelegate) {
        super.init(destination: destination, delegate: delegate)
        state = .isEmpty
    }

    override func onReceive(message: Message) {
        guard let event = Event(rawValue: message.event) else {
            return
        }

        switch event {
        case .connect:
            handleConnectEvent(message: message)
        case .save:
            Task { await save() }
        case .submitDisabled:
            state = .isSaved
        }
    }

    override func onViewWillAppear() { lifeCycle.append("viewWillAppear") }
    override func onViewDidAppear() { lifeCycle.append("viewDidAppear") }
    override func onViewWillDisappear() { lifeCycle.append("viewWillDisappear") }
    override func onViewDidDisappear() { lifeCycle.append("viewDidDisappear") }

    // MARK: For the test

    /// The results of replies, in order.
    let (results, noted) = AsyncStream<String>.makeStream()
    private(set) var lifeCycle: [String] = []
    var isSaved: Bool { state == .isSaved }
    var location: String? { delegate?.location }

    func tap() {
        reply(to: Event.connect.rawValue)
    }

    func tapTwice() {
        reply(to: Event.connect.rawValue, with: ReplyData(stars: 1)) { [weak self] result in
            self?.note("completion", result)
        }
        reply(to: Event.connect.rawValue, with: #"{"stars":2}"#) { [unowned self] result in
            note("completion", result)
        }
    }

    func replyToNothing() async throws -> Bool {
        try await reply(to: "nothing")
    }

    // MARK: Private

    private enum State { case isEmpty, isShown, isSaved }

    /// A name that the base class must leave free.
    private var state = State.isEmpty

    private func handleConnectEvent(message: Message) {
        guard let data: MessageData = message.data() else { return }
        state = data.title.isEmpty ? .isEmpty : .isShown
        reply(with: message.replacing(event: "shown", data: ReplyData(stars: data.stars)))
    }

    private func save() async {
        guard let message = receivedMessage(for: Event.save.rawValue) else { return }
        do {
            let isSent = try await reply(with: message.replacing(jsonData: #"{"stars":3}"#))
            note("async", .success(isSent))
            try await reply(to: Event.save.rawValue, with: ReplyData(stars: 4))
        } catch {
            note("async", .failure(error))
        }
    }

    private func note(_ form: String, _ result: Result<Bool, Error>) {
        switch result {
        case .success(let isSent): noted.yield("\(form) \(isSent)")
        case .failure: noted.yield("\(form) failed")
        }
    }
}

// MARK: Events

extension ReviewComponent {
    fileprivate enum Event: String {
        case connect
        case save
        case submitDisabled
    }
}

// MARK: Message data

extension ReviewComponent {
    fileprivate struct MessageData: Decodable {
        let title: String
        let stars: Int
    }

    fileprivate struct ReplyData: Encodable {
        let stars: Int
    }
}
