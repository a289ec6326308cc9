/// The content of a store: its models, with the numeric ids that were allotted to them.
///
/// A stored schema is made from nothing by applying ``SchemaChange``s, which allot ids that are never reused. Two
/// schemas are compared by name.
public struct Schema: Sendable, Hashable, Codable {
  /// The greatest known version of the schema's own format.
  ///
  /// A store with a greater one is refused as `schemaTooNew`. Format 2 has the ``programVersion``, format 3 references, format 4
  /// generated keys, format 5 text searches, format 6 the log of change sets, format 7 compound keys, format 8 searches in a
  /// language, format 9 names by which models and properties travel.
  public static let currentFormat = 9
  /// The format of a schema without a ``programVersion``: what version 0.1 of Quarry reads, too.
  package static let firstFormat = 1

  /// The version of the format that this schema was written in: the least one that has all that is in it.
  public var format: Int = Schema.firstFormat
  /// Raised by one with every change.
  public var version: UInt64 = 0
  /// The next id for a model or an index.
  public var nextID: UInt32 = 1
  /// The number that programs give to the schema of their models, and raise with a migration; nil until one has. From
  /// format 2 on.
  public var programVersion: Int?
  /// The models, in the order of their ids.
  public var models: [ModelSchema] = []

  /// Creates a schema without models.
  public init() {}

  /// The model with that name (compared by bytes), if there is one.
  public func model(named name: String) -> ModelSchema? {
    models.first { $0.name.utf8.elementsEqual(name.utf8) }
  }

  /// The model with that id, if there is one.
  public func model(id: ModelID) -> ModelSchema? {
    models.first { $0.id == id }
  }
}
