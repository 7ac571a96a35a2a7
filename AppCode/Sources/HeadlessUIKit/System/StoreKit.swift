import HeadlessViews

/// The App Store's request for a rating, which is not shown here.
@MainActor public enum AppStore {
    /// How often the app has asked. (Not in StoreKit.)
    public private(set) static var reviewRequests = 0

    public static func requestReview(in scene: UIWindowScene) { reviewRequests += 1 }
}

@MainActor public enum SKStoreReviewController {
    public static func requestReview(in windowScene: UIWindowScene) { AppStore.requestReview(in: windowScene) }
}
