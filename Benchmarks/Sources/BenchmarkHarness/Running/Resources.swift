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

  /// What a run on the user's own rows will need, of which every store holds one copy and the program another. Only one
  /// store is there at a time.
  ///
  /// - Parameters:
  ///   - rowBytes: Bytes of all rows.
  ///   - indexes: Indexes beside the primary key.
  public init(rowBytes: Int, rows: Int, indexes: Int, isPersistent: Bool, keepsAllInMemory: Bool) {
    let entries = rows.multiplied(by: 100 + 80 * indexes)
    let store = rowBytes.multiplied(by: 3).plus(entries)
    // What every store has however small it is.
    diskBytes = isPersistent ? store.plus(32 << 20) : 0
    memoryBytes = rowBytes.plus(rows.multiplied(by: 24)).plus(keepsAllInMemory ? store : 0).plus(64 << 20)
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
