import QuarryBackend
import QuarryCore
import QuarryTestSupport

/// Models with all that a merge decides on: each delete rule, unique values, each merge rule, and a list of links.
enum HostileModels {
  static let all = [team, person, job, badge, fans, secret]
  /// All but one, which the stores have and do not sync.
  static let synced = ["Team", "Person", "Job", "Badge"]
  static let declarations = [
    SyncDeclaration(model: "Team"), SyncDeclaration(model: "Job"), SyncDeclaration(model: "Badge"),
    SyncDeclaration(
      model: "Person",
      merges: [
        "views": .counter, "tags": .set, "best": .max, "least": .min, "amount": .row("price"), "day": .row("price"),
      ]),
  ]
  /// The columns that travel.
  static let columns = [
    "name", "size", "nick", "team", "views", "tags", "best", "least", "amount", "day", "ratio", "small", "title",
    "person", "color", "owner", "target", "position",
  ]

  static let team = TeamModels.team

  static let person = ModelSchema(
    name: "Person",
    properties: [
      PropertySchema(name: "id", type: .string), PropertySchema(name: "name", type: .string),
      PropertySchema(name: "nick", type: .string, isOptional: true),
      PropertySchema(
        name: "team", type: .uuid, isOptional: true, reference: .init(to: "Team", deleteRule: .nullify)),
      PropertySchema(name: "views", type: .int64, defaultValue: .int(0)),
      PropertySchema(name: "tags", type: .array, elementType: .string, defaultValue: .array([])),
      PropertySchema(name: "best", type: .int64, isOptional: true),
      PropertySchema(name: "least", type: .int64, defaultValue: .int(9)),
      PropertySchema(name: "amount", type: .decimal, isOptional: true),
      PropertySchema(name: "day", type: .date, isOptional: true),
      PropertySchema(name: "ratio", type: .double, isOptional: true),
      PropertySchema(name: "small", type: .int8, isOptional: true),
    ], primaryKey: 0,
    indexes: [
      IndexSchema(name: "Person_nick", columns: [.init(slot: 2)], isUnique: true),
      IndexSchema(name: "Person_team", columns: [.init(slot: 3)]),
    ])

  static let job = TeamModels.job(of: .string)
  static let badge = TeamModels.badge(of: .string)

  static let fans = ModelSchema(
    name: "Team_fans",
    properties: [
      PropertySchema(name: "id", type: .int64),
      PropertySchema(name: "owner", type: .uuid, reference: .init(to: "Team", deleteRule: .cascade)),
      PropertySchema(name: "target", type: .string, reference: .init(to: "Person", deleteRule: .cascade)),
      PropertySchema(name: "position", type: .int64),
    ], primaryKey: 0,
    indexes: [
      IndexSchema(name: "Team_fans_owner", columns: [.init(slot: 1), .init(slot: 3)]),
      IndexSchema(name: "Team_fans_target", columns: [.init(slot: 2), .init(slot: 1)], isUnique: true),
    ])

  static let secret = ModelSchema(
    name: "Secret",
    properties: [PropertySchema(name: "id", type: .string), PropertySchema(name: "text", type: .string)], primaryKey: 0)
}
