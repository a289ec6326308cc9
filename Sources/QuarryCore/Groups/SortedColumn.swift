import QuarryBackend

/// The values of one column, sorted in each group, and the figures that need them so.
final class SortedColumn {
  /// The place of the column.
  let place: Int
  private let type: PropertyType
  private let sorter: ByteSorter
  private let keys = KeyWriter()
  /// The number of values in each group.
  private var counts: [Int] = []

  init(_ place: Int, _ type: PropertyType, memory: Int) {
    self.place = place
    self.type = type
    sorter = ByteSorter(limit: memory)
  }

  func addGroup() { counts.append(0) }

  /// Takes in a value; nil is left out.
  func add(_ value: Value, group: Int) throws(StorageError) {
    guard !value.isNull else { return }
    counts[group] += 1
    keys.removeAll()
    withUnsafeBytes(of: UInt64(group).bigEndian) { keys.append(raw: $0) }
    try keys.append(value.inGroupForm, type: type, isOptional: false, isDescending: false, isLast: true)
    try sorter.append(keys.bytes)
  }

  /// A figure while the values of a group pass.
  private struct Running {
    let function: GroupFunction
    let averages: [Double]
    var results: [Value]
    var distinct = 0
    var lower: Value?
    var squares = CompensatedSum()
    var rest = CompensatedSum()

    init(_ function: GroupFunction, _ averages: [Double], groups: Int) {
      self.function = function
      self.averages = averages
      results = Array(repeating: function == .distinct ? .int(0) : .null, count: groups)
    }
  }

  /// The figures for each group, in the order of the uses.
  func finish(_ uses: [(function: GroupFunction, averages: [Double])]) throws(StorageError) -> [[Value]] {
    var running = uses.map { Running($0.function, $0.averages, groups: counts.count) }
    var group = -1
    var index = 0
    var last: [UInt8] = []
    try sorter.forEach { entry throws(StorageError) in
      let number = Int(UInt64(bigEndian: entry.loadUnaligned(as: UInt64.self)))
      if number != group { (group, index) = (number, 0) }
      let bytes = UnsafeRawBufferPointer(rebasing: entry[8...])
      let isNew = index == 0 || !bytes.elementsEqual(last)
      if isNew { last = Array(bytes) }
      var value: Value?
      for place in running.indices {
        switch running[place].function {
        case .distinct:
          running[place].distinct = index == 0 ? 1 : running[place].distinct + (isNew ? 1 : 0)
          running[place].results[group] = .int(Int64(running[place].distinct))
        case .percentile(let percent):
          if index == percent.place(in: counts[group]) { running[place].results[group] = try read(bytes, &value) }
        case .median: try takeMedian(bytes, &value, index, group, &running[place])
        case .deviation: takeDeviation(try read(bytes, &value), index, group, &running[place])
        default: break
        }
      }
      index += 1
    }
    return running.map(\.results)
  }

  private func read(_ bytes: UnsafeRawBufferPointer, _ value: inout Value?) throws(StorageError) -> Value {
    if let value { return value }
    let read = try Key.value(of: bytes, type: type)
    value = read
    return read
  }

  private func takeMedian(
    _ bytes: UnsafeRawBufferPointer, _ value: inout Value?, _ index: Int, _ group: Int, _ running: inout Running
  ) throws(StorageError) {
    let count = counts[group]
    if index == (count - 1) / 2 { running.lower = try read(bytes, &value) }
    guard index == count / 2, let lower = running.lower else { return }
    running.results[group] = type.isNumeric ? try Self.middle(lower, read(bytes, &value), type) : lower
  }

  /// The mean of two numbers, exact and rounded once.
  private static func middle(_ lower: Value, _ upper: Value, _ type: PropertyType) throws(StorageError) -> Value {
    let model = ModelSchema(
      name: "middle", properties: [PropertySchema(name: "value", type: type, isOptional: true)], primaryKey: 0)
    let layout = RowLayout(model)
    let average = BoundAggregate(
      rows: BoundQuery(everyRowOf: model), columns: [BoundAggregate.Column(.average, slot: 0)])
    let aggregator = try RowAggregator(average, model, layout)
    let writer = RowWriter(layout)
    for value in [lower, upper] {
      writer.begin()
      try writer.set(layout.slots[0], value: value)
      try aggregator.add(writer.finish())
    }
    return try aggregator.finish().first?.values.first ?? .null
  }

  /// The squares of the distances from the mean, added in the order of the values, so that the sum is the same on every engine.
  private func takeDeviation(_ value: Value, _ index: Int, _ group: Int, _ running: inout Running) {
    if index == 0 {
      running.squares = CompensatedSum()
      running.rest = CompensatedSum()
    }
    let distance = (value.axisNumber ?? .nan) - running.averages[group]
    running.squares.add(distance * distance)
    running.rest.add(distance)
    let count = Double(index + 1)
    guard index + 1 == counts[group], index > 0 else { return }
    // The mean was rounded: what the distances add up to is taken off again.
    let rest = running.rest.value
    let variance = (running.squares.value - rest * rest / count) / (count - 1)
    running.results[group] = .double(variance < 0 ? 0 : variance.squareRoot())
  }
}

/// A sum that keeps what each addition loses (Neumaier).
struct CompensatedSum {
  private var sum = 0.0
  private var lost = 0.0

  mutating func add(_ number: Double) {
    let next = sum + number
    lost += sum.magnitude >= number.magnitude ? (sum - next) + number : (number - next) + sum
    sum = next
  }

  /// Infinite and NaN where the plain sum is.
  var value: Double { sum.isFinite ? sum + lost : sum }
}
