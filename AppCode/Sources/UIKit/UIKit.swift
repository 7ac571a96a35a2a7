@_exported public import HeadlessUIKit
@_exported public import OpenCombineShim

// Apple's module name, so that code for iOS compiles: `import UIKit` gives `HeadlessUIKit`. It also gives what stands in for
// Combine, because Foundation does so on Apple's systems, and `import Foundation` of an app becomes this, too.
