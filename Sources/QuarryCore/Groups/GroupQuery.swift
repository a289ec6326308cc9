import QuarryBackend
import QuarryQuery

/// Groups of objects with figures of each: the engine computes its own functions, and the others are computed above it from
/// the streamed objects.
///
/// Memory is that of the groups.
package struct GroupQuery: Sendable {
  package var objects: QueryTree
  /// The names of the grouped columns, which may lead through references.
  package var groups: [String]
  package var terms: [GroupTerm]

  package init(_ objects: QueryTree, by groups: [String], _ terms: [GroupTerm]) {
    self.objects = objects
    self.groups = groups
    self.terms = terms
  }

  /// A result: the values of the groups and of the terms.
  package struct Result: Sendable {
    /// The columns, each optional, as properties of a model for conditions and orders.
    package var model: ModelSchema
    package var rows: [[Value]]
  }

  /// - Throws: `invalidQuery` for names that do not exist and for functions that a type does not have; `invalidValue` for a sum
  ///   that does not fit.
  package func run(_ tx: ReadTransaction) throws(StorageError) -> Result {
    let source = try tx.modelSchema(objects.model)
    return try tx.describing(source) { () throws(StorageError) in try run(tx, source) }
  }

  private func run(_ tx: ReadTransaction, _ source: ModelSchema) throws(StorageError) -> Result {
    let columns = try GroupColumns(groups, terms, source, tx.backend.schema)
    let model = ModelSchema(name: objects.model, properties: try properties(columns), primaryKey: 0)
    guard columns.hasPaths || columns.hasSpans || terms.contains(where: { $0.function.engine == nil }) else {
      let figures = terms.compactMap { term in term.function.engine.map { (function: $0, property: term.column) } }
      let binder = QueryBinder(source)
      let bound = try binder.bind(tx.bind(objects, source, binder), groups: groups, columns: figures)
      return Result(model: model, rows: try tx.aggregate(bound).map(\.all))
    }
    let streamed = try StreamedGroups(columns, terms, memory: tx.context.memory)
    try tx.visit(objects, columns.names) { record throws(StorageError) in
      try streamed.add(columns.values(record.values))
    }
    return Result(model: model, rows: try streamed.finish())
  }

  /// The columns of the result: the groups, then the terms.
  private func properties(_ columns: GroupColumns) throws(StorageError) -> [PropertySchema] {
    func optional(_ name: String, _ type: PropertyType, _ element: PropertyType?) -> PropertySchema {
      PropertySchema(name: name, type: type, isOptional: true, elementType: type == .array ? element : nil)
    }
    var properties = columns.groups.map { optional($0.name, $0.type, $0.elementType) }
    for term in terms {
      var source: PropertySchema?
      if let column = term.column { source = try columns.property(column) }
      do throws(StorageError) {
        let type = try term.function.type(of: source?.type, term.column)
        properties.append(optional(term.name, type, source?.elementType))
      } catch {
        throw StorageError(error.code, "\(term.name): \(error.message)", property: error.property)
      }
    }
    return properties
  }
}

extension GroupQuery.Result {
  /// The rows that fulfil a condition over the columns.
  ///
  /// - Throws: `invalidQuery`.
  package func filtered(_ condition: PredicateTree) throws(StorageError) -> [[Value]] {
    let layout = RowLayout(model)
    let predicate = try CompiledPredicate(QueryBinder(model).bind(condition), layout)
    let writer = RowWriter(layout)
    var result: [[Value]] = []
    for row in rows {
      writer.begin()
      for (slot, value) in zip(layout.slots, row) { try writer.set(slot, value: value) }
      if try predicate.matches(writer.finish()) { result.append(row) }
    }
    return result
  }

  /// The rows in an order over the columns. Those that tie stay in the order of the groups.
  ///
  /// - Throws: `invalidQuery` for a name that does not exist, and for a type without an order.
  package func sorted(_ order: [QueryTree.SortKey]) throws(StorageError) -> [[Value]] {
    let binder = QueryBinder(model)
    var places: [(place: Int, isDescending: Bool)] = []
    for key in order {
      let place = try binder.slot(([key.property] + key.members).joined(separator: "."))
      guard model.properties[place].type.isOrdered else {
        throw StorageError(.invalidQuery, "values of the type \(model.properties[place].typeName) have no order")
      }
      places.append((place, key.isDescending))
    }
    let sorted = rows.enumerated().sorted { left, right in
      for key in places {
        let compared = ValueOrder.compare(left.element[key.place], right.element[key.place])
        if compared != 0 { return key.isDescending ? compared > 0 : compared < 0 }
      }
      return left.offset < right.offset
    }
    return sorted.map(\.element)
  }
}
