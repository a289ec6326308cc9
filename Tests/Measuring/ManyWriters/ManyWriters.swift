import Foundation
import QuarryBackend
import QuarryCore
import QuarryManyWriters

/// A row of one writer.
struct Entry: Model {
  var id: Int
  var writer: Int

  static let modelDefinition = ModelDefinition<Entry>(
    name: "Entry",
    properties: [PropertyDefinition("id", \Entry.id, Int.self), PropertyDefinition("writer", \Entry.writer, Int.self)],
    primaryKey: "id")

  struct Columns: ModelColumns {
    var id = Column<Int>("id", 0)
    var writer = Column<Int>("writer", 1)
  }

  var primaryKeyValue: Int { id }

  init(id: Int, writer: Int) {
    self.id = id
    self.writer = writer
  }

  init(reading row: ModelReader) throws(StorageError) {
    id = try row.get(0)
    writer = try row.get(1)
  }

  func write(to row: ModelWriter) throws(StorageError) {
    try row.set(0, id)
    try row.set(1, writer)
  }
}

/// Measures the throughput of writers of different rows, one and eight of them, on an engine with many writers whose round trips
/// take 0.5 ms. Ends with 1 where eight writers do not reach six times the throughput of one.
@main struct ManyWriters {
  static func main() throws {
    let each = CommandLine.arguments.dropFirst().first.flatMap { Int($0) } ?? 400
    let one = try rate(writers: 1, each: each)
    let eight = try rate(writers: 8, each: each)
    let ratio = eight / one
    print("one writer: \(Int(one)) inserts/s")
    print("eight writers: \(Int(eight)) inserts/s, \(String(format: "%.1f", ratio)) times as many")
    if ratio < 6 { exit(1) }
  }

  private static func rate(writers: Int, each: Int) throws -> Double {
    let provider = ManyWriterProvider(roundTrip: 0.0005)
    let store = try Store(for: Entry.self, in: provider)
    _ = provider.meter.take()
    let start = ContinuousClock.now
    let threads = (0..<writers).map { writer in
      let done = DispatchSemaphore(value: 0)
      let thread = Thread {
        for number in 0..<each {
          do {
            try store.insert(Entry(id: writer << 32 | number, writer: writer))
          } catch {
            print("error: \(error)")
            exit(2)
          }
        }
        done.signal()
      }
      thread.start()
      return done
    }
    for done in threads { done.wait() }
    let seconds = (ContinuousClock.now - start) / .seconds(1)
    let counts = provider.meter.take()
    let trips = Double(counts.all) / Double(writers * each)
    print("\(writers) writing: \(String(format: "%.2f", trips)) trips for each insert, \(counts.conflicts) conflicts")
    guard try store.count(Entry.all) == writers * each else {
      print("error: rows are missing")
      exit(2)
    }
    return Double(writers * each) / seconds
  }
}
