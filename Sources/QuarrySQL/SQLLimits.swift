/// How much of a predicate a database is given; what is above is left to the evaluator.
public struct SQLLimits: Sendable {
  /// The depth of the tree of conditions.
  public let depth: Int
  /// The places on the stack of a parser that reads from left to right.
  public let stack: Int
  /// The number of conditions in all.
  public let nodes: Int
  /// The number of constants in all, which are bound to parameters.
  public let parameters: Int
  /// The most constants that a list has inside the statement.
  public let inlineList: Int

  /// Sets the limits.
  ///
  /// ``SQLDialect/limits`` must stay below the limits at which the database refuses a statement.
  ///
  /// - Parameters:
  ///   - depth: The most levels of the tree of conditions.
  ///   - stack: The most places on the stack of a parser that reads from left to right.
  ///   - nodes: The most conditions of a statement.
  ///   - parameters: The most constants of a statement, which are bound to parameters.
  ///   - inlineList: The most constants of one list inside the statement.
  public init(depth: Int, stack: Int, nodes: Int, parameters: Int, inlineList: Int) {
    self.depth = depth
    self.stack = stack
    self.nodes = nodes
    self.parameters = parameters
    self.inlineList = inlineList
  }
}
