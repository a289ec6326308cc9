import QuarryBackend
import QuarryQuery

/// The columns that groups and their figures are made of.
struct GroupColumns {
  /// The names of all columns that are read, each once.
  private(set) var names: [String] = []
  /// The columns that groups and figures are made of, as properties of a model; each may be nil.
  private(set) var properties: [PropertySchema] = []
  /// For each of them, the place of the column that is read, and the span of its dates.
  private var sources: [(place: Int, span: DateSpan?)] = []
  /// The columns to group by.
  private(set) var groups: [PropertySchema] = []
  /// The place of the primary key among the columns, where an order needs it to be decided.
  private(set) var keyPlace: Int?
  /// Whether a column leads through a reference.
  private(set) var hasPaths = false
  /// Whether a column has spans of the dates of another.
  private(set) var hasSpans = false
  private var places: [ByteString: Int] = [:]

  /// - Throws: `invalidQuery`.
  init(
    _ groups: [String], _ terms: [GroupTerm], _ model: ModelSchema, _ schema: Schema
  ) throws(StorageError) {
    for name in groups {
      let place = try add(name, model, schema)
      guard properties[place].type.isOrdered else {
        throw StorageError(
          .invalidQuery, "values of the type \(properties[place].typeName) cannot be grouped", model: model.name,
          property: name)
      }
      self.groups.append(properties[place])
    }
    for term in terms {
      if let column = term.column { _ = try add(column, model, schema) }
      if let order = term.order {
        let place = try add(order, model, schema)
        guard properties[place].type.isOrdered else {
          throw StorageError(
            .invalidQuery, "values of the type \(properties[place].typeName) have no order", model: model.name,
            property: order)
        }
        keyPlace = try add(model.keyProperty.name, model, schema)
      }
    }
    // Objects are read with at least one column.
    if names.isEmpty { _ = try add(model.keyProperty.name, model, schema) }
  }

  func place(_ name: String) -> Int? { places[ByteString(name)] }

  func property(_ name: String) throws(StorageError) -> PropertySchema {
    guard let place = place(name) else { throw StorageError(.invalidQuery, "there is no column \(name.shortened)") }
    return properties[place]
  }

  /// The columns as a model, whose rows the engine's own functions are applied to.
  var model: ModelSchema { ModelSchema(name: "groups", properties: properties, primaryKey: 0) }

  /// The values of the columns, of an object's values that were read.
  ///
  /// - Throws: `invalidValue` for a date that no span has.
  func values(_ read: [Value]) throws(StorageError) -> [Value] {
    guard hasSpans else { return read }
    var result: [Value] = []
    result.reserveCapacity(sources.count)
    for (number, source) in sources.enumerated() {
      guard let span = source.span, case .date(let date) = read[source.place] else {
        result.append(read[source.place])
        continue
      }
      guard let start = span.start(of: date) else {
        throw StorageError(
          .invalidValue, "a date outside the years 0 to 9999 is in no \(span)", property: properties[number].name)
      }
      result.append(.date(start))
    }
    return result
  }

  private mutating func add(
    _ name: String, _ model: ModelSchema, _ schema: Schema
  ) throws(StorageError) -> Int {
    if let place = places[ByteString(name)] { return place }
    var column = name
    var span: DateSpan?
    // A property may have such a name itself.
    if model.slot(named: name) == nil, let parsed = DateSpan.call(name) {
      span = DateSpan(rawValue: parsed.word.lowercased())
      column = parsed.column
      guard span != nil else {
        let spans = DateSpan.allCases.map(\.rawValue).joined(separator: ", ")
        throw StorageError(
          .invalidQuery, "there is no span of time \(parsed.word.shortened); there are \(spans)", model: model.name)
      }
    }
    let found = try resolve(column[...], model, schema, depth: 0)
    if let span {
      guard found.type == .date else {
        throw StorageError(
          .invalidQuery, "\(span) needs a column of dates, and \(column.shortened) is of the type \(found.typeName)",
          model: model.name, property: column)
      }
      hasSpans = true
    }
    let read = names.firstIndex { ByteString($0) == ByteString(column) } ?? names.count
    if read == names.count { names.append(column) }
    properties.append(
      PropertySchema(name: name, type: found.type, isOptional: true, elementType: found.elementType))
    sources.append((read, span))
    places[ByteString(name)] = properties.count - 1
    return properties.count - 1
  }

  private mutating func resolve(
    _ name: Substring, _ model: ModelSchema, _ schema: Schema, depth: Int
  ) throws(StorageError) -> PropertySchema {
    if let slot = model.slot(named: String(name)) { return model.properties[slot] }
    guard let stop = name.firstIndex(of: "."), depth < PathResolver.maximumDepth else {
      return model.properties[try QueryBinder(model).slot(String(name))]
    }
    hasPaths = true
    let slot = try QueryBinder(model).slot(String(name[..<stop]))
    guard let reference = model.properties[slot].reference,
      let target = schema.model(named: reference.model)
    else {
      throw StorageError(
        .invalidQuery, "\(model.name).\(model.properties[slot].name) is not a reference", model: model.name,
        property: model.properties[slot].name)
    }
    return try resolve(name[name.index(after: stop)...], target, schema, depth: depth + 1)
  }
}
