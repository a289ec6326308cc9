import QuarryBackend

/// Counts how often values occur, in bounded memory.
///
/// Up to its bounds it knows every value. Beyond them it keeps candidates, by the method of Misra and Gries: each round that
/// takes one off every count loses at most one occurrence of any value, so that every value with more occurrences than there
/// were rounds is still a candidate. A second pass counts the candidates.
struct ValueCounts {
  private var counts: [Value: Int] = [:]
  private var bytes = 0
  /// The number of rounds in which occurrences were lost.
  private(set) var rounds = 0
  /// The greatest number of values that are kept.
  let limit: Int
  /// The bytes that the kept values may take.
  let byteLimit: Int
  /// The number of values that were kept when the first had to go.
  private var seen: Int?

  init(limit: Int = 10_000, byteLimit: Int = 4 << 20) {
    self.limit = limit
    self.byteLimit = byteLimit
  }

  /// Whether every value that was added is kept with its exact count.
  var isExact: Bool { rounds == 0 }
  /// The number of different values; where they are not all kept, there are more than this.
  var distinct: Int { seen ?? counts.count }

  mutating func add(_ value: Value) {
    let value = value.inGroupForm
    if let count = counts[value] {
      counts[value] = count + 1
      return
    }
    let size = value.approximateBytes
    guard counts.count < limit, bytes + size <= byteLimit else {
      if seen == nil { seen = counts.count }
      // The value itself loses its one occurrence in the round, too.
      rounds += 1
      return takeOneOff()
    }
    counts[value] = 1
    bytes += size
  }

  /// Takes one off every count.
  private mutating func takeOneOff() {
    var rest: [Value: Int] = [:]
    bytes = 0
    for (value, count) in counts where count > 1 {
      rest[value] = count - 1
      bytes += value.approximateBytes
    }
    counts = rest
  }

  /// The candidates, for a second pass: each with no occurrence yet.
  var candidates: [Value: Int] { counts.mapValues { _ in 0 } }

  /// The values that certainly occur most often, with their exact counts, the most frequent first; ties in the order of values.
  ///
  /// - Parameter recount: The exact counts of the candidates, where values had to go.
  func mostFrequent(_ number: Int, recount: [Value: Int]? = nil) -> [(value: Value, count: Int)] {
    let exact = isExact ? counts : recount ?? [:]
    let certain = exact.filter { $0.value > rounds }
    let sorted = certain.sorted {
      $0.value != $1.value ? $0.value > $1.value : ValueOrder.compare($0.key, $1.key) < 0
    }
    return sorted.prefix(number).map { ($0.key, $0.value) }
  }
}

extension Value {
  /// About the bytes of memory that the value takes.
  var approximateBytes: Int {
    switch self {
    case .null, .bool, .int, .uint, .float, .double, .date, .uuid, .decimal: 64
    case .string(let text): 64 + text.utf8.count
    case .data(let data): 64 + data.count
    case .url(let url): 128 + url.absoluteString.utf8.count
    case .array(let values): values.reduce(64) { $0 + $1.approximateBytes }
    case .object(let members): members.reduce(64) { $0 + $1.name.utf8.count + $1.value.approximateBytes }
    }
  }
}
