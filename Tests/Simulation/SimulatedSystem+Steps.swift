import BridgeServer

extension SimulatedSystem {
    /// Does a step, and checks the invariants.
    func perform(_ step: Step) {
        act(step)
        clock.runNextActions()
        if daemon?.life.isAlive == false { endDaemon(isKilled: true) }
        pages.removeAll(where: \.isOver)
        invariants.stepEnded()
        steps += 1
        if steps % 8 == 0 { checkSizes() }
    }

    private func act(_ step: Step) {
        switch step {
        case .load(let tab, let leaving):
            if let page = shown(in: tab % Self.tabs) { leave(page, leaving) }
            load(tab % Self.tabs)
        case .addFrame(let tab):
            if let page = shown(in: tab % Self.tabs), frames(of: page).count < 2 { addPage(page.tab, parent: page) }
        case .removeFrame(let page): pick(page, of: pages.filter { $0.isRunning && $0.parent != nil }) { $0.linger() }
        case .goBack(let tab, let leaving): goBack(tab % Self.tabs, leaving)
        case .connect(let page): pick(page, of: pages.filter(\.mayConnect)) { daemon?.accept($0) }
        case .post(let page, let handler, let count):
            pick(page, of: pages.filter(\.isRunning)) { page in
                // More would need several beacons, of which one may overtake another.
                for _ in 0..<count where page.kept.count < 900 { page.post(to: handler) }
            }
        case .send(let page): pick(page, of: pages.filter(\.mayFlush)) { $0.flush() }
        case .sendTwice(let page):
            pick(page, of: pages.filter { $0.isAttached && $0.call == nil }) { page in
                if let frame = page.lastFrame { page.connection?.send(.text(frame)) }
            }
        case .runScript(let page): pick(page, of: pages.filter(\.mayRunScript)) { $0.runScript() }
        case .settleFunction(let page, let index):
            pick(page, of: pages.filter(\.maySettleFunction)) { $0.settleFunction(index) }
        case .call(let page): pick(page, of: pages.filter { $0.isRunning && !$0.isLeaving }) { $0.callObject() }
        case .deliverCall(let index, let keepsCopy): deliverCall(index, keepsCopy: keepsCopy)
        case .loseCall(let page): pick(page, of: pages.filter { $0.call != nil }) { $0.failCall(nil) }
        case .lie(let page, let lie):
            pick(page, of: pages.filter { $0.tab == Self.tabs - 1 && $0.call == nil }) { tell(lie, $0) }
        case .deliverBeacon(let index, let keepsCopy): deliverBeacon(index, keepsCopy: keepsCopy)
        case .loseBeacon(let index):
            if !beacons.isEmpty { beacons.remove(at: index % beacons.count) }
        case .advance(let milliseconds): clock.advance(milliseconds: milliseconds)
        case .fireTimers: clock.fireTimers()
        case .fireNextTimer: if clock.advanceToNextTimer() { clock.fireTimers() }
        case .fillDisk(let bytes): disk.room = bytes
        case .slowDisk(let bytes): disk.bytesPerCall = max(1, bytes)
        case .healDisk: disk.heal()
        case .archive(let state): disk.archive = state
        case .deleteLog: disk.deleteLog()
        case .truncateLog: disk.truncateLog()
        case .moveLog(let hasNext): disk.moveLog(hasNext: hasNext)
        case .start: start()
        case .read(let connection, let frames):
            pick(connection, of: pages.filter(\.hasToRead)) { page in
                for frame in page.connection?.takeDownstream(frames: frames) ?? [] { page.received(frame) }
            }
        case .pageNoticesCut(let page): pick(page, of: pages.filter(\.isOnline)) { $0.noticeCut() }
        default: if let daemon { act(step, on: daemon) }
        }
    }

    /// Does a step that needs a daemon.
    private func act(_ step: Step, on daemon: SimulatedDaemon) {
        switch step {
        case .deliver(let connection, let bytes):
            pick(connection, of: daemon.connections.filter(\.hasUpstream)) { daemon.deliver($0, bytes: bytes) }
        case .choke(let connection): pick(connection, of: daemon.connections) { $0.isChoked = true }
        case .writable(let connection):
            pick(connection, of: daemon.connections) { connection in
                connection.isChoked = false
                daemon.write(connection)
            }
        case .cut(let connection): pick(connection, of: daemon.connections) { $0.cut() }
        case .daemonNoticesCut(let connection):
            pick(connection, of: daemon.connections) { daemon.close($0, Closure(code: nil, byPeer: false)) }
        case .endRound: daemon.endRound()
        case .evaluate(let page, let isFunction, let milliseconds):
            pick(page, of: daemon.parts.documents.pages) {
                evaluate($0, isFunction: isFunction, milliseconds: milliseconds)
            }
        case .settleReply(let index, let kind): daemon.settleReply(index, kind)
        case .changeHandlers:
            let isThere = daemon.parts.webViews.defaultScope.handlers[HandlerName.fickle.rawValue] != nil
            install(in: daemon, isFickleThere: !isThere)
        case .stop: daemon.beginStopping()
        case .finishArchiveCall(let isReported):
            daemon.archiveThread.finishCall()
            if isReported { daemon.archiveThread.report() }
        case .finishStop: if daemon.isStopping { finishStop(daemon) }
        case .kill(let effects): daemon.life.end(afterEffects: effects)
        case .hangUp: daemon.traffic.reopenFiles()
        default: break
        }
    }

    func finishStop(_ daemon: SimulatedDaemon) {
        daemon.finishStop()
        clock.runNextActions()
        endDaemon(isKilled: !daemon.life.isAlive)
    }

    private func pick<Element>(_ index: Int, of elements: [Element], _ body: (Element) -> Void) {
        if !elements.isEmpty { body(elements[index % elements.count]) }
    }

    private func goBack(_ tab: Int, _ leaving: Leaving) {
        guard let kept = pages.last(where: { $0.tab == tab && $0.state == .kept && $0.parent == nil }) else { return }
        if let page = shown(in: tab) { leave(page, leaving) }
        for page in [kept] + frames(of: kept) { page.stay() }
    }

    func deliverBeacon(_ index: Int, keepsCopy: Bool) {
        guard !beacons.isEmpty else { return }
        let index = index % beacons.count
        let beacon = keepsCopy ? beacons[index] : beacons.remove(at: index)
        guard let daemon, !daemon.isStopping else { return }
        arriving = beacon
        daemon.receive(beacon)
        arriving = nil
    }

    func deliverCall(_ index: Int, keepsCopy: Bool) {
        guard let daemon, !calls.isEmpty else { return }
        let index = index % calls.count
        let call = keepsCopy ? calls[index] : calls.remove(at: index)
        call.page.isCallRetried = call.page.isCallRetried || keepsCopy
        daemon.receive(call)
    }
}
