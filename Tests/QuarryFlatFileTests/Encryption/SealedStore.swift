import QuarryBackend
import QuarryEncryption
import QuarryKeyValue
import QuarryTestSupport
import QuarryTree
import Testing

@testable import QuarryFlatFile

/// Encrypted stores on simulated disks: their keys, what they have, and what must not be seen.
enum SealedStore {
  static let path = "/store.quarry"
  /// Stands in every key and value that the stores have.
  static let canary = Array("canary".utf8)

  static func key(_ byte: UInt8) throws -> Encryption {
    Encryption(try EncryptionKey([UInt8](repeating: byte, count: 32)))
  }

  static func open(
    _ disk: SimulatedDisk, _ encryption: Encryption?, _ path: String = path, isReadOnly: Bool = false,
    durability: BackendManifest.Durability = .powerLoss
  ) throws(StorageError) -> FlatFileEngine {
    var options = OpenOptions()
    options.encryption = encryption
    options.isReadOnly = isReadOnly
    options.durability = durability
    return try FlatFileEngine(FlatFileConfiguration(path: path, compaction: .manual), options, files: disk)
  }

  static func put(_ number: UInt8, in engine: FlatFileEngine, bytes: Int = 30) throws(StorageError) {
    try engine.write { tx throws(StorageError) in
      try tx.put(1, canary + [number], canary + [UInt8](repeating: number, count: bytes))
    }
  }

  /// The numbers that were put, each with its value as it was.
  static func numbers(_ engine: FlatFileEngine) throws -> [UInt8] {
    let read = try engine.beginRead()
    return try read.keys(1).map { key in
      let number = try #require(key.last)
      let value = try #require(try read.get(1, key))
      #expect(Array(key.dropLast()) == canary)
      #expect(value.starts(with: canary) && value.dropFirst(canary.count).allSatisfy { $0 == number })
      return number
    }
  }

  /// A closed store.
  struct Sample {
    var bytes: [UInt8]
    /// Where each batch begins, and the end of the file.
    var batches = [FlatFileFormat.firstSealedBatch]
  }

  static func sample(
    _ encryption: Encryption, numbers: ClosedRange<UInt8> = 1...4, compactsAfter compaction: UInt8? = nil,
    isClosed: Bool = true
  ) throws -> Sample {
    let disk = SimulatedDisk()
    let engine = try open(disk, encryption)
    var sample = Sample(bytes: [])
    for number in numbers {
      try put(number, in: engine)
      if number == compaction {
        try engine.compact()
        sample.batches.removeLast(sample.batches.count - 1)
      }
      sample.batches.append(disk.bytes(path)?.count ?? 0)
    }
    if isClosed { try engine.close() }
    sample.bytes = try #require(disk.bytes(path))
    return sample
  }

  /// What a file with these bytes has for the key, or the error that opening it throws; what is opened changes nothing of
  /// an error's file.
  static func look(
    at bytes: [UInt8], _ encryption: Encryption?, isReadOnly: Bool = true
  ) throws -> Result<[UInt8], StorageError> {
    let disk = SimulatedDisk(path, bytes)
    let engine: FlatFileEngine
    do throws(StorageError) {
      engine = try open(disk, encryption, isReadOnly: isReadOnly)
    } catch {
      #expect(disk.bytes(path) == bytes, "an error left other bytes: \(error)")
      #expect(disk.names == [path])
      return .failure(error)
    }
    let found = try numbers(engine)
    try engine.close()
    return .success(found)
  }

  static func code(_ result: Result<[UInt8], StorageError>) -> StorageError.Code? {
    if case .failure(let error) = result { return error.code }
    return nil
  }
}

extension SimulatedDisk {
  /// Whether no file has the bytes anywhere, also none that a loss of power would bring back.
  func hides(_ bytes: [UInt8]) -> Bool {
    let contents = state.withLock { state in state.inodes.values.flatMap { [$0.bytes, $0.synced] } }
    return !contents.contains { content in content.firstRange(of: bytes) != nil }
  }

  /// What every file has.
  var contents: [String: [UInt8]] {
    state.withLock { state in state.names.compactMapValues { state.inodes[$0]?.bytes } }
  }
}
