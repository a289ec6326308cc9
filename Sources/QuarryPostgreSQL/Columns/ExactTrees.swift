#if PostgreSQL
  import QuarryBackend
  import QuarrySQL

  /// The value trees of one row that have no exact JSON form: what the column `_quarry_exact` holds.
  ///
  /// Each entry has the slot (two bytes), the checksum of what the JSON says (eight bytes), the length of the tree (four bytes)
  /// and the tree in the nested format; numbers have their first byte first. Where somebody has edited the JSON the checksum is
  /// another one, and the JSON counts.
  struct ExactTrees {
    private(set) var bytes: [UInt8] = []

    /// Adds the tree of a slot.
    ///
    /// - Parameter json: What the column has for it.
    mutating func add(_ slot: RowLayout.Slot, _ tree: UnsafeRawBufferPointer, json: [UInt8]) {
      withUnsafeBytes(of: UInt16(truncatingIfNeeded: slot.index).bigEndian) { bytes.append(contentsOf: $0) }
      withUnsafeBytes(of: (json.withBytes { Self.checksum($0) }).bigEndian) { bytes.append(contentsOf: $0) }
      withUnsafeBytes(of: UInt32(truncatingIfNeeded: tree.count).bigEndian) { bytes.append(contentsOf: $0) }
      bytes.append(contentsOf: tree)
    }

    /// The tree of a slot among stored entries; nil where it has none, or the JSON is no longer that of the tree.
    ///
    /// - Throws: `corrupt`.
    static func tree(
      of slot: RowLayout.Slot, in stored: UnsafeRawBufferPointer, json: UnsafeRawBufferPointer
    ) throws(StorageError) -> UnsafeRawBufferPointer? {
      var place = 0
      while place < stored.count {
        guard place + 14 <= stored.count else { throw damaged }
        let number = UInt16(bigEndian: stored.loadUnaligned(fromByteOffset: place, as: UInt16.self))
        let sum = UInt64(bigEndian: stored.loadUnaligned(fromByteOffset: place + 2, as: UInt64.self))
        let length = Int(UInt32(bigEndian: stored.loadUnaligned(fromByteOffset: place + 10, as: UInt32.self)))
        place += 14
        guard length <= stored.count - place else { throw damaged }
        if number == UInt16(truncatingIfNeeded: slot.index) {
          guard checksum(json) == sum else { return nil }
          return UnsafeRawBufferPointer(rebasing: stored[place..<place + length])
        }
        place += length
      }
      return nil
    }

    private static let damaged = StorageError(.corrupt, "the column _quarry_exact is damaged")

    /// A checksum of what a JSON text says, whatever its spaces and the order of its names.
    private static func checksum(_ json: UnsafeRawBufferPointer) -> UInt64 {
      do throws(StorageError) {
        return try NestedCoding.encode(try JSONTextReader.read(json)).withBytes { XXH64.checksum($0) }
      } catch {
        return XXH64.checksum(json)
      }
    }
  }
#endif
