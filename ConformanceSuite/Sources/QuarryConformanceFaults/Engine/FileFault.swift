import Foundation
import QuarryBackend
import QuarryConformance
import QuarryFlatFile

/// Stores in flat files whose files are treated wrongly.
enum FileFault: String, FaultGroup {
  static let group = "file"

  case readableByAll, otherFileReplaced, damageReplaced, damageIsIo, readOnlyWrites, compactLosesObject

  var about: (summary: String, clauses: [String]) {
    switch self {
    case .readableByAll: ("New files can be read by everybody.", ["OPEN-4"])
    case .otherFileReplaced: ("A file of another kind is replaced by a new store.", ["OPEN-1"])
    case .damageReplaced: ("A damaged file is replaced by a new store.", ["ERR-3"])
    case .damageIsIo: ("Damage is reported as io.", ["ERR-3"])
    case .compactLosesObject: ("Compaction loses the first object of each model.", ["CARE-4"])
    case .readOnlyWrites: ("Opening for reading writes to the file.", ["OPEN-2"])
    }
  }

  var target: PlantedFault.Target { .backend { FileHarness(self) } }
}

struct FileHarness: ConformanceHarness {
  private let fault: FileFault?

  init(_ fault: FileFault?) {
    self.fault = fault
  }

  var name: String { "file.\(fault?.rawValue ?? "sound")" }
  let isPersistent = true

  var manifest: BackendManifest {
    let place = FilePlace(fault)
    defer { place.remove() }
    guard let backend = try? place.open(OpenOptions()) else { return NoBackend.manifest }
    defer { try? backend.close() }
    return backend.manifest
  }

  /// What a harness says that cannot even make a file.
  private enum NoBackend {
    static let manifest = BackendManifest(
      name: "none", engineVersion: "0", capabilities: [:], limits: .init(), isolation: .serializable,
      durability: .none, sharing: .oneProcess)
  }

  func makePlace() throws -> any BackendProvider { FilePlace(fault) }
  func remove(_ place: any BackendProvider) { (place as? FilePlace)?.remove() }
  func files(at place: any BackendProvider) -> [String] { (place as? FilePlace)?.files ?? [] }
}

private struct FilePlace: BackendProvider {
  private let fault: FileFault?
  private let folder: URL
  private var file: URL { folder.appending(path: "store.quarry") }

  init(_ fault: FileFault?) {
    self.fault = fault
    folder = FileManager.default.temporaryDirectory.appending(path: "quarry-fault-\(UUID().uuidString)")
    try? FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  }

  func remove() { try? FileManager.default.removeItem(at: folder) }

  var files: [String] {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
    return names.sorted().map { folder.appending(path: $0).path }
  }

  func open(_ options: OpenOptions) throws(StorageError) -> any Backend {
    let backend: any Backend
    do throws(StorageError) {
      backend = try FlatFileConfiguration(path: file.path).open(options)
    } catch {
      guard error.code == .corrupt else { throw error }
      switch fault {
      case .otherFileReplaced, .damageReplaced:
        try? FileManager.default.removeItem(at: file)
        return try FlatFileConfiguration(path: file.path).open(options)
      case .damageIsIo: throw StorageError(.io, error.message)
      default: throw error
      }
    }
    if fault == .readableByAll {
      for path in files { try? FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: path) }
    }
    if fault == .readOnlyWrites, options.isReadOnly, let handle = try? FileHandle(forWritingTo: file) {
      _ = try? handle.seekToEnd()
      try? handle.write(contentsOf: Data(repeating: 0, count: 8))
      try? handle.close()
    }
    return fault == .compactLosesObject ? LosingBackend(backend) : backend
  }
}

/// Loses objects when it compacts.
private final class LosingBackend: ForwardingBackend, @unchecked Sendable {
  // Unchecked because the class that it inherits from is open; it has no field of its own.
  override func compact() throws(StorageError) {
    try super.compact()
    try removeFirstObjects()
  }
}
