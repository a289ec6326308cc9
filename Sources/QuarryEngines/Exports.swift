// One import for every engine: `.memory`, `.flatFile(at:)`, `.sqlite(at:)`, `.lmdb(at:)`, and all of them by URL.
@_exported public import QuarryFlatFile
@_exported public import QuarryLMDB
@_exported public import QuarryMemory
@_exported public import QuarrySQLite
