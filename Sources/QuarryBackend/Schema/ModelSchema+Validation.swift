extension ModelSchema {
  /// Checks a declaration, so that slots, names and types can be relied upon.
  ///
  /// - Parameter isNew: Whether the model is not stored yet, and so has no tombstones.
  /// - Throws: `schemaMismatch`, `limitExceeded`, `unsupported`.
  func validate(isNew: Bool) throws(StorageError) {
    do throws(StorageError) {
      if !isInternal { try SchemaNames.validate(name, of: "model") }
      try SchemaNames.validate(syncName: syncName)
      guard properties.count <= Schema.maximumProperties else {
        throw .limitExceeded("properties of a model", limit: Schema.maximumProperties, actual: properties.count)
      }
      var names = SchemaNames()
      for property in properties {
        do throws(StorageError) {
          try property.validate()
          if property.isDropped {
            guard !isNew else { throw StorageError(.schemaMismatch, "a new model cannot have dropped properties") }
          } else {
            try names.insert(property.name, of: "property")
          }
        } catch {
          throw error.with(property: property.name)
        }
      }
      try validateKey()
      var indexNames = SchemaNames()
      for index in indexes {
        try indexNames.insert(index.name, of: "index")
        try validate(index)
      }
    } catch {
      throw error.with(model: name)
    }
  }

  private func validateKey() throws(StorageError) {
    guard properties.indices.contains(primaryKey) else {
      throw StorageError(.schemaMismatch, "the primary key is not a property of the model")
    }
    let key = keyProperty
    guard key.type.isOrdered else {
      throw StorageError.unsupported(.indexPlain, "a property of type \(key.typeName) cannot be the primary key")
        .with(property: key.name)
    }
    guard !key.isOptional, !key.isDropped else {
      throw StorageError(
        .schemaMismatch, "the primary key is \(key.isDropped ? "a dropped property" : "optional")", property: key.name)
    }
    if let keyGeneration, KeyGeneration(key.type) != keyGeneration {
      throw StorageError(
        .schemaMismatch,
        "a key of type \(key.typeName) cannot be generated as \(keyGeneration.rawValue): an integer gets a number of a "
          + "sequence, and a UUID a UUID", property: key.name)
    }
    try validateKeyMembers()
  }

  private func validate(_ index: IndexSchema) throws(StorageError) {
    guard !index.columns.isEmpty else {
      throw StorageError(.schemaMismatch, "the index \(index.name) has no columns")
    }
    var seen: Set<Int> = []
    for column in index.columns {
      guard properties.indices.contains(column.slot), !properties[column.slot].isDropped else {
        throw StorageError(.schemaMismatch, "a column of the index \(index.name) is not a property of the model")
      }
      let property = properties[column.slot]
      guard seen.insert(column.slot).inserted else {
        throw StorageError(
          .schemaMismatch, "the index \(index.name) has a column twice", property: property.name)
      }
      guard property.type.isOrdered else {
        throw StorageError.unsupported(
          index.isUnique ? .indexUnique : .indexPlain,
          "the index \(index.name) has a column of type \(property.typeName), which has no order"
        ).with(property: property.name)
      }
    }
  }

  /// The slot, if it belongs to a property that was not dropped.
  func liveSlot(_ slot: Int) throws(StorageError) -> Int {
    guard properties.indices.contains(slot), !properties[slot].isDropped else {
      throw StorageError(.schemaMismatch, "the model has no property in slot \(slot)", model: name)
    }
    return slot
  }

  /// Where the index with that id is among the model's indexes.
  func indexPlace(_ id: UInt32) throws(StorageError) -> Int {
    guard let place = indexes.firstIndex(where: { $0.id == id }) else {
      throw StorageError(.schemaMismatch, "the model has no index with the id \(id)", model: name)
    }
    return place
  }
}

extension PropertySchema {
  fileprivate func validate() throws(StorageError) {
    try SchemaNames.validate(name, of: "property")
    try SchemaNames.validate(syncName: syncName)
    switch (type, elementType) {
    case (.array, .some): break
    case (.array, nil): throw StorageError(.schemaMismatch, "the array has no element type")
    case (_, nil): break
    case (_, .some): throw StorageError(.schemaMismatch, "only arrays have an element type")
    }
    try validateReference()
    try validateSearch()
    guard keyMembers == nil || type == .data else {
      throw StorageError(.schemaMismatch, "a property of type \(type.name) does not have the bytes of a compound key")
    }
    if let defaultValue, !defaultValue.conforms(to: self) {
      throw StorageError(.schemaMismatch, "the default is \(defaultValue.kind), but the type is \(typeName)")
    }
  }

  private func validateSearch() throws(StorageError) {
    guard let search, !isDropped else { return }
    guard type == .string || type == .array && elementType == .string else {
      throw StorageError(
        .schemaMismatch, "a property of type \(typeName) cannot be searched: only texts and arrays of texts can")
    }
    guard (1...Search.maximumWeight).contains(search.weight) else {
      throw StorageError(
        .schemaMismatch, "the weight of a search must be from 1 to \(Search.maximumWeight), and is \(search.weight)")
    }
  }

  private func validateReference() throws(StorageError) {
    guard let reference, !isDropped else { return }
    try SchemaNames.validate(reference.model, of: "model")
    guard type.isOrdered else {
      throw StorageError(
        .schemaMismatch, "a property of type \(typeName) cannot be a reference, because it cannot be a primary key")
    }
    guard isOptional || reference.deleteRule != .nullify else {
      throw StorageError(
        .schemaMismatch, "the reference is not optional, but its delete rule would make it nil")
    }
    guard defaultValue == nil else {
      throw StorageError(
        .schemaMismatch, "a reference cannot have a default, because the object with that key may not exist")
    }
  }
}
