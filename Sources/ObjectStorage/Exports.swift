@_exported public import ObjectModel
@_exported public import RequestCompilation
