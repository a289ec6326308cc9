import QuarryBackend

/// Sealing without SQLite: new databases, and databases that are rewritten.
extension SealedKeys {
  /// The header page of a database that has no log yet.
  ///
  /// - Parameter isWhole: Whether pages follow at once: without them the file was cut then.
  func newHeader(isWhole: Bool) throws(StorageError) -> [UInt8] {
    var bytes = SealedHeader(slot).bytes
    for (index, place) in SealedHeader.logPlaces.enumerated() {
      guard let slot = SealedDatabase.logSlot(index, number: isWhole ? 1 : 0, salts: 0, self) else {
        throw StorageError(.io, "the header of an encrypted database cannot be sealed")
      }
      bytes.replaceSubrange(place..<place + slot.count, with: slot)
    }
    return bytes
  }

  /// SQLite's pages, sealed as the file has them, with the header page before them.
  ///
  /// - Parameter pages: Whole pages from the first one on.
  func seal(_ pages: [UInt8]) throws(StorageError) -> [UInt8] {
    var file = try newHeader(isWhole: true)
    for (number, start) in stride(from: 0, to: pages.count, by: SealedDatabaseFormat.pageBytes).enumerated() {
      file += try seal(
        Array(pages[start..<min(start + SealedDatabaseFormat.pageBytes, pages.count)]), number: UInt64(number))
    }
    return file
  }

  /// A page as the file has it.
  ///
  /// - Parameter number: 0 for the first.
  func seal(_ page: [UInt8], number: UInt64) throws(StorageError) -> [UInt8] {
    guard page.count == SealedDatabaseFormat.pageBytes else {
      throw StorageError(.corrupt, "the database has a page of \(page.count) bytes")
    }
    var sealer = try self.sealer(after: nil)
    while !sealer.count() { sealer = try self.sealer(after: sealer) }
    var sealed = Array(page[..<SealedDatabaseFormat.contentBytes])
    var trailer = [UInt8](repeating: 0, count: StoreCipherFormat.trailerBytes)
    var associated = [UInt8](repeating: 0, count: SealedFile.associatedBytes)
    associated.withUnsafeMutableBytes { bytes in
      if let base = bytes.baseAddress { SealedFile.bind(.page, number, 0, 0, sealer.epoch, into: base) }
    }
    try sealed.withMutableBytes { sealed throws(StorageError) in
      try trailer.withMutableBytes { trailer throws(StorageError) in
        try associated.withBytes { associated throws(StorageError) in
          try sealer.cipher.seal(UnsafeRawBufferPointer(sealed), associated, into: sealed, trailer: trailer)
        }
      }
    }
    sealed += trailer
    sealed.append(littleEndian: sealer.epoch)
    return sealed
  }
}
