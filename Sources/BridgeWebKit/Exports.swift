// A web view is a view, so that `import WebKit` gives `UIView` as well. As Apple's WebKit does, it also gives Foundation's
// URL and URLRequest: `HeadlessViews` exports them.
@_exported public import HeadlessViews
