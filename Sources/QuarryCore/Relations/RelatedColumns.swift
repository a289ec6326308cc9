import QuarryBackend
import QuarryQuery

/// The columns of records, including columns of objects that references lead to: `title`, `author.name`.
///
/// A property of the whole name comes first, so that one with a full stop in its name is found.
final class RelatedColumns {
  private struct Child {
    let name: ByteString
    /// The place of the reference among the slots.
    let place: Int
    let columns: RelatedColumns
  }

  private struct Column {
    /// The children to go through, and the place among the last one's slots.
    let path: [Int]
    let place: Int
  }

  private let model: ModelSchema
  private let layout: RowLayout
  private let binder: QueryBinder
  /// The slots that are read of each object.
  private var slots: [Int] = []
  private var children: [Child] = []
  private var columns: [Column] = []

  private init(_ model: ModelSchema) {
    self.model = model
    layout = RowLayout(model)
    binder = QueryBinder(model)
  }

  /// - Returns: Nil when all columns are the model's own.
  /// - Throws: `invalidQuery` for a name that does not exist, and for a path through a property that is no reference.
  convenience init?(_ names: [String], _ model: ModelSchema, _ schema: Schema) throws(StorageError) {
    guard names.contains(where: { $0.utf8.contains(UInt8(ascii: ".")) && model.slot(named: $0) == nil }) else {
      return nil
    }
    self.init(model)
    for name in names { columns.append(try column(name[...], schema, [])) }
  }

  /// The names of the columns that are read of the objects themselves.
  var ownNames: [String] { slots.map { model.properties[$0].name } }

  private func place(of slot: Int) -> Int {
    if let place = slots.firstIndex(of: slot) { return place }
    slots.append(slot)
    return slots.count - 1
  }

  private func column(_ name: Substring, _ schema: Schema, _ path: [Int]) throws(StorageError) -> Column {
    if let slot = model.slot(named: String(name)) { return Column(path: path, place: place(of: slot)) }
    guard let stop = name.firstIndex(of: ".") else {
      return Column(path: path, place: place(of: try binder.slot(String(name))))
    }
    guard path.count < PathResolver.maximumDepth else {
      throw PathResolver.tooDeep(model.name)
    }
    let child = try child(String(name[..<stop]), schema)
    return try children[child].columns.column(name[name.index(after: stop)...], schema, path + [child])
  }

  private func child(_ name: String, _ schema: Schema) throws(StorageError) -> Int {
    if let child = children.firstIndex(where: { $0.name == ByteString(name) }) { return child }
    let slot = try binder.slot(name)
    let target = try Self.target(of: slot, in: model, schema)
    children.append(Child(name: ByteString(name), place: place(of: slot), columns: RelatedColumns(target)))
    return children.count - 1
  }

  private static func target(
    of slot: Int, in model: ModelSchema, _ schema: Schema
  ) throws(StorageError) -> ModelSchema {
    let property = model.properties[slot]
    guard let reference = property.reference, let target = schema.model(named: reference.model) else {
      throw StorageError(
        .invalidQuery, "\(model.name).\(property.name) is not a reference", model: model.name, property: property.name)
    }
    return target
  }

  /// The names of a model's columns, and of the columns of the objects that its references lead to.
  ///
  /// - Parameter relations: Names of references, or paths of them.
  static func names(
    of model: ModelSchema, with relations: [String], _ schema: Schema
  ) throws(StorageError) -> [String] {
    var names = model.shownSlots.map { model.properties[$0].name }
    for (place, relation) in relations.enumerated() where !relations[..<place].contains(relation) {
      var target = model
      for name in relation.split(separator: ".", omittingEmptySubsequences: false) {
        target = try Self.target(of: try QueryBinder(target).slot(String(name)), in: target, schema)
      }
      names += target.shownSlots.map { "\(relation).\(target.properties[$0].name)" }
    }
    return names
  }

  // MARK: Reading

  private struct Loaded {
    /// Nil where no object is.
    var rows: [[Value]?]
    var children: [Loaded] = []
  }

  /// The values of the columns, of objects whose own values were read: one more read for each reference.
  func values(
    of rows: [[Value]], in backend: any BackendReadTransaction
  ) throws(StorageError) -> [[Value]] {
    let loaded = try load(rows, backend)
    return rows.indices.map { row in
      columns.map { column in
        var objects = loaded
        for child in column.path { objects = objects.children[child] }
        return objects.rows[row]?[column.place] ?? .null
      }
    }
  }

  private func load(
    _ rows: [[Value]?], _ backend: any BackendReadTransaction
  ) throws(StorageError) -> Loaded {
    var loaded = Loaded(rows: rows)
    for child in children {
      let columns = child.columns
      let related = try backend.rows(columns.model, withKeys: rows.map { $0?[child.place] ?? .null }) {
        row throws(StorageError) in
        try ReadTransaction.values(row, columns.slots, columns.layout, columns.model)
      }
      loaded.children.append(try columns.load(related, backend))
    }
    return loaded
  }
}
