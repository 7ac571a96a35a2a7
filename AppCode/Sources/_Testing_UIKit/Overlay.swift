// Swift's compiler imports a module of this name into each file that imports Testing and UIKit. On a Mac it lets tests
// attach images. The toolchain for Linux has none, because Apple's UIKit is not there; so files of tests would not compile.
