package import QuarryBackend
package import QuarryCore

/// A call that is made once, from inside another, and what came of it.
package final class Probe: @unchecked Sendable {
  // Unchecked: a probe stays on the thread of its case.
  private let call: () throws -> Void
  private(set) var fired = 0
  private var error: (any Error)?

  package init(_ call: @escaping () throws -> Void) {
    self.call = call
  }

  /// Makes the call, the first time.
  package func fire() {
    fired += 1
    guard fired == 1 else { return }
    do {
      try call()
    } catch {
      self.error = error
    }
  }

  /// Throws unless the call was made, and ended with this error or, for nil, without one.
  package func expect(_ code: StorageError.Code?, _ about: String, file: String = #fileID, line: Int = #line) throws {
    guard fired > 0 else { throw ConformanceFailure(message: "\(about): no call was made", file: file, line: line) }
    guard let code else {
      guard let error else { return }
      if error is ConformanceFailure { throw error }
      throw ConformanceFailure(
        message: "\(about): got the error \(error), the contract says none", file: file, line: line)
    }
    try expectError(code, about, file: file, line: line) { if let error { throw error } }
  }
}

/// What there is of two models: the one that the outer call is about, and another.
package struct TwoModels: Equatable {
  package var items: [Int: Item]
  package var numbers: [Int: Numbered]

  /// What every case begins with.
  package static let before = TwoModels(
    items: Dictionary(uniqueKeysWithValues: (1...4).map { ($0, Item($0, rank: $0, name: "n\($0)")) }),
    numbers: Dictionary(uniqueKeysWithValues: (1...3).map { ($0, Numbered(id: $0, number: $0 * 10)) }))

  package var sortedItems: [Item] { items.values.sorted { $0.id < $1.id } }

  init(items: [Int: Item], numbers: [Int: Numbered]) {
    self.items = items
    self.numbers = numbers
  }

  package init(_ tx: ReadTransaction) throws {
    // What a wrong engine gives twice is a failure, not the end of the process.
    let (found, counted) = (try tx.fetch(Item.all), try tx.fetch(Numbered.all))
    items = Dictionary(found.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
    numbers = Dictionary(counted.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
    try expectEqual([found.count, counted.count], [items.count, numbers.count], "objects that come twice")
  }

  package init(_ store: Store) throws {
    self = try store.read { try TwoModels($0) }
  }

  /// Makes the store have these and nothing else.
  package func put(into store: Store) throws {
    try store.write { tx in
      try tx.delete(Item.all)
      try tx.delete(Numbered.all)
      try tx.insert(contentsOf: sortedItems)
      try tx.insert(contentsOf: numbers.values.sorted { $0.id < $1.id })
    }
  }

  package mutating func put(_ items: Item...) {
    for item in items { self.items[item.id] = item }
  }

  package mutating func put(_ numbers: Numbered...) {
    for number in numbers { self.numbers[number.id] = number }
  }
}
