import QuarryBackend

/// Finds the differences between two states of stores, of any engines: models by their names, objects by their keys, both in
/// their order.
struct StoreComparer {
  let first: any BackendReadTransaction
  let second: any BackendReadTransaction

  /// Receives each difference, and returns whether to continue.
  typealias Body = (StoreDifference) throws -> Bool

  /// Compares the state of a transaction with the newest of a store.
  static func compare(_ first: ReadTransaction, _ other: some ReadScope, _ body: Body) throws {
    try other.readingAndCalling { second in
      try first.check()
      _ = try StoreComparer(first: first.backend, second: second.backend).run(body)
    }
  }

  /// The first differences, up to the given number.
  static func differences(
    _ first: ReadTransaction, from other: some ReadScope, _ limit: Int
  ) throws -> [StoreDifference] {
    var result: [StoreDifference] = []
    guard limit > 0 else { return result }
    try compare(first, other) { difference in
      result.append(difference)
      return result.count < limit
    }
    return result
  }

  /// - Returns: Whether the body received all differences.
  func run(_ body: Body) throws -> Bool {
    let (left, right) = (first.schema, second.schema)
    if left.programVersion ?? 0 != right.programVersion ?? 0 {
      let words = [left, right].map { "\($0.programVersion ?? 0)" }
      guard try body(.init(subject: .version, content: .declarations(first: words[0], second: words[1]))) else {
        return false
      }
    }
    for (name, models) in Self.paired(left.programModels, right.programModels, by: \.name) {
      switch models {
      case (let model?, let other?):
        guard try declarations(model, other, body), try objects(model, other, body) else { return false }
      case (let model, _):
        guard try body(.init(subject: .model(name), content: .onlyIn(model == nil ? .second : .first))) else {
          return false
        }
      }
    }
    return true
  }

  // MARK: Declarations

  private func declarations(_ first: ModelSchema, _ second: ModelSchema, _ body: Body) throws -> Bool {
    let model = first.name
    let keys = (first.keyDeclaration, second.keyDeclaration)
    if !keys.0.utf8.elementsEqual(keys.1.utf8) {
      let content = StoreDifference.Content.declarations(first: keys.0, second: keys.1)
      guard try body(.init(subject: .primaryKey(model: model), content: content)) else { return false }
    }
    let properties = Self.paired(
      first.liveSlots.map { first.properties[$0] }, second.liveSlots.map { second.properties[$0] }, by: \.name)
    for (name, pair) in properties {
      guard let content = Self.content(pair.0?.declaration, pair.1?.declaration) else { continue }
      guard try body(.init(subject: .property(model: model, name: name), content: content)) else { return false }
    }
    for (name, pair) in Self.paired(first.indexes, second.indexes, by: \.name) {
      guard let content = Self.content(pair.0?.declaration(in: first), pair.1?.declaration(in: second)) else {
        continue
      }
      guard try body(.init(subject: .index(model: model, name: name), content: content)) else { return false }
    }
    return true
  }

  private static func content(_ first: String?, _ second: String?) -> StoreDifference.Content? {
    switch (first, second) {
    case (let first?, let second?):
      first.utf8.elementsEqual(second.utf8) ? nil : .declarations(first: first, second: second)
    case (nil, nil): nil
    case (nil, _): .onlyIn(.second)
    case (_, nil): .onlyIn(.first)
    }
  }

  /// The items with the same name in both, in the order of the names' bytes.
  private static func paired<Element>(
    _ first: [Element], _ second: [Element], by name: KeyPath<Element, String>
  ) -> [(String, (Element?, Element?))] {
    var pairs: [ByteString: (Element?, Element?)] = [:]
    for element in first { pairs[ByteString(element[keyPath: name]), default: (nil, nil)].0 = element }
    for element in second { pairs[ByteString(element[keyPath: name]), default: (nil, nil)].1 = element }
    return pairs.map { ($0.key.string, $0.value) }.sorted { $0.0.utf8.lexicographicallyPrecedes($1.0.utf8) }
  }

  // MARK: Objects

  /// Walks the objects of both in the order of their keys. Models with keys of different properties or types are not
  /// compared: no object of one is an object of the other.
  private func objects(_ left: ModelSchema, _ right: ModelSchema, _ body: Body) throws -> Bool {
    guard left.keyProperty.name.utf8.elementsEqual(right.keyProperty.name.utf8),
      left.keyProperty.type == right.keyProperty.type, left.keyProperty.keyMembers == right.keyProperty.keyMembers
    else { return true }
    let shared = left.liveSlots.compactMap { slot -> (Int, Int)? in
      let property = left.properties[slot]
      guard let other = right.slot(named: property.name), right.properties[other].type == property.type,
        right.properties[other].elementType == property.elementType,
        right.properties[other].keyMembers == property.keyMembers
      else { return nil }
      return (slot, other)
    }
    let a = try ComparedRows(first, left, shared.map(\.0))
    let b = try ComparedRows(second, right, shared.map(\.1))
    while true {
      let order: Int
      switch (a.row, b.row) {
      case (nil, nil): return true
      case (.some, nil): order = -1
      case (nil, .some): order = 1
      case (.some, .some): order = a.key.compare(b.key)
      }
      if order == 0, let mine = a.row, let other = b.row {
        if mine.compare(other) != 0 {
          let difference = StoreDifference(
            subject: .object(model: left.name, key: try a.keyValue()), content: .values(try a.differences(from: b)))
          guard try body(difference) else { return false }
        }
        try a.advance()
        try b.advance()
      } else {
        let (rows, side) = order < 0 ? (a, StoreDifference.Side.first) : (b, .second)
        let subject = StoreDifference.Subject.object(model: left.name, key: try rows.keyValue())
        guard try body(.init(subject: subject, content: .onlyIn(side))) else { return false }
        try rows.advance()
      }
    }
  }
}

extension ModelSchema {
  /// The name of the primary key, and the way in which it is generated.
  fileprivate var keyDeclaration: String {
    keyWords + (keyGeneration.map { ", generated as \($0.rawValue)" } ?? "")
  }
}

/// The rows of one of two models that are compared, in the order of their keys.
private final class ComparedRows {
  /// The current row with the shared properties alone; nil at the end.
  private(set) var row: UnsafeRawBufferPointer?
  private let model: ModelSchema
  private let rows: RowProjection
  private let cursor: any RowCursor
  private let pointers = RowPointers()
  private let writer = KeyWriter()
  private var next = 0
  private var count = 0

  init(_ transaction: any BackendReadTransaction, _ model: ModelSchema, _ slots: [Int]) throws(StorageError) {
    self.model = model
    rows = RowProjection(model, slots: slots)
    cursor = try transaction.cursor(BoundQuery(everyRowOf: model))
    try advance()
  }

  deinit { cursor.close() }

  /// The key of the current row.
  var key: UnsafeRawBufferPointer { writer.bytes }

  func advance() throws(StorageError) {
    do throws(StorageError) {
      if next == count {
        count = try cursor.fill(pointers.buffer)
        next = 0
      }
      guard count > 0 else {
        row = nil
        return
      }
      let made = try rows.row(pointers.buffer[next])
      next += 1
      let (view, layout) = try rows.view(made)
      writer.removeAll()
      try writer.append(view, layout.keySlot, layout, isDescending: false, isLast: true)
      row = made
    } catch {
      throw error.with(model: model.name)
    }
  }

  func keyValue() throws(StorageError) -> Value {
    guard let row else { return .null }
    let (view, layout) = try rows.view(row)
    return CompoundKeyBytes.shown(try view.value(layout.keySlot, layout), layout.keyMembers)
  }

  func differences(from other: ComparedRows) throws(StorageError) -> [StoreDifference.PropertyDifference] {
    guard let mine = row, let its = other.row else { return [] }
    let (left, layout) = try rows.view(mine)
    let (right, otherLayout) = try other.rows.view(its)
    var result: [StoreDifference.PropertyDifference] = []
    for (place, property) in rows.model.properties.enumerated() {
      let values = (
        try value(left, layout, place), try value(right, otherLayout, place)
      )
      guard values.0 != values.1 else { continue }
      result.append(.init(name: property.name, first: values.0, second: values.1))
    }
    return result
  }

  /// A nil value stays nil here, whether the property may be nil or not.
  private func value(_ row: RowView, _ layout: RowLayout, _ place: Int) throws(StorageError) -> Value {
    let slot = layout.slots[place]
    guard !row.isNull(slot) else { return .null }
    let value = try row.value(slot, layout)
    return layout.compoundSlots.isEmpty ? value : CompoundKeyBytes.shown(value, layout.compoundSlots[place])
  }
}

extension PropertySchema {
  /// The property's type and default as people read them.
  fileprivate var declaration: String {
    typeName + (defaultValue.map { " = \(ValueText.literal($0))" } ?? "")
      + (search.map { " searchable with the weight \($0.weight)" } ?? "")
  }
}

extension IndexSchema {
  fileprivate func declaration(in model: ModelSchema) -> String {
    let names = columns.map { ($0.isDescending ? "-" : "") + model.properties[$0.slot].name }
    return (isUnique ? "unique " : "") + names.joined(separator: ", ")
  }
}
