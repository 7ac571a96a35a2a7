/// The 64-bit FNV-1a hash (http://www.isthe.com/chongo/tech/comp/fnv/). Unlike Swift's `Hasher` it is the same in each
/// process.
package struct FNV1a {
    private var state: UInt64 = 0xcbf2_9ce4_8422_2325

    package init() {}

    package var text: String { String(state, radix: 16) }

    /// Not generic: the compiler does not specialize a function for callers in another module, and `bridge.js` alone has
    /// 138,000 bytes.
    package mutating func combine(_ bytes: [UInt8]) {
        for byte in bytes { state = (state ^ UInt64(byte)) &* 0x100_0000_01b3 }
    }
}
