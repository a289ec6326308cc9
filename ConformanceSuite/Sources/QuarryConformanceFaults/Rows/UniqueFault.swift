import Foundation
import QuarryBackend

/// Uniqueness that is not checked where it has to be, or is of something else than the value.
enum UniqueFault: String, FaultGroup {
  static let group = "unique"

  case insertUnchecked, bulkUnchecked, upsertUnchecked, updateUnchecked, updateWhereUnchecked, getOrInsertUnchecked
  case createdIndexUnchecked, checkedRowByRow, nilIsValue, compoundNilIsValue, normalises, foldsCase, zerosDiffer
  case firstColumnOnly, upsertDeletesOther, violationLeavesRow, textEndsAtNul, integersAsDouble

  var about: (summary: String, clauses: [String]) {
    switch self {
    case .insertUnchecked: ("Uniqueness is not checked by an insert.", ["IDX-1"])
    case .bulkUnchecked: ("Uniqueness is not checked by an insert of several objects.", ["IDX-1", "STMT-1"])
    case .upsertUnchecked: ("Uniqueness is not checked by an upsert.", ["IDX-1", "UPS-2"])
    case .updateUnchecked: ("Uniqueness is not checked by an update of one object.", ["IDX-1"])
    case .updateWhereUnchecked: ("Uniqueness is not checked by an update of a query.", ["IDX-1", "STMT-2"])
    case .getOrInsertUnchecked: ("Uniqueness is not checked by getOrInsert.", ["IDX-1", "CRUD-10"])
    case .createdIndexUnchecked: ("A unique index is made over duplicates.", ["IDX-1"])
    case .checkedRowByRow: ("Uniqueness is checked after each row of an upsert.", ["STMT-2"])
    case .nilIsValue: ("Two objects cannot both have nil in a unique index.", ["IDX-2"])
    case .compoundNilIsValue: ("Nil in one column of a compound unique index is a value.", ["IDX-2"])
    case .normalises: ("Composed and decomposed forms are one unique value.", ["IDX-3", "TEXT-1"])
    case .foldsCase: ("Upper and lower case are one unique value.", ["IDX-3", "TEXT-1"])
    case .zerosDiffer: ("0.0 and -0.0 are two unique values.", ["IDX-3"])
    case .firstColumnOnly: ("A compound unique index looks at its first column only.", ["IDX-1", "IDX-3"])
    case .upsertDeletesOther: ("An upsert deletes the object that has its unique value.", ["UPS-2"])
    case .violationLeavesRow: ("An update that violates uniqueness is reported and made.", ["STMT-1"])
    case .textEndsAtNul: ("Unique text ends at its first NUL.", ["IDX-3", "TEXT-2"])
    case .integersAsDouble: ("Unique integers are compared as the nearest Double.", ["IDX-3", "IDX-1"])
    }
  }

  var target: PlantedFault.Target { .backend { TwistedHarness("unique.\(rawValue)") { UniqueTwist(self) } } }

  /// The value that is compared in the place of this.
  func value(_ value: Value) -> Value {
    switch (self, value) {
    case (.normalises, .string(let text)): .string(text.precomposedStringWithCanonicalMapping)
    case (.foldsCase, .string(let text)): .string(text.lowercased())
    case (.textEndsAtNul, .string(let text)):
      .string(String(String.UnicodeScalarView(text.unicodeScalars.prefix { $0 != "\0" })))
    case (.integersAsDouble, .int(let integer)): .int(Int64(exactly: Double(integer)) ?? integer)
    default: value
    }
  }
}
