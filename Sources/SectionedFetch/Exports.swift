// One `import SectionedFetch` gives an app the objects and the caches as well.
@_exported public import ObjectStorage
@_exported public import SectionCaching
