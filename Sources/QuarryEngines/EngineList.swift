public import QuarryBackend
@_exported public import struct QuarryBackend.EngineDescription
// Every engine: its module here, so that one import brings `.memory`, `.flatFile(at:)`, `.sqlite(at:)` and the others, and
// its description in the list below.
@_exported public import QuarryFlatFile
@_exported public import QuarryLMDB
@_exported public import QuarryMemory
@_exported public import QuarrySQLite

#if PostgreSQL
  @_exported public import QuarryPostgreSQL
#endif

extension EngineDescription {
  /// Every engine, in the order of reports.
  public static let all: [EngineDescription] = [.memory, .flatFile, .sqlite, .lmdb] + optional

  /// Those that the traits of the package add.
  private static var optional: [EngineDescription] {
    #if PostgreSQL
      [.postgreSQL]
    #else
      []
    #endif
  }

  /// The engine whose URLs begin with the scheme.
  ///
  /// - Parameter scheme: The scheme without its colon: `sqlite`. It is compared by bytes.
  public init?(scheme: String) {
    guard let engine = Self.all.first(where: { $0.scheme.utf8.elementsEqual(scheme.utf8) }) else { return nil }
    self = engine
  }
}
