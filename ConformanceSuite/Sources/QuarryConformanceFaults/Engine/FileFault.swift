import Foundation
import QuarryBackend
import QuarryConformance
import QuarryFlatFile

/// Stores in flat files whose files are treated wrongly.
enum FileFault: String, FaultGroup {
  static let group = "file"

  case readableByAll, otherFileReplaced, damageReplaced, damageIsIo, readOnlyWrites, compactLosesObject
  case olderStateInSilence, tailDestroyed, tailUntold, secondOpeningApart

  var about: (summary: String, clauses: [String]) {
    switch self {
    case .readableByAll: ("New files can be read by everybody.", ["OPEN-4"])
    case .otherFileReplaced: ("A file of another kind is replaced by a new store.", ["OPEN-1"])
    case .damageReplaced: ("A damaged file is replaced by a new store.", ["ERR-3"])
    case .damageIsIo: ("Damage is reported as io.", ["ERR-3"])
    case .compactLosesObject: ("Compaction loses the first object of each model.", ["CARE-4"])
    case .olderStateInSilence: ("Of a damaged file what is whole is opened, and nothing is said.", ["DUR-4"])
    case .tailDestroyed: ("The end of a file that cannot be read is destroyed on opening.", ["DUR-5"])
    case .tailUntold: ("The opening report says nothing of an end that cannot be read.", ["DUR-5", "OPEN-6"])
    case .secondOpeningApart:
      ("A store that is opened again in the process is a copy of what it was then.", ["OPEN-5", "ISO-1"])
    case .readOnlyWrites: ("Opening for reading writes to the file.", ["OPEN-2"])
    }
  }

  var target: PlantedFault.Target { .backend { FileHarness(self) } }
}

struct FileHarness: ConformanceHarness {
  let name: String
  let isPersistent = true
  private let fault: FileFault?
  private let wrap: FilePlace.Wrapping?

  init(_ fault: FileFault?) {
    self.fault = fault
    name = "file.\(fault?.rawValue ?? "sound")"
    wrap = nil
  }

  /// - Parameter wrap: Puts what is wrong before each backend that is opened.
  init(_ name: String, _ wrap: @escaping FilePlace.Wrapping) {
    self.name = name
    self.wrap = wrap
    fault = nil
  }

  /// For the addresses of places alone: there is no program that would make a second process of this one.
  var secondProcess: ConformanceProcess? {
    ConformanceProcess(
      "/dev/null/planted-faults", address: { ($0 as? FilePlace)?.path },
      place: { _ in throw StorageError(.unsupported, "a planted fault has one process") })
  }

  func place(at path: String) -> (any BackendProvider)? { FlatFileConfiguration(path: path) }

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

  func makePlace() throws -> any BackendProvider { FilePlace(fault, wrap) }
  func remove(_ place: any BackendProvider) { (place as? FilePlace)?.remove() }
  func files(at place: any BackendProvider) -> [String] { (place as? FilePlace)?.files ?? [] }
  func folder(of place: any BackendProvider) -> String? { (place as? FilePlace)?.folderPath }
}

struct FilePlace: BackendProvider {
  /// A backend of the engine, with the place where it was opened.
  struct Opened {
    var backend: any Backend
    var place: FilePlace
  }

  typealias Wrapping = @Sendable (Opened) -> any Backend

  private let fault: FileFault?
  private let wrap: Wrapping?
  private let folder: URL
  private var file: URL { folder.appending(path: "store.quarry") }
  var path: String { file.path }
  var folderPath: String { folder.path }

  /// Opens a file as it is, for writing.
  static func sound(_ path: String) throws(StorageError) -> any Backend {
    try FlatFileConfiguration(path: path).open(OpenOptions())
  }

  init(_ fault: FileFault?, _ wrap: Wrapping? = nil) {
    self.fault = fault
    self.wrap = wrap
    folder = FileManager.default.temporaryDirectory.appending(path: "quarry-fault-\(UUID().uuidString)")
    try? FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  }

  func remove() { try? FileManager.default.removeItem(at: folder) }

  var files: [String] {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
    return names.sorted().map { folder.appending(path: $0).path }
  }

  func open(_ options: OpenOptions) throws(StorageError) -> any Backend {
    let backend = try opened(options)
    return wrap?(Opened(backend: backend, place: self)) ?? backend
  }

  private func opened(_ options: OpenOptions) throws(StorageError) -> any Backend {
    if fault == .secondOpeningApart, !options.isReadOnly, let copy = try openCopy(options) { return copy }
    let backend: any Backend
    do throws(StorageError) {
      backend = try FlatFileConfiguration(path: file.path).open(options)
    } catch {
      guard error.code == .corrupt else { throw error }
      switch fault {
      case .otherFileReplaced, .damageReplaced:
        try? FileManager.default.removeItem(at: file)
        return try FlatFileConfiguration(path: file.path).open(options)
      case .olderStateInSilence:
        let whole = folder.appending(path: "whole.quarry")
        guard (try? FlatFile.salvage(from: file.path, to: whole.path)) != nil else { throw error }
        _ = try? FileManager.default.replaceItemAt(file, withItemAt: whole)
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
    switch fault {
    case .tailDestroyed:
      if let path = backend.openingReport.tail?.path { try? FileManager.default.removeItem(atPath: path) }
      return backend
    case .tailUntold: return SilentBackend(backend)
    case .compactLosesObject: return LosingBackend(backend)
    default: return backend
    }
  }

  /// Opens a copy of a store that somebody has open.
  private func openCopy(_ options: OpenOptions) throws(StorageError) -> (any Backend)? {
    var reading = OpenOptions()
    reading.isReadOnly = true
    guard let reader = try? FlatFileConfiguration(path: file.path).open(reading) else { return nil }
    let wasClosed = reader.openingReport.wasClosed
    try reader.close()
    if wasClosed != false { return nil }
    let copy = folder.appending(path: "copy-\(UUID().uuidString)")
    guard (try? FileManager.default.copyItem(at: file, to: copy)) != nil else { return nil }
    return try FlatFileConfiguration(path: copy.path).open(options)
  }
}

/// Does not say what was found when it was opened.
private final class SilentBackend: BackendLayer, @unchecked Sendable {
  // Unchecked because the class that it inherits from is open; it has no field of its own.
  override var openingReport: OpeningReport { OpeningReport(wasClosed: base.openingReport.wasClosed) }
}

/// Loses objects when it compacts.
private final class LosingBackend: BackendLayer, @unchecked Sendable {
  // Unchecked because the class that it inherits from is open; it has no field of its own.
  override func compact() throws(StorageError) {
    try super.compact()
    try removeFirstObjects()
  }
}
