/// A model as it is stored.
public struct ModelSchema: Sendable, Hashable, Codable {
  /// The number of the model in its store.
  public var id: ModelID
  /// The name of the model.
  public var name: String
  /// The slots of the model's rows: a property's place in this array is its slot number. Dropped properties stay as
  /// tombstones.
  public var properties: [PropertySchema]
  /// The slot of the primary key.
  public var primaryKey: Int
  /// The indexes of the model.
  public var indexes: [IndexSchema]
  /// The way in which objects without a key get one; nil where the program gives every key. From format 4 of the schema on.
  public var keyGeneration: KeyGeneration?
  /// The slots of the members of a compound key, in their order; nil where the key is one property. From format 7 of the schema
  /// on.
  ///
  /// The property in the slot ``primaryKey`` then has the bytes of the key, and its ``PropertySchema/keyMembers`` have their
  /// types.
  public var keyMembers: [Int]?
  /// The name by which the model travels between stores, where it is not its own: see ``travelName``. From format 9 of the
  /// schema on.
  public var syncName: String?

  /// A model. Without ids of a store, slots and indexes are numbered in the order given.
  ///
  /// - Parameters:
  ///   - id: The number of the model in its store; 0 for a new one, because the store allots its own.
  ///   - name: The name of the model.
  ///   - properties: The properties; the place of each is its slot.
  ///   - primaryKey: The slot of the primary key.
  ///   - indexes: The indexes of the model.
  ///   - keyGeneration: The way in which objects without a key get one; nil for none.
  ///   - keyMembers: The slots of the members of a compound key; nil for a key of one property.
  ///   - syncName: The name by which it travels between stores; nil for its own.
  public init(
    id: ModelID = ModelID(0), name: String, properties: [PropertySchema], primaryKey: Int, indexes: [IndexSchema] = [],
    keyGeneration: KeyGeneration? = nil, keyMembers: [Int]? = nil, syncName: String? = nil
  ) {
    self.id = id
    self.name = name
    self.properties = properties
    self.primaryKey = primaryKey
    self.indexes = indexes
    self.keyGeneration = keyGeneration
    self.keyMembers = keyMembers
    self.syncName = syncName
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
