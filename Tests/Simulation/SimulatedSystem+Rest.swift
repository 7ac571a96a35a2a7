import BridgeServer

extension SimulatedSystem {
    /// Lets everything end that is under way, and checks that everything has ended.
    func comeToRest() {
        disk.heal()
        if let daemon, daemon.isStopping { finishStop(daemon) }
        if daemon == nil { start() }
        guard let daemon else { return }
        daemon.life.goOn()
        daemon.traffic.reopenFiles()
        install(in: daemon, isFickleThere: true)
        exchangeAll()
        // Some things need time: replies that are sent again, messages that wait for those of the document before, and
        // pages that the daemon accepts only after it has written to a database that was locked.
        let end = clock.now + .seconds(1)
        for _ in 0..<2_000 where clock.now < end || honestPages.contains(where: { !$0.isAtRest }) {
            guard invariants.violation == nil else { return }
            if !clock.advanceToNextTimer(before: end) { clock.advance(milliseconds: 1_000) }
            clock.fireTimers()
            exchangeAll()
        }
        checkPages()
        checkScripts(of: pages.filter { $0.isAttached && $0.state == .shown && !$0.isLiar })
        for _ in 0..<20 where clock.advanceToNextTimer() {
            clock.fireTimers()
            exchangeAll()
        }
        clock.advance(milliseconds: 120_000)
        clock.fireTimers()
        exchangeAll()
        checkScripts(of: nil)
        finishStop(daemon)
    }

    /// The pages that must come to rest.
    private var honestPages: [SimulatedPage] {
        pages.filter { [.shown, .lingering].contains($0.state) && !$0.isLiar && !$0.isOver }
    }

    /// The messages that pages have in hand.
    private var unfinished: Int { pages.reduce(0) { $0 + $1.kept.count + $1.waiting.count } }

    /// Delivers everything in both directions until nothing is under way.
    private func exchangeAll() {
        // If the log takes little at a time, many messages take many rounds.
        var (left, rounds) = (Int.max, 0)
        while rounds < 200 {
            rounds = unfinished < left ? 0 : rounds + 1
            left = min(left, unfinished)
            guard let daemon, daemon.life.isAlive else { return }
            var isAtRest = beacons.isEmpty && daemon.owedReplies.isEmpty
            while !beacons.isEmpty { deliverBeacon(0, keepsCopy: false) }
            while !calls.isEmpty { deliverCall(0, keepsCopy: false) }
            while !daemon.owedReplies.isEmpty { daemon.settleReply(0, .resolve) }
            for connection in daemon.connections {
                connection.isChoked = false
                if connection.isCut || (!connection.isOpenAtPage && !connection.hasUpstream) {
                    daemon.close(connection, Closure(code: nil, byPeer: false))
                }
                if connection.hasUpstream { isAtRest = false }
                daemon.deliver(connection, bytes: .max / 2)
            }
            daemon.endRound()
            daemon.archiveThread.finishCall()
            daemon.archiveThread.report()
            isAtRest = isAtRest && !daemon.archiveThread.isBusy
            for connection in daemon.connections { daemon.write(connection) }
            for page in pages { isAtRest = exchange(page, daemon) && isAtRest }
            clock.runNextActions()
            if isAtRest { return }
        }
        invariants.violate(.ends, "pages and the daemon do not come to rest")
    }

    /// - Returns: whether the page has nothing to do any more.
    private func exchange(_ page: SimulatedPage, _ daemon: SimulatedDaemon) -> Bool {
        guard page.call == nil else { return true }
        var isAtRest = true
        if let connection = page.connection {
            isAtRest = !connection.hasDownstream
            for frame in connection.takeDownstream(frames: .max) { page.received(frame) }
            if connection.isCut || !connection.isOpenAtDaemon { page.noticeCut() }
        }
        while page.mayRunScript { page.runScript() }
        while page.maySettleFunction { page.settleFunction(0) }
        isAtRest = isAtRest && !page.mayFlush
        page.flush()
        // A page that the daemon has sent away waits before it connects again. Only time makes room in the log.
        guard page.mayConnect, !page.isLiar, !daemon.traffic.isFull else { return isAtRest }
        daemon.accept(page)
        return false
    }

    private func checkPages() {
        for page in honestPages {
            if let call = page.call { invariants.violate(.ends, "\(invariants.name(call.number)) never returns") }
            if !page.isAttached { invariants.violate(.ends, "\(page.document) cannot attach") }
            if let message = page.kept.first {
                invariants.violate(.ends, "\(invariants.name(message.number)) is never acknowledged")
            }
            if let message = page.waiting.first {
                invariants.violate(.ends, "\(invariants.name(message.number)) never gets its reply")
            }
        }
    }

    /// - Parameter pages: the pages whose scripts must have ended; nil for all.
    private func checkScripts(of pages: [SimulatedPage]?) {
        for (number, script) in invariants.scripts.enumerated() where script.run == invariants.run && script.ends == 0 {
            guard pages?.contains(where: { $0 === script.page }) ?? true else { continue }
            invariants.violate(.ends, "script \(number) in \(script.page.document) never ends")
        }
    }

    func checkSizes() {
        guard let sizes = daemon?.parts.sizes, let traffic = daemon?.traffic else { return }
        let kept = traffic.keptBytes
        if kept.bytes > settings.kept.bytes && kept.records > 1 || kept.records > max(1, settings.kept.records) {
            invariants.violate(.memory, "\(kept.records) records of \(kept.bytes) bytes are kept")
        }
        if sizes.evaluations > settings.limits.waitingEvaluations {
            invariants.violate(.memory, "\(sizes.evaluations) evaluations wait for one page")
        }
        if sizes.replies > 512 { invariants.violate(.memory, "\(sizes.replies) replies of one page are kept") }
        let (waiting, counted) = (daemon?.connections.map(\.channel.waitingBytes), daemon?.transport.waitingBytes)
        if let sum = waiting?.reduce(0, +), let counted, sum != counted {
            invariants.violate(.memory, "\(sum) bytes wait on all connections, but \(counted) are counted")
        }
        if sizes.connections != daemon?.connections.count {
            invariants.violate(.memory, "the daemon knows \(sizes.connections) connections")
        }
        if sizes.departed > 256 { invariants.violate(.memory, "\(sizes.departed) pages are kept that are gone") }
        if sizes.counters > HandlerName.allCases.count {
            invariants.violate(.memory, "\(sizes.counters) names of handlers are counted")
        }
    }
}
