import Foundation
import QuarryBackend
import QuarryConformance
import QuarryFlatFile

/// Flat files in a folder each, whose keys or ways with keys have a fault.
struct SealedFileHarness: ConformanceHarness {
  let name: String
  let isPersistent = true
  private let cipher: CipherFault?
  private let key: KeyFault?

  init(cipher: CipherFault? = nil, key: KeyFault? = nil) {
    self.cipher = cipher
    self.key = key
    name = cipher.map { "cipher.\($0.rawValue)" } ?? key.map { "key.\($0.rawValue)" } ?? "sealed.sound"
  }

  var manifest: BackendManifest { FlatFileConfiguration.manifest }

  /// The program of the planted faults, for a fault that a killed process shows. Of the others the kit has the addresses of
  /// places alone: there is no program.
  var secondProcess: ConformanceProcess? {
    if let key, key.needsKilledProcess {
      return ConformanceProcess(
        "planted-faults", arguments: [key.rawValue], address: { ($0 as? SealedFilePlace)?.path },
        place: { SealedFilePlace(path: $0, cipher: nil, key: key) })
    }
    return ConformanceProcess(
      "/dev/null/planted-faults", address: { ($0 as? SealedFilePlace)?.path },
      place: { _ in throw StorageError(.unsupported, "a planted fault has one process") })
  }

  func makePlace() throws -> any BackendProvider {
    let folder = FileManager.default.temporaryDirectory.appending(path: "quarry-fault-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    return SealedFilePlace(path: folder.appending(path: "store.quarry").path, cipher: cipher, key: key)
  }

  func folder(of place: any BackendProvider) -> String? {
    (place as? SealedFilePlace).map { URL(fileURLWithPath: $0.path).deletingLastPathComponent().path }
  }

  func remove(_ place: any BackendProvider) {
    if let folder = folder(of: place) { try? FileManager.default.removeItem(atPath: folder) }
  }

  func files(at place: any BackendProvider) -> [String] {
    guard let folder = folder(of: place) else { return [] }
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    return names.sorted().map { "\(folder)/\($0)" }
  }

  func place(at path: String) -> (any BackendProvider)? { FlatFileConfiguration(path: path) }
}
