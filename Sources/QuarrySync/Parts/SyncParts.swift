import Foundation
import QuarryBackend
public import QuarryCore
public import QuarryQuery

/// The part of a hub that each principal receives: for each model, a query.
///
/// ```swift
/// var parts = SyncParts()
/// parts.part(Article.self) { who in Article.where { $0.team == who["team"] ?? "" } }
/// parts.part(Team.self) { _ in Team.all }
/// ```
///
/// A client receives the objects of its queries, and what they refer to by `cascade` and `deny`. Of other models it receives
/// nothing else. A list of links has the entries whose owner and object are both chosen by a query.
public struct SyncParts: Sendable {
  /// The query of a principal, by the name of its model; nil for none of its objects.
  typealias Choice = @Sendable (SyncPrincipal) throws -> QueryTree?

  private(set) var choices: [String: Choice] = [:]

  /// No parts: each client receives all objects.
  public init() {}

  /// Whether no model has a part.
  public var isEmpty: Bool { choices.isEmpty }

  /// Declares which objects of a model a principal receives. A later declaration of the model replaces the first one.
  ///
  /// The closure must depend on the principal alone. When its query changes, the clients of that principal receive their part
  /// as a whole.
  ///
  /// - Parameters:
  ///   - type: The model.
  ///   - choose: The query; nil for none of the objects. Its condition is about properties of the model itself, and it has neither
  ///     a limit nor an offset. Clients are refused otherwise, as `unsupported`.
  public mutating func part<M: Model>(
    _ type: M.Type, _ choose: @escaping @Sendable (SyncPrincipal) throws -> Query<M>?
  ) {
    part(named: M.storedName) { who in try choose(who).map { try $0.checked() } }
  }

  /// Declares which objects of a model a principal receives, by the name of the model.
  public mutating func part(
    named model: String, _ choose: @escaping @Sendable (SyncPrincipal) throws -> QueryTree?
  ) {
    choices[model] = choose
  }

  /// Adds the declarations of others, which replace those of the same models.
  mutating func add(_ other: SyncParts) { choices.merge(other.choices) { $1 } }
}

/// The part of one principal, bound to the models of a hub.
struct BoundPart {
  /// Identifies the part.
  let id: UInt64
  /// The conditions of the models of which there is anything. Links follow from both sides.
  let conditions: [SyncName: BoundPredicate]
  /// Whether it is everything, for a client that had a part before.
  let isEverything: Bool

  /// All objects.
  init(everythingOf schema: StoredSchema, _ hub: ReplicaID) {
    conditions = schema.tables.mapValues { _ in .constant(true) }
    isEverything = true
    id = Self.id(hub, schema, nil)
  }

  /// - Throws: The errors of the program's closures; `unsupported` for a query that cannot be a part.
  init(_ parts: SyncParts, of principal: SyncPrincipal, _ schema: StoredSchema, _ hub: ReplicaID) throws {
    var conditions: [SyncName: BoundPredicate] = [:]
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    var trees: [Data] = []
    for (name, choose) in parts.choices.sorted(by: { $0.key < $1.key }) {
      guard let table = schema.tables.values.first(where: { $0.schema.name == name }), table.links == nil else {
        throw StorageError(.unsupported, "the part is of a model that is not synced", model: name)
      }
      guard let tree = try choose(principal) else { continue }
      conditions[table.name] = try Self.bind(tree, table.schema)
      trees.append(try encoder.encode(tree))
    }
    self.conditions = conditions
    isEverything = false
    id = Self.id(hub, schema, trees)
  }

  private static func bind(_ tree: QueryTree, _ model: ModelSchema) throws(StorageError) -> BoundPredicate {
    guard tree.limit == nil, tree.offset == 0, tree.position == nil, tree.links == nil else {
      throw StorageError(
        .unsupported, "the query of a part has no limit, no offset, no position and no owner of links",
        model: model.name)
    }
    do throws(StorageError) {
      return try QueryBinder(model).bind(tree.predicate)
    } catch  where error.code == .invalidQuery || error.code == .unsupported {
      throw StorageError(
        .unsupported, "the condition of a part is about the properties of its own model: \(error.message)",
        model: model.name, cause: error)
    }
  }

  /// - Parameter trees: The queries as JSON; nil for everything.
  private static func id(_ hub: ReplicaID, _ schema: StoredSchema, _ trees: [Data]?) -> UInt64 {
    var writer = ByteWriter()
    writer.raw(hub.bytes)
    writer.fixed(schema.version)
    writer.byte(trees == nil ? 0 : 1)
    for tree in trees ?? [] {
      writer.count(tree.count)
      writer.raw(Array(tree))
    }
    return SyncHash.number(writer.bytes)
  }
}
