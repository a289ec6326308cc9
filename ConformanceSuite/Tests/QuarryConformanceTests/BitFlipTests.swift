import Foundation
import QuarryBackend
import QuarryConformance
import QuarryHarnesses
import QuarrySQLite
import Testing

@testable import EngineConformance

/// What `scripts/flip-bits` does, on small stores: every bit is read anew, and what must not come is told.
@Suite struct BitFlipTests {
  private static let engines = ["flat-file", "sqlite", "lmdb-checksums"]

  private static var memory: TemporaryFolder {
    TemporaryFolder(in: access("/dev/shm", W_OK) == 0 ? "/dev/shm" : nil)
  }

  @Test(arguments: engines) func bitsAreErrorsOrNothing(_ engine: String) throws {
    let folder = Self.memory
    defer { folder.removeAll() }
    let harness = try #require(EngineHarnesses.harness(engine, in: folder))
    let place = try harness.makePlace()
    let flips = try BitFlips(harness, at: place, bytes: 40_000)
    try flips.requireThatChangesAreSeen()
    var random = SeededGenerator(seed: 7)
    var errors = 0
    for number in 0..<60 {
      let bit = Int.random(in: 0..<flips.bits, using: &random)
      // What the bit before was found by must make no difference.
      let first = try flips.outcome(of: bit, looksAtAll: number % 4 == 0)
      #expect(try flips.outcome(of: bit) == first, "\(flips.name(of: bit))")
      if case .wrong(let message) = first { Issue.record("\(flips.name(of: bit)): \(message)") }
      if first == .error { errors += 1 }
    }
    #expect(errors > 20)
  }

  @Test func otherObjectsAreTold() throws {
    let folder = Self.memory
    defer { folder.removeAll() }
    let harness = SQLiteWithoutChecksums(folder)
    let flips = try BitFlips(harness, at: try harness.makePlace(), bytes: 40_000)
    #expect(flips.checksums != "xxh64")
    var random = SeededGenerator(seed: 7)
    let outcomes = try (0..<200).map { _ in
      try flips.outcome(of: Int.random(in: 0..<flips.bits, using: &random))
    }
    let wrong = outcomes.count { if case .wrong = $0 { true } else { false } }
    #expect(wrong > 20, "\(outcomes)")
  }

  @Test func anEngineThatKeepsWhatItReadIsFound() throws {
    let folder = Self.memory
    defer { folder.removeAll() }
    let harness = FlatFileHarness(folder)
    let place = KeepingPlace(inner: try harness.makePlace())
    let flips = try BitFlips(KeepingHarness(inner: harness), at: place, bytes: 40_000)
    place.kept.keeps = true
    _ = try place.open(OpenOptions())
    #expect(throws: FlipFailure.self) { try flips.requireThatChangesAreSeen() }
    // Nor would a bit be found, which is why it is looked at before.
    #expect(try flips.outcome(of: flips.bits / 2) == .same)
  }

  @Test func aStoreIsKeptForTheNextRun() throws {
    let folder = Self.memory
    defer { folder.removeAll() }
    let harness = FlatFileHarness(folder)
    let image = folder.path + "/image"
    let first = try BitFlips(harness, at: try harness.makePlace(), bytes: 20_000, image: image)
    let second = try BitFlips(harness, at: try harness.makePlace(), bytes: 20_000, image: image)
    #expect(first.checksum == second.checksum)
    let other = try BitFlips(harness, at: try harness.makePlace(), bytes: 20_000)
    #expect(first.checksum != other.checksum)
  }
}

/// Stores of SQLite as they were before they had checksums.
private struct SQLiteWithoutChecksums: ConformanceHarness {
  private let sound: SQLiteHarness

  init(_ folder: TemporaryFolder) { sound = SQLiteHarness(folder) }

  var name: String { sound.name }
  var manifest: BackendManifest { sound.manifest }
  var isPersistent: Bool { true }
  func files(at place: any BackendProvider) -> [String] { sound.files(at: place) }
  func remove(_ place: any BackendProvider) { sound.remove(place) }
  func makePlace() throws -> any BackendProvider {
    var place = try #require(try sound.makePlace() as? SQLiteConfiguration)
    place.checksums = false
    return place
  }
}

/// A place whose store is opened once, and answers from what it read then.
private struct KeepingPlace: BackendProvider {
  // Unchecked because one test alone has it, in one thread.
  final class Kept: @unchecked Sendable {
    var keeps = false
    var backend: (any Backend)?
  }

  let inner: any BackendProvider
  let kept = Kept()

  func open(_ options: OpenOptions) throws(StorageError) -> any Backend {
    guard kept.keeps else { return try inner.open(options) }
    if let backend = kept.backend { return backend }
    let backend = UnclosedBackend(try inner.open(options))
    kept.backend = backend
    return backend
  }
}

private final class UnclosedBackend: BackendLayer, @unchecked Sendable {
  // Unchecked because the class that it inherits from is open; it has no field of its own.
  override func close() throws(StorageError) {}
}

private struct KeepingHarness: ConformanceHarness {
  let inner: FlatFileHarness

  var name: String { inner.name }
  var manifest: BackendManifest { inner.manifest }
  var isPersistent: Bool { true }
  private func opened(_ place: any BackendProvider) -> any BackendProvider { (place as? KeepingPlace)?.inner ?? place }
  func files(at place: any BackendProvider) -> [String] { inner.files(at: opened(place)) }
  func remove(_ place: any BackendProvider) { inner.remove(opened(place)) }
  func makePlace() throws -> any BackendProvider { try inner.makePlace() }
}
