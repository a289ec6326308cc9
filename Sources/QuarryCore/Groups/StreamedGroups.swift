import QuarryBackend

/// Works out the figures of groups from their objects, which come one after the other.
///
/// Memory is that of the groups and of one sorter for each column whose values are needed in their order.
final class StreamedGroups {
  /// The first or last object of each group so far.
  private struct Extreme {
    var key: Key?
    var value: Value = .null
  }

  private let columns: GroupColumns
  private let terms: [GroupTerm]
  private let layout: RowLayout
  private let writer: RowWriter
  private let aggregator: RowAggregator
  private let keys = KeyWriter()
  private let groupPlaces: [Int]
  private var groups: [[Value]: Int] = [:]
  /// The engine's figures: of terms by their place, then averages for deviations.
  private let figures: [BoundAggregate.Column]
  private let figurePlaces: [Int?]
  private let averagePlaces: [Int?]
  private var extremes: [[Extreme]]
  private var sorted: [SortedColumn]
  private let sortedPlaces: [Int?]

  init(_ columns: GroupColumns, _ terms: [GroupTerm], memory: Int) throws(StorageError) {
    self.columns = columns
    self.terms = terms
    let model = columns.model
    layout = RowLayout(model)
    writer = RowWriter(layout)
    groupPlaces = columns.groups.compactMap { columns.place($0.name) }
    var figures: [BoundAggregate.Column] = []
    var figurePlaces: [Int?] = []
    var averagePlaces: [Int?] = []
    var sorted: [SortedColumn] = []
    var sortedPlaces: [Int?] = []
    for term in terms {
      let slot = term.column.flatMap { columns.place($0) }
      figurePlaces.append(term.function.engine != nil ? figures.count : nil)
      if let function = term.function.engine { figures.append(BoundAggregate.Column(function, slot: slot)) }
      averagePlaces.append(term.function == .deviation ? figures.count : nil)
      if term.function == .deviation { figures.append(BoundAggregate.Column(.average, slot: slot)) }
      guard term.function.needsOrder, let slot else {
        sortedPlaces.append(nil)
        continue
      }
      if let known = sorted.firstIndex(where: { $0.place == slot }) {
        sortedPlaces.append(known)
      } else {
        sortedPlaces.append(sorted.count)
        sorted.append(SortedColumn(slot, columns.properties[slot].type, memory: memory))
      }
    }
    self.figures = figures
    self.figurePlaces = figurePlaces
    self.averagePlaces = averagePlaces
    self.sorted = sorted
    self.sortedPlaces = sortedPlaces
    extremes = terms.map { _ in [] }
    aggregator = try RowAggregator(
      BoundAggregate(rows: BoundQuery(everyRowOf: model), groups: groupPlaces, columns: figures), model, layout)
    if groupPlaces.isEmpty { _ = group([]) }
  }

  private func group(_ values: [Value]) -> Int {
    if let known = groups[values] { return known }
    let number = groups.count
    groups[values] = number
    for (place, term) in terms.enumerated() where term.function.isByOrder { extremes[place].append(Extreme()) }
    for column in sorted { column.addGroup() }
    return number
  }

  /// Takes in an object, by the values of the columns.
  func add(_ values: [Value]) throws(StorageError) {
    writer.begin()
    for (slot, value) in zip(layout.slots, values) where !value.isNull { try writer.set(slot, value: value) }
    try aggregator.add(writer.finish())
    let number = group(groupPlaces.map { values[$0].inGroupForm })
    for column in sorted { try column.add(values[column.place], group: number) }
    for (place, term) in terms.enumerated() where term.function.isByOrder {
      try compare(values, term, &extremes[place][number])
    }
  }

  /// Keeps the object that comes first, or last, in the order of the term and then of the primary key.
  private func compare(_ values: [Value], _ term: GroupTerm, _ extreme: inout Extreme) throws(StorageError) {
    guard let order = term.order.flatMap({ columns.place($0) }), let value = term.column.flatMap({ columns.place($0) }),
      let id = columns.keyPlace, !values[order].isNull, !values[value].isNull
    else { return }
    keys.removeAll()
    for (place, isDescending) in [(order, term.isDescending), (id, false)] {
      try keys.append(
        values[place], type: columns.properties[place].type, isOptional: true, isDescending: isDescending, isLast: false
      )
    }
    if let key = extreme.key {
      let compared = key.bytes.withUnsafeBytes { keys.bytes.compare($0) }
      guard term.function == .first ? compared < 0 : compared > 0 else { return }
    }
    extreme = Extreme(key: keys.key, value: values[value])
  }

  /// The groups in their order: the values of each, and those of the terms.
  func finish() throws(StorageError) -> [[Value]] {
    let rows = try aggregator.finish()
    var averages: [[Double]] = terms.map { _ in [] }
    for (place, figure) in averagePlaces.enumerated() {
      guard let figure else { continue }
      averages[place] = Array(repeating: 0, count: groups.count)
      for row in rows {
        if let number = groups[row.groups] { averages[place][number] = row.values[figure].axisNumber ?? 0 }
      }
    }
    var ordered: [[Value]] = terms.map { _ in [] }
    for (number, column) in sorted.enumerated() {
      let uses = terms.indices.filter { sortedPlaces[$0] == number }
      let found = try column.finish(uses.map { (terms[$0].function, averages[$0]) })
      for (use, values) in zip(uses, found) { ordered[use] = values }
    }
    return rows.map { row in
      let number = groups[row.groups] ?? 0
      let values = terms.indices.map { place -> Value in
        if let figure = figurePlaces[place] { return row.values[figure] }
        if terms[place].function.isByOrder { return extremes[place][number].value }
        return ordered[place].indices.contains(number) ? ordered[place][number] : .null
      }
      return row.groups + values
    }
  }
}
