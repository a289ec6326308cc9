import Foundation
import QuarryBackend
import QuarryCore

/// Commands of a process that closes its standard streams.
extension ChildInterpreter {
  static let streams: [String: Command] = [
    // without-streams COPY: uses a store while there are no standard streams, and says which file got the number of one.
    "without-streams": { child, words in try WithoutStreams(child.place).run(copy: words.joined(separator: " ")) }
  ]
}

/// Uses a store while the numbers of the standard streams are free, and prints there.
private struct WithoutStreams {
  private let place: any BackendProvider
  private static let standard: [Int32] = [0, 1, 2]

  init(_ place: any BackendProvider) { self.place = place }

  func run(copy: String) throws -> String {
    fflush(nil)
    let kept = Self.standard.map { fcntl($0, F_DUPFD, 200) }
    defer {
      for (stream, number) in zip(kept, Self.standard) {
        dup2(stream, number)
        close(stream)
      }
    }
    var found: [String] = []
    func step<R>(_ name: String, _ body: () throws -> R) throws -> R {
      // What the steps before have put there.
      for number in Self.standard { close(number) }
      let result = try body()
      for number in Self.standard where Self.isFile(number) { found.append("\(name) under \(number)") }
      for number in Self.standard { _ = write(number, "printed", 7) }
      return result
    }
    let store = try step("opening") { try Store(models: [Item.self], in: place) }
    try step("inserting") { try store.insert(contentsOf: (0..<10).map { Item($0) }) }
    let frozen = try step("freezing") { try store.freeze() }
    try step("inserting again") { try store.insert(contentsOf: (10..<20).map { Item($0, name: "second") }) }
    try step("reading") { _ = try store.fetch(Item.where { $0.name == "second" }) }
    frozen.close()
    try step("compacting") { try store.compact() }
    try step("updating") { _ = try store.assign(Item.all) { $0.name = "third" } }
    try step("backup") { try store.backup(to: copy) }
    try step("check") { _ = try store.check() }
    try step("closing") { try store.close() }
    var reading = OpenOptions()
    reading.isReadOnly = true
    let reader = try step("opening for reading") { try Store(models: [Item.self], in: place, options: reading) }
    try step("reading alone") { _ = try reader.fetch(Item.all) }
    try step("closing the reader") { try reader.close() }
    return found.isEmpty ? "none" : found.joined(separator: ", ")
  }

  /// Whether an ordinary file is open under the number.
  private static func isFile(_ number: Int32) -> Bool {
    var status = stat()
    return fstat(number, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
  }
}
