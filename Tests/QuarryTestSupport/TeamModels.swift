import Foundation
package import QuarryBackend

/// Models with all that sync decides on: unique values with and without a way out, and each delete rule.
package enum TeamModels {
  package static let all = [team, person, job, badge]
  package static let names = all.map(\.name)

  package static let team = ModelSchema(
    name: "Team",
    properties: [
      PropertySchema(name: "id", type: .uuid), PropertySchema(name: "name", type: .string),
      PropertySchema(name: "size", type: .int64, isOptional: true),
    ], primaryKey: 0, indexes: [IndexSchema(name: "Team_name", columns: [.init(slot: 1)], isUnique: true)])

  package static let person = ModelSchema(
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

  package static let job = job(of: .uuid)

  /// - Parameter person: The type of the keys of persons.
  package static func job(of person: PropertyType) -> ModelSchema {
    ModelSchema(
      name: "Job",
      properties: [
        PropertySchema(name: "id", type: .uuid), PropertySchema(name: "title", type: .string),
        PropertySchema(name: "person", type: person, reference: .init(to: "Person", deleteRule: .cascade)),
      ], primaryKey: 0, indexes: [IndexSchema(name: "Job_person", columns: [.init(slot: 2)])])
  }

  package static let badge = badge(of: .uuid)

  /// - Parameter person: The type of the keys of persons.
  package static func badge(of person: PropertyType) -> ModelSchema {
    ModelSchema(
      name: "Badge",
      properties: [
        PropertySchema(name: "id", type: .uuid), PropertySchema(name: "color", type: .string),
        PropertySchema(name: "person", type: person, reference: .init(to: "Person", deleteRule: .deny)),
      ], primaryKey: 0, indexes: [IndexSchema(name: "Badge_person", columns: [.init(slot: 2)])])
  }

  /// Keys that several stores use, so that inserts meet.
  package static func key(_ number: Int) -> Value {
    .uuid(UUID(uuid: (0, 0, 0, 0, 0, 0, 0x70, 0, 0x80, 0, 0, 0, 0, 0, UInt8(number >> 8), UInt8(number & 255))))
  }
}
