import QuarryBackend

// The names by which models and properties travel between stores. A store keeps the first name that it had for something. The
// program declares another one, or gives it to something that the store does not have yet.

extension ProgramModel {
  /// The changes that give a stored model the names that the program declares.
  func declaredSyncNames(in stored: ModelSchema) -> [SchemaChange] {
    var changes: [SchemaChange] = []
    if let syncName, !syncName.utf8.elementsEqual(stored.travelName.utf8) {
      changes.append(.changeSyncName(stored.id, slot: nil, syncName))
    }
    for (place, name) in syncNames.sorted(by: { $0.key < $1.key }) {
      guard let slot = stored.slot(named: schema.properties[place].name),
        !name.utf8.elementsEqual(stored.properties[slot].travelName.utf8)
      else { continue }
      changes.append(.changeSyncName(stored.id, slot: slot, name))
    }
    return changes
  }
}

extension [ProgramModel] {
  /// Sets the names by which models and properties travel that a store does not have yet: the declared ones, else the original
  /// ones, so that they have the names of stores in which they were renamed.
  ///
  /// - Throws: `schemaMismatch` for two models, or two properties of one, that are declared to travel by one name.
  mutating func setTravelNames() throws(StorageError) {
    let names = Set(map { ByteString($0.name) })
    var taken: Set<ByteString> = []
    for place in indices {
      let model = self[place]
      if let syncName = model.syncName {
        guard taken.insert(ByteString(syncName)).inserted else {
          throw StorageError(.schemaMismatch, "another model travels as \(syncName), too", model: model.name)
        }
      }
      let original = model.originalName.flatMap { names.contains(ByteString($0)) ? nil : $0 }
      self[place].schema.syncName = model.syncName ?? original
      try self[place].setTravelNamesOfProperties()
    }
  }
}

extension ProgramModel {
  fileprivate mutating func setTravelNamesOfProperties() throws(StorageError) {
    var taken: Set<ByteString> = []
    for place in schema.properties.indices {
      if let name = syncNames[place] {
        guard taken.insert(ByteString(name)).inserted else {
          throw StorageError(
            .schemaMismatch, "another property travels as \(name), too", model: schema.name,
            property: schema.properties[place].name)
        }
      }
      let original = originalNames[place].flatMap { schema.slot(named: $0) == nil ? $0 : nil }
      schema.properties[place].syncName = syncNames[place] ?? original
    }
  }
}

extension ModelSchema {
  /// Takes the names by which a stored model and its properties travel, for rows that are made again.
  mutating func keepTravelNames(of stored: ModelSchema) {
    syncName = stored.travelName
    for slot in properties.indices {
      guard let place = stored.slot(named: properties[slot].name) else { continue }
      properties[slot].syncName = stored.properties[place].travelName
    }
  }
}
