public import Foundation

/// The record that every engine stores: a key, three strings of varying length of which one may be missing, an indexed
/// integer with 100 values, a number, a date and a flag.
public struct Person: Sendable, Equatable {
  public var id: Int64
  public var name: String
  public var email: String
  public var age: Int
  public var score: Double
  public var created: Date
  public var active: Bool
  public var notes: String?

  @inlinable
  public init(
    id: Int64, name: String, email: String, age: Int, score: Double, created: Date, active: Bool, notes: String?
  ) {
    self.id = id
    self.name = name
    self.email = email
    self.age = age
    self.score = score
    self.created = created
    self.active = active
    self.notes = notes
  }
}
