import Foundation
import QuarryBackend
import QuarryConformance
import QuarryKeyValue
import QuarryMemory
import Synchronization

/// A faulty engine for the suite of bare engines, and for the whole suite under the backend of such engines.
struct FaultyEngineHarness: KeyValueEngineHarness, ConformanceHarness {
  private let fault: EngineFault?

  init(_ fault: EngineFault?) {
    self.fault = fault
  }

  func makeEngine() throws -> FaultyEngine { FaultyEngine(MemoryEngine(), fault) }

  var name: String { "engine.\(fault?.rawValue ?? "sound")" }
  let isPersistent = true
  var manifest: BackendManifest { BackendManifest.keyValue(MemoryEngine().properties) }
  func makePlace() throws -> any BackendProvider { FaultyEnginePlace(fault) }
  func remove(_ place: any BackendProvider) { (place as? FaultyEnginePlace)?.letGo() }
}

/// A name in memory that is held open from the first opening on.
private final class FaultyEnginePlace: BackendProvider {
  private let name = UUID().uuidString
  private let fault: EngineFault?
  private let held = Mutex<MemoryEngine?>(nil)

  init(_ fault: EngineFault?) {
    self.fault = fault
  }

  func open(_ options: OpenOptions) throws(StorageError) -> any Backend {
    let engine = try MemoryEngine(
      named: name, isReadOnly: options.isReadOnly, createsIfMissing: options.createsIfMissing)
    do throws(StorageError) {
      let backend = try KeyValueBackend(FaultyEngine(engine, fault) { [self] in letGo() }, options: options)
      if held.withLock({ $0 == nil }) {
        let other = try MemoryEngine(named: name)
        held.withLock { $0 = other }
      }
      return backend
    } catch {
      try? engine.close()
      throw error
    }
  }

  func letGo() {
    let engine = held.withLock { held in
      defer { held = nil }
      return held
    }
    try? engine?.close()
  }
}
