import QuarryBackend

/// A model as the program has it, with the names that it and its properties had before.
struct ProgramModel {
  /// Without ids: slots are the places of the properties in the program.
  var schema: ModelSchema
  var originalName: String?
  /// The former names of properties, by their places.
  var originalNames: [Int: String] = [:]
  /// The name by which the model travels, where the program declares one.
  var syncName: String?
  /// The names by which properties travel, where the program declares them, by their places.
  var syncNames: [Int: String] = [:]

  init(_ schema: ModelSchema) {
    self.schema = schema
    syncName = schema.syncName
    for (place, property) in schema.properties.enumerated() {
      if let name = property.syncName { syncNames[place] = name }
    }
  }

  init(_ definition: AnyModelDefinition) throws(StorageError) {
    schema = try definition.schema()
    (originalName, syncName) = (definition.originalName, definition.syncName)
    for (place, property) in definition.properties.enumerated() {
      if let name = property.originalName { originalNames[place] = name }
      if let name = property.syncName { syncNames[place] = name }
    }
  }

  /// The models of definitions, with the rules that the other sides of references declare.
  static func models(of definitions: [AnyModelDefinition]) throws(StorageError) -> [ProgramModel] {
    var program: [ProgramModel] = []
    for definition in definitions { program.append(try ProgramModel(definition)) }
    try program.applyRelations(of: definitions)
    try program.setTravelNames()
    return program
  }

  var name: String { schema.name }

  /// The changes that give a stored schema the program's names. A rename applies where a name of the program is not stored, its
  /// original name is, and the program has nothing else of that name.
  static func renames(of program: [ProgramModel], in stored: Schema) throws(StorageError) -> [SchemaChange] {
    var changes: [SchemaChange] = []
    var schema = stored
    func add(_ change: SchemaChange) throws(StorageError) {
      let kept = schema.keepingTravelName(at: change)
      schema = try schema.applying(change)
      if let kept { schema = try schema.applying(kept) }
      changes.append(change)
    }
    for model in program {
      if let original = model.originalName, schema.model(named: model.name) == nil,
        let old = schema.model(named: original),
        !program.contains(where: { ByteString($0.name) == ByteString(original) })
      {
        try add(.renameModel(old.id, to: model.name))
      }
      for (place, original) in model.originalNames.sorted(by: { $0.key < $1.key }) {
        let name = model.schema.properties[place].name
        guard let old = schema.model(named: model.name), old.slot(named: name) == nil,
          let slot = old.slot(named: original), model.schema.slot(named: original) == nil
        else { continue }
        try add(.renameProperty(old.id, slot: slot, to: name))
      }
      guard let old = schema.model(named: model.name) else { continue }
      for change in model.declaredSyncNames(in: old) { try add(change) }
    }
    return changes
  }
}
