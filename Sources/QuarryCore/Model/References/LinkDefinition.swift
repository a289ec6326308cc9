import QuarryBackend
import QuarryQuery
import Synchronization

/// The model whose rows are the links of a property: `Book_tags`, with a reference to each side and a position.
///
/// It is a model like others, so that links are copied, dumped, compared, checked, repaired, migrated and encrypted as
/// objects are, and each engine keeps them as it keeps references.
package final class LinkDefinition: Sendable {
  package static let id = "id"
  package static let owner = "owner"
  package static let target = "target"
  package static let position = "position"
  /// The room between two positions of a list that is created at once.
  static let gap: Int64 = 1 << 20
  /// The minimum room between positions that rows around a place get, so that the next calls there find room.
  static let leastGap: Int64 = 1 << 10

  private let make: @Sendable () -> AnyModelDefinition
  // Created late, because models link to each other, and once, because a definition has a number.
  private let made = Mutex<AnyModelDefinition?>(nil)

  /// The name of the model of a property's links.
  static func name(_ model: String, _ property: String) -> String { "\(model)_\(property)" }

  /// - Parameters:
  ///   - property: The name of the property that has the links.
  ///   - deniesRemoval: Whether an object that has links cannot be removed.
  init<Owner: Model, Target: Model>(
    _ property: String, of owner: Owner.Type, to target: Target.Type, allowsDuplicates: Bool, deniesRemoval: Bool
  ) {
    make = {
      func reference(_ name: String, _ type: any Storable.Type, _ reference: StoredReference) -> StoredProperty {
        StoredProperty(
          name: name, originalName: nil, type: type.storedType, form: nil, reference: reference,
          keyMembers: { KeyMember.list(of: type) }
        ) { nil }
      }
      func number(_ name: String) -> StoredProperty {
        StoredProperty(name: name, originalName: nil, type: StoredType(.int64), form: nil) { nil }
      }
      let indexes = [
        IndexDefinition([.init(Self.owner), .init(Self.position)]),
        IndexDefinition([.init(Self.target), .init(Self.owner)], isUnique: !allowsDuplicates),
      ]
      // If the model is renamed, so are its links, and they travel with it.
      let original = Owner.modelDefinition.untyped.originalName
      let syncName = Owner.modelDefinition.untyped.syncName
      return AnyModelDefinition(
        name: Self.name(Owner.modelDefinition.name, property),
        originalName: original.map { Self.name($0, property) },
        syncName: syncName.map { Self.name($0, property) },
        properties: [
          number(Self.id),
          reference(
            Self.owner, Owner.PrimaryKey.self,
            StoredReference(to: { Owner.anyDefinition }, deniesRemoval ? .deny : .cascade)),
          reference(
            Self.target, Target.PrimaryKey.self, StoredReference(to: { Target.anyDefinition }, .cascade)),
          number(Self.position),
        ], primaryKey: Self.id, indexes: indexes)
    }
  }

  var definition: AnyModelDefinition {
    if let known = made.withLock({ $0 }) { return known }
    // Outside of the lock: a definition requests others.
    let new = make()
    return made.withLock { made in
      let definition = made ?? new
      made = definition
      return definition
    }
  }
}
