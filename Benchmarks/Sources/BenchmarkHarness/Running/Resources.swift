import Foundation

/// What a run will need, estimated before it starts.
public struct Resources: Sendable, Equatable {
  public var diskBytes: Int
  public var memoryBytes: Int
  /// The flags that make it less, for messages.
  var remedies = "--sizes and --engines make it less"

  /// Bytes that an object takes at most: in the files of a store with its log beside it, in a store in memory, and as a
  /// struct in an array. Deliberately on the high side of what was seen.
  static let diskBytesPerObject = 700
  static let storeBytesPerObject = 600
  static let structBytesPerObject = 400

  /// - Parameters:
  ///   - sizes: Only the largest counts: the stores of a size are removed before the next.
  public init(engines: [BenchmarkEngine], sizes: [Int]) {
    let largest = sizes.max() ?? 0
    let persistent = engines.count { $0.isPersistent }
    // Arrays of structs: the dataset of each engine's process, and the result of a scan.
    let arrays = engines.count.plus(1)
    let inMemory = Self.structBytesPerObject * arrays + Self.storeBytesPerObject * (engines.count - persistent)
    diskBytes = largest.multiplied(by: Self.diskBytesPerObject * persistent)
    memoryBytes = largest.multiplied(by: inMemory)
  }

  /// What an engine of a run on the user's own rows does with them.
  public struct Holding: Sendable {
    /// Whether its stores have files.
    public var isPersistent: Bool
    /// Whether all rows of an open store are in memory.
    public var keepsAllInMemory: Bool

    public init(isPersistent: Bool, keepsAllInMemory: Bool) {
      self.isPersistent = isPersistent
      self.keepsAllInMemory = keepsAllInMemory
    }
  }

  /// What a run on the user's own rows will need. The rows stand in one file that every process maps, and only one store
  /// has files at a time; but an engine's process keeps what its store had in memory until the next round.
  ///
  /// - Parameters:
  ///   - rowBytes: Bytes of all rows.
  ///   - indexes: Indexes beside the primary key.
  ///   - unique: Columns whose values are looked through for what is there twice.
  ///   - operations: Operations of a round, which each process plans before it.
  public init(
    rowBytes: Int, rows: Int, indexes: Int, unique: Int, operations: Int, readers: Int, engines: [Holding]
  ) {
    let entries = rows.multiplied(by: 100 + 80 * indexes)
    let store = rowBytes.multiplied(by: 3).plus(entries)
    // The file has a place and a digest of every row; every store has something however small it is.
    let hasFiles = engines.contains { $0.isPersistent }
    diskBytes = rowBytes.plus(rows.multiplied(by: 16)).plus(hasFiles ? store.plus(32 << 20) : 0)
    // While the rows are read: places, digests and lines, and a table of the values of each column that is unique.
    let reading = rows.multiplied(by: 20 + 60 * (1 + unique))
    // Every process has the places of the rows twice, and their digests where readers are checked against them.
    let process = rows.multiplied(by: readers > 0 ? 24 : 16).plus(operations.multiplied(by: 600)).plus(48 << 20)
      .plus(readers.multiplied(by: 2 << 20))
    // Half as much again: what a round frees lies scattered in the heap of its process.
    let stores = (store / 2).multiplied(by: 3 * engines.count { $0.keepsAllInMemory })
    memoryBytes = max(reading, process.multiplied(by: engines.count).plus(stores)).plus(64 << 20)
    remedies = "--first takes fewer rows, --engines leaves engines out"
  }

  /// - Throws: `BenchmarkError` when there is less than is needed. What cannot be asked is not checked.
  public func require(freeDisk: Int?, freeMemory: Int?) throws {
    if let freeDisk, freeDisk < diskBytes {
      throw BenchmarkError(
        "too little disk space: about \(Format.bytes(diskBytes)) will be needed, \(Format.bytes(freeDisk)) are free "
          + "(--directory names another place, \(remedies))")
    }
    if let freeMemory, freeMemory < memoryBytes {
      throw BenchmarkError(
        "too little memory: about \(Format.bytes(memoryBytes)) will be needed, \(Format.bytes(freeMemory)) are free "
          + "(\(remedies))")
    }
  }

  /// Checks against what the machine has.
  public func require(in folder: String) throws {
    try require(freeDisk: Files.freeBytes(folder), freeMemory: Machine.availableMemory())
  }
}

extension Int {
  /// The product, or the greatest number where it would be greater.
  func multiplied(by other: Int) -> Int {
    let (product, overflow) = multipliedReportingOverflow(by: other)
    return overflow ? .max : product
  }

  /// The sum, or the greatest number where it would be greater.
  func plus(_ other: Int) -> Int {
    let (sum, overflow) = addingReportingOverflow(other)
    return overflow ? .max : sum
  }
}
