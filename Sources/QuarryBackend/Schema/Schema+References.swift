extension Schema {
  /// The first version of the format that has references.
  static let firstFormatWithReferences = 3
  /// The first version of the format that has generated keys.
  static let firstFormatWithGeneratedKeys = 4
  /// The first version of the format that has text searches.
  static let firstFormatWithSearch = 5
  /// The first version of the format whose stores may have a log of change sets.
  static let firstFormatWithHistory = 6
  /// The first version of the format that has compound keys.
  static let firstFormatWithCompoundKeys = 7
  /// The first version of the format that has searches in a language.
  static let firstFormatWithSearchLanguages = 8
  /// The first version of the format that has sync names.
  static let firstFormatWithSyncNames = 9

  /// References follow the model that they lead to.
  mutating func renameReferences(from old: String, to new: String) {
    for place in models.indices {
      for slot in models[place].properties.indices
      where models[place].properties[slot].reference?.model.utf8.elementsEqual(old.utf8) == true {
        models[place].properties[slot].reference?.model = new
      }
    }
  }

  /// A version of Quarry that knows no references would not keep them, one without generated keys would store objects without
  /// a key, one without text search would leave its index as it was, one that knows no history would not record it, one without
  /// compound keys would store an object whose key does not have its members, one without languages would index words without
  /// their stems, and one without sync names would forget them: they refuse the format.
  mutating func raiseFormat(for model: ModelSchema) {
    if model.properties.contains(where: { $0.reference != nil }) {
      format = max(format, Self.firstFormatWithReferences)
    }
    if model.keyGeneration != nil { format = max(format, Self.firstFormatWithGeneratedKeys) }
    if model.properties.contains(where: { $0.search != nil }) { format = max(format, Self.firstFormatWithSearch) }
    if model.isOfHistory { format = max(format, Self.firstFormatWithHistory) }
    if model.hasCompoundKeys { format = max(format, Self.firstFormatWithCompoundKeys) }
    if model.hasSearchLanguages { format = max(format, Self.firstFormatWithSearchLanguages) }
    if model.hasSyncNames { format = max(format, Self.firstFormatWithSyncNames) }
  }

  /// Checks that every reference leads to a model that is stored, and has the type of its primary key. A model may be made
  /// before the one that it refers to, and dropped before the one that refers to it, so this holds of what is committed.
  ///
  /// - Throws: `schemaMismatch` with the first that does not.
  package func checkReferences() throws(StorageError) {
    for model in models {
      for slot in model.liveSlots {
        let property = model.properties[slot]
        guard let reference = property.reference else { continue }
        guard self.model(named: reference.model) != nil else {
          throw StorageError(
            .schemaMismatch, "the property refers to \(reference.model), which the store does not have",
            model: model.name, property: property.name)
        }
      }
      try checkTypes(ofReferencesIn: model)
    }
  }

  /// Checks the types of a model's references to models that are stored.
  func checkTypes(ofReferencesIn model: ModelSchema) throws(StorageError) {
    for slot in model.liveSlots {
      let property = model.properties[slot]
      guard let reference = property.reference, let target = self.model(named: reference.model) else { continue }
      switch target.keyProperty.type {
      case .float, .double, .date:
        throw StorageError(
          .schemaMismatch,
          "the property refers to \(target.name), whose primary key is a floating-point number: no query would find NaN",
          model: model.name, property: property.name)
      default: break
      }
      guard target.keyProperty.type == property.type, target.keyProperty.keyMembers == property.keyMembers else {
        throw StorageError(
          .schemaMismatch,
          "the property is \(property.typeName) and refers to \(target.name), whose primary key is "
            + target.keyProperty.typeName,
          model: model.name, property: property.name)
      }
    }
  }
}
