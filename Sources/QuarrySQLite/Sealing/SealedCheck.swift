import QuarryBackend

/// Verifies what SQLite's own check does not look at in a sealed database: the slots of its header page, and the tags of all
/// pages, those too that no table uses.
struct SealedCheck {
  private let database: SealedDatabase
  private let name: String

  init(_ database: SealedDatabase, _ name: String) {
    self.database = database
    self.name = name
  }

  func run(_ report: inout DefectReport) throws(StorageError) {
    try report.examine("header") { report throws(StorageError) in
      for defect in try database.header(of: name).envelope.defects { report.add("header: \(defect)") }
      if !database.hasWholeLogSlots { report.add("header: a slot of the log is damaged") }
    }
    try report.examine("pages") { report throws(StorageError) in
      var number: Int64 = 0
      while let isAuthentic = try database.isAuthentic(number) {
        number += 1
        if !isAuthentic { report.add("page \(number): it is damaged, or not of this store") }
      }
    }
  }
}
