public import HeadlessUIKit
public import OpenCombineShim

extension KeyPathObservable {
    /// The values of a property, such as the title of a web view: the one that it has, and each after a change.
    public func publisher<Value: Equatable>(for keyPath: KeyPath<Self, Value>) -> AnyPublisher<Value, Never> {
        let subject = CurrentValueSubject<Value, Never>(self[keyPath: keyPath])
        let end = observeChanges { [weak self] in
            guard let value = self?[keyPath: keyPath], value != subject.value else { return }
            subject.send(value)
        }
        return subject.handleEvents(receiveCancel: { Task { @MainActor in end() } }).eraseToAnyPublisher()
    }
}
