import QuarryBackend
import QuarryData

/// Stored models with changes put into them, one after the other.
struct SchemaDraft {
  /// A model in its stored and its future form; slots are the store's slots.
  struct Model: Sendable {
    let stored: ModelSchema
    var code: ModelSchema
    /// Its new name, if it gets one.
    var name: String?
    var isDropped = false
    var renamedSlots: Set<Int> = []
    var droppedSlots: Set<Int> = []
    var retypedSlots: Set<Int> = []

    init(_ stored: ModelSchema) {
      self.stored = stored
      code = stored
    }
  }

  private(set) var models: [Model]

  init(_ stored: [ModelSchema]) {
    models = stored.map { Model($0) }
  }

  // MARK: Changes

  mutating func renameModel(_ change: NameChange) throws(StorageError) {
    let place = try model(named: change.old)
    guard models[place].name == nil else { throw Self.wrong("is renamed twice", change.old) }
    models[place].name = change.new
    models[place].code.name = change.new
  }

  mutating func rename(_ change: NameChange) throws(StorageError) {
    let (place, slot) = try property(change.old)
    guard models[place].renamedSlots.insert(slot).inserted else {
      throw Self.wrong("is renamed twice", models[place].stored.name, models[place].stored.properties[slot].name)
    }
    models[place].code.properties[slot].name = change.new
  }

  /// Drops a property, or a model.
  mutating func drop(_ path: String) throws(StorageError) {
    if let place = models.firstIndex(where: { ByteString($0.stored.name) == ByteString(path) }) {
      let model = models[place]
      guard model.name == nil, model.renamedSlots.isEmpty else {
        throw Self.wrong("is dropped and changed", model.stored.name)
      }
      models[place].isDropped = true
      return
    }
    guard path.utf8.contains(UInt8(ascii: ".")) else {
      _ = try model(named: path)
      return
    }
    let (place, slot) = try property(path)
    let name = models[place].stored.properties[slot].name
    guard !models[place].stored.isOfKey(slot) else {
      throw Self.wrong("is the primary key and cannot be dropped", models[place].stored.name, name)
    }
    guard !models[place].renamedSlots.contains(slot) else {
      throw Self.wrong("is dropped and renamed", models[place].stored.name, name)
    }
    models[place].droppedSlots.insert(slot)
  }

  mutating func convert(_ change: TypeChange) throws(StorageError) {
    let (place, slot) = try kept(change.path)
    let stored = models[place].stored.properties[slot]
    guard models[place].stored.keyMembers == nil || !models[place].stored.isOfKey(slot) else {
      throw Self.wrong("is in a compound primary key and cannot be converted", models[place].stored.name, stored.name)
    }
    guard models[place].retypedSlots.insert(slot).inserted else {
      throw Self.wrong("is converted twice", models[place].stored.name, stored.name)
    }
    models[place].code.properties[slot].type = change.type.type
    models[place].code.properties[slot].elementType = change.type.elementType
    models[place].code.properties[slot].isOptional = change.type.isOptional
    if let value = stored.defaultValue {
      // Every object is rewritten, so that none needs a default that the new type does not have.
      let property = models[place].code.properties[slot]
      models[place].code.properties[slot].defaultValue = try? ValueConversion.convert(value, to: property)
    }
  }

  mutating func makeOptional(_ path: String) throws(StorageError) {
    let (place, slot) = try kept(path)
    guard !models[place].stored.isOfKey(slot) else {
      throw Self.wrong(
        "is the primary key, which is never nil", models[place].stored.name, models[place].stored.keyProperty.name)
    }
    models[place].code.properties[slot].isOptional = true
  }

  mutating func generateKeys(of name: String) throws(StorageError) {
    let place = try model(named: name)
    let key = models[place].code.keyProperty
    guard models[place].code.keyMembers == nil, let generation = KeyGeneration(key.type) else {
      throw Self.wrong("is \(key.typeName), and only an integer or a UUID can be generated", name, key.name)
    }
    models[place].code.keyGeneration = generation
  }

  mutating func dropIndex(_ path: String) throws(StorageError) {
    let (place, name) = try split(path)
    let model = models[place].stored
    guard let index = model.indexes.first(where: { ByteString($0.name) == ByteString(name) }) else {
      let hint = NearestName.suggestion(for: name, among: model.indexes.map(\.name))
      throw StorageError(.invalidQuery, "there is no index \(name.excerpt)\(hint)", model: model.name)
    }
    models[place].code.indexes.removeAll { $0.id == index.id }
  }

  /// Adds an index over `Book.year,-title`, unless there is one over the same columns that does as much.
  mutating func addIndex(_ path: String, isUnique: Bool) throws(StorageError) {
    let (place, list) = try split(path)
    let model = models[place]
    var columns: [IndexSchema.Column] = []
    for part in list.split(separator: ",", omittingEmptySubsequences: false).map(String.init) {
      let isDescending = part.utf8.first == UInt8(ascii: "-") && model.stored.slot(named: part) == nil
      let slot = try slot(isDescending ? String(part.dropFirst()) : part, of: place)
      guard !model.droppedSlots.contains(slot) else { throw Self.wrong("is dropped", model.stored.name, part) }
      columns.append(IndexSchema.Column(slot: slot, isDescending: isDescending))
    }
    if model.code.indexes.contains(where: { $0.columns == columns && ($0.isUnique || !isUnique) }) { return }
    var name = columns.map { model.code.properties[$0.slot].name }.joined(separator: "_")
    func isTaken(_ name: String) -> Bool {
      model.code.indexes.contains { $0.name.lowercased().utf8.elementsEqual(name.lowercased().utf8) }
    }
    if isTaken(name) { name += isUnique ? "_unique" : "_index" }
    while isTaken(name) { name += "_" }
    models[place].code.indexes.append(IndexSchema(name: name, columns: columns, isUnique: isUnique))
  }

  /// Turns a property into a reference, with an index, which every reference has.
  mutating func refer(
    _ change: NameChange, _ rule: PropertySchema.Reference.DeleteRule?
  ) throws(StorageError) {
    let (place, slot) = try kept(change.old)
    let target = models[try model(named: change.new)]
    let property = models[place].code.properties[slot]
    guard !target.isDropped else { throw Self.wrong("is dropped and referred to", target.stored.name) }
    models[place].code.properties[slot].reference = PropertySchema.Reference(
      to: target.stored.name, deleteRule: rule ?? (property.isOptional ? .nullify : .deny))
    guard property.keyMembers == target.code.keyProperty.keyMembers else {
      throw Self.wrong(
        "is \(property.typeName), and the key of \(target.stored.name) is \(target.code.keyProperty.typeName)",
        models[place].stored.name, property.name)
    }
    guard slot != models[place].code.primaryKey,
      !models[place].code.indexes.contains(where: { $0.columns.first?.slot == slot })
    else { return }
    try addIndex(change.old, isUnique: false)
  }

  /// References follow the models that get other names.
  mutating func renameReferences() {
    for place in models.indices {
      for slot in models[place].code.properties.indices {
        guard let name = models[place].code.properties[slot].reference?.model,
          let target = models.first(where: { ByteString($0.stored.name) == ByteString(name) })
        else { continue }
        models[place].code.properties[slot].reference?.model = target.code.name
      }
    }
  }

  // MARK: Names

  private func model(named name: String) throws(StorageError) -> Int {
    if let place = models.firstIndex(where: { ByteString($0.stored.name) == ByteString(name) }) { return place }
    throw .noModel(name, among: models.map(\.stored.name))
  }

  /// The model that a path begins with, and the rest after the point. Names may have points in them.
  private func split(_ path: String) throws(StorageError) -> (model: Int, rest: String) {
    var best: (place: Int, length: Int)?
    for (place, model) in models.enumerated() {
      let head = Array(model.stored.name.utf8) + [UInt8(ascii: ".")]
      if path.utf8.starts(with: head), head.count > best?.length ?? 0 { best = (place, head.count) }
    }
    if let best {
      guard !models[best.place].isDropped else {
        throw Self.wrong("is dropped and changed", models[best.place].stored.name)
      }
      return (best.place, String(decoding: path.utf8.dropFirst(best.length), as: UTF8.self))
    }
    guard let point = path.utf8.firstIndex(of: UInt8(ascii: ".")) else {
      throw StorageError(.invalidQuery, "\(path.excerpt) names no model; write one before it, with a point")
    }
    return (try model(named: String(path[..<point])), "")
  }

  private func slot(_ name: String, of place: Int) throws(StorageError) -> Int {
    let model = models[place].stored
    if let slot = model.slot(named: name) { return slot }
    throw .noProperty(name, in: model.name, among: model.propertyNames)
  }

  private func property(_ path: String) throws(StorageError) -> (model: Int, slot: Int) {
    let (place, name) = try split(path)
    return (place, try slot(name, of: place))
  }

  /// A property that is not dropped.
  private func kept(_ path: String) throws(StorageError) -> (model: Int, slot: Int) {
    let (place, slot) = try property(path)
    guard !models[place].droppedSlots.contains(slot) else {
      throw Self.wrong("is dropped and changed", models[place].stored.name, models[place].stored.properties[slot].name)
    }
    return (place, slot)
  }

  private static func wrong(_ what: String, _ model: String, _ property: String? = nil) -> StorageError {
    let kind = property == nil ? "model" : "property"
    return StorageError(.invalidQuery, "the \(kind) \(what)", model: model, property: property)
  }
}

extension SchemaDraft.Model {
  /// The slots whose values are rewritten, because they have another type or may no longer be nil.
  var convertedSlots: Set<Int> {
    retypedSlots.filter { slot in
      let (old, new) = (stored.properties[slot], code.properties[slot])
      return old.type != new.type || old.elementType != new.elementType || (old.isOptional && !new.isOptional)
    }
  }

  /// The model in its future form, without dropped properties: its slots are the places of its properties.
  func program() throws(StorageError) -> ModelSchema {
    let slots = code.liveSlots.filter { !droppedSlots.contains($0) }
    var places: [Int: Int] = [:]
    for (place, slot) in slots.enumerated() { places[slot] = place }
    guard let key = places[code.primaryKey] else {
      throw StorageError(.corrupt, "the primary key is not a property", model: stored.name)
    }
    var indexes: [IndexSchema] = []
    for index in code.indexes {
      let columns = index.columns.compactMap { column in
        places[column.slot].map { IndexSchema.Column(slot: $0, isDescending: column.isDescending) }
      }
      // An index is dropped with the first of its properties that is dropped.
      if columns.count == index.columns.count {
        indexes.append(IndexSchema(name: index.name, columns: columns, isUnique: index.isUnique))
      }
    }
    return ModelSchema(
      name: code.name, properties: slots.map { code.properties[$0] }, primaryKey: key, indexes: indexes,
      keyGeneration: code.keyGeneration, keyMembers: code.keyMembers?.compactMap { places[$0] },
      syncName: code.syncName)
  }
}
