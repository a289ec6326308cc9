import QuarryBackend
import QuarryCore
import QuarryQuery

/// Groups of objects with figures of each: what the engine computes itself is its own, the rest is computed above it from the
/// streamed objects, in memory for the groups alone.
struct GroupQuery {
  var objects: QueryTree
  /// The names of the grouped columns, which may lead through references.
  var groups: [String]
  var terms: [GroupTerm]
  /// Whether values may get into a temporary file; not those of an encrypted store.
  var maySpill = true

  /// A result: the values of the groups and of the terms.
  struct Result {
    /// The columns, each optional, as properties of a model for conditions and orders.
    var model: ModelSchema
    var rows: [[Value]]
  }

  /// - Throws: `invalidQuery` for names that do not exist and for functions that a type does not have; `invalidValue` for a sum
  ///   that does not fit.
  func run(_ tx: ReadTransaction, _ models: [ModelSchema]) throws -> Result {
    let columns = try GroupColumns(groups, terms, objects.model, models)
    var properties = columns.groups.map { optional($0.name, $0) }
    for term in terms {
      let source = try term.column.map { try columns.property($0) }
      let type: PropertyType
      do throws(StorageError) {
        type = try term.function.type(of: source?.type, term.column)
      } catch {
        throw StorageError(error.code, "\(term.name): \(error.message)", model: objects.model, property: error.property)
      }
      properties.append(
        PropertySchema(
          name: term.name, type: type, isOptional: true, elementType: type == .array ? source?.elementType : nil))
    }
    let model = ModelSchema(name: objects.model, properties: properties, primaryKey: 0)
    let isPlain = !columns.hasPaths && terms.allSatisfy { $0.function.engine != nil }
    let rows: [[Value]]
    if isPlain {
      let figures = terms.compactMap { term in term.function.engine.map { ($0, term.column) } }
      rows = try tx.records.aggregate(objects, groupedBy: groups, figures).map { $0.groups + $0.values }
    } else {
      let streamed = try StreamedGroups(columns, terms, maySpill: maySpill)
      try tx.records.forEach(objects, columns: columns.names) { record in try streamed.add(record.values) }
      rows = try streamed.finish()
    }
    return Result(model: model, rows: rows)
  }

  private func optional(_ name: String, _ property: PropertySchema) -> PropertySchema {
    PropertySchema(name: name, type: property.type, isOptional: true, elementType: property.elementType)
  }
}

extension GroupQuery.Result {
  /// The rows that fulfil a condition over the columns.
  ///
  /// - Throws: `invalidQuery`.
  func filtered(_ condition: PredicateTree) throws -> [[Value]] {
    let layout = RowLayout(model)
    let predicate = try CompiledPredicate(QueryBinder(model).bind(condition), layout)
    let writer = RowWriter(layout)
    return try rows.filter { row in
      writer.begin()
      for (slot, value) in zip(layout.slots, row) { try writer.set(slot, value: value) }
      return try predicate.matches(writer.finish())
    }
  }

  /// The places of the columns of an order.
  ///
  /// - Throws: `invalidQuery` for a name that does not exist, and for a type without an order.
  func places(_ order: [QueryTree.SortKey]) throws -> [(place: Int, isDescending: Bool)] {
    let binder = QueryBinder(model)
    return try order.map { key in
      let place = try binder.slot(([key.property] + key.members).joined(separator: "."))
      guard model.properties[place].type.isOrdered else {
        throw StorageError(.invalidQuery, "values of the type \(model.properties[place].typeName) have no order")
      }
      return (place, key.isDescending)
    }
  }

  /// Sorts rows. Those that tie stay in the order of the groups.
  static func sort(_ rows: [[Value]], _ order: [(place: Int, isDescending: Bool)]) -> [[Value]] {
    guard !order.isEmpty else { return rows }
    let sorted = rows.enumerated().sorted { left, right in
      for key in order {
        let compared = ValueOrder.compare(left.element[key.place], right.element[key.place])
        if compared != 0 { return key.isDescending ? compared > 0 : compared < 0 }
      }
      return left.offset < right.offset
    }
    return sorted.map(\.element)
  }
}
