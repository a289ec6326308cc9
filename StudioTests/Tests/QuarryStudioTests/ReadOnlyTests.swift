import Foundation
import QuarryBackend
import QuarryCore
import QuarryEngines
import QuarryInspect
import Testing

@testable import QuarryStudio

/// A Studio that is for reading only changes nothing, also below its pages.
@Suite struct ReadOnlyTests {
  @Test(arguments: ["sqlite", "lmdb", "file"]) func theFilesStayAsTheyAre(engine: String) async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "studio-\(UUID())")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let url = try StoreURL(parsing: "\(engine):\(folder.path)/shop")
    let store = try Store(opening: url)
    try Shop.fill(store)
    try store.close()
    let before = try Self.content(folder)
    var options = OpenOptions()
    options.isReadOnly = true
    let reader = try Store(opening: url, options: options)
    let browser = try await Browser.entered(reader)
    for page in [
      "/", "/grid?model=Order&where=amount+%3E+5&sort=-amount", "/object?model=Order&key=1", "/schema", "/history",
      "/explain?model=Order", "/groups?model=Order&by=amount", "/check?run=1", "/held",
      "/export?model=Order&format=csv",
    ] { #expect(try await browser.get(page).status == 200, "\(page)") }
    try reader.close()
    let after = try Self.content(folder)
    #expect(after.keys.filter { after[$0] != before[$0] } == [])
    #expect(after.count == before.count)
  }

  /// The bytes of the store's files. Files of locks are none of them.
  private static func content(_ folder: URL) throws -> [String: Data] {
    var content: [String: Data] = [:]
    for file in try FileManager.default.subpathsOfDirectory(atPath: folder.path).sorted() {
      guard !["lock", "lock.mdb", "shm", "wal"].contains(where: file.hasSuffix) else { continue }
      content[file] = FileManager.default.contents(atPath: folder.appending(path: file).path)
    }
    return content
  }

  @Test func oneGuardRefusesEveryChangeBelowThePages() async throws {
    let store = try Shop.store()
    let browser = try await Browser.entered(store)
    let inspector = browser.studio.site.inspector
    let order = try #require(try inspector.object(in: "Order", key: 1))
    func refused(_ body: () throws -> Void) {
      let error = #expect(throws: StorageError.self, performing: body)
      #expect(error?.code == .readOnly)
    }
    refused {
      _ = try inspector.save(
        ObjectEdit(model: "Order", key: 1, base: order.record, changes: Record(["amount": 7])))
    }
    refused { _ = try inspector.insert(into: "Order", Record(["id": 900, "amount": 1])) }
    refused { _ = try inspector.delete(in: "Order", key: 1) }
    refused { _ = try inspector.undo(.start, dated: Date()) }
    refused { try inspector.discard(held: "0", digest: "") }
    #expect(try Shop.value("amount", of: 1, in: "Order", store) == 10)
  }
}
