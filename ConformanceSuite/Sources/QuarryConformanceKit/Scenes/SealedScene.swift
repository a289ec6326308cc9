package import Foundation
package import QuarryBackend
package import QuarryCore
import QuarryEncryption

/// A place whose stores are sealed with keys of the kit, and the folder of its files.
package struct SealedScene {
  package let kit: ConformanceContext
  package let place: any BackendProvider
  /// Everything that the place has is in it, and nothing else.
  package let folder: String

  package init(_ kit: ConformanceContext) throws {
    self.kit = kit
    place = try kit.makePlace()
    folder = try unwrap(kit.harness.folder(of: kit.undecorated(place)), "the harness's folder of a place")
  }

  /// What a store has that ``fill(_:)`` made.
  package static let items = (0..<60).map {
    Item($0, rank: $0 % 7, name: "name \($0)", note: $0 % 3 == 0 ? "note \($0)" : nil)
  }

  /// The options with the key of that number; nil for none.
  package static func options(
    _ key: UInt8?, _ change: (inout OpenOptions) -> Void = { _ in }
  ) throws(StorageError) -> OpenOptions {
    var options = OpenOptions()
    if let key { options.encryption = Encryption(try ConformanceKey.key(key)) }
    change(&options)
    return options
  }

  @discardableResult
  package func open(
    _ key: UInt8? = 1, _ models: [any Model.Type] = [Item.self], _ change: (inout OpenOptions) -> Void = { _ in }
  ) throws -> Store {
    try kit.open(models, at: place, options: try Self.options(key, change))
  }

  /// Makes a store of the items, and closes it.
  ///
  /// Its last commits leave the same: an engine that takes the commit before a damaged one has the same objects.
  package func fill(_ key: UInt8? = 1) throws {
    let store = try open(key)
    try store.insert(contentsOf: Self.items)
    for _ in 0..<2 {
      try store.write { tx in
        try tx.insert(Item(9_999, name: "gone"))
        try tx.delete(Item.self, 9_999)
      }
    }
    try store.close()
  }

  /// The store has the items, whole, and is closed again.
  package func expectItems(
    _ key: UInt8? = 1, _ about: String = "", file: String = #fileID, line: Int = #line
  ) throws {
    let store = try open(key) { $0.createsIfMissing = false }
    try expectEqual(try store.fetch(Item.all), Self.items, about, file: file, line: line)
    try expectEqual(
      try store.fetch(Item.where { $0.rank == 3 }), Self.items.filter { $0.rank == 3 }, about, file: file, line: line)
    try expectEqual(try store.check(), [], about, file: file, line: line)
    try store.close()
  }

  /// No key but that of the number opens the store.
  package func expectOnly(
    _ key: UInt8, _ others: UInt8..., about: String = "", file: String = #fileID, line: Int = #line
  ) throws {
    try expectOnly(key, others, about: about, file: file, line: line)
  }

  package func expectOnly(
    _ key: UInt8, _ others: [UInt8], about: String = "", file: String = #fileID, line: Int = #line
  ) throws {
    for other in others {
      try expectError(.wrongKey, "\(about): key \(other)", file: file, line: line) { try open(other) }
    }
    try expectError(.keyRequired, about, file: file, line: line) { try open(nil) }
    try expectItems(key, about, file: file, line: line)
  }

  // MARK: Files

  /// The files of the store and what they have; what every opening may write, a table of readers, is not among them.
  package func files() throws -> [String: Data] {
    var files: [String: Data] = [:]
    for path in kit.files(at: place) { files[path] = try Data(contentsOf: URL(fileURLWithPath: path)) }
    return files
  }

  /// Everything in the folder, by its path.
  package func everything() throws -> [String: Data] {
    var files: [String: Data] = [:]
    guard let paths = FileManager.default.enumerator(atPath: folder) else { return files }
    for case let name as String in paths {
      let path = "\(folder)/\(name)"
      // A file of an engine that is at work may go meanwhile.
      if let data = FileManager.default.contents(atPath: path) { files[path] = data }
    }
    return files
  }

  /// Gives files the content that they had.
  package func put(_ files: [String: Data]) throws {
    for path in kit.files(at: place) where files[path] == nil { try? FileManager.default.removeItem(atPath: path) }
    for (path, data) in files { try data.write(to: URL(fileURLWithPath: path)) }
  }

  /// Makes the folder what it was: these files, and nothing else.
  package func restore(_ files: [String: Data]) throws {
    let manager = FileManager.default
    for name in try manager.contentsOfDirectory(atPath: folder) { try manager.removeItem(atPath: "\(folder)/\(name)") }
    for (path, data) in files {
      let folder = URL(fileURLWithPath: path).deletingLastPathComponent()
      try manager.createDirectory(at: folder, withIntermediateDirectories: true)
      try expect(
        manager.createFile(atPath: path, contents: data, attributes: [.posixPermissions: 0o600]), "\(path) was not made"
      )
    }
  }

  /// What of the items is in the clear somewhere in the folder; nil when nothing is.
  package func plainText() throws -> String? {
    for (path, data) in try everything() {
      for text in ["name 17", "note 42"] where data.range(of: Data(text.utf8)) != nil {
        return "\(text) is in the clear in \((path as NSString).lastPathComponent)"
      }
    }
    return nil
  }

  /// Nothing of the items is in the clear.
  package func expectSealed(_ about: String = "", file: String = #fileID, line: Int = #line) throws {
    if let found = try plainText() { throw ConformanceFailure(message: "\(about): \(found)", file: file, line: line) }
  }

  // MARK: Sealing

  package func encrypt(_ key: UInt8) throws {
    func encrypt(_ place: some BackendProvider) throws { try Store.encrypt(place, with: ConformanceKey.key(key)) }
    try encrypt(kit.undecorated(place))
  }

  package func decrypt(_ key: UInt8) throws {
    func decrypt(_ place: some BackendProvider) throws { try Store.decrypt(place, with: ConformanceKey.key(key)) }
    try decrypt(kit.undecorated(place))
  }

  /// Does something that must throw, and leave every file as it is.
  package func expectUntouched<R>(
    _ code: StorageError.Code, _ about: String = "", file: String = #fileID, line: Int = #line, _ body: () throws -> R
  ) throws {
    let before = try files()
    let names = try Set(everything().keys)
    try expectError(code, about, file: file, line: line, body)
    try expect(try files() == before, "\(about): a file was changed", file: file, line: line)
    try expectEqual(try Set(everything().keys), names, "\(about): the files", file: file, line: line)
  }

  /// The largest file of the store, which has its objects.
  package func main() throws -> (path: String, data: Data) {
    let found = try unwrap(files().max { $0.value.count < $1.value.count }, "a file of the store")
    return (found.key, found.value)
  }
}

extension ConformanceCase {
  /// A case of encryption.
  package static func sealed(
    _ name: String, _ clauses: [String], _ summary: String, needs: Set<Capability> = [],
    within limit: Duration = .seconds(20), file: String = #fileID, line: Int = #line,
    _ body: @escaping @Sendable (SealedScene) async throws -> Void
  ) -> ConformanceCase {
    ConformanceCase(
      "ENC.\(name)", clauses, summary, needs: needs, requiresPersistence: true, within: limit, file: file, line: line
    ) { try await body(SealedScene($0)) }
  }

  /// A case of encryption in which a second process works at the place, too, or judges what became of its files.
  ///
  /// - Parameter isEnded: Whether that process is ended at operations on files.
  package static func sealedProcesses(
    _ name: String, _ clauses: [String], _ summary: String, needs: Set<Capability> = [], isEnded: Bool = false,
    within limit: Duration = .seconds(60), file: String = #fileID, line: Int = #line,
    _ body: @escaping @Sendable (SealedScene) throws -> Void
  ) -> ConformanceCase {
    ConformanceCase(
      "ENC.\(name)", clauses, summary, needs: needs, requiresPersistence: true, requiresSecondProcess: true,
      requiresCrashLab: isEnded, within: limit, file: file, line: line
    ) { try body(SealedScene($0)) }
  }
}
