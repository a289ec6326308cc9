import Foundation
import QuarryBackend
import QuarryConformance
import QuarryKeyValue
import QuarryMemory
import Synchronization

/// Memory stores behind a twist. They last as long as their place does, so that they can be opened again.
struct TwistedHarness: ConformanceHarness {
  let name: String
  let manifest: BackendManifest
  let isPersistent = true
  /// Makes the twist of a place, which may remember things.
  private let twist: @Sendable () -> any Twist
  private let options: OptionTwist

  init(
    _ name: String, options: @escaping OptionTwist = { _ in }, _ twist: @escaping @Sendable () -> any Twist
  ) {
    self.twist = twist
    self.options = options
    self.name = name
    manifest = twist().manifest(DeclaringBackend())
  }

  /// Changes the options that the sound backend is opened with.
  typealias OptionTwist = @Sendable (inout OpenOptions) -> Void

  func makePlace() throws -> any BackendProvider { TwistedPlace(twist(), options) }
  func remove(_ place: any BackendProvider) { (place as? TwistedPlace)?.letGo() }
}

/// A name in memory with a backend that is held open from the first opening on.
private final class TwistedPlace: BackendProvider {
  private let configuration = MemoryConfiguration(name: UUID().uuidString)
  private let twist: any Twist
  private let options: TwistedHarness.OptionTwist
  private let held = Mutex<(any Backend)?>(nil)

  init(_ twist: any Twist, _ options: @escaping TwistedHarness.OptionTwist) {
    self.twist = twist
    self.options = options
  }

  func open(_ options: OpenOptions) throws(StorageError) -> any Backend {
    var options = options
    self.options(&options)
    let backend = try configuration.open(options)
    if held.withLock({ $0 == nil }) { try hold() }
    return TwistedBackend(backend, twist, letGo: { [self] in letGo() }, hold: { [self] in try? hold() })
  }

  private func hold() throws(StorageError) {
    let other = try configuration.open(OpenOptions())
    held.withLock { $0 = other }
  }

  func letGo() {
    let backend = held.withLock { held in
      defer { held = nil }
      return held
    }
    try? backend?.close()
  }
}

/// Says what the memory backend says of itself, and does nothing.
private final class DeclaringBackend: Backend {
  let manifest = BackendManifest.keyValue(MemoryEngine().properties)

  private var refusal: StorageError { StorageError(.closed, "this backend only declares") }
  func beginRead() throws(StorageError) -> any BackendReadTransaction { throw refusal }
  func beginWrite(_ options: WriteOptions) throws(StorageError) -> any BackendWriteTransaction { throw refusal }

  func withRow(
    _ model: ModelID, _ key: UnsafeRawBufferPointer, _ body: (UnsafeRawBufferPointer) throws(StorageError) -> Void
  ) throws(StorageError) -> Bool {
    throw refusal
  }

  func snapshot() throws(StorageError) -> any BackendSnapshot { throw refusal }
  func check() throws(StorageError) -> [String] { throw refusal }
  func statistics() throws(StorageError) -> BackendStatistics { throw refusal }
  func destroy() throws(StorageError) { throw refusal }
  func close() throws(StorageError) {}
}
