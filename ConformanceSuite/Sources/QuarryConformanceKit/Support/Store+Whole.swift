import QuarryBackend
package import QuarryCore
import QuarryQuery

extension Store {
  /// Throws unless the engine finds nothing wrong, and each index divides the objects into those before a value, at it,
  /// after it and without one.
  package func expectWhole(_ about: String = "", file: String = #fileID, line: Int = #line) throws {
    if manifest.capabilities[.check]?.isSupported == true {
      try expectEqual(try check(), [], "\(about): the check", file: file, line: line)
    }
    try read { tx in
      for model in try tx.models() {
        let rows = try tx.records.fetch(QueryTree(model: model.name))
        let key = model.keyProperty.name
        for index in model.indexes {
          let name = model.properties[index.columns[0].slot].name
          for place in [0, rows.count / 2, rows.count - 1] where rows.indices.contains(place) {
            guard let pivot = rows[place][name], !pivot.isNull else { continue }
            var parts = try [Comparison.less, .equal, .greater].flatMap { comparison in
              try tx.records.fetch(
                QueryTree(model: model.name, predicate: .compare(.named(name), comparison, .value(pivot))))
            }
            parts += try tx.records.fetch(
              QueryTree(model: model.name, predicate: .compare(.named(name), .equal, .value(.null))))
            let due = rows.compactMap { $0[key] }
            let found = parts.compactMap { $0[key] }.sorted { ValueOrder.compare($0, $1) < 0 }
            try expectEqual(
              found, due, "\(about): \(model.name) divided by \(name) \(pivot)", file: file, line: line)
          }
        }
      }
    }
  }
}
