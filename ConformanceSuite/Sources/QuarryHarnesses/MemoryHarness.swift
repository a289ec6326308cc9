import Foundation
public import QuarryBackend
public import QuarryConformance
import QuarryKeyValue
import QuarryMemory
import Synchronization

/// Stores in memory of their own, which are gone when they are closed.
public struct MemoryHarness: ConformanceHarness {
  public let name = "memory"
  public let isPersistent = false
  public let manifest = BackendManifest.keyValue(
    KeyValueEngineProperties(
      name: "memory", version: "1", durability: .none, sharing: .oneProcess, countsRanges: true))

  public init() {}

  public func makePlace() throws -> any BackendProvider { MemoryConfiguration.memory }
  public func remove(_ place: any BackendProvider) {}
}

/// Stores in memory under a name. Such a store lasts as long as one is open: with one held open, those that are opened
/// after it find what it has.
public struct NamedMemoryHarness: ConformanceHarness {
  public let name = "memory under a name"
  public let isPersistent = true
  public var manifest: BackendManifest { MemoryHarness().manifest }

  public init() {}

  public func makePlace() throws -> any BackendProvider { HeldPlace() }
  public func remove(_ place: any BackendProvider) { (place as? HeldPlace)?.letGo() }
}

/// A name in memory with a backend that is held open from the first opening on.
private final class HeldPlace: BackendProvider {
  private let configuration = MemoryConfiguration(name: UUID().uuidString)
  private let held = Mutex<(any Backend)?>(nil)

  func open(_ options: OpenOptions) throws(StorageError) -> any Backend {
    let backend = try configuration.open(options)
    if held.withLock({ $0 == nil }) { try hold() }
    return HeldBackend(backend, self)
  }

  func hold() throws(StorageError) {
    let other = try configuration.open(OpenOptions())
    held.withLock { $0 = other }
  }

  func letGo() {
    let other = held.withLock { held in
      defer { held = nil }
      return held
    }
    try? other?.close()
  }
}

/// A backend of such a place. What holds the place open is no user of the store: it does not keep it from being destroyed.
private final class HeldBackend: BackendLayer, @unchecked Sendable {
  private let place: HeldPlace

  init(_ backend: any Backend, _ place: HeldPlace) {
    self.place = place
    super.init(backend)
  }

  override func quarantine() throws(StorageError) -> String {
    place.letGo()
    do throws(StorageError) {
      return try base.requireQuarantining().quarantine()
    } catch {
      try? place.hold()
      throw error
    }
  }

  override func destroy() throws(StorageError) {
    place.letGo()
    do throws(StorageError) {
      try base.destroy()
    } catch {
      // Refused: the store is still there, and lasts as it did.
      try? place.hold()
      throw error
    }
  }
}
