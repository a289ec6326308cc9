import QuarryBackend
import QuarryQuery

extension Query: Codable {
  public init(from decoder: any Decoder) throws {
    try self.init(tree: QueryTree(from: decoder))
  }

  public func encode(to encoder: any Encoder) throws {
    try checked().encode(to: encoder)
  }
}
