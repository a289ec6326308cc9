import Foundation

/// A report for people and for programs, which is kept with the sources as NAME.md and NAME.json.
protocol WrittenReport: Codable {
  /// The name of its files in docs/conformance.
  static var name: String { get }
  var markdown: String { get }
}

extension WrittenReport {
  private static func file(_ root: URL, _ ending: String) -> URL {
    root.appending(path: "docs/conformance/\(name).\(ending)")
  }

  /// The report that is kept with the sources; nil where there is none of this form.
  static func read(_ root: URL) -> Self? {
    (try? Data(contentsOf: file(root, "json"))).flatMap { try? JSONDecoder().decode(Self.self, from: $0) }
  }

  /// Writes the report where it is kept.
  func write(_ root: URL) throws {
    try Data(markdown.utf8).write(to: Self.file(root, "md"), options: .atomic)
    try json().write(to: Self.file(root, "json"), options: .atomic)
  }

  func json() throws -> Data {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    return try encoder.encode(self) + Data("\n".utf8)
  }
}
