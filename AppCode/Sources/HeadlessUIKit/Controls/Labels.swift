public import HeadlessViews

public enum NSTextAlignment: Int, Sendable { case left, center, right, justified, natural }
public enum NSLineBreakMode: Int, Sendable {
    case byWordWrapping, byCharWrapping, byClipping, byTruncatingHead, byTruncatingTail, byTruncatingMiddle
}

@preconcurrency @MainActor open class UILabel: UIView {
    open var text: String?
    open var attributedText: NSAttributedString? { didSet { text = attributedText?.string } }
    // swift-format-ignore: NeverUseImplicitlyUnwrappedOptionals, because UIKit declares it so.
    open var textColor: UIColor! = .label
    // swift-format-ignore: NeverUseImplicitlyUnwrappedOptionals, because UIKit declares it so.
    open var font: UIFont! = .systemFont(ofSize: 17)
    open var textAlignment = NSTextAlignment.natural
    open var lineBreakMode = NSLineBreakMode.byTruncatingTail
    open var numberOfLines = 1
    open var isEnabled = true
    open var adjustsFontSizeToFitWidth = false
    open var adjustsFontForContentSizeCategory = false
    open var minimumScaleFactor: CGFloat = 0
}

@preconcurrency @MainActor open class UIImageView: UIView {
    open var image: UIImage?
    open var highlightedImage: UIImage?
    open var preferredSymbolConfiguration: UIImage.SymbolConfiguration?

    public convenience init(image: UIImage?) {
        self.init(frame: .zero)
        self.image = image
    }
}

@preconcurrency @MainActor open class UIActivityIndicatorView: UIView {
    public enum Style: Int, Sendable { case medium = 100, large }

    // swift-format-ignore: NeverUseImplicitlyUnwrappedOptionals, because UIKit declares it so.
    open var color: UIColor! = .gray
    open var style = Style.medium
    /// Hides the view whenever it is not animating.
    open var hidesWhenStopped = true { didSet { updateHidden() } }
    open private(set) var isAnimating = false

    public convenience init(style: Style) {
        self.init(frame: .zero)
        self.style = style
        updateHidden()
    }

    open func startAnimating() {
        isAnimating = true
        updateHidden()
    }

    open func stopAnimating() {
        isAnimating = false
        updateHidden()
    }

    private func updateHidden() { isHidden = hidesWhenStopped && !isAnimating }
}

@preconcurrency @MainActor open class UIProgressView: UIView {
    open var progress: Float = 0
    open var progressTintColor: UIColor?
    open var trackTintColor: UIColor?
    open func setProgress(_ progress: Float, animated: Bool) { self.progress = progress }
}

@preconcurrency @MainActor open class UIStackView: UIView {
    public enum Alignment: Int, Sendable { case fill, leading, firstBaseline, center, trailing, lastBaseline }
    public enum Distribution: Int, Sendable { case fill, fillEqually, fillProportionally, equalSpacing, equalCentering }

    open var axis = NSLayoutConstraint.Axis.horizontal
    open var alignment = Alignment.fill
    open var distribution = Distribution.fill
    open var spacing: CGFloat = 0
    open var isLayoutMarginsRelativeArrangement = false
    open private(set) var arrangedSubviews: [UIView] = []

    public convenience init(arrangedSubviews views: [UIView]) {
        self.init(frame: .zero)
        for view in views { addArrangedSubview(view) }
    }

    open func addArrangedSubview(_ view: UIView) { insertArrangedSubview(view, at: arrangedSubviews.count) }

    open func insertArrangedSubview(_ view: UIView, at stackIndex: Int) {
        arrangedSubviews.removeAll { $0 === view }
        arrangedSubviews.insert(view, at: max(0, min(stackIndex, arrangedSubviews.count)))
        addSubview(view)
    }

    /// Stops arranging the view, which stays a subview, as UIKit documents.
    open func removeArrangedSubview(_ view: UIView) { arrangedSubviews.removeAll { $0 === view } }

    open override func willRemoveSubview(_ subview: UIView) {
        super.willRemoveSubview(subview)
        removeArrangedSubview(subview)
    }

    open func setCustomSpacing(_ spacing: CGFloat, after arrangedSubview: UIView) {}
}
