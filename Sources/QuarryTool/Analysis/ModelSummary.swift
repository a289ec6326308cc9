import QuarryBackend
import QuarryCore
import QuarryQuery

/// Figures of the properties of a model, found in one read transaction and in bounded memory.
struct ModelSummary {
  var model: ModelSchema
  var rows: Int
  var properties: [PropertySummary]

  /// How much is found.
  struct Options {
    /// The number of most frequent values.
    var top = 5
    /// The greatest number of ranges in a histogram.
    var buckets = 10
  }

  /// What one pass over the objects collects of a property.
  private struct Collector {
    var counts = ValueCounts()
    var least: Value?
    var greatest: Value?
    var recount: [Value: Int] = [:]

    /// The least and the greatest finite number.
    mutating func widen(_ value: Value) {
      guard let number = value.axisNumber, number.isFinite else { return }
      if least.map({ ValueOrder.compare(value, $0) < 0 }) ?? true { least = value }
      if greatest.map({ ValueOrder.compare(value, $0) > 0 }) ?? true { greatest = value }
    }
  }

  /// - Parameter columns: The names of the properties; all of them when nil.
  init(_ query: QueryTree, columns: [String]?, _ options: Options, in tx: ReadTransaction) throws {
    let model = try tx.model(named: query.model)
    var slots = model.shownSlots
    if let columns { slots = try columns.map { column throws(StorageError) in try QueryBinder(model).slot(column) } }
    self.model = model
    properties = slots.map { slot in
      let isKey = slot == model.primaryKey
      return PropertySummary(
        property: model.properties[slot], isKey: isKey, generation: isKey ? model.keyGeneration : nil)
    }
    rows = try tx.records.count(query)
    try readTotals(query, tx)
    var collectors = properties.map { _ in Collector() }
    try readValues(query, &collectors, tx)
    try finish(query, &collectors, options, tx)
  }

  /// Figures that the engine knows exactly.
  private mutating func readTotals(_ query: QueryTree, _ tx: ReadTransaction) throws {
    var columns: [(function: AggregateFunction, property: String?)] = []
    var uses: [(property: Int, function: AggregateFunction)] = []
    for (place, summary) in properties.enumerated() {
      let type = summary.property.type
      var functions: [AggregateFunction] = [.count]
      if type.isOrdered { functions += [.min, .max] }
      if type.isNumeric { functions.append(.average) }
      for function in functions {
        columns.append((function, summary.property.name))
        uses.append((place, function))
      }
    }
    // An engine may have a limit for the columns of one result.
    var totals: [Value] = []
    for start in stride(from: 0, to: columns.count, by: 256) {
      let part = Array(columns[start..<min(start + 256, columns.count)])
      totals += try tx.records.aggregate(query, part).first?.values ?? part.map { _ in .null }
    }
    for (use, value) in zip(uses, totals) {
      properties[use.property].rows = rows
      switch use.function {
      case .count: properties[use.property].values = value.integer.map { Int(clamping: $0) } ?? 0
      case .min: properties[use.property].minimum = value.isNull ? nil : value
      case .max: properties[use.property].maximum = value.isNull ? nil : value
      case .average: properties[use.property].mean = value.isNull ? nil : value
      case .sum: break
      }
    }
  }

  /// The first pass: different values, and the range of the finite ones.
  private func readValues(_ query: QueryTree, _ collectors: inout [Collector], _ tx: ReadTransaction) throws {
    var found = collectors
    let names = properties.map(\.property.name)
    let keys = properties.map(\.isKey)
    try tx.records.forEach(query, columns: names) { record in
      for (place, value) in record.values.enumerated() where !value.isNull {
        found[place].widen(value)
        if !keys[place] { found[place].counts.add(value) }
      }
    }
    collectors = found
  }

  /// The second pass: histograms, and the exact counts of candidates.
  private mutating func finish(
    _ query: QueryTree, _ collectors: inout [Collector], _ options: Options, _ tx: ReadTransaction
  ) throws {
    var histograms = collectors.map { collector -> Histogram? in
      guard let least = collector.least, let greatest = collector.greatest else { return nil }
      return Histogram(least: least, greatest: greatest, buckets: options.buckets)
    }
    var recounts = collectors.map { $0.counts.isExact ? nil : $0.counts.candidates }
    let places = properties.indices.filter { histograms[$0] != nil || recounts[$0]?.isEmpty == false }
    if !places.isEmpty {
      try tx.records.forEach(query, columns: places.map { properties[$0].property.name }) { record in
        for (place, value) in zip(places, record.values) where !value.isNull {
          histograms[place]?.add(value)
          let group = value.inGroupForm
          if let count = recounts[place]?[group] { recounts[place]?[group] = count + 1 }
        }
      }
    }
    for place in properties.indices {
      properties[place].histogram = histograms[place]
      let counts = collectors[place].counts
      if properties[place].isKey {
        properties[place].distinct = properties[place].values
        continue
      }
      properties[place].distinct = counts.distinct
      properties[place].isDistinctBound = !counts.isExact
      properties[place].mostFrequent = counts.mostFrequent(options.top, recount: recounts[place])
      properties[place].unlistedBound = counts.rounds
    }
  }
}
