import Foundation
import QuarryBackend

/// Counts, sums and groups that are not the contract's.
enum AggregateFault: String, FaultGroup, Twist {
  static let group = "aggregate"

  case countOneMore, countOneLess, countIgnoresLimit, countIgnoresOffset, countIgnoresPredicate, sumWraps, sumInOrder
  case sumThrowsOnTheWay, averageDividesIntegers, minOfNothingIsZero, sumOfNothingIsZero, averageCountsNil
  case valuesCountNil, groupsTurnedRound, nilGroupDropped, nilGroupLast, zerosGroupedApart, nanIgnored, limitIgnored
  case emptyIsNoRow, unsignedSumAsSigned, maxIsMin, distinctRepeats, secondGroupIgnored, floatSumNarrow
  case minIsMax, valuesCountOneMore, nothingIsZero, totalOneMore, infinityIsZero, extremeOfOneIsNil

  var about: (summary: String, clauses: [String]) {
    switch self {
    case .countOneMore: ("A count is one too many.", ["AGG-5"])
    case .countOneLess: ("A count of more than ten is one too few.", ["AGG-5"])
    case .countIgnoresLimit: ("A count does not look at the limit.", ["AGG-5"])
    case .countIgnoresOffset: ("A count does not look at the offset.", ["AGG-5"])
    case .countIgnoresPredicate: ("A count is that of the whole model.", ["AGG-5"])
    case .sumWraps: ("An integer sum that does not fit wraps around.", ["AGG-2"])
    case .sumInOrder: ("Doubles are added up one after the other, each sum rounded.", ["AGG-3"])
    case .sumThrowsOnTheWay: ("An integer sum is refused when it does not fit on the way.", ["AGG-2"])
    case .averageDividesIntegers: ("The average of integers is cut off.", ["AGG-3"])
    case .minOfNothingIsZero: ("The least value of nothing is 0.", ["AGG-1"])
    case .sumOfNothingIsZero: ("The sum of nothing is 0.", ["AGG-1"])
    case .averageCountsNil: ("Nil takes part in an average as 0.", ["AGG-1"])
    case .valuesCountNil: ("A count of values counts nil.", ["AGG-1"])
    case .groupsTurnedRound: ("Groups come in descending order.", ["AGG-4"])
    case .nilGroupDropped: ("What has nil in the grouped property is in no group.", ["AGG-4"])
    case .nilGroupLast: ("The group of nil comes last.", ["AGG-4"])
    case .zerosGroupedApart: ("The group of zeros is -0.0.", ["AGG-4", "SORT-3"])
    case .nanIgnored: ("NaN takes no part in a sum.", ["AGG-3"])
    case .limitIgnored: ("Aggregates do not look at the query's limit.", ["AGG-5", "PAGE-1"])
    case .emptyIsNoRow: ("Aggregates of no rows give no answer.", ["AGG-1"])
    case .unsignedSumAsSigned: ("A sum of unsigned integers is refused above Int64.max.", ["AGG-2"])
    case .maxIsMin: ("The greatest value is the least.", ["AGG-1"])
    case .distinctRepeats: ("A distinct value is given twice.", ["AGG-4"])
    case .secondGroupIgnored: ("Groups of two properties come in the order of the second.", ["AGG-4"])
    case .floatSumNarrow: ("An average of Doubles is rounded to a Float.", ["AGG-3"])
    case .minIsMax: ("The least value is the greatest.", ["AGG-1"])
    case .valuesCountOneMore: ("A count of values is one too many.", ["AGG-1"])
    case .nothingIsZero: ("Whatever is calculated of nothing or of nils is 0.", ["AGG-1"])
    case .totalOneMore: ("Sums and averages are one too many.", ["AGG-2", "AGG-3"])
    case .extremeOfOneIsNil: ("The least and the greatest of one value are nil.", ["AGG-1"])
    case .infinityIsZero: ("Sums and averages that are no finite number are 0.", ["AGG-3"])
    }
  }

  func count(_ tx: Reader, _ query: BoundQuery) throws(StorageError) -> Int {
    var query = query
    switch self {
    case .countIgnoresLimit: query.limit = nil
    case .countIgnoresOffset: query.offset = 0
    case .countIgnoresPredicate: query.predicate = .constant(true)
    default: break
    }
    let count = try tx.count(query)
    switch self {
    case .countOneMore: return count + 1
    case .countOneLess: return count > 10 ? count - 1 : count
    default: return count
    }
  }

  func aggregate(_ tx: Reader, _ aggregate: BoundAggregate) throws(StorageError) -> [AggregateRow] {
    var changed = aggregate
    if self == .limitIgnored {
      changed.rows.limit = nil
      changed.rows.offset = 0
    }
    var rows: [AggregateRow]
    do throws(StorageError) {
      rows = try tx.aggregate(changed)
    } catch {
      guard self == .sumWraps, error.code == .invalidValue, aggregate.groups.isEmpty else { throw error }
      rows = [AggregateRow(groups: [], values: aggregate.columns.map { _ in .int(0) })]
    }
    if aggregate.groups.isEmpty { try recalculate(tx, aggregate, &rows) } else { regroup(&rows) }
    return rows
  }

  private func regroup(_ rows: inout [AggregateRow]) {
    func hasNil(_ row: AggregateRow) -> Bool { row.groups.contains { $0.isNull } }
    switch self {
    case .groupsTurnedRound: rows.reverse()
    case .nilGroupDropped: rows.removeAll(where: hasNil)
    case .nilGroupLast: rows = rows.filter { !hasNil($0) } + rows.filter(hasNil)
    case .zerosGroupedApart:
      for place in rows.indices {
        rows[place].groups = rows[place].groups.map { value in
          if case .double(0) = value { .double(-0.0) } else { value }
        }
      }
    case .distinctRepeats:
      if let last = rows.last { rows.append(last) }
    case .secondGroupIgnored:
      rows.sort { left, right in
        ValueOrder.compare(left.groups[left.groups.count - 1], right.groups[right.groups.count - 1]) < 0
      }
    default: break
    }
  }

  private func recalculate(
    _ tx: Reader, _ aggregate: BoundAggregate, _ rows: inout [AggregateRow]
  ) throws(StorageError) {
    guard rows.count == 1 else { return }
    let coding = try RowCoding(tx.schema, aggregate.rows.model)
    var all: [[Value]] = []
    for row in try tx.copies(aggregate.rows) {
      all.append(try row.lend { (row) throws(StorageError) in try coding.values(row) })
    }
    if self == .emptyIsNoRow, all.isEmpty { rows = [] }
    guard !rows.isEmpty else { return }
    for (place, column) in aggregate.columns.enumerated() {
      guard let slot = column.slot else { continue }
      let values = all.map { $0[slot] }
      let type = coding.model.properties[slot].type
      rows[0].values[place] = try value(column.function, values, rows[0].values[place], type)
    }
  }

  private func value(
    _ function: AggregateFunction, _ all: [Value], _ right: Value, _ type: PropertyType
  ) throws(StorageError) -> Value {
    let values = all.filter { !$0.isNull }
    let integers = values.compactMap(\.integer)
    let doubles: [Double] = values.compactMap { if case .double(let value) = $0 { value } else { nil } }
    switch (self, function) {
    case (.sumWraps, .sum) where type.isInteger && !integers.isEmpty:
      return type.integerRange?.lowerBound == 0
        ? Value(integer: integers.reduce(0 as UInt64) { $0 &+ UInt64(truncatingIfNeeded: $1) })
        : .int(integers.reduce(0 as Int64) { $0 &+ Int64(truncatingIfNeeded: $1) })
    case (.sumThrowsOnTheWay, .sum) where type == .int64:
      var sum: Int64 = 0
      for integer in integers {
        let (next, overflows) = sum.addingReportingOverflow(Int64(truncatingIfNeeded: integer))
        if overflows { throw StorageError(.invalidValue, "the sum does not fit") }
        sum = next
      }
      return right
    case (.sumInOrder, .sum) where type == .double && !doubles.isEmpty: return .double(doubles.reduce(0, +))
    case (.averageDividesIntegers, .average) where type.isInteger && !integers.isEmpty:
      return .double(Double(integers.reduce(0, +) / Int128(integers.count)))
    case (.minOfNothingIsZero, .min) where right.isNull && type.isInteger: return .int(0)
    case (.sumOfNothingIsZero, .sum) where right.isNull && type.isInteger: return .int(0)
    case (.averageCountsNil, .average) where values.count < all.count && !right.isNull:
      guard case .double(let average) = right else { return right }
      return .double(average * Double(values.count) / Double(all.count))
    case (.valuesCountNil, .count): return .int(Int64(all.count))
    case (.nanIgnored, .sum) where type == .double && doubles.contains(where: \.isNaN):
      return .double(doubles.filter { !$0.isNaN }.reduce(0, +))
    case (.unsignedSumAsSigned, .sum):
      guard case .uint = right else { return right }
      throw StorageError(.invalidValue, "the sum does not fit")
    case (.maxIsMin, .max): return values.min { ValueOrder.compare($0, $1) < 0 } ?? .null
    case (.floatSumNarrow, .average):
      guard case .double(let average) = right else { return right }
      return .double(Double(Float(average)))
    case (.minIsMax, .min): return values.max { ValueOrder.compare($0, $1) < 0 } ?? .null
    case (.valuesCountOneMore, .count): return .int(Int64(values.count) + 1)
    case (.extremeOfOneIsNil, .min) where values.count == 1, (.extremeOfOneIsNil, .max) where values.count == 1:
      return .null
    case (.nothingIsZero, _) where right.isNull: return .int(0)
    case (.totalOneMore, .sum), (.totalOneMore, .average): return Self.oneMore(right)
    case (.infinityIsZero, .sum), (.infinityIsZero, .average):
      switch right {
      case .double(let total) where !total.isFinite: return .double(0)
      case .float(let total) where !total.isFinite: return .float(0)
      default: return right
      }
    default: return right
    }
  }

  private static func oneMore(_ value: Value) -> Value {
    switch value {
    case .int(let number): .int(number &+ 1)
    case .uint(let number): .uint(number &+ 1)
    case .float(let number): .float(number + 1)
    case .double(let number): .double(number + 1)
    case .decimal(let number): .decimal(number + 1)
    default: value
    }
  }
}
