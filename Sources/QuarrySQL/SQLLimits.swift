/// How much of a predicate a database is given; what is above is left to the evaluator.
package struct SQLLimits: Sendable {
  /// The depth of the tree of conditions.
  package let depth: Int
  /// The places on the stack of a parser that reads from left to right.
  package let stack: Int
  package let nodes: Int
  package let parameters: Int
  /// The most constants that a list has inside the statement.
  package let inlineList: Int

  package init(depth: Int, stack: Int, nodes: Int, parameters: Int, inlineList: Int) {
    self.depth = depth
    self.stack = stack
    self.nodes = nodes
    self.parameters = parameters
    self.inlineList = inlineList
  }
}
