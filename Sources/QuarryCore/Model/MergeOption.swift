/// How the writes of one property in two synced stores are joined when the stores meet: the argument of `@Merge`.
///
/// The writes of one store alone are not affected: programs write the property as any other.
public struct MergeOption: Sendable, Hashable {
  package enum Kind: Sendable, Hashable {
    case latest, maximum, minimum, counter, set
    case group(String)
  }

  package let kind: Kind

  /// The later write wins, by the clocks of the stores. A property without `@Merge` is merged like this.
  public static let lww = MergeOption(kind: .latest)
  /// The greatest value wins. A program that writes a lesser value gives the object a new version, which forgets the greater one.
  public static let max = MergeOption(kind: .maximum)
  /// The least value wins. A program that writes a greater value gives the object a new version, which forgets the lesser one.
  public static let min = MergeOption(kind: .minimum)
  /// Each write counts by its difference, so that two stores that both add 1 have added 2. For an `Int` or `Int64`.
  public static let counter = MergeOption(kind: .counter)
  /// Each element is added or removed by itself. For an array, which the store keeps sorted and without repeated elements.
  public static let set = MergeOption(kind: .set)

  /// All properties of the group are written together: the later write of one of them wins for all.
  ///
  /// - Parameter group: A literal that names the group: `.row("price")` for an amount and its currency.
  public static func row(_ group: String) -> MergeOption { MergeOption(kind: .group(group)) }
}

/// What a model of the program says of sync.
package struct SyncDeclaration: Sendable {
  /// The name of the model in the store.
  package let model: String
  /// Whether it is declared with `@Model(synced: true)`.
  package let isSynced: Bool
  /// The declared rules, by the names of properties.
  package let merges: [String: MergeOption]

  package init(model: String, isSynced: Bool = true, merges: [String: MergeOption] = [:]) {
    self.model = model
    self.isSynced = isSynced
    self.merges = merges
  }
}

extension AnyModelDefinition {
  var syncDeclaration: SyncDeclaration {
    let merges = properties.compactMap { property in property.merge.map { (property.name, $0) } }
    return SyncDeclaration(
      model: name, isSynced: isSynced, merges: Dictionary(merges, uniquingKeysWith: { first, _ in first }))
  }
}
