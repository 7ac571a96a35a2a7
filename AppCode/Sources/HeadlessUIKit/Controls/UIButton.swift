public import HeadlessViews

extension UIControl {
    public func addAction(_ action: UIAction, for controlEvents: UIControl.Event) {
        addHandler(for: controlEvents) { action.perform(sender: $0) }
    }

    public convenience init(frame: CGRect, primaryAction: UIAction?) {
        self.init(frame: frame)
        if let primaryAction { addAction(primaryAction, for: .primaryActionTriggered) }
    }
}

@preconcurrency @MainActor open class UIButton: UIControl {
    public enum ButtonType: Int, Sendable {
        case custom, system, detailDisclosure, infoLight, infoDark, contactAdd, plain, close
    }

    public struct Configuration: Sendable {
        public var title: String?
        public var subtitle: String?
        public var image: UIImage?
        public var imagePadding: CGFloat = 0
        public var baseBackgroundColor: UIColor?
        public var baseForegroundColor: UIColor?
        public var contentInsets = NSDirectionalEdgeInsets.zero
        public var showsActivityIndicator = false

        public static func plain() -> Configuration { Configuration() }
        public static func gray() -> Configuration { Configuration() }
        public static func tinted() -> Configuration { Configuration() }
        public static func filled() -> Configuration { Configuration() }
        public static func bordered() -> Configuration { Configuration() }
        public static func borderedProminent() -> Configuration { Configuration() }
        public static func borderless() -> Configuration { Configuration() }
    }

    open var configuration: Configuration?
    open var menu: UIMenu?
    open var showsMenuAsPrimaryAction = false
    open private(set) var buttonType = ButtonType.custom
    public private(set) lazy var titleLabel: UILabel? = UILabel()
    public private(set) lazy var imageView: UIImageView? = UIImageView()
    private var titles: [UInt: String] = [:]
    private var images: [UInt: UIImage] = [:]

    public convenience init(type buttonType: ButtonType) {
        self.init(frame: .zero)
        self.buttonType = buttonType
    }

    public convenience init(type buttonType: ButtonType = .system, primaryAction: UIAction?) {
        self.init(frame: .zero)
        self.buttonType = buttonType
        take(primaryAction)
    }

    public convenience init(configuration: Configuration, primaryAction: UIAction? = nil) {
        self.init(frame: .zero)
        self.configuration = configuration
        take(primaryAction)
    }

    private func take(_ primaryAction: UIAction?) {
        guard let primaryAction else { return }
        if !primaryAction.title.isEmpty { setTitle(primaryAction.title, for: .normal) }
        setImage(primaryAction.image, for: .normal)
        addAction(primaryAction, for: .primaryActionTriggered)
    }

    open func setTitle(_ title: String?, for state: UIControl.State) { titles[state.rawValue] = title }
    open func title(for state: UIControl.State) -> String? { titles[state.rawValue] ?? titles[0] }
    open func setImage(_ image: UIImage?, for state: UIControl.State) { images[state.rawValue] = image }
    open func image(for state: UIControl.State) -> UIImage? { images[state.rawValue] ?? images[0] }
    open func setTitleColor(_ color: UIColor?, for state: UIControl.State) {}
    open func setBackgroundImage(_ image: UIImage?, for state: UIControl.State) {}

    open var currentTitle: String? { title(for: state) ?? configuration?.title }
    open var currentImage: UIImage? { image(for: state) ?? configuration?.image }
}
