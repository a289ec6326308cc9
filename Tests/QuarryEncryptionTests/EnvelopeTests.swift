import QuarryBackend
import QuarryTestSupport
import Testing

@testable import QuarryEncryption

@Suite struct EnvelopeTests {
  private let identity = [UInt8](0..<16)

  private func code(_ body: () throws -> Void) -> StorageError.Code? {
    do {
      try body()
      return nil
    } catch {
      return (error as? StorageError)?.code
    }
  }

  private func bytes(_ key: any DataKey) throws -> [UInt8] {
    try #require(key as? StoreDataKey).bytes.withBytes { Array($0) }
  }

  @Test func aSlotIsReadAsItWasWritten() throws {
    let key = try EncryptionKey([UInt8](repeating: 7, count: 16))
    let (slot, dataKey) = try key.makeDataKey(for: identity, generation: 3)
    #expect(slot.bytes.count == EnvelopeSlot.byteCount)
    let read = try #require(try EnvelopeSlot(slot.bytes))
    #expect(read == slot)
    #expect(read.generation == 3)
    #expect(read.identity == identity)
    #expect(try bytes(key.unwrap(read)) == bytes(dataKey))
    let data = try bytes(dataKey)
    #expect(
      !slot.bytes.indices.contains { slot.bytes[$0...].starts(with: data.prefix(8)) }, "the data key is in the clear")
  }

  @Test func everyBitOfASlotCounts() throws {
    let key = try EncryptionKey([UInt8](repeating: 7, count: 32))
    let (slot, _) = try key.makeDataKey(for: identity, generation: 1)
    for bit in 0..<8 * EnvelopeSlot.byteCount {
      var damaged = slot.bytes
      damaged[bit / 8] ^= 1 << UInt8(bit % 8)
      #expect(try EnvelopeSlot(damaged) == nil, "bit \(bit)")
      // A forger makes the checksum right.
      guard bit < 8 * 124 else { continue }
      let checksum = damaged.withUnsafeBytes { CRC32C.checksum(UnsafeRawBufferPointer(rebasing: $0[..<124])) }
      damaged.withUnsafeMutableBytes { $0.storeLittleEndian(checksum, at: 124) }
      #expect(throws: StorageError.self, "bit \(bit)") {
        let forged = try EnvelopeSlot(damaged)
        guard let forged else { throw StorageError(.corrupt, "no slot") }
        _ = try key.unwrap(forged)
      }
    }
  }

  @Test func keysOfAllLengths() throws {
    for count in [16, 17, 31, 32, 33, 64, 1_000_000] {
      var bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 13) }
      bytes[count / 2] = 0
      let key = try EncryptionKey(bytes)
      let (slot, dataKey) = try key.makeDataKey(for: identity, generation: 1)
      #expect(try self.bytes(EncryptionKey(bytes).unwrap(slot)) == self.bytes(dataKey))
      // Bytes after a NUL count.
      bytes[count - 1] ^= 1
      let other = try EncryptionKey(bytes)
      #expect(code { _ = try other.unwrap(slot) } == .wrongKey)
    }
    for count in [0, 1, 15] {
      #expect(code { _ = try EncryptionKey([UInt8](repeating: 1, count: count)) } == .invalidValue)
    }
  }

  @Test func passphrases() throws {
    let key = try EncryptionKey.passphrase("correct horse\0battery", logN: 14)
    let (slot, dataKey) = try key.makeDataKey(for: identity, generation: 1)
    #expect(slot.derivation == .scrypt(logN: 14, r: 8, p: 1))
    // The slot says the cost, whatever the key was made with.
    let same = try EncryptionKey.passphrase("correct horse\0battery")
    #expect(try bytes(same.unwrap(slot)) == bytes(dataKey))
    let shorter = try EncryptionKey.passphrase("correct horse", logN: 14)
    #expect(code { _ = try shorter.unwrap(slot) } == .wrongKey)
    let raw = try EncryptionKey(Array("correct horse\0battery".utf8))
    #expect(code { _ = try raw.unwrap(slot) } == .wrongKey)
    #expect(code { _ = try EncryptionKey.passphrase("") } == .invalidValue)
    #expect(code { _ = try EncryptionKey.passphrase("x", logN: 13) } == .invalidValue)
    #expect(code { _ = try EncryptionKey.passphrase("x", logN: 21) } == .invalidValue)
    #expect(code { try key.withBytes { _ throws(StorageError) in } } == .invalidValue)
  }

  @Test func newerSuitesAndFormats() throws {
    let key = try EncryptionKey([UInt8](repeating: 7, count: 32))
    var (slot, _) = try key.makeDataKey(for: identity, generation: 1)
    slot.suite = 2
    #expect(code { _ = try key.unwrap(slot) } == .schemaTooNew)
    for (place, value): (Int, UInt8) in [(8, 2), (12, 3)] {
      var bytes = slot.bytes
      bytes[place] = value
      let checksum = bytes.withUnsafeBytes { CRC32C.checksum(UnsafeRawBufferPointer(rebasing: $0[..<124])) }
      bytes.withUnsafeMutableBytes { $0.storeLittleEndian(checksum, at: 124) }
      #expect(code { _ = try EnvelopeSlot(bytes) } == .schemaTooNew, "byte \(place)")
    }
  }

  @Test func theSameKeyWrapsOtherwiseEachTime() throws {
    let key = try EncryptionKey([UInt8](repeating: 7, count: 32))
    let (slot, dataKey) = try key.makeDataKey(for: identity, generation: 1)
    let again = try key.wrap(dataKey, for: identity, generation: 1)
    #expect(slot.salt != again.salt)
    #expect(slot.nonce != again.nonce)
    #expect(slot.wrapped != again.wrapped)
    #expect(try bytes(key.unwrap(again)) == bytes(dataKey))
  }

  @Test func anEnvelopeGoesFromKeyToKey() throws {
    let old = try EncryptionKey([UInt8](repeating: 7, count: 32))
    let new = try EncryptionKey([UInt8](repeating: 8, count: 32))
    let (slot, dataKey) = try old.makeDataKey(for: identity, generation: 1)
    var envelope = Envelope(slot)
    #expect(envelope.stale == [])
    #expect(envelope.defects == [])
    let next = try new.wrap(dataKey, for: identity, generation: 2)
    // As a crash leaves it after the first place was written.
    let order = envelope.order
    #expect(Set(order) == [0, 1])
    var places = [slot.bytes, slot.bytes]
    places[order[0]] = next.bytes
    envelope = try Envelope(first: places[0], second: places[1], of: "it")
    #expect(envelope.slot == next)
    #expect(envelope.stale == [order[1]])
    #expect(envelope.defects.count == 1)
    #expect(code { _ = try envelope.unlock(with: Encryption(old)) } == .wrongKey)
    #expect(try bytes(envelope.unlock(with: Encryption(new))) == bytes(dataKey))
    // Torn in the middle of the first place: the old key holds.
    places[order[0]] = Array(next.bytes[..<60]) + Array(slot.bytes[60...])
    envelope = try Envelope(first: places[0], second: places[1], of: "it")
    #expect(envelope.slot == slot)
    #expect(envelope.stale == [order[0]])
    #expect(try bytes(envelope.unlock(with: Encryption(old))) == bytes(dataKey))
    // Both gone.
    #expect(code { _ = try Envelope(first: [], second: [UInt8](repeating: 0, count: 128), of: "it") } == .corrupt)
  }

  @Test func nothingShowsAKey() throws {
    let key = try EncryptionKey(Array("SECRETSECRETSECRET".utf8))
    var texts = ["\(key)", String(reflecting: key), "\(Encryption(key))", String(reflecting: Encryption(key))]
    var dumped = ""
    dump(key, to: &dumped)
    dump(Encryption(key), to: &dumped)
    texts.append(dumped)
    for text in texts { #expect(!text.contains("SECRET") && !text.contains("83")) }
  }
}
