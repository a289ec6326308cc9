import QuarryBackend

/// How the schema of the program's models differs from the one that is stored.
enum SchemaComparison {
  /// Compares by name.
  ///
  /// - Parameters:
  ///   - stored: The schema of the store. Models that the code does not have are left alone.
  ///   - code: The models of the program; their ids and slot numbers mean nothing.
  /// - Returns: The changes that opening can make by itself, in the order to apply them: models that are missing,
  ///   properties that are missing and are optional or have a default, and indexes that are not as in the program. And in
  ///   words what it cannot bridge; when there is one difference, nothing is to be changed.
  static func compare(stored: Schema, code: [ModelSchema]) -> (changes: [SchemaChange], differences: [String]) {
    var changes: [SchemaChange] = []
    var differences: [String] = []
    for model in code {
      guard let old = stored.model(named: model.name) else {
        changes.append(.createModel(model))
        continue
      }
      let slots = compareProperties(old, model, &changes, &differences)
      compareKey(old, model, &differences)
      compareIndexes(old, model, slots, &changes, &differences)
    }
    return (changes, differences)
  }

  /// - Returns: The slots that the program's properties have in the store, or get when they are added; by their places in
  ///   the program's model.
  private static func compareProperties(
    _ old: ModelSchema, _ new: ModelSchema, _ changes: inout [SchemaChange], _ differences: inout [String]
  ) -> [Int: Int] {
    var slots: [Int: Int] = [:]
    var nextSlot = old.properties.count
    var storedNames: [ByteString: Int] = [:]
    for slot in old.liveSlots { storedNames[ByteString(old.properties[slot].name)] = slot }
    for (place, property) in new.properties.enumerated() where !property.isDropped {
      let name = "\(new.name).\(property.name)"
      if let slot = storedNames.removeValue(forKey: ByteString(property.name)) {
        slots[place] = slot
        let stored = old.properties[slot]
        if stored.type != property.type || stored.elementType != property.elementType {
          differences.append("\(name) is stored as \(stored.typeName) and is \(property.typeName) in the program")
        } else if stored.isOptional != property.isOptional {
          differences.append(
            stored.isOptional
              ? "\(name) is stored as optional and is not optional in the program"
              : "\(name) is stored as not optional and is optional in the program")
        }
      } else if property.isOptional || property.defaultValue.map({ !$0.isNull }) == true {
        changes.append(.addProperty(old.id, property))
        slots[place] = nextSlot
        nextSlot += 1
      } else {
        differences.append("\(name) is not stored, is not optional and has no default")
      }
    }
    for slot in old.liveSlots where storedNames[ByteString(old.properties[slot].name)] != nil {
      differences.append("\(old.name).\(old.properties[slot].name) is stored and is not in the program")
    }
    return slots
  }

  private static func compareKey(_ old: ModelSchema, _ new: ModelSchema, _ differences: inout [String]) {
    guard let stored = old.propertyName(old.primaryKey), let key = new.propertyName(new.primaryKey),
      stored != key
    else { return }
    differences.append(
      "\(new.name) is stored with the primary key \(stored.string) and has \(key.string) in the program")
  }

  /// An index is made anew when anything of it differs. Those that go come first, so that a name is free for the one that
  /// takes it.
  private static func compareIndexes(
    _ old: ModelSchema, _ new: ModelSchema, _ slots: [Int: Int], _ changes: inout [SchemaChange],
    _ differences: inout [String]
  ) {
    var storedIndexes: [ByteString: IndexSchema] = [:]
    for index in old.indexes { storedIndexes[ByteString(index.name)] = index }
    var created: [SchemaChange] = []
    for index in new.indexes {
      let stored = storedIndexes[ByteString(index.name)]
      if let stored, old.describe(stored).utf8.elementsEqual(new.describe(index).utf8) {
        storedIndexes[ByteString(index.name)] = nil
        continue
      }
      var placed = index
      for column in index.columns.indices {
        guard let slot = slots[index.columns[column].slot] else {
          differences.append("a column of the index \(index.name) of \(new.name) is no property of it")
          return
        }
        placed.columns[column].slot = slot
      }
      created.append(.createIndex(old.id, placed))
    }
    for index in old.indexes where storedIndexes[ByteString(index.name)] != nil {
      changes.append(.dropIndex(old.id, index: index.id))
    }
    changes += created
  }
}

extension SchemaChange {
  /// Whether it changes nothing but an index.
  public var isOfIndex: Bool {
    switch self {
    case .createIndex, .dropIndex, .renameIndex: true
    default: false
    }
  }

  /// What it does to the schema, in words.
  public func describe(_ schema: Schema) -> String {
    let model = schema.model(id: model)
    let name = model?.name ?? "?"
    func property(_ slot: Int) -> String { model?.propertyName(slot)?.string ?? "?" }
    func index(_ id: UInt32) -> String { model?.indexes.first { $0.id == id }?.name ?? "?" }
    return switch self {
    case .createModel(let model): "the model \(model.name) was added"
    case .dropModel: "the model \(name) was removed"
    case .renameModel(_, let new): "the model \(name) was renamed to \(new)"
    case .addProperty(_, let property): "the property \(property.name) of \(name) was added"
    case .renameProperty(_, let slot, let new): "the property \(property(slot)) of \(name) was renamed to \(new)"
    case .dropProperty(_, let slot): "the property \(property(slot)) of \(name) was removed"
    case .changeOptionality(_, let slot, true): "the property \(property(slot)) of \(name) was made optional"
    case .changeOptionality(_, let slot, false):
      "the property \(property(slot)) of \(name) was made one that is not optional"
    case .createIndex(_, let index):
      "the index \(index.name) of \(name) was built: \(model?.describe(index) ?? "?")"
    case .dropIndex(_, let id): "the index \(index(id)) of \(name) was removed"
    case .renameIndex(_, let id, let new): "the index \(index(id)) of \(name) was renamed to \(new)"
    }
  }
}

extension ModelSchema {
  fileprivate func propertyName(_ slot: Int) -> ByteString? {
    properties.indices.contains(slot) ? ByteString(properties[slot].name) : nil
  }

  /// `unique (year descending, title)`: the same words for the same index, whatever its slots.
  fileprivate func describe(_ index: IndexSchema) -> String {
    let columns = index.columns.map { column in
      "\(propertyName(column.slot)?.string ?? "?")\(column.isDescending ? " descending" : "")"
    }
    return "\(index.isUnique ? "unique " : "")(\(columns.joined(separator: ", ")))"
  }
}
