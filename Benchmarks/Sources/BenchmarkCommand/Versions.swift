import Foundation

/// What the program was made from.
enum Versions {
  /// The commit that is checked out, and whether there are changes beside it. The program lies in the repository, wherever it
  /// is called from.
  static func commit() -> String {
    let folder = Bundle.main.executableURL?.deletingLastPathComponent().path ?? "."
    return output("git", "-C", folder, "describe", "--always", "--dirty", "--abbrev=12") ?? "unknown"
  }

  /// The compiler.
  static func swift() -> String {
    guard let text = output("swift", "--version"), let start = text.range(of: "Swift version ") else {
      return "unknown"
    }
    return String(text[start.upperBound...].prefix { $0 != " " && $0 != "\n" })
  }

  private static func output(_ words: String...) -> String? {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = words
    let pipe = Pipe()
    process.standardOutput = pipe
    process.standardError = FileHandle.nullDevice
    guard (try? process.run()) != nil else { return nil }
    let data = pipe.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    guard process.terminationStatus == 0 else { return nil }
    return String(decoding: data, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
  }
}
