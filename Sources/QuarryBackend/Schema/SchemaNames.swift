/// Names of one kind in one place, which are unique under ASCII case folding, so that every engine can use them.
package struct SchemaNames {
  private var seen: [[UInt8]: String] = [:]

  /// Checks the name and that none like it was inserted before.
  ///
  /// - Parameter isReserved: Whether it is a name of Quarry's own.
  mutating func insert(_ name: String, of kind: String, isReserved: Bool = false) throws(StorageError) {
    if !isReserved { try Self.validate(name, of: kind) }
    if let other = seen.updateValue(name, forKey: Self.folded(name)) {
      throw StorageError(.schemaMismatch, Self.collision(kind, name, other))
    }
  }

  /// Checks one name by itself.
  static func validate(_ name: String, of what: String) throws(StorageError) {
    let bytes = name.utf8
    guard !bytes.isEmpty else { throw StorageError(.schemaMismatch, "the name of a \(what) is empty") }
    guard bytes.count <= Schema.maximumNameBytes else {
      throw .limitExceeded("bytes of the name of a \(what)", limit: Schema.maximumNameBytes, actual: bytes.count)
    }
    guard !bytes.contains(0) else {
      throw StorageError(.schemaMismatch, "the name of a \(what) contains a NUL character")
    }
    let folded = folded(name)
    for prefix in ["_quarry", "sqlite_"] where folded.starts(with: prefix.utf8) {
      throw StorageError(.schemaMismatch, "the name \(name) of a \(what) begins with \(prefix), which is reserved")
    }
  }

  /// The name's bytes with A to Z as a to z.
  package static func folded(_ name: String) -> [UInt8] {
    name.utf8.map { $0 >= 0x41 && $0 <= 0x5A ? $0 | 0x20 : $0 }
  }

  static func collision(_ kind: String, _ name: String, _ other: String) -> String {
    name.utf8.elementsEqual(other.utf8)
      ? "a second \(kind) is named \(name)"
      : "the name \(name) of a \(kind) differs from the name \(other) only in case"
  }
}
