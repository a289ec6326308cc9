import QuarryBackend

extension PredicateReader {
  /// An operand and how many calculations are inside each other in it, so that a hostile text cannot use up the stack.
  struct Calculation {
    var operand: Operand
    var depth = 1
  }

  /// `price * 2 + 1`; often a property or a constant alone.
  mutating func calculation() throws(StorageError) -> Calculation {
    try calculation(from: try factor())
  }

  /// A calculation that begins with a factor that was read.
  mutating func calculation(from factor: Calculation) throws(StorageError) -> Calculation {
    var left = try product(from: factor)
    while let operation = addition {
      try lexer.advance()
      left = try calculated(left, operation, try product(from: try self.factor()))
    }
    return left
  }

  private mutating func product(from factor: Calculation) throws(StorageError) -> Calculation {
    var left = factor
    while let operation = multiplication {
      try lexer.advance()
      left = try calculated(left, operation, try self.factor())
    }
    return left
  }

  private mutating func factor() throws(StorageError) -> Calculation {
    guard isAt(.leftParenthesis) || isAt(.minus) else { return Calculation(operand: try operand()) }
    try descend()
    defer { ascend() }
    if try skip(.minus) {
      // Not zero minus it, which has another sign of zero.
      return try calculated(Calculation(operand: .value(.int(-1))), .multiply, try factor())
    }
    try lexer.advance()
    let inner = try calculation()
    try require(.rightParenthesis)
    return inner
  }

  private var addition: ArithmeticOperator? {
    isAt(.plus) ? .add : isAt(.minus) ? .subtract : nil
  }

  private var multiplication: ArithmeticOperator? {
    isAt(.times) ? .multiply : isAt(.divide) ? .divide : isAt(.remainder) ? .remainder : nil
  }

  private mutating func calculated(
    _ left: Calculation, _ operation: ArithmeticOperator, _ right: Calculation
  ) throws(StorageError) -> Calculation {
    try count()
    let depth = max(left.depth, right.depth) + 1
    guard depth <= TreeLimits.maximumDepth else {
      throw .limitExceeded("depth of a calculation", limit: TreeLimits.maximumDepth, actual: depth)
    }
    return Calculation(operand: .arithmetic(left.operand, operation, right.operand), depth: depth)
  }
}
