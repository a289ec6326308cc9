/// A row that owns its bytes: what frozen objects, changes and migrations hold.
public struct Row: Sendable, Hashable {
  /// The bytes in the row format.
  public let bytes: [UInt8]

  /// A row of these bytes, which are not checked.
  public init(_ bytes: [UInt8]) {
    self.bytes = bytes
  }

  /// A copy of lent bytes, which are not checked.
  public init(copying bytes: UnsafeRawBufferPointer) {
    self.bytes = Array(bytes)
  }
}

/// Rows that are handed to a backend in one call: their bytes one after the other.
///
/// Reused from call to call, so that a bulk insert allocates nothing per row.
public struct RowBatch: ~Copyable {
  /// The rows, one after the other.
  @usableFromInline var bytes: [UInt8] = []
  /// The end of each row in `bytes`.
  @usableFromInline var ends: [Int] = []

  /// Creates a batch without rows.
  public init() {}

  /// The number of rows.
  @inlinable public var count: Int { ends.count }
  /// Bytes of all rows.
  @inlinable public var byteCount: Int { bytes.count }
  /// Bytes of the memory, whether used or not.
  package var memoryBytes: Int { bytes.capacity + ends.capacity * MemoryLayout<Int>.stride }

  /// Adds a row by copying its bytes.
  ///
  /// - Parameter row: A row in the row format, lent for the call; it is not checked.
  @inlinable
  public mutating func append(_ row: UnsafeRawBufferPointer) {
    bytes.append(contentsOf: row)
    ends.append(bytes.count)
  }

  /// Removes all rows and keeps the memory.
  @inlinable
  public mutating func removeAll() {
    bytes.removeAll(keepingCapacity: true)
    ends.removeAll(keepingCapacity: true)
  }

  /// Calls the body with each row and its place.
  @inlinable
  public borrowing func forEach(_ body: (Int, UnsafeRawBufferPointer) throws(StorageError) -> Void)
    throws(StorageError)
  {
    var start = 0
    for (index, end) in ends.enumerated() {
      let range = start..<end
      try bytes.withBytes { all throws(StorageError) in
        try body(index, UnsafeRawBufferPointer(rebasing: all[range]))
      }
      start = end
    }
  }
}
