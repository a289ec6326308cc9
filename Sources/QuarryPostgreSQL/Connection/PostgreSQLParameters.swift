#if PostgreSQL
  import QuarryBackend

  /// The parameters of a statement: their types, and their bytes in the server's binary form or as text.
  struct PostgreSQLParameters {
    /// The server's numbers of the types; 0 where the statement tells it.
    private(set) var types: [UInt32] = []
    private(set) var lengths: [Int32] = []
    private(set) var formats: [Int32] = []
    /// Where each begins; -1 for NULL.
    private var starts: [Int] = []
    /// Never empty, because libpq takes a parameter without an address for NULL.
    private var bytes: [UInt8] = [0]

    init() {}

    var count: Int { types.count }
    var byteCount: Int { bytes.count }

    /// Adds a parameter in the binary form of its type.
    ///
    /// - Parameter write: Appends the bytes, and returns false for NULL.
    mutating func add(
      _ type: UInt32, _ write: (inout [UInt8]) throws(StorageError) -> Bool
    ) throws(StorageError) {
      let start = bytes.count
      let isThere = try write(&bytes)
      add(type, format: 1, start: isThere ? start : -1, length: isThere ? bytes.count - start : 0)
    }

    /// Adds a parameter as text, which the server reads as the type that it has in the statement.
    mutating func add(text: some Sequence<UInt8>) {
      let start = bytes.count
      bytes.append(contentsOf: text)
      let length = bytes.count - start
      bytes.append(0)
      add(0, format: 0, start: start, length: length)
    }

    /// Adds NULL.
    mutating func addNull(_ type: UInt32 = 0) { add(type, format: 0, start: -1, length: 0) }

    private mutating func add(_ type: UInt32, format: Int32, start: Int, length: Int) {
      types.append(type)
      formats.append(format)
      starts.append(start)
      lengths.append(Int32(clamping: length))
    }

    /// Lends the addresses of the parameters for a call of libpq.
    func withPointers<R>(_ body: ([UnsafePointer<CChar>?]) -> R) -> R {
      bytes.withUnsafeBytes { all in
        let base = all.baseAddress?.assumingMemoryBound(to: CChar.self)
        return body(starts.map { start in start < 0 ? nil : base.map { $0 + start } })
      }
    }
  }
#endif
