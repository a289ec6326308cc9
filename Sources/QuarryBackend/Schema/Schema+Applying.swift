extension Schema {
  /// The maximum number of slots of a model, dropped properties included.
  ///
  /// Slots of a row are never reused, and an engine with columns has its own limit at about that number.
  package static let maximumProperties = 2_000
  /// The most bytes in UTF-8 of a name of a model, property or index.
  package static let maximumNameBytes = 63

  /// The schema after the change. Ids are allotted from ``nextID`` and never reused; the version is raised by one.
  ///
  /// - Parameter change: The change. It names models, slots and indexes by their numbers in this schema.
  /// - Throws: `schemaMismatch` when the change names something missing, takes a name that is in use, or contradicts itself.
  ///   `limitExceeded` for a name, a number of properties or a schema version past its limit. `unsupported` for a type that
  ///   cannot be a key, be indexed or be stored at all. `invalidValue` for a version of the models that is less than the stored
  ///   one. The message names the model and the property.
  /// - Complexity: O(size of the schema).
  public func applying(_ change: SchemaChange) throws(StorageError) -> Schema {
    var result = self
    let (version, overflow) = version.addingReportingOverflow(1)
    guard !overflow else {
      throw StorageError(.limitExceeded, "the schema has the greatest possible version and cannot change")
    }
    result.version = version
    switch change {
    case .createModel(var model):
      model.id = ModelID(try result.allotID())
      for index in model.indexes.indices { model.indexes[index].id = try result.allotID() }
      for slot in model.properties.indices where model.properties[slot].defaultValue?.isNull == true {
        model.properties[slot].defaultValue = nil
      }
      model.normalizeSyncNames()
      try model.validate(isNew: true)
      result.models.append(model)
      try result.validateModelNames(adding: model)
      result.raiseFormat(for: model)
      try result.checkTypes(ofReferencesIn: model)
    case .dropModel(let id):
      result.models.remove(at: try place(of: id))
    case .renameModel(let id, let name):
      let place = try place(of: id)
      result.models[place].name = name
      result.models[place].normalizeSyncNames()
      result.renameReferences(from: models[place].name, to: name)
      // An index of words goes with its model, whose name was checked.
      if !(models[place].isSearchIndex && result.models[place].isSearchIndex) {
        try SchemaNames.validate(name, of: "model")
      }
      try result.validateModelNames(adding: result.models[place])
    case .setProgramVersion(let number):
      guard number >= max(1, programVersion ?? 1) else {
        throw StorageError(
          .invalidValue,
          "the version of the models is at least 1 and never decreases: it is \(programVersion ?? 0), "
            + "and cannot become \(number)")
      }
      result.programVersion = number
      result.format = max(result.format, 2)
    default:
      let id = change.model
      let place = try place(of: id)
      var model = models[place]
      try result.change(&model, change)
      result.models[place] = model
      result.raiseFormat(for: model)
      try result.checkTypes(ofReferencesIn: model)
    }
    return result
  }

  /// Checks what was read from a store, so that the rest of the program can rely on its numbers.
  ///
  /// - Throws: `schemaTooNew` when a newer version wrote it, else `corrupt`.
  package func validateStored() throws(StorageError) {
    guard format <= Self.currentFormat else {
      throw StorageError(
        .schemaTooNew, "the schema has format \(format), and this version knows formats up to \(Self.currentFormat)")
    }
    var ids: Set<UInt32> = []
    var names = SchemaNames()
    do throws(StorageError) {
      if let programVersion, format < 2 || programVersion < 1 {
        throw StorageError(.corrupt, "a schema of format \(format) has the version \(programVersion)")
      }
      for model in models {
        try names.insert(model.name, of: "model", isReserved: model.isInternal)
        if format < Self.firstFormatWithReferences, model.properties.contains(where: { $0.reference != nil }) {
          throw StorageError(.corrupt, "a schema of format \(format) has a reference", model: model.name)
        }
        if format < Self.firstFormatWithGeneratedKeys, model.keyGeneration != nil {
          throw StorageError(.corrupt, "a schema of format \(format) has generated keys", model: model.name)
        }
        if format < Self.firstFormatWithSearch, model.properties.contains(where: { $0.search != nil }) {
          throw StorageError(.corrupt, "a schema of format \(format) has a text search", model: model.name)
        }
        if format < Self.firstFormatWithCompoundKeys, model.hasCompoundKeys {
          throw StorageError(.corrupt, "a schema of format \(format) has a compound key", model: model.name)
        }
        if format < Self.firstFormatWithSearchLanguages, model.hasSearchLanguages {
          throw StorageError(.corrupt, "a schema of format \(format) has a search in a language", model: model.name)
        }
        if format < Self.firstFormatWithSyncNames, model.hasSyncNames {
          throw StorageError(.corrupt, "a schema of format \(format) has a sync name", model: model.name)
        }
        try model.validate(isNew: false)
        for id in [model.id.rawValue] + model.indexes.map(\.id) {
          guard id > 0, id < nextID, ids.insert(id).inserted else {
            throw StorageError(.corrupt, "the id \(id) was never allocated, or allocated twice", model: model.name)
          }
        }
      }
    } catch {
      throw StorageError(
        .corrupt, "the stored schema is damaged: \(error.message)", model: error.model, property: error.property,
        cause: error)
    }
  }

  private func place(of id: ModelID) throws(StorageError) -> Int {
    guard let place = models.firstIndex(where: { $0.id == id }) else {
      throw StorageError(.schemaMismatch, "the store has no model with the id \(id)")
    }
    return place
  }

  private mutating func allotID() throws(StorageError) -> UInt32 {
    let id = nextID
    guard id < UInt32.max else {
      throw .limitExceeded("ids of models and indexes", limit: Int(UInt32.max) - 1, actual: Int(UInt32.max))
    }
    nextID = id + 1
    return id
  }

  private func validateModelNames(adding model: ModelSchema) throws(StorageError) {
    let folded = SchemaNames.folded(model.name)
    if let other = models.first(where: { $0.id != model.id && SchemaNames.folded($0.name) == folded }) {
      throw StorageError(
        .schemaMismatch, SchemaNames.collision("model", model.name, other.name), model: model.name)
    }
  }

  /// Makes a change inside one model.
  private mutating func change(_ model: inout ModelSchema, _ change: SchemaChange) throws(StorageError) {
    switch change {
    case .createModel, .dropModel, .renameModel, .setProgramVersion: return
    case .addProperty(_, var property):
      if property.defaultValue?.isNull == true { property.defaultValue = nil }
      guard property.isOptional || property.defaultValue != nil else {
        throw StorageError(
          .schemaMismatch, "an added property must be optional or have a default, because stored rows lack it",
          model: model.name, property: property.name)
      }
      guard !property.isDropped else {
        throw StorageError(
          .schemaMismatch, "a dropped property cannot be added", model: model.name, property: property.name)
      }
      property.normalizeSyncName()
      model.properties.append(property)
    case .renameProperty(_, let slot, let name):
      model.properties[try model.liveSlot(slot)].name = name
      model.properties[slot].normalizeSyncName()
    case .dropProperty(_, let slot):
      let property = model.properties[try model.liveSlot(slot)]
      guard !model.isOfKey(slot) else {
        throw StorageError(
          .schemaMismatch, "the primary key cannot be dropped", model: model.name, property: property.name)
      }
      if let index = model.indexes.first(where: { $0.columns.contains { $0.slot == slot } }) {
        throw StorageError(
          .schemaMismatch, "the index \(index.name) uses the property, which therefore cannot be dropped",
          model: model.name, property: property.name)
      }
      model.properties[slot].isDropped = true
      model.properties[slot].search = nil
    case .changeOptionality(_, let slot, let isOptional):
      model.properties[try model.liveSlot(slot)].isOptional = isOptional
    case .changeReference(_, let slot, let reference):
      model.properties[try model.liveSlot(slot)].reference = reference
    case .changeKeyGeneration(_, let generation):
      model.keyGeneration = generation
    case .changeSearch(_, let slot, let search):
      model.properties[try model.liveSlot(slot)].search = search
    case .changeSyncName(_, let slot, let name):
      if let slot { model.properties[try model.liveSlot(slot)].syncName = name } else { model.syncName = name }
      model.normalizeSyncNames()
    case .createIndex(_, var index):
      index.id = try allotID()
      model.indexes.append(index)
    case .dropIndex(_, let id):
      model.indexes.remove(at: try model.indexPlace(id))
    case .renameIndex(_, let id, let name):
      model.indexes[try model.indexPlace(id)].name = name
    }
    try model.validate(isNew: false)
  }
}

extension SchemaChange {
  /// The model that is changed; 0 for one that is not there yet, and for the version of all.
  public var model: ModelID {
    switch self {
    case .createModel, .setProgramVersion: ModelID(0)
    case .dropModel(let id), .renameModel(let id, _), .addProperty(let id, _), .renameProperty(let id, _, _),
      .dropProperty(let id, _), .changeOptionality(let id, _, _), .changeReference(let id, _, _),
      .changeKeyGeneration(let id, _), .changeSearch(let id, _, _), .changeSyncName(let id, _, _),
      .createIndex(let id, _), .dropIndex(let id, _), .renameIndex(let id, _, _):
      id
    }
  }
}
