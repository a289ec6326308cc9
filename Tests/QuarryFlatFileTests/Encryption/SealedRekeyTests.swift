import QuarryBackend
import QuarryEncryption
import QuarryKeyValue
import QuarryTestSupport
import Testing

@testable import QuarryFlatFile

/// Keys that change: open stores and closed ones, and machines that stop in between.
@Suite struct SealedRekeyTests {
  private let key: Encryption
  private let other: Encryption

  init() throws {
    key = try SealedStore.key(1)
    other = try SealedStore.key(2)
  }

  /// Which of the keys open the store; nil stands for none given.
  private func keys(_ disk: SimulatedDisk, isReadOnly: Bool) -> [Encryption?] {
    [nil, key, other].filter { encryption in
      let before = disk.contents
      do throws(StorageError) {
        let engine = try SealedStore.open(disk, encryption, isReadOnly: isReadOnly)
        try engine.close()
        return true
      } catch {
        #expect([.keyRequired, .wrongKey, .notEncrypted].contains(error.code), "\(error)")
        #expect(disk.contents == before)
        return false
      }
    }
  }

  @Test(arguments: [RekeyExtent.full, .wrappingOnly])
  func theNewKeyOpensAndTheOldOneDoesNot(_ extent: RekeyExtent) throws {
    let disk = SimulatedDisk()
    let engine = try SealedStore.open(disk, key)
    for number in 1...5 as ClosedRange<UInt8> { try SealedStore.put(number, in: engine) }
    let before = try #require(engine.envelopeSlot)
    let reader = try engine.beginRead()
    let file = disk.state.withLock { $0.names[SealedStore.path] }
    try engine.rekey(to: other, extent)
    #expect(disk.hides(SealedStore.canary))
    #expect(try reader.keys(1).count == 5)
    let after = try #require(engine.envelopeSlot)
    #expect(after.generation == before.generation + 1)
    #expect(after.identity == before.identity)
    // A full one is another file; the other changes nothing but the slots.
    #expect((disk.state.withLock { $0.names[SealedStore.path] } == file) == (extent == .wrappingOnly))
    try SealedStore.put(6, in: engine)
    #expect(try engine.check() == [])
    try engine.backup(to: "/copy.quarry") { _, _ in true }
    try engine.close()
    #expect(keys(disk, isReadOnly: true).count == 1)
    #expect(code { () throws(StorageError) in _ = try SealedStore.open(disk, key) } == .wrongKey)
    for name in [SealedStore.path, "/copy.quarry"] {
      #expect(try SealedStore.numbers(SealedStore.open(disk, other, name)) == [1, 2, 3, 4, 5, 6])
    }
    // And back, after a rewrite.
    let again = try SealedStore.open(disk, other)
    try again.compact()
    try again.rekey(to: key, extent)
    try again.close()
    #expect(try SealedStore.numbers(SealedStore.open(disk, key, isReadOnly: true)) == [1, 2, 3, 4, 5, 6])
  }

  @Test(arguments: [RekeyExtent.full, .wrappingOnly], SimulatedDisk.Remains.allCases)
  func aStopAnywhereLeavesOneOfTheKeys(_ extent: RekeyExtent, _ remains: SimulatedDisk.Remains) throws {
    for keepsNames in [false, true] {
      var (hasOld, hasNew) = (false, false)
      for operation in 1...40 {
        let disk = SimulatedDisk()
        let engine = try SealedStore.open(disk, key)
        for number in 1...3 as ClosedRange<UInt8> { try SealedStore.put(number, in: engine) }
        disk.state.withLock { $0.fault = ($0.operations + operation, .stop) }
        let failed = code { () throws(StorageError) in try engine.rekey(to: other, extent) } != nil
        let after = disk.afterPowerLoss(remains, keepsNames: keepsNames)
        #expect(after.hides(SealedStore.canary))
        let opening = keys(after, isReadOnly: true)
        #expect(opening.count == 1 && opening[0] != nil, "operation \(operation): \(opening.count) keys")
        guard let found = opening.first ?? nil else { continue }
        let isNew = try SealedStore.code(SealedStore.look(at: after.bytes(SealedStore.path) ?? [], key)) != nil
        if isNew { hasNew = true } else { hasOld = true }
        let writer = try SealedStore.open(after, found)
        #expect(try SealedStore.numbers(writer) == [1, 2, 3])
        try SealedStore.put(4, in: writer)
        #expect(try writer.check() == [], "a commit finishes what was not finished")
        try writer.close()
        #expect(try SealedStore.numbers(SealedStore.open(after, found, isReadOnly: true)) == [1, 2, 3, 4])
        if !failed { break }
      }
      #expect(hasOld && hasNew)
    }
  }

  @Test(arguments: [RekeyExtent.full, .wrappingOnly], [SimulatedDisk.Fault.full, .error, .errorAfterwards])
  func anErrorAnywhereLeavesOneOfTheKeys(_ extent: RekeyExtent, _ fault: SimulatedDisk.Fault) throws {
    for operation in 1...40 {
      let disk = SimulatedDisk()
      let engine = try SealedStore.open(disk, key)
      for number in 1...3 as ClosedRange<UInt8> { try SealedStore.put(number, in: engine) }
      disk.state.withLock { $0.fault = ($0.operations + operation, fault) }
      let failed = code { () throws(StorageError) in try engine.rekey(to: other, extent) } != nil
      let slot = try #require(engine.envelopeSlot)
      #expect(try SealedStore.numbers(engine) == [1, 2, 3])
      try? engine.close()
      disk.state.withLock { $0.fault = nil }
      let opening = keys(disk, isReadOnly: false)
      #expect(opening.count == 1)
      // The engine says which.
      let found = try #require(opening.first ?? nil)
      #expect((try? found.key.unwrap(slot)) != nil, "operation \(operation)")
      #expect(try SealedStore.numbers(SealedStore.open(disk, found)) == [1, 2, 3])
      if !failed { break }
    }
  }

  @Test func aReaderSaysThatAChangeWasNotFinished() throws {
    let sample = try SealedStore.sample(key)
    let disk = SimulatedDisk(SealedStore.path, sample.bytes)
    let engine = try SealedStore.open(disk, key)
    try engine.rekey(to: other, .wrappingOnly)
    try engine.close()
    let new = try #require(disk.bytes(SealedStore.path))
    for (first, second) in [(1024, 2560), (2560, 1024)] {
      var bytes = new
      bytes.replaceSubrange(second..<second + 148, with: sample.bytes[second..<second + 148])
      #expect(bytes[first..<first + 148] == new[first..<first + 148])
      let disk = SimulatedDisk(SealedStore.path, bytes)
      #expect(code { () throws(StorageError) in _ = try SealedStore.open(disk, key, isReadOnly: true) } == .wrongKey)
      let reader = try SealedStore.open(disk, other, isReadOnly: true)
      #expect(try reader.check().count == 1)
      #expect(try SealedStore.numbers(reader) == [1, 2, 3, 4])
      #expect(disk.bytes(SealedStore.path) == bytes)
      let writer = try SealedStore.open(disk, other)
      #expect(try writer.check().count == 1)
      try SealedStore.put(5, in: writer)
      #expect(try writer.check() == [])
      try writer.close()
      let mended = try #require(disk.bytes(SealedStore.path))
      for place in [1024, 2560] { #expect(mended[place..<place + 148] == new[place..<place + 148]) }
    }
  }

  // MARK: Closed stores

  /// Closed stores with three numbers: plain, of the first key, of the second one.
  private func stores() throws -> [(Encryption?, [UInt8])] {
    try [nil, key, other].map { encryption in
      let disk = SimulatedDisk()
      let engine = try SealedStore.open(disk, encryption)
      for number in 1...3 as ClosedRange<UInt8> { try SealedStore.put(number, in: engine) }
      try engine.close()
      return (encryption, try #require(disk.bytes(SealedStore.path)))
    }
  }

  private func reencrypt(_ disk: SimulatedDisk, from old: Encryption?, to new: Encryption?) throws(StorageError) {
    try FlatFileReencryption(FlatFileOpening(SealedStore.path, disk, old), new).run()
  }

  @Test func aClosedStoreIsWrittenAnew() throws {
    for (old, bytes) in try stores() {
      for new in [nil, key, other] {
        let disk = SimulatedDisk(SealedStore.path, bytes)
        let place = try FlatFileOpening(SealedStore.path, disk)
        #expect((try place.envelopeSlot() != nil) == (old != nil))
        try reencrypt(disk, from: old, to: new)
        #expect(disk.names == [SealedStore.path])
        #expect((try place.envelopeSlot() != nil) == (new != nil))
        let file = try #require(disk.bytes(SealedStore.path))
        #expect((file.firstRange(of: SealedStore.canary) == nil) == (new != nil))
        #expect(file[8] == (new == nil ? 2 : 3))
        let engine = try SealedStore.open(disk, new)
        #expect(try SealedStore.numbers(engine) == [1, 2, 3])
        #expect(try engine.beginRead().version == CommitVersion(3))
        #expect(engine.openingReport.wasClosed == true)
        #expect(try engine.check() == [])
        try SealedStore.put(4, in: engine)
        try engine.close()
        #expect(keys(disk, isReadOnly: true).count == 1)
      }
    }
  }

  @Test func whatIsRefusedLeavesTheStoreAsItIs() throws {
    for (owner, bytes) in try stores().prefix(2) {
      for old in [nil, key, other] {
        // The owner's key, or none where it has none.
        if owner == nil ? old == nil : opens(bytes, old) { continue }
        let disk = SimulatedDisk(SealedStore.path, bytes)
        let error = code { () throws(StorageError) in try reencrypt(disk, from: old, to: key) }
        #expect(error == (owner == nil ? .notEncrypted : old == nil ? .keyRequired : .wrongKey))
        #expect(disk.contents == [SealedStore.path: bytes])
      }
      let disk = SimulatedDisk(SealedStore.path, bytes)
      let engine = try SealedStore.open(disk, owner)
      #expect(code { () throws(StorageError) in try reencrypt(disk, from: owner, to: key) } == .inUse)
      try engine.close()
    }
    let nothing = SimulatedDisk()
    #expect(code { () throws(StorageError) in try reencrypt(nothing, from: nil, to: key) } == .notFound)
    #expect(
      code { () throws(StorageError) in try FlatFileOpening(SealedStore.path, nothing).envelopeSlot() } == .notFound)
    #expect(nothing.names == [])
  }

  private func opens(_ bytes: [UInt8], _ encryption: Encryption?) -> Bool {
    guard let encryption, let slot = try? slot(bytes) else { return false }
    return (try? encryption.key.unwrap(slot)) != nil
  }

  private func slot(_ bytes: [UInt8]) throws -> EnvelopeSlot? {
    try FlatFileOpening(SealedStore.path, SimulatedDisk(SealedStore.path, bytes)).envelopeSlot()
  }

  @Test(arguments: SimulatedDisk.Remains.allCases, [false, true])
  func aStopWhileAClosedStoreIsWrittenAnew(_ remains: SimulatedDisk.Remains, keepsNames: Bool) throws {
    for (old, bytes) in try stores() {
      for new in [nil, key, other] {
        for operation in 1...30 {
          let disk = SimulatedDisk(SealedStore.path, bytes)
          disk.state.withLock { $0.fault = (operation, .stop) }
          let failed = code { () throws(StorageError) in try reencrypt(disk, from: old, to: new) } != nil
          let after = disk.afterPowerLoss(remains, keepsNames: keepsNames)
          if old != nil, new != nil { #expect(after.hides(SealedStore.canary)) }
          let opening = keys(after, isReadOnly: false)
          #expect(opening.count == 1, "operation \(operation)")
          let engine = try SealedStore.open(after, opening.first ?? nil)
          #expect(try SealedStore.numbers(engine) == [1, 2, 3])
          #expect(after.names == [SealedStore.path], "nothing is left beside it")
          try engine.close()
          if !failed { break }
        }
      }
    }
  }

  @Test func aPlainEndBesideAStoreIsNotForgotten() throws {
    let disk = SimulatedDisk()
    let engine = try SealedStore.open(disk, nil)
    for number in 1...3 as ClosedRange<UInt8> { try SealedStore.put(number, in: engine) }
    let bytes = try #require(disk.bytes(SealedStore.path)).dropLast()
    let torn = SimulatedDisk(SealedStore.path, Array(bytes))
    #expect(code { () throws(StorageError) in try reencrypt(torn, from: nil, to: key) } == .unsupported)
    let tail = try #require(torn.names.last)
    #expect(tail.contains(".tail-"))
    try torn.remove(tail)
    try reencrypt(torn, from: nil, to: key)
    #expect(try SealedStore.numbers(SealedStore.open(torn, key)) == [1, 2])
  }
}
