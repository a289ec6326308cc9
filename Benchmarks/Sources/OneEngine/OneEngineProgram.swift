import Foundation
public import QuarryBackend
import QuarryCore

/// A program that uses one engine, without histories, sync, search or observers. `scripts/budgets` measures its size and the
/// instructions of its work, so that other features do not make it larger or slower.
public enum OneEngineProgram {
  private static let usage = "usage: PROGRAM writes|reads|opening [FOLDER]\n"

  /// Does the work that the command line names, in a folder that is there.
  ///
  /// - Parameter provider: The place of a store in the folder.
  public static func main(_ provider: (_ folder: String) -> any BackendProvider) {
    let arguments = CommandLine.arguments.dropFirst()
    guard let work = arguments.first, arguments.count <= 2 else { return fail(usage, 64) }
    let place = provider(arguments.count == 2 ? arguments.last ?? "" : "")
    do {
      switch work {
      case "writes":
        let store = try fill(place)
        try countedWrites(store)
        try store.close()
      case "reads":
        let store = try fill(place)
        try countedReads(store)
        try store.close()
      case "opening":
        try Store(models: hundredModels(), in: place).close()
        try countedOpening(place)
      default: fail(usage, 64)
      }
    } catch {
      fail("error: \(error)\n", 1)
    }
  }

  private static func fail(_ text: String, _ status: Int32) {
    FileHandle.standardError.write(Data(text.utf8))
    exit(status)
  }

  private static func fill(_ place: any BackendProvider) throws -> Store {
    let store = try Store(for: Entry.self, in: place)
    try store.insert(contentsOf: (0..<2_000).map { Entry($0) })
    return store
  }

  /// 1,000 transactions of one change each: inserts, updates, deletions, a quarter of them by a condition.
  @inline(never)
  private static func countedWrites(_ store: Store) throws {
    for id in Int64(2_000)..<2_250 { try store.insert(Entry(id)) }
    for id in Int64(0)..<250 { try store.assign(Entry.self, id) { $0.score = 1 } }
    for id in Int64(250)..<500 { try store.assign(Entry.where { $0.id == id }) { $0.score += 1 } }
    for id in Int64(500)..<750 where try !store.delete(Entry.self, id) { throw StorageError(.notFound, "\(id)") }
  }

  /// 2,000 reads by key, and 100 queries by an index.
  @inline(never)
  private static func countedReads(_ store: Store) throws {
    var sum = 0
    for id in Int64(0)..<2_000 { sum += try store.get(Entry.self, id)?.age ?? 0 }
    for age in 0..<100 { sum += try store.fetch(Entry.where { $0.age == age }).count }
    guard sum == 2_000 / 100 * 4_950 + 2_000 else { throw StorageError(.corrupt, "the reads found \(sum)") }
  }

  @inline(never)
  private static func countedOpening(_ place: any BackendProvider) throws {
    try Store(models: hundredModels(), in: place).close()
  }
}
