import Foundation
import QuarryBackend
public import QuarryExerciser
public import Testing

/// The engines that keep stores in files.
typealias Engine = FileEngine

extension FileEngine: CustomTestStringConvertible {
  public var testDescription: String { rawValue }

  /// Whether several processes may have a store open.
  func isShared(in folder: URL) throws -> Bool {
    let backend = try provider(in: folder.path).open(OpenOptions())
    defer { try? backend.close() }
    return backend.manifest.sharing == .manyProcesses
  }

  /// Bytes of all files in a folder, as they are allotted.
  static func bytes(in folder: URL) -> Int {
    let files = FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil)
    return (files?.allObjects as? [URL] ?? []).reduce(0) { sum, file in
      var status = stat()
      return stat(file.path, &status) == 0 ? sum + Int(status.st_blocks) * 512 : sum
    }
  }
}
