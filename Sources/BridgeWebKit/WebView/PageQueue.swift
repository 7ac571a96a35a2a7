import BridgeServer

/// The calls that wait until a page attaches to a web view. They run in their order. Each is given up after a time-out.
@MainActor final class PageQueue {
    private struct Entry {
        let number: Int
        let run: @MainActor (Page) -> Void
        let giveUp: @MainActor () -> Void
        let timer: Task<Void, Never>
    }

    let timeout: Duration
    private var entries: [Entry] = []
    private var count = 0

    init(timeout: Duration) { self.timeout = timeout }

    func add(run: @escaping @MainActor (Page) -> Void, giveUp: @escaping @MainActor () -> Void) {
        count += 1
        let timer = Task { [number = count, timeout, weak self] in
            if (try? await Task.sleep(for: timeout)) != nil { self?.expire(number) }
        }
        entries.append(Entry(number: count, run: run, giveUp: giveUp, timer: timer))
    }

    func flush(to page: Page) {
        let ready = entries
        entries = []
        for entry in ready {
            entry.timer.cancel()
            entry.run(page)
        }
    }

    private func expire(_ number: Int) {
        guard let index = entries.firstIndex(where: { $0.number == number }) else { return }
        entries.remove(at: index).giveUp()
    }
}
