import QuarryBackend
import Synchronization

/// The stored structure of a model, without its Swift type.
final class AnyModelDefinition: Sendable {
  /// The name of the model in the store.
  let name: String
  /// The name that the model had before it was renamed.
  let originalName: String?
  /// The name by which the model travels, where the program declares one.
  let syncName: String?
  let properties: [StoredProperty]
  let primaryKey: String
  /// The names of the members of a compound key; nil where the key is one property.
  let keyMembers: [String]?
  let indexes: [IndexDefinition]
  /// The other sides of references.
  let relations: [StoredRelation]
  /// Checks the object of a row by the rules of its model; nil where the model is not ``Validated``.
  let rowValidator: (@Sendable (ModelReader) throws(StorageError) -> Void)?
  /// Whether an object without a key gets one when it is stored.
  let generatesKey: Bool
  /// Whether the objects travel between synced stores.
  let isSynced: Bool
  /// The model's number in this process: its place in every store's table of bindings.
  let number: Int

  private static let nextNumber = Atomic(0)

  init(
    name: String, originalName: String?, syncName: String? = nil, properties: [StoredProperty], primaryKey: String,
    keyMembers: [String]? = nil, indexes: [IndexDefinition],
    relations: [StoredRelation] = [], rowValidator: (@Sendable (ModelReader) throws(StorageError) -> Void)? = nil,
    generatesKey: Bool = false, isSynced: Bool = false
  ) {
    self.rowValidator = rowValidator
    self.isSynced = isSynced
    self.generatesKey = generatesKey
    self.relations = relations
    self.name = name
    self.originalName = originalName
    self.syncName = syncName
    self.properties = properties
    self.primaryKey = primaryKey
    self.keyMembers = keyMembers
    self.indexes = indexes
    number = Self.nextNumber.wrappingAdd(1, ordering: .relaxed).oldValue
  }

  /// The model as a schema without ids.
  ///
  /// - Throws: `schemaMismatch` for names that contradict each other, `invalidValue` for a default that cannot be stored.
  func schema() throws(StorageError) -> ModelSchema {
    var result: [PropertySchema] = []
    for property in properties {
      let defaultValue: Value?
      do throws(StorageError) {
        defaultValue = try property.defaultValue.get()
      } catch {
        throw error.with(model: name, property: property.name)
      }
      let reference = property.reference.map {
        PropertySchema.Reference(
          to: $0.target().name, deleteRule: $0.deleteRule ?? (property.type.isOptional ? .nullify : .deny))
      }
      result.append(
        PropertySchema(
          name: property.name, type: property.type.type, isOptional: property.type.isOptional,
          elementType: property.type.element, defaultValue: defaultValue, reference: reference,
          search: property.search, keyMembers: property.keyMembers()))
    }
    let names = result.map { ByteString($0.name) }
    func slot(_ property: String) throws(StorageError) -> Int {
      guard let slot = names.firstIndex(of: ByteString(property)) else {
        throw StorageError(.schemaMismatch, "there is no property \(property)", model: name, property: property)
      }
      return slot
    }
    var stored: [IndexSchema] = []
    for index in indexes {
      var columns: [IndexSchema.Column] = []
      for column in index.columns {
        columns.append(IndexSchema.Column(slot: try slot(column.property), isDescending: column.order == .reverse))
      }
      stored.append(IndexSchema(name: index.storedName, columns: columns, isUnique: index.isUnique))
    }
    let key = try slot(primaryKey)
    // Referring objects are searched for when an object is removed.
    for (slot, property) in result.enumerated() where property.reference != nil && slot != key {
      if stored.contains(where: { $0.columns.first?.slot == slot }) { continue }
      // The program may have given such a name to an index of its own.
      func isTaken(_ name: String) -> Bool {
        stored.contains { SchemaNames.folded($0.name) == SchemaNames.folded(name) }
      }
      var name = property.name
      if isTaken(name) { name += "_reference" }
      while isTaken(name) { name += "_" }
      stored.append(IndexSchema(name: name, columns: [.init(slot: slot)]))
    }
    var members: [Int]?
    if let keyMembers {
      members = []
      for name in keyMembers { members?.append(try slot(name)) }
    }
    let generation = keyMembers == nil ? KeyGeneration(result[key].type) : nil
    guard !generatesKey || generation != nil else {
      throw StorageError(
        .schemaMismatch, "a key of type \(result[key].typeName) cannot be generated: only an integer or a UUID can",
        model: name, property: result[key].name)
    }
    return ModelSchema(
      name: name, properties: result, primaryKey: key, indexes: stored, keyGeneration: generatesKey ? generation : nil,
      keyMembers: members)
  }

  /// The types of the members of a compound key; nil where the key is one property.
  var primaryKeyMembers: [KeyMember]? {
    properties.first { $0.name.utf8.elementsEqual(primaryKey.utf8) }?.keyMembers()
  }
}
