import Foundation

/// The stores of an engine that are not in the folders that it receives, but for example on a server.
public struct StoresElsewhere: Sendable {
  /// Removes the stores that were opened with a folder, or with one in it. They are closed, and the folder still exists.
  public let remove: @Sendable (_ folder: String) throws -> Void
  /// The bytes that these stores take.
  public let bytes: @Sendable (_ folder: String) throws -> Int

  public init(
    remove: @escaping @Sendable (_ folder: String) throws -> Void,
    bytes: @escaping @Sendable (_ folder: String) throws -> Int
  ) {
    self.remove = remove
    self.bytes = bytes
  }
}

extension BenchmarkEngine {
  /// Removes a folder with the stores that were opened with it, which are closed. Does nothing if there is no such folder.
  func remove(folder: String) throws {
    guard FileManager.default.fileExists(atPath: folder) else { return }
    try elsewhere?.remove(folder)
    try FileManager.default.removeItem(atPath: folder)
  }

  /// The bytes that the closed stores of a folder take.
  func bytes(inFolder folder: String) throws -> Int {
    try Files.bytesOnDisk(folder) + (elsewhere?.bytes(folder) ?? 0)
  }
}
