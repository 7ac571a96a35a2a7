import Testing

@testable import BridgeCluster

@Suite struct AddressTests {
    @Test func readsHostPasswordDatabaseAndName() throws {
        let address = try RedisAddress("redis://bridged:s%3Acret@redis.example:6380/2?name=staging")
        #expect(address.endpoint == .host("redis.example", port: 6380))
        #expect(address.user == "bridged" && address.password == "s:cret")
        #expect(address.database == 2 && address.name == "staging")
        #expect("\(address)" == "redis://redis.example:6380/2", "The password is in no text.")
    }

    @Test func hasDefaults() throws {
        let address = try RedisAddress("redis://localhost")
        #expect(
            address.endpoint == .host("localhost", port: 6379) && address.database == 0 && address.name == "bridged")
        #expect(try RedisAddress("redis://:secret@[::1]").endpoint == .host("::1", port: 6379))
        #expect(try RedisAddress("redis://:secret@localhost").user == nil)
    }

    @Test func readsWhatTLSNeeds() throws {
        let address = try RedisAddress("rediss://:s@redis.example/1?ca=/a.pem&cert=/b.pem&key=/c.pem&name=lab")
        #expect(
            address.tls
                == RedisAddress.TLS(host: "redis.example", authority: "/a.pem", certificate: "/b.pem", key: "/c.pem"))
        #expect("\(address)" == "rediss://redis.example:6379/1" && address.name == "lab")
        #expect(try RedisAddress("rediss://[::1]").tls?.host == "::1")
        #expect(try RedisAddress("redis://host").tls == nil)
    }

    @Test func readsSocket() throws {
        let address = try RedisAddress("unix:///run/redis.sock?db=3&name=lab")
        #expect(address.endpoint == .socket(path: "/run/redis.sock") && address.database == 3 && address.name == "lab")
    }

    @Test(arguments: [
        ("http://host", "no scheme of Redis"), ("redis://", "names no host"),
        ("redis://host?ca=a.pem", "'ca' is about TLS"), ("rediss://host?cert=a.pem", "needs its key"),
        ("redis://host/x", "no number of a database"), ("redis://host?nam=a", "'nam' is unknown"),
        ("redis://host?name=a%20b", "no name of a cluster"),
    ])
    func saysWhatIsWrong(_ text: String, _ expected: String) {
        #expect { _ = try RedisAddress(text) } throws: { "\($0)".contains(expected) }
    }
}

@Suite struct LinkStateTests {
    @Test func waitsLongerAfterEachFailure_andReportsTheFirst() throws {
        var state = LinkState()
        var waits: [Duration] = []
        for attempt in 0..<10 {
            let begins = state.connect()
            let beginsTwice = state.connect()
            #expect(begins && !beginsTwice, "One attempt at a time.")
            let failed = state.failed()
            #expect(failed?.isNew == (attempt == 0))
            waits.append(failed?.wait ?? .zero)
        }
        #expect(waits == waits.sorted() && waits[0] == .milliseconds(100) && waits[9] == .seconds(5))
        let begins = state.connect()
        let succeeded = state.succeeded()
        let isRecovery = state.settled()
        #expect(begins && succeeded && isRecovery, "The end of a reported outage is reported.")
        let failed = state.failed()
        #expect(failed?.isNew == true && failed?.wait == .milliseconds(100))
    }

    @Test func reportsServerOnce_thatOnlyBeginsWell() {
        var state = LinkState()
        var reports = 0
        var wait = Duration.zero
        for _ in 0..<10 {
            let begins = state.connect()
            let succeeded = state.succeeded()
            #expect(begins && succeeded)
            let failed = state.failed()
            reports += failed?.isNew == true ? 1 : 0
            wait = failed?.wait ?? .zero
        }
        #expect(reports == 1 && wait == .seconds(5))
        let isRecovery = state.settled()
        #expect(!isRecovery, "It is not ready.")
    }

    @Test func staysClosed() {
        var state = LinkState()
        state.close()
        let begins = state.connect()
        let failed = state.failed()
        #expect(!begins && failed == nil)
    }

    @Test func readsInfo() {
        let info = RedisInfo(
            "# Server\r\nredis_version:7.0.15\r\nrun_id:abc\r\naof_enabled:1\r\nmaxmemory_policy:noeviction\r\n")
        #expect(info.objection == nil && info.keepsCommands && info.run == "abc")
        #expect(RedisInfo("redis_version:4.0.9\r\n").objection?.contains("Redis 4.0.9, which has no streams") == true)
        #expect(RedisInfo("").objection != nil)
    }
}
