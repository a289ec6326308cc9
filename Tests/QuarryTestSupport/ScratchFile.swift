import Foundation

/// A file that is there while the value lives.
package final class ScratchFile: Sendable {
  package let path: String

  package init(_ bytes: [UInt8], ending: String) throws {
    path = NSTemporaryDirectory() + "quarry-\(UUID().uuidString).\(ending)"
    try Data(bytes).write(to: URL(fileURLWithPath: path))
  }

  package convenience init(_ text: String, ending: String) throws {
    try self.init(Array(text.utf8), ending: ending)
  }

  deinit {
    try? FileManager.default.removeItem(atPath: path)
  }
}
