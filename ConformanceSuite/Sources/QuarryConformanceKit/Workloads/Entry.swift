package import QuarryBackend
package import QuarryCore

/// A row of a batch: with an index, a unique one, and text of very different lengths.
package struct Entry: Model, Equatable {
  var id: Int
  var batch: Int
  var code: String
  var text: String
  var isTouched: Bool

  package static let modelDefinition = ModelDefinition<Entry>(
    name: "Entry",
    properties: [
      PropertyDefinition("id", \Entry.id, Int.self), PropertyDefinition("batch", \Entry.batch, Int.self),
      PropertyDefinition("code", \Entry.code, String.self), PropertyDefinition("text", \Entry.text, String.self),
      PropertyDefinition("isTouched", \Entry.isTouched, Bool.self),
    ],
    primaryKey: "id", indexes: [IndexDefinition(["batch"]), IndexDefinition(["code"], isUnique: true)])

  package struct Columns: ModelColumns {
    var id = Column<Int>("id", 0)
    var batch = Column<Int>("batch", 1)
    var code = Column<String>("code", 2)
    var text = Column<String>("text", 3)
    var isTouched = Column<Bool>("isTouched", 4)
    package init() {}
  }

  package var primaryKeyValue: Int { id }

  /// The row that a batch has in that place.
  init(batch: Int, place: Int, isTouched: Bool) {
    id = batch * 100 + place
    self.batch = batch
    code = "\(batch % 7)-\(batch)-\(place)"
    text = String(repeating: "abcdefg-\(place)", count: (batch * 31 + place * 17) % 97)
    self.isTouched = isTouched
  }

  package init(reading row: ModelReader) throws(StorageError) {
    id = try row.get(0)
    batch = try row.get(1)
    code = try row.get(2)
    text = try row.get(3)
    isTouched = try row.get(4)
  }

  package func write(to row: ModelWriter) throws(StorageError) {
    try row.set(0, id)
    try row.set(1, batch)
    try row.set(2, code)
    try row.set(3, text)
    try row.set(4, isTouched)
  }
}
