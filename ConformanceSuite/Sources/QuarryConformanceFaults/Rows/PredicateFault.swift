import QuarryBackend

/// Conditions that mean something else than they say. Each is planted by giving the sound backend another predicate.
enum PredicateFault: String, FaultGroup, Twist {
  static let group = "predicate"

  case notEqualSkipsNil, notSkipsNil, notInSkipsNil, nilIsNothing, nilIsLess, nilColumnsDiffer, lessIncludesEqual
  case greaterOrEqualExcludesEqual, inMissesLast, longListCut, orIsExclusive, andForgetsLast, orForgetsLast
  case notIgnored, integersAsDouble, unsignedAsSigned, nanEqualsNan, comparedColumnsExchanged
  case anyOfNothing, allOfNothing, countOffByOne, containsNothing, missingMemberIsNotNil
  case equalFindsAll, greaterFindsAll, falseFindsAll, trueSkipsNil, nilIsPresent, columnsLessIncludesEqual, wideCut,
    nestedEqualFindsAll, memberDefaultForgotten, memberUnequalSkipsNil
  case differenceExchanged, calculatedAsDouble, calculatedSkipsNil, lengthOffByOne, quotientAsDouble

  var about: (summary: String, clauses: [String]) {
    switch self {
    case .notEqualSkipsNil: ("x != c is false of nil, as in SQL.", ["PRED-2"])
    case .notSkipsNil: ("NOT p is false where a property of p is nil, as in SQL.", ["PRED-4"])
    case .notInSkipsNil: ("NOT x IN list is false of nil, as in SQL.", ["PRED-4", "PRED-5"])
    case .nilIsNothing: ("x == nil is false of everything, as in SQL.", ["PRED-1", "PRED-5"])
    case .nilIsLess: ("Nil is less than every value.", ["PRED-3"])
    case .nilColumnsDiffer: ("Two properties that are nil are unequal.", ["PRED-1"])
    case .lessIncludesEqual: ("x < c is true of c.", ["PRED-3", "PRED-6"])
    case .greaterOrEqualExcludesEqual: ("x >= c is false of c.", ["PRED-3", "PRED-6"])
    case .inMissesLast: ("The last member of a list matches nothing.", ["PRED-5"])
    case .longListCut: ("Of a list of more than four members the first matches nothing.", ["PRED-5"])
    case .orIsExclusive: ("a OR b is false where both are true.", ["PRED-4"])
    case .andForgetsLast: ("Of three conditions that are joined by AND the last is not looked at.", ["PRED-4"])
    case .orForgetsLast: ("Of three conditions that are joined by OR the last is not looked at.", ["PRED-4"])
    case .notIgnored: ("NOT of an OR is taken for the OR.", ["PRED-4"])
    case .integersAsDouble: ("Integers are compared as the nearest Double.", ["PRED-6"])
    case .unsignedAsSigned: ("Unsigned integers above Int64.max are compared as negative ones.", ["PRED-6"])
    case .nanEqualsNan: ("Two properties that are NaN are equal.", ["PRED-7"])
    case .comparedColumnsExchanged: ("x < y is taken for y < x.", ["PRED-3"])
    case .anyOfNothing: ("Any of an empty array is true.", ["NEST-3"])
    case .allOfNothing: ("All of nil is false.", ["NEST-3"])
    case .countOffByOne: ("An array counts one element more than it has.", ["NEST-1"])
    case .containsNothing: ("No array contains a given element.", ["NEST-1"])
    case .missingMemberIsNotNil: ("A member that is missing is not nil.", ["NEST-2"])
    case .equalFindsAll: ("x == c is true of every value.", ["PRED-2", "PRED-5", "PRED-6", "PRED-7", "TEXT-1"])
    case .greaterFindsAll: ("x > c and x >= c are true of every value.", ["PRED-3", "PRED-6"])
    case .falseFindsAll: ("A condition that nothing can fulfil is true of everything.", ["PRED-4", "PRED-5", "PRED-6"])
    case .trueSkipsNil: ("A condition that everything fulfils is false of nil.", ["PRED-2", "PRED-6"])
    case .nilIsPresent: ("x != nil is true of nil.", ["PRED-1", "PRED-3", "TEXT-4"])
    case .columnsLessIncludesEqual: ("x < y is true where both are equal.", ["PRED-3", "PRED-6"])
    case .wideCut: ("Of more than a thousand alternatives the last thousand are looked at.", ["PRED-10", "PRED-5"])
    case .memberDefaultForgotten: ("A member that a stored value lacks is nil, whatever its default.", ["NEST-7"])
    case .memberUnequalSkipsNil: ("x.y != c is false where x or y is nil, as in SQL.", ["NEST-8"])
    case .differenceExchanged: ("a - b is taken for b - a.", ["PRED-13"])
    case .calculatedAsDouble: ("Sums and products of integers are rounded to a Double.", ["PRED-13"])
    case .quotientAsDouble: ("A quotient of integers has a fraction.", ["PRED-13"])
    case .calculatedSkipsNil: ("A calculation that is nil is not unequal to a number.", ["PRED-13"])
    case .lengthOffByOne: ("A string has a character more than it has.", ["PRED-14"])
    case .nestedEqualFindsAll: ("A member is equal to every constant but nil.", ["NEST-2"])
    }
  }

  func query(_ query: BoundQuery, _ schema: Schema) -> BoundQuery {
    guard let model = schema.model(id: query.model) else { return query }
    var query = query
    query.predicate = query.predicate.rewritten { changed($0, model) }
    return query
  }

  private func changed(_ part: BoundPredicate, _ model: ModelSchema) -> BoundPredicate {
    switch (self, part) {
    case (.notEqualSkipsNil, .compare(_, .notEqual, _)): return part.ofNoNil
    case (.notSkipsNil, .not(let inner)):
      if case .isNull = inner { return part }
      return part.ofNoNil
    case (.notInSkipsNil, .not(.oneOf)): return part.ofNoNil
    case (.notInSkipsNil, .not(.or(let parts))):
      return parts.contains { if case .oneOf = $0 { true } else { false } } ? part.ofNoNil : part
    case (.nilIsNothing, .isNull): return .constant(false)
    case (.nilIsLess, .compare(let slot, .less, _)), (.nilIsLess, .compare(let slot, .lessOrEqual, _)):
      return .or([part, .isNull(slot: slot)])
    case (.nilColumnsDiffer, .compareSlots(_, .equal, _)): return part.ofNoNil
    case (.lessIncludesEqual, .compare(let slot, .less, let value)): return .compare(slot: slot, .lessOrEqual, value)
    case (.greaterOrEqualExcludesEqual, .compare(let slot, .greaterOrEqual, let value)):
      return .compare(slot: slot, .greater, value)
    case (.inMissesLast, .oneOf(let slot, let values)): return .oneOf(slot: slot, Array(values.dropLast()))
    case (.longListCut, .oneOf(let slot, let values)):
      return .oneOf(slot: slot, values.count > 4 ? Array(values.dropFirst()) : values)
    case (.orIsExclusive, .or(let parts)) where parts.count == 2:
      return .and([part, .not(.and(parts))])
    case (.andForgetsLast, .and(let parts)) where parts.count > 2: return .and(parts.dropLast())
    case (.orForgetsLast, .or(let parts)) where parts.count > 2: return .or(parts.dropLast())
    case (.notIgnored, .not(.or(let parts))): return .or(parts)
    case (.integersAsDouble, .compare(let slot, let comparison, let value)):
      return rounded(slot, comparison, value, model) ?? part
    case (.unsignedAsSigned, .compare(let slot, let comparison, _)):
      guard model.properties[slot].type == .uint64 else { return part }
      // Those above Int64.max are all negative: less than every constant.
      let large = BoundPredicate.compare(slot: slot, .greater, .int(.max))
      switch comparison {
      case .less, .lessOrEqual: return .or([part, large])
      case .greater, .greaterOrEqual: return .and([part, .not(large)])
      default: return part
      }
    case (.nanEqualsNan, .compareSlots(let left, .equal, let right)):
      let isNaN = [left, right].map { BoundPredicate.compareSlots($0, .notEqual, $0) }
      return .or([part, .and(isNaN)])
    case (.comparedColumnsExchanged, .compareSlots(let left, .less, let right)):
      return .compareSlots(right, .less, left)
    case (.equalFindsAll, .compare(let slot, .equal, _)), (.greaterFindsAll, .compare(let slot, .greater, _)),
      (.greaterFindsAll, .compare(let slot, .greaterOrEqual, _)):
      return .not(.isNull(slot: slot))
    case (.falseFindsAll, .constant(false)), (.nilIsPresent, .not(.isNull)): return .constant(true)
    case (.trueSkipsNil, .constant(true)):
      return model.properties.firstIndex(where: \.isOptional).map { .not(.isNull(slot: $0)) } ?? part
    case (.columnsLessIncludesEqual, .compareSlots(let left, .less, let right)):
      return .compareSlots(left, .lessOrEqual, right)
    case (.wideCut, .or(let parts)): return .or(parts.suffix(1000))
    case (.wideCut, .oneOf(let slot, let values)): return .oneOf(slot: slot, values.suffix(1000))
    case (.calculatedSkipsNil, .calculated(_, .notEqual, _)): return part.ofNoNil
    case (_, .calculated(let left, let comparison, let right)):
      return .calculated(left.rewritten(changed), comparison, right.rewritten(changed))
    case (_, .nested(let slot, let test)): return .nested(slot: slot, test.rewritten(changed))
    default: return part
    }
  }

  private func changed(_ number: BoundNumber) -> BoundNumber {
    switch (self, number) {
    case (.differenceExchanged, .arithmetic(let left, .subtract, let right, let type)):
      .arithmetic(right, .subtract, left, in: type)
    case (.calculatedAsDouble, .arithmetic(let left, let operation, let right, .integer))
    where operation != .divide && operation != .remainder:
      .arithmetic(left, operation, right, in: .double)
    case (.quotientAsDouble, .arithmetic(let left, .divide, let right, .integer)):
      .arithmetic(left, .divide, right, in: .double)
    case (.lengthOffByOne, .count): .arithmetic(number, .add, .constant(.int(1)), in: .integer)
    default: number
    }
  }

  private func changed(_ test: NestedTest) -> NestedTest {
    switch (self, test) {
    case (.anyOfNothing, .any(let path, _)): .or([test, .count(path: path, .equal, 0)])
    case (.allOfNothing, .all(let path, _)): .and([test, .not(.compare(path: path, .equal, .null))])
    case (.countOffByOne, .count(let path, let comparison, let count)): .count(path: path, comparison, count &- 1)
    case (.containsNothing, .function(_, let call)) where call.function is ContainsElementFunction: .constant(false)
    case (.missingMemberIsNotNil, .compare(let path, let comparison, .null)) where !path.isEmpty:
      .constant(comparison == .notEqual)
    case (.memberDefaultForgotten, .completing(_, let test)): test
    case (.memberUnequalSkipsNil, .compare(let path, .notEqual, let value)) where !path.isEmpty && !value.isNull:
      .and([test, .compare(path: path, .notEqual, .null)])
    case (.nestedEqualFindsAll, .compare(_, .equal, let value)) where !value.isNull: .constant(true)
    default: test
    }
  }

  /// The comparison with all integers that are the same Double as the constant.
  private func rounded(
    _ slot: Int, _ comparison: Comparison, _ value: Value, _ model: ModelSchema
  ) -> BoundPredicate? {
    guard model.properties[slot].type == .int64, case .int(let constant) = value else { return nil }
    let double = Double(constant)
    guard double.magnitude >= 0x1p53 else { return nil }
    let half = double.ulp / 2
    let (low, high) = (Int64(exactly: double - half) ?? .min, Int64(exactly: double + half) ?? .max)
    let isSame = BoundPredicate.and([
      .compare(slot: slot, .greaterOrEqual, .int(low)), .compare(slot: slot, .lessOrEqual, .int(high)),
    ])
    switch comparison {
    case .equal: return isSame
    case .notEqual: return .not(isSame)
    case .less: return .compare(slot: slot, .less, .int(low))
    case .lessOrEqual: return .compare(slot: slot, .lessOrEqual, .int(high))
    case .greater: return .compare(slot: slot, .greater, .int(high))
    case .greaterOrEqual: return .compare(slot: slot, .greaterOrEqual, .int(low))
    }
  }
}
