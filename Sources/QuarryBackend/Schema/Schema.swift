/// What a store holds: its models, with the numeric ids that were allotted to them.
///
/// A stored schema is made from nothing by applying ``SchemaChange``s, which allot ids that are never reused. Two
/// schemas are compared by name.
public struct Schema: Sendable, Hashable, Codable {
  /// The version of the schema's own format. A store with a greater one is refused as `schemaTooNew`.
  public static let currentFormat = 1

  /// The version of the format that this schema was written in.
  public var format: Int = Schema.currentFormat
  /// Raised by one with every change.
  public var version: UInt64 = 0
  /// The next id for a model or an index.
  public var nextID: UInt32 = 1
  /// The models, in the order of their ids.
  public var models: [ModelSchema] = []

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

/// The number that a model has in its store, for ever.
public struct ModelID: Sendable, Hashable, Comparable, Codable, CustomStringConvertible {
  public let rawValue: UInt32

  @inlinable
  public init(_ rawValue: UInt32) {
    self.rawValue = rawValue
  }

  public static func < (left: ModelID, right: ModelID) -> Bool { left.rawValue < right.rawValue }
  public var description: String { String(rawValue) }

  public init(from decoder: any Decoder) throws {
    rawValue = try decoder.singleValueContainer().decode(UInt32.self)
  }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(rawValue)
  }
}

/// A model as it is stored.
public struct ModelSchema: Sendable, Hashable, Codable {
  public var id: ModelID
  public var name: String
  /// The slots of the model's rows: a property's place in this array is its slot number. Dropped properties stay as
  /// tombstones.
  public var properties: [PropertySchema]
  /// The slot of the primary key.
  public var primaryKey: Int
  public var indexes: [IndexSchema]

  /// A model. Without ids of a store, slots and indexes are numbered in the order given.
  public init(
    id: ModelID = ModelID(0), name: String, properties: [PropertySchema], primaryKey: Int, indexes: [IndexSchema] = []
  ) {
    self.id = id
    self.name = name
    self.properties = properties
    self.primaryKey = primaryKey
    self.indexes = indexes
  }

  /// The slot of the property with that name (compared by bytes), if there is one that was not dropped.
  public func slot(named name: String) -> Int? {
    properties.firstIndex { !$0.isDropped && $0.name.utf8.elementsEqual(name.utf8) }
  }

  /// The slots of properties that were not dropped.
  public var liveSlots: [Int] {
    properties.indices.filter { !properties[$0].isDropped }
  }

  /// The property that is the primary key.
  public var keyProperty: PropertySchema { properties[primaryKey] }
}

/// A property as it is stored.
public struct PropertySchema: Sendable, Hashable, Codable {
  public var name: String
  public var type: PropertyType
  public var isOptional: Bool
  /// The type of an array's elements, for ``PropertyType/array``.
  public var elementType: PropertyType?
  /// What rows hold that were written before the property was added.
  public var defaultValue: Value?
  /// A tombstone: the slot is not used again.
  public var isDropped: Bool
  /// What the property refers to; nil for a plain value. Reserved: a property that has one cannot be stored yet.
  public var reference: Reference?

  public init(
    name: String, type: PropertyType, isOptional: Bool = false, elementType: PropertyType? = nil,
    defaultValue: Value? = nil, isDropped: Bool = false, reference: Reference? = nil
  ) {
    self.name = name
    self.type = type
    self.isOptional = isOptional
    self.elementType = elementType
    self.defaultValue = defaultValue
    self.isDropped = isDropped
    self.reference = reference
  }

  /// A reference that is checked: the property is an ordinary column of the type of the other model's primary key, and has
  /// a key that is stored there, or nil.
  public struct Reference: Sendable, Hashable, Codable {
    /// What happens to an object when the one that it refers to is removed.
    public enum DeleteRule: String, Sendable, Hashable, Codable {
      /// It is removed too.
      case cascade
      /// Its reference becomes nil, for which the property is optional.
      case nullify
      /// The other one cannot be removed.
      case deny
    }

    /// The name of the model that is referred to. It may be the model itself, and one that is made later in the same
    /// transaction.
    public var model: String
    public var deleteRule: DeleteRule

    public init(to model: String, deleteRule: DeleteRule) {
      self.model = model
      self.deleteRule = deleteRule
    }
  }

  /// The type as people write it, `String?` for example.
  public var typeName: String {
    let base = elementType.map { "[\($0.name)]" } ?? type.name
    return isOptional ? base + "?" : base
  }
}

/// An index as it is stored.
public struct IndexSchema: Sendable, Hashable, Codable {
  /// A column of an index.
  public struct Column: Sendable, Hashable, Codable {
    public var slot: Int
    public var isDescending: Bool

    public init(slot: Int, isDescending: Bool = false) {
      self.slot = slot
      self.isDescending = isDescending
    }
  }

  public var id: UInt32
  public var name: String
  public var columns: [Column]
  public var isUnique: Bool

  public init(id: UInt32 = 0, name: String, columns: [Column], isUnique: Bool = false) {
    self.id = id
    self.name = name
    self.columns = columns
    self.isUnique = isUnique
  }
}
