@_exported public import HeadlessUIKit

// Apple's module name, so that code for iOS compiles: `import UIKit` gives `HeadlessUIKit`.
