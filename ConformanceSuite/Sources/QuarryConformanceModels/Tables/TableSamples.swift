import Foundation
import QuarryBackend
import QuarryConformanceKit
import QuarryCore
import QuarryData
import QuarryDump
import QuarryQuery

/// Imports of texts that cases write.
struct TableStore {
  let kit: ConformanceContext
  let store: Store

  /// A store without models.
  init(_ kit: ConformanceContext) throws {
    self.kit = kit
    store = try kit.open([], at: kit.makePlace())
  }

  /// Imports a text into the model `T`.
  ///
  /// - Parameter change: Says what is said of the file and of the import.
  @discardableResult
  func imported(
    _ text: String, _ format: DataFormat = .csv, _ change: (inout TableImport) -> Void = { _ in }
  ) throws -> TableImport.Report {
    try imported(bytes: Array(text.utf8), format, change)
  }

  @discardableResult
  func imported(
    bytes: [UInt8], _ format: DataFormat = .csv, _ change: (inout TableImport) -> Void = { _ in }
  ) throws -> TableImport.Report {
    try CopyScene.inFolder { path in
      try Data(bytes).write(to: URL(fileURLWithPath: path))
      var table = TableImport(data: DataFile(path: path, format: format), model: "T")
      change(&table)
      return try table.run(in: store)
    }
  }

  /// The properties of the model as `name type`.
  func types() throws -> [String] {
    guard let model = try store.models().first(where: { $0.name == "T" }) else { return [] }
    return model.liveSlots.map { "\(model.properties[$0].name) \(model.properties[$0].typeName)" }
  }

  /// The values of the rows, in the order of their keys.
  func rows() throws -> [[Value]] {
    try store.records.fetch(QueryTree(model: "T")).map(\.values)
  }

  /// The name of the primary key.
  func key() throws -> String? {
    try store.models().first { $0.name == "T" }?.keyProperty.name
  }
}

extension ConformanceCase {
  /// A case about a table.
  static func table(
    _ name: String, _ clauses: [String], _ summary: String, without: Set<ConformanceVariant> = [],
    _ body: @escaping @Sendable (TableStore) throws -> Void
  ) -> ConformanceCase {
    // Many of them open a dozen stores.
    ConformanceCase("DATA.\(name)", clauses, summary, without: without, within: .seconds(30)) { kit in
      try body(TableStore(kit))
    }
  }
}
