import Foundation

/// A message for the user in addition to a command's output, on standard error.
enum Notice {
  static func print(_ text: String) {
    try? FileHandle.standardError.write(contentsOf: Data("note: \(text)\n".utf8))
  }
}
