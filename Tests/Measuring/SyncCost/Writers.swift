import Foundation
import QuarryBackend
import QuarryCore
import QuarryEngines
import QuarrySync
import Synchronization

/// Writes a second of one and of eight writers on a server, with and without sync, each of its own objects.
///
/// The writers have two openings of the store. `QUARRY_TEST_POSTGRES` is the connection string of the server.
func measureWriters() throws {
  guard let server = ProcessInfo.processInfo.environment["QUARRY_TEST_POSTGRES"] else {
    throw StorageError(.notFound, "QUARRY_TEST_POSTGRES names no server: scripts/sync-cost --postgres starts one")
  }
  print("store  writers  plain a second  synced a second  ratio")
  for kind in ["one", "many"] {
    for writers in [1, 8] {
      var rates: [Double] = []
      for isSynced in [false, true] {
        // The best of three: other programs take the processors too.
        let rounds = try (0..<3).map { _ in try rate(server, kind, writers: writers, isSynced: isSynced) }
        rates.append(rounds.max() ?? 0)
      }
      print("writers=\(kind)  \(writers)  \(text(rates[0], 0))  \(text(rates[1], 0))  \(text(rates[1] / rates[0]))")
    }
  }
}

private func rate(_ server: String, _ kind: String, writers: Int, isSynced: Bool) throws -> Double {
  let each = 1_200 / writers
  let name = UUID().uuidString.prefix(8).lowercased()
  let url = try StoreURL(parsing: "postgres:\(server)?schema=cost\(name)&writers=\(kind)")
  let stores = try (0..<2).map { _ in try Store(program: [Article.schema], in: url) }
  if isSynced { for store in stores { try store.enableSync(named: ["Article"]) } }
  try stores[0].records.insert(into: "Article", (0..<10_000).map { Article.record($0) })
  let failure = Mutex<(any Error)?>(nil)
  let time = seconds {
    let ends = (0..<writers).map { writer in
      let end = DispatchSemaphore(value: 0)
      Thread.detachNewThread {
        defer { end.signal() }
        do {
          for number in 0..<each {
            let article = Article.views(writer * 1_000 + number % 1_000, number)
            try stores[writer % 2].records.upsert(into: "Article", [article], updating: ["views"])
          }
        } catch {
          failure.withLock { $0 = error }
        }
      }
      return end
    }
    for end in ends { end.wait() }
  }
  if let error = failure.withLock({ $0 }) { throw error }
  try stores[1].close()
  try stores[0].destroy()
  return Double(writers * each) / time
}
