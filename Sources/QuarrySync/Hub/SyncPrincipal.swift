/// The person or program to whom a client of a hub belongs, as the hub's program knows it.
///
/// Replicas belong to principals by their names. The claims are for the hub's program alone.
public struct SyncPrincipal: Sendable, Hashable, ExpressibleByStringLiteral {
  /// The name, which no other principal of the hub has.
  public var name: String
  /// What the program knows of it: a team, for example.
  public var claims: [String: String]

  /// A principal with a name, and with claims where the program needs them.
  public init(_ name: String, claims: [String: String] = [:]) {
    self.name = name
    self.claims = claims
  }

  /// A principal with a name and no claims.
  public init(stringLiteral name: String) { self.init(name) }

  /// The claim with this name; nil where there is none.
  public subscript(claim: String) -> String? { claims[claim] }
}
