/// How the schema of the program's models differs from the one that is stored.
public enum SchemaComparison {
  /// Compares by name.
  ///
  /// - Parameters:
  ///   - stored: The schema of the store. Models that the code does not have are left alone.
  ///   - code: The models of the program; their ids and slot numbers mean nothing.
  /// - Returns: The changes that opening can make by itself, in the order to apply them: models that are missing, and
  ///   properties that are missing and are optional or have a default. And in words what it cannot bridge; when there
  ///   is one difference, nothing is to be changed.
  public static func compare(stored: Schema, code: [ModelSchema]) -> (changes: [SchemaChange], differences: [String]) {
    var changes: [SchemaChange] = []
    var differences: [String] = []
    for model in code {
      guard let old = stored.model(named: model.name) else {
        changes.append(.createModel(model))
        continue
      }
      compareProperties(old, model, &changes, &differences)
      compareKey(old, model, &differences)
      compareIndexes(old, model, &differences)
    }
    return (changes, differences)
  }

  private static func compareProperties(
    _ old: ModelSchema, _ new: ModelSchema, _ changes: inout [SchemaChange], _ differences: inout [String]
  ) {
    var storedNames: [ByteString: Int] = [:]
    for slot in old.liveSlots { storedNames[ByteString(old.properties[slot].name)] = slot }
    for property in new.properties where !property.isDropped {
      let name = "\(new.name).\(property.name)"
      if let slot = storedNames.removeValue(forKey: ByteString(property.name)) {
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
      } else {
        differences.append("\(name) is not stored, is not optional and has no default")
      }
    }
    for slot in old.liveSlots where storedNames[ByteString(old.properties[slot].name)] != nil {
      differences.append("\(old.name).\(old.properties[slot].name) is stored and is not in the program")
    }
  }

  private static func compareKey(_ old: ModelSchema, _ new: ModelSchema, _ differences: inout [String]) {
    guard let stored = old.propertyName(old.primaryKey), let key = new.propertyName(new.primaryKey),
      stored != key
    else { return }
    differences.append(
      "\(new.name) is stored with the primary key \(stored.string) and has \(key.string) in the program")
  }

  private static func compareIndexes(_ old: ModelSchema, _ new: ModelSchema, _ differences: inout [String]) {
    var storedIndexes: [ByteString: IndexSchema] = [:]
    for index in old.indexes { storedIndexes[ByteString(index.name)] = index }
    for index in new.indexes {
      guard let stored = storedIndexes.removeValue(forKey: ByteString(index.name)) else {
        differences.append("the index \(index.name) of \(new.name) is not stored")
        continue
      }
      let storedWords = old.describe(stored)
      let words = new.describe(index)
      if !storedWords.utf8.elementsEqual(words.utf8) {
        differences.append(
          "the index \(index.name) of \(new.name) is stored as \(storedWords) and is \(words) in the program")
      }
    }
    for index in old.indexes where storedIndexes[ByteString(index.name)] != nil {
      differences.append("the index \(index.name) of \(old.name) is stored and is not in the program")
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
