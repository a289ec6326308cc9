import QuarryBackend

extension QueryBinder {
  /// Binds a tree whose size was checked.
  func bound(_ predicate: PredicateTree) throws(StorageError) -> BoundPredicate {
    switch predicate {
    case .constant(let value): return .constant(value)
    case .not(let condition): return .negation(of: try bound(condition))
    case .and(let conditions): return .allOf(try bound(conditions))
    case .or(let conditions): return .anyOf(try bound(conditions))
    case .compare(let left, let comparison, let right): return try bound(left, comparison, right)
    case .oneOf(let operand, let values): return try bound(operand, oneOf: values)
    case .function(let call): return try bound(call)
    case .any(let path, let condition):
      let slot = try slot(of: path)
      return nested(slot, try NestedBinder(self, slot, path).quantified(path, condition, isAll: false))
    case .all(let path, let condition):
      let slot = try slot(of: path)
      return nested(slot, try NestedBinder(self, slot, path).quantified(path, condition, isAll: true))
    }
  }

  private func bound(_ conditions: [PredicateTree]) throws(StorageError) -> [BoundPredicate] {
    var result: [BoundPredicate] = []
    result.reserveCapacity(conditions.count)
    for condition in conditions { result.append(try bound(condition)) }
    return result
  }

  private func nested(_ slot: Int, _ test: NestedTest) -> BoundPredicate {
    if let constant = test.constantValue { return .constant(constant) }
    guard let form = form(slot), form.hasDefaults else { return .nested(slot: slot, test) }
    return .nested(slot: slot, .completing(form, test))
  }

  func slot(of path: PropertyPath) throws(StorageError) -> Int {
    guard !path.property.isEmpty else {
      throw StorageError(.invalidQuery, "the element itself can be used only inside ANY and ALL", model: model.name)
    }
    let slot = try slot(path.property)
    if let member = path.members.first, property(slot).type != .nested {
      let hint = property(slot).type.isCountable ? "; its length is \(property(slot).name).@count" : ""
      throw invalid(
        slot, "\(property(slot).name) is of type \(property(slot).typeName) and has no part \(member)\(hint)")
    }
    return slot
  }

  /// Whether the column is reached through a value tree: then the test is one of the tree.
  private func isTree(_ slot: Int) -> Bool {
    property(slot).type == .nested || property(slot).type == .array
  }

  /// The condition of a slot not being nil.
  private func isPresent(_ slot: Int) -> BoundPredicate { .negation(of: isNull(slot)) }

  private func isNull(_ slot: Int) -> BoundPredicate {
    property(slot).isOptional ? .isNull(slot: slot) : .constant(false)
  }

  // MARK: Comparison

  private func bound(
    _ left: Operand, _ comparison: Comparison, _ right: Operand
  ) throws(StorageError) -> BoundPredicate {
    switch (left, right) {
    case (.value(let left), .value(let right)):
      return .constant(try ConstantFolding.holds(left, comparison, right))
    case (.property(let path), .value(let value)):
      return try bound(path, comparison, value)
    case (.value(let value), .property(let path)):
      return try bound(path, comparison.mirrored, value)
    case (.count(let path), .value(let value)):
      return try bound(countOf: path, comparison, value)
    case (.value(let value), .count(let path)):
      return try bound(countOf: path, comparison.mirrored, value)
    case (.property(let left), .property(let right)):
      return try bound(left, comparison, right)
    default:
      return try bound(calculated: left, comparison, right)
    }
  }

  private func bound(
    _ path: PropertyPath, _ comparison: Comparison, _ value: Value
  ) throws(StorageError) -> BoundPredicate {
    let slot = try slot(of: path)
    if path.members.isEmpty, value.isNull { return isNil(slot, comparison) }
    if isTree(slot) {
      return nested(slot, try NestedBinder(self, slot, path).compare(path, comparison, value))
    }
    switch try fitted(value, slot) {
    case .exact(let exact):
      return .compare(slot: slot, comparison, exact)
    case .notANumber:
      return .constant(comparison == .notEqual)
    case .between(let below, let above):
      switch BetweenComparison(comparison, below: below, above: above) {
      case .constant(let result): return .constant(result)
      case .present: return isPresent(slot)
      case .compare(let comparison, let bound): return .compare(slot: slot, comparison, bound)
      }
    case .unreadable:
      throw invalid(slot, "\(value.text) cannot be read as \(property(slot).type.name)")
    case .incomparable:
      throw invalid(slot, "\(property(slot).typeName) cannot be compared with \(value.kind)")
    }
  }

  /// A constant among the values of a slot, which may have compound keys.
  private func fitted(_ value: Value, _ slot: Int) throws(StorageError) -> FittedConstant {
    let property = property(slot)
    guard case .array = value, property.keyMembers != nil else { return value.fitted(to: property.type) }
    return .exact(try property.converted(value))
  }

  private func isNil(_ slot: Int, _ comparison: Comparison) -> BoundPredicate {
    switch comparison {
    case .equal: isNull(slot)
    case .notEqual: isPresent(slot)
    default: .constant(false)
    }
  }

  private func bound(
    _ left: PropertyPath, _ comparison: Comparison, _ right: PropertyPath
  ) throws(StorageError) -> BoundPredicate {
    let leftSlot = try slot(of: left)
    let rightSlot = try slot(of: right)
    guard left.members.isEmpty, right.members.isEmpty else {
      throw invalid(leftSlot, "\(left) and \(right): a part of a nested value can be compared with a constant only")
    }
    let (leftType, rightType) = (property(leftSlot).type, property(rightSlot).type)
    guard leftType.isOrdered, leftType == rightType || leftType.isNumeric && rightType.isNumeric else {
      throw invalid(
        leftSlot,
        "\(left), which is \(property(leftSlot).typeName), cannot be compared with \(right), which is "
          + property(rightSlot).typeName)
    }
    return .compareSlots(leftSlot, comparison, rightSlot)
  }

  private func bound(
    countOf path: PropertyPath, _ comparison: Comparison, _ value: Value
  ) throws(StorageError) -> BoundPredicate {
    let slot = try slot(of: path)
    if path.members.isEmpty, value.isNull, property(slot).type == .array || property(slot).type.isCountable {
      return isNil(slot, comparison)
    }
    guard isTree(slot) else { return try bound(calculated: .count(path), comparison, .value(value)) }
    return nested(slot, try NestedBinder(self, slot, path).count(path, comparison, value))
  }

  // MARK: Membership

  private func bound(_ operand: Operand, oneOf values: [Value]) throws(StorageError) -> BoundPredicate {
    switch operand {
    case .value(let value):
      for other in values where try ConstantFolding.holds(value, .equal, other) { return .constant(true) }
      return .constant(false)
    case .count(let path):
      var tests: [BoundPredicate] = []
      for value in values { tests.append(try bound(countOf: path, .equal, value)) }
      return .anyOf(tests)
    case .arithmetic:
      var tests: [BoundPredicate] = []
      for value in values { tests.append(try bound(operand, .equal, .value(value))) }
      return .anyOf(tests)
    case .property(let path):
      let slot = try slot(of: path)
      if isTree(slot) { return nested(slot, try NestedBinder(self, slot, path).oneOf(path, values)) }
      return try bound(slot, oneOf: values)
    }
  }

  private func bound(_ slot: Int, oneOf values: [Value]) throws(StorageError) -> BoundPredicate {
    var fitting: [Value] = []
    fitting.reserveCapacity(values.count)
    var hasNull = false
    for value in values {
      guard !value.isNull else {
        hasNull = true
        continue
      }
      switch try fitted(value, slot) {
      case .exact(let exact): fitting.append(exact)
      case .between, .notANumber: break
      case .unreadable: throw invalid(slot, "\(value.text) cannot be read as \(property(slot).type.name)")
      case .incomparable: throw invalid(slot, "\(property(slot).typeName) cannot be compared with \(value.kind)")
      }
    }
    let distinct = ValueOrder.distinct(fitting)
    let members: BoundPredicate =
      switch distinct.count {
      case 0: .constant(false)
      case 1: .compare(slot: slot, .equal, distinct[0])
      default: .oneOf(slot: slot, distinct)
      }
    return hasNull ? .anyOf([isNull(slot), members]) : members
  }

  // MARK: Functions

  private func bound(_ call: FunctionCall) throws(StorageError) -> BoundPredicate {
    let function = try PredicateFunctions.function(of: call)
    if let expansion = function.expansion(call) { return try bound(expansion) }
    switch call.operands[0] {
    case .count, .arithmetic:
      throw StorageError(.invalidQuery, "\(function.name) is not defined for counts and calculations")
    case .value(let value): return .constant(try function.holds(call, of: value))
    case .property(let path) where path == .element && call.search != nil:
      throw StorageError(.invalidQuery, "no property of the model is searchable")
    case .property(let path):
      let slot = try slot(of: path)
      let binder = try NestedBinder(self, slot, path)
      if isTree(slot) { return nested(slot, try binder.bound(function, call, path)) }
      switch try function.bind(call, to: try binder.operand(path, isColumn: true)) {
      case .call(let call): return .function(slot: slot, call)
      case .tree(let tree): return try bound(tree)
      }
    }
  }
}
