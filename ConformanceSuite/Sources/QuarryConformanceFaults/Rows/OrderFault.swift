import Foundation
import QuarryBackend

/// Rows in another order than the contract's.
enum OrderFault: String, FaultGroup, Twist {
  static let group = "order"

  case nanFirst, negativeZeroFirst, nilLast, nilFirstDescending, tiesUnstable, descendingTiesAscending
  case textFoldsCase, textByUtf16, textByLength, unsignedAsSigned, datesByDay, decimalsAsDouble, trueFirst
  case uuidsByLastByte, dataByLength, secondKeyIgnored, descendingIgnored, keyIgnored, textStopsAtNul, integersAsDouble

  var about: (summary: String, clauses: [String]) {
    switch self {
    case .nanFirst: ("NaN comes before every number.", ["SORT-3"])
    case .negativeZeroFirst: ("-0.0 comes before 0.0 instead of tying with it.", ["SORT-3"])
    case .nilLast: ("Nil is last in ascending order.", ["SORT-1"])
    case .nilFirstDescending: ("Nil is first in descending order, too.", ["SORT-1"])
    case .tiesUnstable: ("Ties come in another order than that of their keys.", ["SORT-2"])
    case .descendingTiesAscending: ("Ties of a descending order come by ascending key.", ["SORT-2"])
    case .textFoldsCase: ("Text is ordered without regard to case.", ["TEXT-1", "SORT-4"])
    case .textByUtf16: ("Text is ordered by its UTF-16 units.", ["TEXT-1", "SORT-4"])
    case .textByLength: ("Shorter text comes first.", ["TEXT-1", "SORT-4"])
    case .unsignedAsSigned: ("Unsigned integers above Int64.max come before the others.", ["SORT-4"])
    case .datesByDay: ("Dates of one day tie.", ["SORT-4"])
    case .decimalsAsDouble: ("Decimals are ordered as the nearest Double.", ["SORT-4"])
    case .trueFirst: ("true comes before false.", ["SORT-4"])
    case .uuidsByLastByte: ("UUIDs are ordered by their last byte first.", ["SORT-4"])
    case .dataByLength: ("Shorter data comes first.", ["SORT-4"])
    case .secondKeyIgnored: ("A second sort key is not looked at.", ["SORT-2"])
    case .descendingIgnored: ("A second sort key always ascends.", ["SORT-2"])
    case .keyIgnored: ("Without a sort key rows come in descending order of their keys.", ["SORT-2"])
    case .textStopsAtNul: ("Text ties when it is the same up to a NUL.", ["TEXT-2", "SORT-4"])
    case .integersAsDouble: ("Integers are ordered as the nearest Double.", ["SORT-4"])
    }
  }

  func cursor(_ tx: Reader, _ query: BoundQuery) throws(StorageError) -> any RowCursor {
    let rows = try SortedRows.rows(tx, query, keys(query.order)) { left, right, isDescending in
      compare(left, right, isDescending: isDescending)
    }
    return RowsCursor(tx, rows)
  }

  private func keys(_ order: [BoundSortKey]) -> [BoundSortKey] {
    switch self {
    case .tiesUnstable where order.count > 1:
      // By the key, the wrong way round.
      var last = order[order.count - 1]
      last.isDescending.toggle()
      return order.dropLast() + [last]
    case .keyIgnored where order.count == 1:
      return [BoundSortKey(slot: order[0].slot, isDescending: !order[0].isDescending)]
    case .descendingTiesAscending where order.count > 1:
      return order.dropLast() + [BoundSortKey(slot: order[order.count - 1].slot)]
    case .secondKeyIgnored where order.count > 2: return [order[0]] + order.suffix(1)
    case .descendingIgnored where order.count > 2:
      return order.enumerated().map { place, key in place == 1 ? BoundSortKey(slot: key.slot) : key }
    default: return order
    }
  }

  private func compare(_ left: Value, _ right: Value, isDescending: Bool) -> Int {
    guard left.isNull || right.isNull else { return changed(left, right) ?? ValueOrder.compare(left, right) }
    let order = ValueOrder.compare(left, right)
    return self == (isDescending ? .nilFirstDescending : .nilLast) ? -order : order
  }

  private func changed(_ left: Value, _ right: Value) -> Int? {
    switch (self, left, right) {
    case (.nanFirst, .double(let a), .double(let b)) where a.isNaN != b.isNaN: a.isNaN ? -1 : 1
    case (.nanFirst, .float(let a), .float(let b)) where a.isNaN != b.isNaN: a.isNaN ? -1 : 1
    case (.negativeZeroFirst, .double(let a), .double(let b)) where a == 0 && b == 0:
      Self.order(a.sign == .plus ? 1 : 0, b.sign == .plus ? 1 : 0)
    case (.textFoldsCase, .string(let a), .string(let b)):
      Self.order(Array(a.lowercased().utf8), Array(b.lowercased().utf8))
    case (.textByUtf16, .string(let a), .string(let b)): Self.order(Array(a.utf16), Array(b.utf16))
    case (.textByLength, .string(let a), .string(let b)) where a.utf8.count != b.utf8.count:
      Self.order(a.utf8.count, b.utf8.count)
    case (.textStopsAtNul, .string(let a), .string(let b)):
      Self.order(Array(a.utf8.prefix { $0 != 0 }), Array(b.utf8.prefix { $0 != 0 }))
    case (.unsignedAsSigned, .int, .uint): 1
    case (.unsignedAsSigned, .uint, .int): -1
    case (.datesByDay, .date(let a), .date(let b)):
      Self.order(
        (a.timeIntervalSinceReferenceDate / 86_400).rounded(), (b.timeIntervalSinceReferenceDate / 86_400).rounded())
    case (.decimalsAsDouble, .decimal(let a), .decimal(let b)):
      Self.order(NSDecimalNumber(decimal: a).doubleValue, NSDecimalNumber(decimal: b).doubleValue)
    case (.trueFirst, .bool(let a), .bool(let b)): Self.order(a ? 0 : 1, b ? 0 : 1)
    case (.uuidsByLastByte, .uuid(let a), .uuid(let b)):
      Self.order(withUnsafeBytes(of: a.uuid) { $0.reversed() }, withUnsafeBytes(of: b.uuid) { $0.reversed() })
    case (.dataByLength, .data(let a), .data(let b)) where a.count != b.count: Self.order(a.count, b.count)
    case (.integersAsDouble, .int(let a), .int(let b)): Self.order(Double(a), Double(b))
    default: nil
    }
  }

  private static func order<T: Comparable>(_ left: T, _ right: T) -> Int { left < right ? -1 : left > right ? 1 : 0 }

  private static func order<T: Comparable>(_ left: [T], _ right: [T]) -> Int {
    left.lexicographicallyPrecedes(right) ? -1 : right.lexicographicallyPrecedes(left) ? 1 : 0
  }
}
