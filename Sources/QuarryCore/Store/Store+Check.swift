import QuarryBackend

extension Store {
  /// Verifies the store and returns what is wrong with it, nothing when it is sound.
  ///
  /// - Returns: A sentence for each defect; after a hundred, a sentence with the number of the others.
  /// - Throws: `closed`; `unsupported` where the engine offers no check; `io`, `corrupt`.
  /// - Complexity: O(n): every row and every entry of an index is read, while others read and write.
  public func check() throws -> [String] {
    try checkOpen()
    try backend.manifest.require(.check)
    return try backend.check() + danglingReferences() + history.defects() + wrongWords()
  }

  /// The indexes of words that do not have the words of the rows, a sentence for each.
  private func wrongWords() throws(StorageError) -> [String] {
    try repeating { () throws(StorageError) in
      let reader = try CheckReader(backend)
      defer { reader.end() }
      return try SearchIndexes.defects(reader)
    }
  }

  /// The references that lead to nothing, a sentence for each of the first.
  private func danglingReferences() throws(StorageError) -> [String] {
    try repeating { () throws(StorageError) in
      let reader = try CheckReader(backend)
      defer { reader.end() }
      guard let map = context.references.map(of: reader.transaction) else { return [] }
      var report = DefectReport()
      for reference in map.all {
        let place = "model \(reference.source.name), \(reference.property.name)"
        // A row that cannot be read hides what it refers to, and the engine's check has named it.
        try report.examine("\(place): the references to \(reference.target.name) cannot all be checked") {
          report throws(StorageError) in
          try DanglingReferences(
            reference, in: reader.transaction, keeping: DefectReport.most, owners: DefectReport.most
          ).report(&report)
        }
        try reader.goOn()
      }
      return report.lines
    }
  }
}
