extension Query: Hashable {
  public static func == (left: Query, right: Query) -> Bool { left.tree == right.tree }
  public func hash(into hasher: inout Hasher) { hasher.combine(tree) }
}
