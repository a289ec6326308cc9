/// A change of a stored schema, made inside a write transaction.
public enum SchemaChange: Sendable, Hashable {
  /// Adds a model with its indexes. Ids in the argument are ignored: the store allots its own.
  case createModel(ModelSchema)
  /// Removes a model with its rows and indexes.
  case dropModel(ModelID)
  /// Gives a model another name.
  case renameModel(ModelID, to: String)
  /// Adds a property in a new slot. It is optional or has a default.
  case addProperty(ModelID, PropertySchema)
  /// Gives a property another name.
  case renameProperty(ModelID, slot: Int, to: String)
  /// Leaves a tombstone in the slot. Refused while an index or the primary key uses it.
  case dropProperty(ModelID, slot: Int)
  /// Lets a property be nil, or no longer: then no row may have nil in it, or it is `missingValue`. Refused for the
  /// primary key, which is never optional.
  case changeOptionality(ModelID, slot: Int, isOptional: Bool)
  /// Makes a property a reference, a reference with another rule, or a plain value again.
  ///
  /// Its values stay; the layer above checks that each of them is the key of a stored row.
  case changeReference(ModelID, slot: Int, PropertySchema.Reference?)
  /// Lets objects without a key get one, or no longer.
  ///
  /// Stored keys stay; the layer above checks that none of them is zero.
  case changeKeyGeneration(ModelID, KeyGeneration?)
  /// Makes the texts of a property searchable, gives them another weight or language, or ends their search.
  ///
  /// The layer above the engines keeps the index of words, as rows of a model of its own.
  case changeSearch(ModelID, slot: Int, PropertySchema.Search?)
  /// Gives a model, or the property in a slot, another name by which it travels between stores; nil for its own name.
  ///
  /// It is a name alone: no row changes.
  case changeSyncName(ModelID, slot: Int?, String?)
  /// Creates an index over the stored rows.
  case createIndex(ModelID, IndexSchema)
  /// Removes an index.
  case dropIndex(ModelID, index: UInt32)
  /// Gives an index another name.
  case renameIndex(ModelID, index: UInt32, to: String)
  /// Sets the number that programs give to the schema of their models: 1 or more, and not less than it is.
  case setProgramVersion(Int)

  /// The capability that a backend needs for it.
  public var capability: Capability {
    switch self {
    case .createModel: .schemaCreateModel
    case .dropModel: .schemaDropModel
    case .renameModel: .schemaRenameModel
    case .addProperty: .schemaAddProperty
    case .renameProperty: .schemaRenameProperty
    case .dropProperty: .schemaDropProperty
    case .changeOptionality: .schemaChangeOptionality
    // Rules and names that the layer above keeps: no row changes.
    case .changeReference, .changeKeyGeneration, .changeSyncName: .schemaChangeReference
    case .changeSearch: .schemaCreateModel
    case .createIndex: .schemaCreateIndex
    case .dropIndex: .schemaDropIndex
    case .renameIndex: .schemaRenameIndex
    case .setProgramVersion: .schemaSetVersion
    }
  }
}
