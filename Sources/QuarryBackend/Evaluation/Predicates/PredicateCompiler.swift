/// Makes tests of a predicate's parts.
struct PredicateCompiler {
  let layout: RowLayout
  let defaults: DefaultRow

  func test(_ predicate: BoundPredicate) throws(StorageError) -> RowTest {
    switch predicate {
    case .constant(let result): return ConstantTest(result)
    case .isNull(let slot): return NullTest(try self.slot(slot), defaults)
    case .compare(let slot, let comparison, let value): return try compare(try self.slot(slot), comparison, value)
    case .compareSlots(let left, let comparison, let right):
      return SlotsTest(try slot(left), comparison, try slot(right), layout, defaults)
    case .calculated(let left, let comparison, let right):
      return CalculationTest(try number(left), comparison, try number(right), defaults)
    case .oneOf(let slot, let values): return try oneOf(try self.slot(slot), values)
    case .oneOfRows:
      throw StorageError(.invalidQuery, "the engine does not declare that it can evaluate rows of another model")
    case .function(let slot, let call): return try test(try self.slot(slot), call)
    case .nested(let slot, let test):
      let slot = try self.slot(slot)
      guard slot.type == .nested || slot.type == .array else {
        throw StorageError(.invalidQuery, "the type \(slot.type.name) has no members or elements")
      }
      return NestedValueTest(slot, try NestedMatcher(test), defaults)
    case .after(let keys, let values): return try after(keys, values)
    case .not(let part):
      let test = try test(part)
      if let constant = test as? ConstantTest { return ConstantTest(!constant.result) }
      return NotTest(test)
    case .and(let parts): return try join(parts, neutral: true) { AndTest($0) }
    case .or(let parts): return try join(parts, neutral: false) { OrTest($0) }
    }
  }

  private func slot(_ index: Int) throws(StorageError) -> RowLayout.Slot {
    guard layout.slots.indices.contains(index) else { throw .noSlot(index) }
    return layout.slots[index]
  }

  private func number(_ number: BoundNumber) throws(StorageError) -> RowNumber {
    switch number {
    case .slot(let index):
      let slot = try slot(index)
      guard slot.type.isNumeric else {
        throw StorageError(.invalidQuery, "the type \(slot.type.name) cannot be used in a calculation")
      }
      return .slot(slot)
    case .count(let index):
      let slot = try slot(index)
      guard slot.type.isCountable else {
        throw StorageError(.invalidQuery, "the type \(slot.type.name) has no elements to count")
      }
      return .count(slot)
    case .constant(.null): return .constant(nil)
    case .constant(let value):
      guard let number = ExactNumber(value) else {
        throw StorageError(.invalidQuery, "\(value.kind) cannot be used in a calculation")
      }
      return .constant(number)
    case .arithmetic(let left, let operation, let right, let type):
      return .arithmetic(try self.number(left), operation, try self.number(right), type)
    }
  }

  private func join(
    _ parts: [BoundPredicate], neutral: Bool, _ make: ([RowTest]) -> RowTest
  ) throws(StorageError) -> RowTest {
    var tests: [RowTest] = []
    var isDecided = false
    for part in parts {
      let test = try test(part)
      if let constant = test as? ConstantTest {
        if constant.result != neutral { isDecided = true }
      } else {
        tests.append(test)
      }
    }
    if isDecided { return ConstantTest(!neutral) }
    if tests.isEmpty { return ConstantTest(neutral) }
    return tests.count == 1 ? tests[0] : make(tests)
  }

  private func compare(
    _ slot: RowLayout.Slot, _ comparison: Comparison, _ value: Value
  ) throws(StorageError) -> RowTest {
    switch slot.type {
    case .string, .url, .data: return try BytesTest(slot, comparison, [value], defaults)
    case .decimal: return try DecimalTest(slot, comparison, [value], defaults)
    case .nested, .array: return NestedValueTest(slot, .compare([], comparison, value), defaults)
    default: return try FieldTest(slot, comparison, value, defaults)
    }
  }

  private func oneOf(_ slot: RowLayout.Slot, _ values: [Value]) throws(StorageError) -> RowTest {
    if values.isEmpty { return ConstantTest(false) }
    let isOrdered = zip(values, values.dropFirst()).allSatisfy { ValueOrder.compare($0, $1) < 0 }
    let values = isOrdered ? values : values.sorted { ValueOrder.compare($0, $1) < 0 }
    switch slot.type {
    case .string, .url, .data: return try BytesTest(slot, .equal, values, defaults)
    case .decimal: return try DecimalTest(slot, .equal, values, defaults)
    case .nested, .array: return NestedValueTest(slot, .oneOf([], values), defaults)
    default: return try FieldSetTest(slot, values, defaults)
    }
  }

  private func after(_ keys: [BoundSortKey], _ values: [Value]) throws(StorageError) -> RowTest {
    guard keys.count == values.count else {
      throw StorageError(.invalidQuery, "the position has \(values.count) values for \(keys.count) sort keys")
    }
    var parts: [(slot: RowLayout.Slot, isDescending: Bool, value: Value)] = []
    for (key, value) in zip(keys, values) {
      let slot = try self.slot(key.slot)
      guard slot.type.isOrdered else { throw unsupported(slot) }
      parts.append((slot, key.isDescending, value))
    }
    return PositionTest(parts, layout)
  }

  private func unsupported(_ slot: RowLayout.Slot) -> StorageError {
    StorageError(.invalidQuery, "values of the type \(slot.type.name) cannot be compared")
  }
}
