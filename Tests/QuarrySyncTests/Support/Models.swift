import QuarryBackend

@testable import QuarrySync

/// The models of `docs/sync/spec/laws.py`, in two versions.
enum Models {
  static let first = schema(team: team(withMotto: true), task: task(isSecond: false), more: [])
  static let second = schema(
    team: team(withMotto: false), task: task(isSecond: true),
    more: [
      SyncModel(
        "Note", rank: 3,
        [
          SyncColumn("task", reference: .init("Task", .cascade)), SyncColumn("text"),
          SyncColumn("likes", .counter, default: 0),
        ])
    ])

  /// The rules of both versions, which the specification gives to all replicas.
  static let rules: MergeRules = {
    var rules = MergeRules(first)
    rules.learn(MergeRules(second))
    return rules
  }()

  private static func schema(team: SyncModel, task: SyncModel, more: [SyncModel]) -> SyncSchema {
    let models = [
      team,
      SyncModel(
        "Folder", rank: 0,
        [SyncColumn("tag", isOptional: false), SyncColumn("parent", reference: .init("Folder", .cascade))],
        uniques: [["tag"]]),
      SyncModel(
        "User", rank: 1,
        [
          SyncColumn("nick", isOptional: false), SyncColumn("mail"),
          SyncColumn("team", isOptional: false, reference: .init("Team", .cascade)),
          SyncColumn("boss", reference: .init("User", .nullify)),
        ], uniques: [["nick"], ["mail"]]),
      task,
      SyncModel(
        "Card", rank: 2, [SyncColumn("user", reference: .init("User", .nullify)), SyncColumn("note")],
        uniques: [["user"]]),
      // A link: its key is made of both sides.
      SyncModel(
        "Seat", rank: 3,
        [
          SyncColumn("owner", isOptional: false, reference: .init("Task", .cascade)),
          SyncColumn("target", isOptional: false, reference: .init("User", .cascade)),
          SyncColumn("pos", default: ""),
        ]),
    ]
    do {
      return try SyncSchema(models + more)
    } catch {
      preconditionFailure("\(error)")
    }
  }

  private static func team(withMotto: Bool) -> SyncModel {
    let columns = [SyncColumn("name", isOptional: false)] + (withMotto ? [SyncColumn("motto")] : [])
    return SyncModel("Team", rank: 0, columns + [SyncColumn("seats", .counter, default: 0)], uniques: [["name"]])
  }

  private static func task(isSecond: Bool) -> SyncModel {
    let columns = [
      SyncColumn("owner", isOptional: false, reference: .init("User", .deny)),
      SyncColumn("slot", default: 0, isOptional: false), SyncColumn("title"), SyncColumn("start", default: 0),
      SyncColumn("stop", default: 0), SyncColumn("best", .maximum, default: 0, isOptional: false),
      SyncColumn("votes", .counter, default: 0), SyncColumn("labels", .set, default: .array([])),
    ]
    let label = SyncColumn.Derivation(from: "title") { value in
      switch value {
      case .int(let number): .string("<\(number)>")
      case .null: "<None>"
      default: .null
      }
    }
    return SyncModel(
      "Task", rank: 2,
      columns + (isSecond ? [SyncColumn("prio", default: 1), SyncColumn("label", derivation: label)] : []),
      uniques: [["owner", "slot"]], groups: [["start", "stop"]])
  }

  /// Refuses entries that make a team's motto 3, more than two votes, a best of 3, or delete the team 0.
  static func policy(_ entry: SyncEntry, _ before: [ObjectID: SyncRow], _ after: [ObjectID: SyncRow]) -> Bool {
    func number(_ row: SyncRow?, _ column: SyncName) -> Int64? {
      if case .int(let number)? = row?[column] { number } else { nil }
    }
    for (object, row) in after {
      let old = before[object]
      if object.model == "Team", number(row, "motto") == 3, number(old, "motto") != 3 { return false }
      guard object.model == "Task" else { continue }
      if let votes = number(row, "votes"), votes > 2, number(old, "votes") ?? 0 < votes { return false }
      if number(row, "best") == 3, number(old, "best") ?? 0 != 3 { return false }
    }
    let team = ObjectID("Team", 0)
    return before[team] == nil || after[team] != nil
  }

  /// The part of the nth replica: tasks in even or odd slots, cards and folders, users with a mail address.
  static func part(_ number: Int) -> @Sendable (ObjectID, SyncRow) -> Bool {
    { object, row in
      switch (object.model.text, row["slot"], row["mail"]) {
      case ("Task", .int(let slot)?, _): slot % 2 == Int64(number % 2)
      case ("Card", _, _), ("Folder", _, _): true
      case ("User", _, .int(let mail)?): mail == Int64(number)
      default: false
      }
    }
  }
}
