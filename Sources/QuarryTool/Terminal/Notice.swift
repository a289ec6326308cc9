import Foundation

/// What a person should know beside what a command prints, on standard error.
enum Notice {
  static func print(_ text: String) {
    try? FileHandle.standardError.write(contentsOf: Data("note: \(text)\n".utf8))
  }
}
