import Foundation
import QuarryBackend

/// Models with all that sync decides on: unique values with and without a way out, and each delete rule.
enum TeamModels {
  static let all = [team, person, job, badge]
  static let names = all.map(\.name)

  static let team = ModelSchema(
    name: "Team",
    properties: [
      PropertySchema(name: "id", type: .uuid), PropertySchema(name: "name", type: .string),
      PropertySchema(name: "size", type: .int64, isOptional: true),
    ], primaryKey: 0, indexes: [IndexSchema(name: "Team_name", columns: [.init(slot: 1)], isUnique: true)])

  static let person = ModelSchema(
    name: "Person",
    properties: [
      PropertySchema(name: "id", type: .uuid), PropertySchema(name: "name", type: .string),
      PropertySchema(name: "nick", type: .string, isOptional: true),
      PropertySchema(
        name: "team", type: .uuid, isOptional: true, reference: .init(to: "Team", deleteRule: .nullify)),
    ], primaryKey: 0,
    indexes: [
      IndexSchema(name: "Person_nick", columns: [.init(slot: 2)], isUnique: true),
      IndexSchema(name: "Person_team", columns: [.init(slot: 3)]),
    ])

  static let job = ModelSchema(
    name: "Job",
    properties: [
      PropertySchema(name: "id", type: .uuid), PropertySchema(name: "title", type: .string),
      PropertySchema(name: "person", type: .uuid, reference: .init(to: "Person", deleteRule: .cascade)),
    ], primaryKey: 0, indexes: [IndexSchema(name: "Job_person", columns: [.init(slot: 2)])])

  static let badge = ModelSchema(
    name: "Badge",
    properties: [
      PropertySchema(name: "id", type: .uuid), PropertySchema(name: "color", type: .string),
      PropertySchema(name: "person", type: .uuid, reference: .init(to: "Person", deleteRule: .deny)),
    ], primaryKey: 0, indexes: [IndexSchema(name: "Badge_person", columns: [.init(slot: 2)])])

  /// Keys that several stores use, so that inserts meet.
  static func key(_ number: Int) -> Value {
    .uuid(UUID(uuid: (0, 0, 0, 0, 0, 0, 0x70, 0, 0x80, 0, 0, 0, 0, 0, UInt8(number >> 8), UInt8(number & 255))))
  }
}
