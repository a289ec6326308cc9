import QuarryBackend
import QuarryCore

/// The rule of a column that is not joined by its later stamp alone.
struct StoredMerge: Sendable, Hashable {
  var rule: MergeRule
  /// The name of the columns that are stamped together; nil for none.
  var group: String?

  /// Nil for the rule of a column that says nothing.
  init?(_ option: MergeOption) {
    switch option.kind {
    case .latest: return nil
    case .maximum: self.init(rule: .maximum)
    case .minimum: self.init(rule: .minimum)
    case .counter: self.init(rule: .counter)
    case .set: self.init(rule: .set)
    case .group(let name): self.init(rule: .latest, group: name)
    }
  }

  init(rule: MergeRule, group: String? = nil) {
    self.rule = rule
    self.group = group
  }

  /// The rule as a program declares it.
  var text: String {
    switch rule {
    case .latest: group.map { ".row(\"\($0)\")" } ?? ".lww"
    case .maximum: ".max"
    case .minimum: ".min"
    case .counter: ".counter"
    case .set: ".set"
    }
  }
}

/// The merge rules of a store: for each model the columns that have another one than the later stamp, by the names by which both
/// travel.
struct StoredMerges: Sendable, Hashable {
  private(set) var models: [String: [String: StoredMerge]] = [:]

  var isEmpty: Bool { models.isEmpty }

  subscript(model: String) -> [String: StoredMerge] {
    get { models[model] ?? [:] }
    set { models[model] = newValue.isEmpty ? nil : newValue }
  }

  /// The columns of a model that are stamped together.
  func groups(_ model: String) -> [[SyncName]] {
    let grouped = self[model].compactMap { column, merge in merge.group.map { (column, $0) } }
    return Dictionary(grouping: grouped) { $0.1 }.sorted { $0.key < $1.key }.map { group in
      group.value.map { SyncName($0.0) }.sorted()
    }
  }

  func encode(to writer: inout SyncWriter) {
    var columns: [MergeRules.Column: StoredMerge] = [:]
    for (model, merges) in models {
      for (column, merge) in merges { columns[MergeRules.Column(SyncName(model), SyncName(column))] = merge }
    }
    writer.map(columns) { writer, column, merge in
      writer.name(column.model)
      writer.name(column.column)
      writer.byte(merge.rule.rawValue)
      writer.name(SyncName(merge.group ?? ""))
    }
  }

  init() {}

  init(from reader: inout SyncReader) throws(StorageError) {
    let columns: [MergeRules.Column: StoredMerge] = try reader.map { reader throws(StorageError) in
      let column = MergeRules.Column(try reader.name(), try reader.name())
      guard let rule = MergeRule(rawValue: try reader.byte()) else { throw SyncReader.damaged }
      let group = try reader.name().text
      return (column, StoredMerge(rule: rule, group: group.isEmpty ? nil : group))
    }
    for (column, merge) in columns { models[column.model.text, default: [:]][column.column.text] = merge }
  }
}

extension StoredMerges {
  /// The rules after the models of a program were declared. Models that it does not know keep theirs.
  ///
  /// - Parameters:
  ///   - other: The rules of a store whose models this one takes over; used for models that are new here.
  ///   - synced: The names of the models that are synced already.
  /// - Throws: `unsupported` for a rule that does not fit its property, and for a changed one that would join the records of
  ///   two stores in two ways.
  func declaring(
    _ declarations: [SyncDeclaration], like other: StoredMerges, _ schema: Schema, _ names: [String], synced: [String]
  ) throws(StorageError) -> StoredMerges {
    var result = StoredMerges()
    for name in names {
      guard let model = schema.model(named: name) else { continue }
      let isKnown = synced.contains(name)
      let known = isKnown ? self[model.travelName] : other[model.travelName]
      var merges = known
      if let declared = declarations.first(where: { $0.model == name }) {
        merges = [:]
        for (property, option) in declared.merges {
          guard let slot = model.slot(named: property), let merge = StoredMerge(option) else { continue }
          merges[model.properties[slot].travelName] = merge
        }
        if isKnown { try Self.check(from: known, to: merges, model) }
      }
      merges = merges.filter { model.slot(travelling: $0.key) != nil }
      try Self.check(merges, model)
      result[model.travelName] = merges
    }
    return result
  }

  private static func check(
    from old: [String: StoredMerge], to new: [String: StoredMerge], _ model: ModelSchema
  ) throws(StorageError) {
    for column in Set(old.keys).union(new.keys).sorted() {
      guard let slot = model.slot(travelling: column) else { continue }
      let (before, after) = (old[column]?.rule ?? .latest, new[column]?.rule ?? .latest)
      // What was written before is the first value of a counter, and the first elements of a set.
      guard before != after, before != .latest || after == .maximum || after == .minimum else { continue }
      throw StorageError(
        .unsupported,
        "the merge rule was \(StoredMerge(rule: before).text) and is now \(StoredMerge(rule: after).text), but stores may have joined "
          + "values by the old rule: end sync in all stores and enable it again, or keep the rule",
        model: model.name, property: model.properties[slot].name)
    }
  }

  /// Checks that rules fit their columns.
  private static func check(_ merges: [String: StoredMerge], _ model: ModelSchema) throws(StorageError) {
    let unique = Set(model.indexes.filter(\.isUnique).flatMap { $0.columns.map(\.slot) })
    for (column, merge) in merges.sorted(by: { $0.key < $1.key }) {
      guard let slot = model.slot(travelling: column) else { continue }
      let name = model.properties[slot].name
      func refuse(_ message: String) -> StorageError {
        StorageError(.unsupported, "@Merge(\(merge.text)) \(message)", model: model.name, property: name)
      }
      if slot == model.primaryKey || model.keyMembers?.contains(slot) == true {
        throw refuse("does not fit the primary key, which is never written again")
      }
      guard merge.rule != .latest else { continue }
      if model.properties[slot].reference != nil { throw refuse("does not fit a reference") }
      if unique.contains(slot) { throw refuse("does not fit a unique property: a merge cannot compute its value") }
      if let problem = problem(merge.rule, model.properties[slot]) { throw refuse(problem) }
    }
  }

  private static func problem(_ rule: MergeRule, _ property: PropertySchema) -> String? {
    let isNumber = property.type == .int64 && !property.isOptional
    let isSet = property.type == .array && !property.isOptional
    switch rule {
    case .counter:
      if !isNumber { return "is for an Int or Int64 that is not optional" }
      let start = property.defaultValue ?? .int(0)
      return start == .int(0) ? nil : "needs the default 0, which objects have that are older than the property"
    case .set:
      if !isSet || property.elementType?.isFloatingPoint == true {
        return "is for an array that is not optional, of elements without floating point"
      }
      let start = property.defaultValue ?? .array([])
      return start == .array([]) ? nil : "needs an empty default, which objects have that are older than the property"
    case .maximum, .minimum:
      if property.type == .array || property.type == .nested { return "is for values that have an order" }
      return rule == .minimum && property.isOptional
        ? "is for properties that are not optional: nil is less than every value" : nil
    case .latest: return nil
    }
  }
}

extension ModelSchema {
  /// The slot of the column that travels by this name.
  fileprivate func slot(travelling name: String) -> Int? {
    liveSlots.first { properties[$0].travelName.utf8.elementsEqual(name.utf8) }
  }
}

extension PropertyType {
  fileprivate var isFloatingPoint: Bool { self == .float || self == .double }
}
