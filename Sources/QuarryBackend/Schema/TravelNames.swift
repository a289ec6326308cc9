extension ModelSchema {
  /// The name by which the model travels between stores: ``syncName``, else its own.
  ///
  /// It is the first name that the model had in the store, unless the program declares another. A rename does not change it.
  public var travelName: String { syncName ?? name }

  /// Whether the model or one of its properties travels by another name than its own.
  var hasSyncNames: Bool { syncName != nil || properties.contains { $0.syncName != nil } }

  /// Removes the sync names that are the names themselves.
  mutating func normalizeSyncNames() {
    if let syncName, syncName.utf8.elementsEqual(name.utf8) { self.syncName = nil }
    for slot in properties.indices { properties[slot].normalizeSyncName() }
  }
}

extension PropertySchema {
  /// The name by which the property travels between stores: ``syncName``, else its own.
  ///
  /// It is the first name that the property had in the store, unless the program declares another. A rename does not change it.
  public var travelName: String { syncName ?? name }

  /// Removes the sync name if it is the name itself.
  mutating func normalizeSyncName() {
    if let syncName, syncName.utf8.elementsEqual(name.utf8) { self.syncName = nil }
  }
}

extension SchemaNames {
  /// Checks the name by which something travels.
  static func validate(syncName name: String?) throws(StorageError) {
    guard let name else { return }
    try validate(name, of: "model or property in other stores")
    guard !name.utf8.elementsEqual("!".utf8) else {
      throw StorageError(.schemaMismatch, "the sync name ! is reserved")
    }
  }
}

extension Schema {
  /// The change that keeps the name by which something travels, when a change gives it another name; nil where none is needed.
  ///
  /// The caller makes it behind the rename. Quarry's own models do not travel by names.
  package func keepingTravelName(at change: SchemaChange) -> SchemaChange? {
    guard let model = model(id: change.model), !model.isInternal else { return nil }
    func kept(_ name: String, for new: String, _ slot: Int?) -> SchemaChange? {
      // Nothing travels by the reserved name.
      guard !name.utf8.elementsEqual(new.utf8), !name.utf8.elementsEqual("!".utf8) else { return nil }
      return .changeSyncName(model.id, slot: slot, name)
    }
    switch change {
    case .renameModel(_, let name): return model.syncName == nil ? kept(model.name, for: name, nil) : nil
    case .renameProperty(_, let slot, let name):
      guard model.properties.indices.contains(slot), model.properties[slot].syncName == nil else { return nil }
      return kept(model.properties[slot].name, for: name, slot)
    default: return nil
    }
  }
}
