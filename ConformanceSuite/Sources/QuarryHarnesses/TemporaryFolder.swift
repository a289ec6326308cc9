import Foundation

/// Folders for the stores of a run, all inside one that is removed with them.
public struct TemporaryFolder: Sendable {
  public let path: String

  /// - Parameter parent: The folder in which the folder is made; nil for the system's place for temporary files.
  public init(in parent: String? = nil) {
    let parent = parent.map { URL(fileURLWithPath: $0) } ?? FileManager.default.temporaryDirectory
    path = parent.appending(path: "quarry-conformance-\(UUID().uuidString)").path
  }

  /// A new folder inside.
  func make() throws -> String {
    let folder = URL(fileURLWithPath: path).appending(path: UUID().uuidString)
    // Between the making of the two folders another case may end and remove the outer one, which is empty then.
    for _ in 0..<100 {
      do {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        return folder.path
      } catch CocoaError.fileNoSuchFile {
        continue
      }
    }
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    return folder.path
  }

  /// Removes the folder that the file is in, and the folder of the run when nothing is left in it.
  func remove(folderOf file: String) {
    try? FileManager.default.removeItem(at: URL(fileURLWithPath: file).deletingLastPathComponent())
    rmdir(path)
  }

  /// The folder that the file is in.
  static func folder(of file: String) -> String { URL(fileURLWithPath: file).deletingLastPathComponent().path }

  /// The paths of the files in the folder that the file is in.
  func files(beside file: String) -> [String] {
    let folder = URL(fileURLWithPath: file).deletingLastPathComponent().path
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    return names.sorted().map { "\(folder)/\($0)" }
  }

  /// Removes all that is left, such as the places of cases that hung.
  public func removeAll() {
    try? FileManager.default.removeItem(atPath: path)
  }
}
