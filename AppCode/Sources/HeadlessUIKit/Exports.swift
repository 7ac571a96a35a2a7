@_exported public import HeadlessViews
@_exported public import Observation
