import QuarryBackend

extension QueryBinder {
  /// A number of a predicate, and what arithmetic with it calculates in.
  private struct Number {
    var number: BoundNumber
    var type: CalculationType
    /// Whether no property is in it: then it takes the type of what it meets.
    var isConstant: Bool

    /// The number for arithmetic in that type. A constant is brought into the type once.
    func brought(to type: CalculationType) -> BoundNumber {
      guard case .constant(let value) = number, let exact = ExactNumber(value) else { return number }
      return switch type {
      case .integer, .decimal: number
      case .float: .constant(.float(exact.nearestFloat))
      case .double: .constant(.double(exact.nearestDouble))
      }
    }

    /// The number to compare with one of that type. A decimal of a query's text stands for the nearest number, as where
    /// it is compared with a property.
    func compared(with type: CalculationType) -> BoundNumber {
      guard case .constant(.decimal) = number, type == .float || type == .double else { return number }
      let nearest = brought(to: type)
      if case .constant(.float(let value)) = nearest, !value.isFinite { return number }
      return nearest
    }
  }

  /// Binds a comparison in which a side is calculated.
  func bound(
    calculated left: Operand, _ comparison: Comparison, _ right: Operand
  ) throws(StorageError) -> BoundPredicate {
    let (left, right) = (try number(left), try number(right))
    return .calculated(left.compared(with: right.type), comparison, right.compared(with: left.type))
  }

  private func number(_ operand: Operand) throws(StorageError) -> Number {
    switch operand {
    case .value(let value): return try number(value)
    case .property(let path):
      let slot = try slot(of: path)
      guard path.members.isEmpty else {
        throw invalid(slot, "\(path): a part of a nested value can be compared with a constant only")
      }
      guard let type = property(slot).type.calculationType else {
        throw invalid(slot, "\(property(slot).name) is of type \(property(slot).typeName), not a number")
      }
      return Number(number: .slot(slot), type: type, isConstant: false)
    case .count(let path):
      let slot = try slot(of: path)
      guard path.members.isEmpty else {
        throw invalid(slot, "\(path): the length of a part of a nested value can be compared with a constant only")
      }
      guard property(slot).type.isCountable else {
        throw invalid(
          slot, "\(property(slot).name) is of type \(property(slot).typeName) and has no elements to count")
      }
      return Number(number: .count(slot: slot), type: .integer, isConstant: false)
    case .arithmetic(let left, let operation, let right):
      let (left, right) = (try number(left), try number(right))
      let type = Self.type(left, right)
      guard operation != .remainder || type == .integer, operation != .divide || type != .decimal else {
        throw StorageError(
          .invalidQuery,
          operation == .divide
            ? "decimals cannot be divided: multiply the other side instead" : "only integers have a remainder",
          model: model.name)
      }
      return Number(
        number: .arithmetic(left.brought(to: type), operation, right.brought(to: type), in: type), type: type,
        isConstant: left.isConstant && right.isConstant)
    }
  }

  private func number(_ value: Value) throws(StorageError) -> Number {
    let type: CalculationType =
      switch value {
      case .null, .int, .uint: .integer
      case .float: .float
      case .double: .double
      case .decimal(let decimal) where !decimal.isNaN: .decimal
      default: throw StorageError(.invalidQuery, "\(value.kind) is not a number to calculate or compare with")
      }
    return Number(number: .constant(value), type: type, isConstant: true)
  }

  /// The type in which two numbers are calculated.
  ///
  /// Integers and decimals are exact as long as they are among themselves. Otherwise it is the wider of the floating-point types,
  /// in which a column of another type needs a Double.
  private static func type(_ a: Number, _ b: Number) -> CalculationType {
    switch (a.type, b.type) {
    case (.integer, .integer): .integer
    case (.float, .float): .float
    case (.integer, .decimal), (.decimal, .integer), (.decimal, .decimal): .decimal
    case (.float, .integer), (.float, .decimal): b.isConstant ? .float : .double
    case (.integer, .float), (.decimal, .float): a.isConstant ? .float : .double
    case (.double, _), (_, .double): .double
    }
  }
}

extension PropertyType {
  /// The type for arithmetic with two values of the type; nil where there is none.
  fileprivate var calculationType: CalculationType? {
    switch self {
    case .float: .float
    case .double: .double
    case .decimal: .decimal
    default: isInteger ? .integer : nil
    }
  }
}
