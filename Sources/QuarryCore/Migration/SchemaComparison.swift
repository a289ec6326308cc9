import QuarryBackend

/// The changes that give a stored schema the program's models.
struct SchemaComparison {
  /// The changes that the program allows in addition to those without loss.
  struct Allowance {
    /// Properties and models that may be dropped: `Book.subtitle`, `Draft`.
    var drops: Set<ByteString> = []
    /// Models whose objects a migration rewrites: nothing of them is lost without a request.
    var rewritten: Set<ByteString> = []
    /// Properties whose values a migration converts, by model.
    var converted: [ByteString: Set<ByteString>] = [:]

    init(drops: [String] = []) {
      self.drops = Set(drops.map { ByteString($0) })
    }
  }

  /// A model whose rows are rewritten.
  struct Rebuild {
    var stored: ModelSchema
    var code: ModelSchema
  }

  /// Something that cannot be done without being asked.
  struct Loss: Equatable {
    var text: String
    /// The call by which the program requests the change.
    var remedy: String
  }

  /// Changes of models whose rows stay, in the order to apply them: the last ones create indexes.
  private(set) var changes: [SchemaChange] = []
  private(set) var rebuilds: [Rebuild] = []
  /// Stored models that are to be dropped.
  private(set) var dropped: [ModelSchema] = []
  /// Changes that cannot be bridged; when there are any, nothing may be changed.
  private(set) var losses: [Loss] = []

  var isEmpty: Bool { changes.isEmpty && rebuilds.isEmpty && dropped.isEmpty && losses.isEmpty }

  /// Whether nothing but indexes differ, on which no answer depends.
  var changesOnlyIndexes: Bool {
    rebuilds.isEmpty && dropped.isEmpty && losses.isEmpty && changes.allSatisfy(\.isOfIndex)
  }

  /// Whether references may be dangling afterwards, which is then checked.
  var concernsReferences: Bool {
    !rebuilds.isEmpty || !dropped.isEmpty
      || changes.contains {
        if case .changeReference(_, _, .some) = $0 { return true }
        return false
      }
  }

  /// Compares by name.
  ///
  /// - Parameters:
  ///   - stored: The schema of the store. Models that the code does not have are left alone.
  ///   - code: The models of the program; their ids and slot numbers mean nothing.
  init(stored: Schema, code: [ModelSchema], allowing allowance: Allowance = Allowance()) {
    for model in code {
      guard let old = stored.model(named: model.name) else {
        changes.append(.createModel(model))
        continue
      }
      compare(old, model, allowance)
    }
    let names = Set(code.map { ByteString($0.name) })
    for model in stored.models where allowance.drops.contains(ByteString(model.name)) {
      if names.contains(ByteString(model.name)) {
        losses.append(Loss(text: "\(model.name) is to be dropped, but is still in the program", remedy: ""))
      } else {
        dropped.append(model)
      }
    }
  }

  /// The models whose primary keys get another type.
  var rekeyed: Set<ByteString> {
    Set(
      rebuilds.filter {
        $0.stored.keyProperty.type != $0.code.keyProperty.type
          || $0.stored.keyProperty.keyMembers != $0.code.keyProperty.keyMembers
      }.map { ByteString($0.code.name) })
  }

  /// The words of what cannot be bridged.
  var refusal: StorageError {
    StorageError(
      .schemaMismatch,
      losses.map { $0.remedy.isEmpty ? $0.text : "\($0.text) (\($0.remedy))" }.joined(separator: "; "))
  }

  // MARK: One model

  private mutating func compare(_ old: ModelSchema, _ new: ModelSchema, _ allowance: Allowance) {
    let name = ByteString(new.name)
    let isRewritten = allowance.rewritten.contains(name)
    let converted = allowance.converted[name] ?? []
    var needsRebuild = isRewritten || !converted.isEmpty
    var added: [SchemaChange] = []
    var droppedSlots: [Int] = []
    /// The slots that the program's properties have in the store, or get when they are added.
    var slots: [Int: Int] = [:]
    var nextSlot = old.properties.count
    var storedNames: [ByteString: Int] = [:]
    for slot in old.liveSlots { storedNames[ByteString(old.properties[slot].name)] = slot }

    for (place, property) in new.properties.enumerated() where !property.isDropped {
      let isConverted = isRewritten || converted.contains(ByteString(property.name))
      if let slot = storedNames.removeValue(forKey: ByteString(property.name)) {
        slots[place] = slot
        let stored = old.properties[slot]
        if stored.keyMembers != property.keyMembers, place != new.primaryKey || new.keyMembers == nil {
          needsRebuild = true
          if !isConverted { losses.append(.type(new, stored, property)) }
        } else if stored.type != property.type || stored.elementType != property.elementType {
          needsRebuild = true
          if !isConverted, !stored.widens(to: property) { losses.append(.type(new, stored, property)) }
        }
        if stored.isOptional, !property.isOptional {
          needsRebuild = true
          if !isConverted { losses.append(.required(new, property)) }
        } else if property.isOptional, !stored.isOptional {
          added.append(.changeOptionality(old.id, slot: slot, isOptional: true))
        }
        if stored.reference != property.reference {
          added.append(.changeReference(old.id, slot: slot, property.reference))
        }
        if stored.search != property.search { added.append(.changeSearch(old.id, slot: slot, property.search)) }
      } else if property.isOptional || property.defaultValue.map({ !$0.isNull }) == true {
        added.append(.addProperty(old.id, property))
        slots[place] = nextSlot
        nextSlot += 1
      } else if !isConverted, !new.isCompoundKey(place) {
        losses.append(.missing(new, property))
      }
    }
    for slot in old.shownSlots where storedNames[ByteString(old.properties[slot].name)] != nil {
      let property = old.properties[slot].name
      if isRewritten || allowance.drops.contains(ByteString("\(new.name).\(property)")) {
        droppedSlots.append(slot)
      } else {
        losses.append(.dropped(new, property))
      }
    }
    if old.keyWords != new.keyWords {
      needsRebuild = true
      if !isRewritten { losses.append(.key(new, old.keyWords, new.keyWords)) }
    }
    if old.keyGeneration != new.keyGeneration {
      added.append(.changeKeyGeneration(old.id, new.keyGeneration))
    }
    if needsRebuild {
      rebuilds.append(Rebuild(stored: old, code: new))
    } else {
      compareIndexes(old, new, slots, droppedSlots, added)
    }
  }

  /// An index is rebuilt when anything but its name differs. Dropped indexes come first, so that a name is free for the index
  /// that takes it, and a property can be dropped.
  private mutating func compareIndexes(
    _ old: ModelSchema, _ new: ModelSchema, _ slots: [Int: Int], _ droppedSlots: [Int], _ added: [SchemaChange]
  ) {
    var leaving: [ByteString: IndexSchema] = [:]
    for index in old.indexes { leaving[ByteString(index.name)] = index }
    var arriving: [IndexSchema] = []
    for index in new.indexes {
      if let stored = leaving[ByteString(index.name)], old.describes(stored, as: index, of: new) {
        leaving[ByteString(index.name)] = nil
      } else {
        arriving.append(index)
      }
    }
    let taken = Set(old.indexes.map { ByteString($0.name) })
    var renamed: [SchemaChange] = []
    var created: [SchemaChange] = []
    for index in arriving {
      // If several are alike, the first is taken, so that the changes have one order.
      let alike = old.indexes.first { stored in
        leaving[ByteString(stored.name)] != nil && old.describes(stored, as: index, of: new)
      }
      if let alike, !taken.contains(ByteString(index.name)) {
        leaving[ByteString(alike.name)] = nil
        renamed.append(.renameIndex(old.id, index: alike.id, to: index.name))
        continue
      }
      var placed = index
      for column in index.columns.indices {
        guard let slot = slots[index.columns[column].slot] else {
          losses.append(
            Loss(text: "a column of the index \(index.name) of \(new.name) is no property of it", remedy: ""))
          return
        }
        placed.columns[column].slot = slot
      }
      created.append(.createIndex(old.id, placed))
    }
    for index in old.indexes where leaving[ByteString(index.name)] != nil {
      changes.append(.dropIndex(old.id, index: index.id))
    }
    changes += droppedSlots.map { .dropProperty(old.id, slot: $0) }
    changes += added + renamed + created
  }
}

extension SchemaComparison.Loss {
  fileprivate static func type(_ model: ModelSchema, _ stored: PropertySchema, _ property: PropertySchema) -> Self {
    Self(
      text: "\(model.name).\(property.name) is stored as \(stored.typeName) and is \(property.typeName) in the program",
      remedy: "convert it in a migration: m.convert(\"\(property.name)\", in: \"\(model.name)\") { … }")
  }

  fileprivate static func required(_ model: ModelSchema, _ property: PropertySchema) -> Self {
    Self(
      text: "\(model.name).\(property.name) is stored as optional and is not optional in the program",
      remedy: "replace nil in a migration: m.convert(\"\(property.name)\", in: \"\(model.name)\") { … }")
  }

  fileprivate static func missing(_ model: ModelSchema, _ property: PropertySchema) -> Self {
    Self(
      text: "\(model.name).\(property.name) is not stored, is not optional and has no default",
      remedy: "give it a default, its originalName, or a value in a migration: m.enumerate(\"\(model.name)\") { … }")
  }

  fileprivate static func dropped(_ model: ModelSchema, _ property: String) -> Self {
    Self(
      text: "\(model.name).\(property) is stored and is not in the program",
      remedy: "to drop it: migration: .dropping(\"\(model.name).\(property)\")")
  }

  fileprivate static func key(_ model: ModelSchema, _ stored: String, _ key: String) -> Self {
    Self(
      text: "\(model.name) is stored with the primary key \(stored) and has \(key) in the program",
      remedy: "a migration creates the objects again: m.enumerate(\"\(model.name)\") { … }")
  }
}

extension ModelSchema {
  /// Whether a slot has the bytes of a compound key, which are computed from its members.
  func isCompoundKey(_ slot: Int) -> Bool { keyMembers != nil && slot == primaryKey }

  /// The names of the properties that are the primary key.
  var keyWords: String {
    guard keyMembers != nil else { return keyProperty.name }
    return "(\(keyNames.joined(separator: ", ")))"
  }

  fileprivate func propertyName(_ slot: Int) -> ByteString? {
    properties.indices.contains(slot) ? ByteString(properties[slot].name) : nil
  }

  /// Whether an index of this model has the columns, directions and uniqueness of one of another.
  fileprivate func describes(_ index: IndexSchema, as other: IndexSchema, of model: ModelSchema) -> Bool {
    describe(index).utf8.elementsEqual(model.describe(other).utf8)
  }

  /// `unique (year descending, title)`: the same words for the same index, whatever its slots.
  func describe(_ index: IndexSchema) -> String {
    let columns = index.columns.map { column in
      "\(propertyName(column.slot)?.string ?? "?")\(column.isDescending ? " descending" : "")"
    }
    return "\(index.isUnique ? "unique " : "")(\(columns.joined(separator: ", ")))"
  }
}
