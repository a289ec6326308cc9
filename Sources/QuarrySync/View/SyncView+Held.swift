/// Why something that was written is not in the tables: SYNC-21.
public enum HeldReason: String, Sendable, Hashable, CaseIterable {
  /// An older claim holds a unique value.
  case unique
  /// An object that it refers to is missing or held.
  case parent
  /// An edit of an object whose delete did not know of it.
  case lostEdit
  /// An entry that the hub refused.
  case refused
}

/// An object that is alive and not in the tables.
package struct HeldObject: Sendable, Hashable {
  package var object: ObjectID
  package var reason: HeldReason
  package var row: SyncRow
  /// The objects that it waits for: those that hold its values, or those that are missing or held themselves.
  package var waitsFor: [ObjectID]
}

extension SyncView {
  /// The objects that are held, in their order.
  package func held() -> [HeldObject] {
    rows.keys.filter { !isShown($0) }.sorted().compactMap { object in
      guard let model = schema.models[object.model], let row = rows[object] else { return nil }
      let winners = model.uniques.indices.filter { model.blanks[$0] == nil }.compactMap { winner(over: object, $0) }
      return winners.isEmpty
        ? HeldObject(object: object, reason: .parent, row: row, waitsFor: needs(object).filter { !isShown($0) })
        : HeldObject(object: object, reason: .unique, row: row, waitsFor: winners)
    }
  }
}
