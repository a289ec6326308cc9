import QuarryBackend

/// A node of a tree as it is written: an object with one key, which is its kind.
///
/// The levels are counted, because not every decoder has a limit and each level uses stack.
struct CodedNode<Kind: CodingKey> {
  let kind: Kind
  let container: KeyedDecodingContainer<Kind>

  /// - Parameters:
  ///   - depth: The node's level; 1 for the root of the tree.
  ///   - tree: The name of the tree in errors: `a predicate`.
  ///   - node: The name of a node in errors: `an operand`.
  /// - Throws: `limitExceeded`; `DecodingError` for what is no node.
  init(from decoder: any Decoder, depth: Int, of tree: String, _ node: String) throws {
    guard depth <= TreeLimits.maximumDepth else {
      throw StorageError.limitExceeded("depth of \(tree)", limit: TreeLimits.maximumDepth, actual: depth)
    }
    container = try decoder.container(keyedBy: Kind.self)
    guard let kind = container.allKeys.first, container.allKeys.count == 1 else {
      throw DecodingError.dataCorrupted(.init(codingPath: decoder.codingPath, debugDescription: "not \(node)"))
    }
    self.kind = kind
  }

  func parts<Part: CodingKey>(_ type: Part.Type) throws -> KeyedDecodingContainer<Part> {
    try container.nestedContainer(keyedBy: type, forKey: kind)
  }
}
