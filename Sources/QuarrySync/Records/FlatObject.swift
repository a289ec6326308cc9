package import QuarryBackend

/// A row by its columns' names.
package typealias SyncRow = [SyncName: Value]

/// An object's births as one row, with the stamps of its columns.
struct FlatObject: Sendable {
  var row: SyncRow
  var stamps: [SyncName: Stamp]
  /// The newest stamp by which the object went behind others in its unique indexes.
  var claim: Stamp

  /// Nil when no insert of the object is known.
  init?(_ model: SyncModel, _ births: Births) {
    let births = births.filter { $0.value.isWhole }
    guard !births.isEmpty else { return nil }
    row = [:]
    stamps = [:]
    claim = births.values.map { $0.columns[.claim]?.stamp ?? .zero }.max() ?? .zero
    for column in model.columns {
      switch column.rule {
      case .counter:
        let sum = births.counts(column.name).values.joined().reduce(0 as UInt64) {
          $0 &+ $1.value.plus &- $1.value.minus
        }
        // A value from before the column was a counter is its first one.
        let first = Self.winner(births.values.compactMap { $0.columns[column.name] }, .latest)
        let start: UInt64 = if case .int(let value)? = first?.value { UInt64(bitPattern: value) } else { 0 }
        row[column.name] = .int(Int64(bitPattern: start &+ sum))
      case .set:
        let elements = births.values.flatMap { $0.elements(column.name).filter(\.value.isIn).keys }
        row[column.name] = .array(Set(elements).sorted { $0.precedes($1) })
      case .latest, .maximum, .minimum:
        let best = Self.best(column, births)
        row[column.name] = best.value
        stamps[column.name] = best.stamp
      }
    }
  }

  /// The register that wins. A column that is newer than the object has its default, older than all. A derived value has
  /// the stamp of its source, and loses to one that was written at the same time: SYNC-33.
  private static func best(_ column: SyncColumn, _ births: Births) -> Register {
    let written = winner(births.values.compactMap { $0.columns[column.name] }, column.rule)
    guard let derivation = column.derivation else { return written ?? Register(.zero, column.defaultValue) }
    let sources = births.values.compactMap { $0.columns[derivation.source] }
    let derived = winner(sources.map { Register($0.stamp, derivation.convert($0.value)) }, column.rule)
    guard let written else { return derived ?? Register(.zero, column.defaultValue) }
    guard let derived, column.rule != .latest || derived.stamp > written.stamp else { return written }
    return written.joined(derived, column.rule)
  }

  private static func winner(_ registers: [Register], _ rule: MergeRule) -> Register? {
    registers.first.map { registers.dropFirst().reduce($0) { $0.joined($1, rule) } }
  }
}
