import Foundation
import QuarryBackend
import QuarryCore
import QuarryQuery
import QuarryTestSupport
import Testing

@testable import QuarrySync

/// A hub that gives each principal the objects of its color, and a second account of what is in such a part.
final class PartHub {
  typealias Part = [String: [Value: [String: Value]]]

  /// The property that has the color. Teams are chosen by another principal alone, and otherwise follow what needs them.
  private static let colors = ["Person": "name", "Job": "title", "Badge": "color"]
  let place: SyncedPlace
  /// The objects that were in the part of a color at a moment at which that was given.
  private var given: [String: Set<ObjectID>] = [:]

  init(_ scheme: String, models: [ModelSchema] = TeamModels.all) throws {
    place = try SyncedPlace(scheme, models: models)
    try place.store.enableSync(as: .hub)
    try declare()
  }

  static func principal(_ color: String) -> SyncPrincipal { SyncPrincipal(color, claims: ["color": color]) }

  /// The hub's program: parts by color, and no new pink badges.
  func declare() throws {
    var parts = SyncParts()
    for (model, property) in Self.colors {
      parts.part(named: model) { who in
        QueryTree(
          model: model,
          predicate: .compare(.property(PropertyPath(property)), .equal, .value(.string(who["color"] ?? ""))))
      }
    }
    parts.part(named: "Team") { who in who["color"] == "red" ? QueryTree(model: "Team") : nil }
    try place.sync.declare(parts)
    try place.sync.authorize { change, _ in
      change.objects.contains { $0.model == "Badge" && $0.after?["color"] == "pink" && $0.before?["color"] != "pink" }
        ? .refuse("no pink badges") : .accept
    }
  }

  func reopen() throws {
    try place.reopen()
    try declare()
  }

  /// All rows of a store.
  static func rows(_ place: SyncedPlace) throws -> Part {
    var result: Part = [:]
    for model in place.models {
      var rows: [Value: [String: Value]] = [:]
      for (key, record) in try place.rows(model.name) {
        let values = model.properties.map { ($0.name, record[$0.name] ?? .null) }
        rows[key] = Dictionary(values) { first, _ in first }
      }
      result[model.name] = rows
    }
    return result
  }

  /// The part of a color, by the rows of the hub.
  func part(_ color: String) throws -> Part {
    let all = try Self.rows(place)
    var inside: Set<ObjectID> = []
    func add(_ model: ModelSchema, _ key: Value) {
      guard inside.insert(ObjectID(SyncName(model.name), key)).inserted else { return }
      for property in model.properties {
        guard let reference = property.reference, reference.deleteRule != .nullify,
          let target = all[model.name]?[key]?[property.name], !target.isNull,
          let other = place.models.first(where: { $0.name == reference.model })
        else { continue }
        add(other, target)
      }
    }
    for model in place.models {
      for (key, row) in all[model.name] ?? [:] {
        let isChosen = Self.colors[model.name].map { row[$0] == .string(color) } ?? (color == "red")
        if isChosen { add(model, key) }
      }
    }
    var result: Part = [:]
    for model in place.models {
      var rows = (all[model.name] ?? [:]).filter { inside.contains(ObjectID(SyncName(model.name), $0.key)) }
      for property in model.properties {
        guard let reference = property.reference, reference.deleteRule == .nullify else { continue }
        for (key, row) in rows {
          guard let target = row[property.name], !inside.contains(ObjectID(SyncName(reference.model), target)) else {
            continue
          }
          rows[key]?[property.name] = .null
        }
      }
      result[model.name] = rows
    }
    return result
  }

  /// The answer to a client, which names nothing that is not in its part, was not in it, and is not its own.
  func answer(_ client: SyncedPlace, _ color: String) throws -> (
    messages: [NumberedMessage], isEnd: Bool, session: UInt64
  ) {
    let hello = try client.sync.hello()
    let (messages, isEnd) = try place.sync.answer(hello, SyncTerms(principal: Self.principal(color)))
    let inside = try noteGiven(color)
    let known = given[color] ?? []
    let own = try Set(
      client.sync.reading { work in
        try work.loadAll()
        return work.log.flatMap { $0.changes.map(\.object) }
          + work.refusedEntries.flatMap { $0.entry.changes.map(\.object) }
      })
    for message in messages.map(\.message) {
      switch message {
      case .part(let part):
        #expect(part.births == nil || inside.contains(part.object), "\(part.object) is given to \(color)")
        #expect(known.contains(part.object) || own.contains(part.object), "\(part.object) is named to \(color)")
      case .refused(_, let changes, _):
        for change in changes where !inside.contains(change.object) {
          #expect(change.births.isEmpty && change.deaths.isEmpty, "a refusal shows \(change.object) to \(color)")
        }
      case .log, .rows, .end: Issue.record("\(color) gets entries or records of others")
      case .yours, .partBegin, .partAt, .partEnd: break
      }
    }
    return (messages, isEnd, hello.session)
  }

  /// Notes what is in the part of a color now.
  private func noteGiven(_ color: String) throws -> Set<ObjectID> {
    let now = try part(color)
    let inside = Set(now.flatMap { model, rows in rows.keys.map { ObjectID(SyncName(model), $0) } })
    given[color, default: []].formUnion(inside)
    return inside
  }

  /// Takes what a client has written.
  func push(_ client: SyncedPlace, _ color: String, count: Int = .max) throws {
    let hello = try place.sync.hello()
    let messages = try client.sync.serve(hello)
    try place.sync.receive(hello.session, Array(messages.prefix(count)), SyncTerms(principal: Self.principal(color)))
  }

  /// Exchanges everything.
  @discardableResult
  func replicate(_ client: SyncedPlace, _ color: String) throws -> ReplicationReport {
    _ = try noteGiven(color)
    let report = try Store.replicate(client.store, place.store, as: Self.principal(color))
    _ = try noteGiven(color)
    return report
  }

  /// The objects that a client has in another way than the part of a color.
  private func differences(_ client: SyncedPlace, _ color: String) throws -> [String] {
    let (mine, theirs) = (try Self.rows(client), try part(color))
    return place.models.flatMap { model in
      let (left, right) = (mine[model.name] ?? [:], theirs[model.name] ?? [:])
      return Set(left.keys).union(right.keys).filter { left[$0] != right[$0] }.map { key in
        "\(model.name) \(key): \(left[key] ?? [:]) and not \(right[key] ?? [:])"
      }
    }
  }

  /// Exchanges everything, and compares the client with the part.
  func expectEqual(_ client: SyncedPlace, _ color: String, _ comment: Comment? = nil) throws {
    let report = try replicate(client, color)
    #expect(report.isEqual, comment)
    #expect(try differences(client, color) == [], comment)
    #expect(try client.sync.check() == [] && place.sync.check() == [] && client.store.check() == [], comment)
    #expect(try client.sync.status().pending == 0, comment)
  }
}
