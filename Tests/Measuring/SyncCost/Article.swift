import Foundation
import QuarryBackend
import QuarryCore
import QuarryEngines
import QuarrySync

/// A model with a key that stores can make apart.
enum Article {
  static let schema = ModelSchema(
    name: "Article",
    properties: [
      PropertySchema(name: "id", type: .uuid), PropertySchema(name: "title", type: .string),
      PropertySchema(name: "views", type: .int64), PropertySchema(name: "rating", type: .int64),
    ], primaryKey: 0)

  static func key(_ number: Int) -> UUID {
    let bits = UInt64(number).bigEndian
    let bytes = withUnsafeBytes(of: bits) { Array($0) }
    return UUID(
      uuid: (
        1, 0x90, 0, 0, 0, 0, 0x70, 0, 0x80, bytes[1], bytes[2], bytes[3], bytes[4], bytes[5], bytes[6], bytes[7]
      ))
  }

  static func record(_ number: Int, views: Int = 0) -> Record {
    Record([
      ("id", .uuid(key(number))), ("title", .string("the title of article \(number)")), ("views", .int(Int64(views))),
      ("rating", 3),
    ])
  }

  /// The key and the one property that an update changes.
  static func views(_ number: Int, _ views: Int) -> Record {
    Record([("id", .uuid(key(number))), ("views", .int(Int64(views)))])
  }
}

/// A store at a new place.
struct Place {
  let engine: EngineDescription
  let store: Store
  let path: String

  init(_ engine: EngineDescription, in folder: String, isSynced: Bool = true) throws {
    self.engine = engine
    var options = OpenOptions()
    if engine.path == .path { options.durability = .processCrash }
    path = engine.path(in: folder, UUID().uuidString)
    store = try Store(program: [Article.schema], in: engine.provider(at: path), options: options)
    if isSynced { try store.enableSync(named: ["Article"]) }
  }

  var sync: StoreSync {
    get throws {
      guard let sync = store.sync else { throw StorageError(.notFound, "the store is not synced") }
      return sync
    }
  }

  func fill(_ count: Int) throws {
    for first in stride(from: 0, to: count, by: 10_000) {
      try store.records.insert(into: "Article", (first..<min(first + 10_000, count)).map { Article.record($0) })
    }
  }
}

/// Runs a body by the clock.
func seconds(_ body: () throws -> Void) rethrows -> Double { try ContinuousClock().measure(body) / .seconds(1) }

func text(_ number: Double, _ digits: Int = 2) -> String { String(format: "%.\(digits)f", number) }
