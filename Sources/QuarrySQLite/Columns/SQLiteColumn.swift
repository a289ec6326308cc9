import QuarryBackend
import QuarrySQL

/// A property of a model and its column.
struct SQLiteColumn: Sendable {
  let kind: SQLiteColumnKind
  /// The type of an array's elements.
  let elementType: PropertyType?
  /// The column by its names: for a decimal, the compared column is the one next to the value.
  let named: SQLColumn

  init(slot: RowLayout.Slot, kind: SQLiteColumnKind, elementType: PropertyType?, name: String, ordered: String) {
    self.kind = kind
    self.elementType = elementType
    named = SQLColumn(
      slot: slot, name: name, ordered: ordered, isFloatingPoint: kind.isFloatingPoint, isText: kind == .text)
  }

  var slot: RowLayout.Slot { named.slot }
  var name: String { named.name }
  var ordered: String { named.ordered }
}
