// An app writes one `import SectionedFetch` and has the objects and the caches as well.
@_exported public import ObjectStorage
@_exported public import SectionCaching
