import QuarryBackend

/// What a store of objects that refer to each other must be: dictionaries, and the rules written down as the contract
/// has them, with no thought of speed.
package struct RelationReference: Equatable {
  package typealias Object = [String: Int?]

  /// The objects of each model by their keys: what each of their references has.
  var objects: [[Int: Object]] = [[:], [:], [:]]

  /// Whether each reference leads to an object or nowhere.
  func isWhole(_ plan: RelationPlan) -> Bool {
    plan.links.allSatisfy { link in
      objects[link.source].values.allSatisfy { object in
        guard let target = object[link.name] ?? nil else { return true }
        return objects[link.target][target] != nil
      }
    }
  }

  /// Whether an object lacks a reference that it must have.
  func lacks(_ object: Object, _ model: Int, _ plan: RelationPlan) -> Bool {
    plan.links(of: model).contains { !$0.isOptional && (object[$0.name] ?? nil) == nil }
  }

  /// Removes objects, and follows the rules. Of `deny` it says nothing: see ``refers(_:to:_:)``.
  ///
  /// - Returns: What was removed.
  mutating func remove(_ keys: Set<Int>, _ model: Int, _ plan: RelationPlan) -> [Set<Int>] {
    var removed: [Set<Int>] = [[], [], []]
    removed[model] = keys.filter { objects[model][$0] != nil }
    var isDone = false
    while !isDone {
      isDone = true
      for link in plan.links where link.rule == .cascade {
        for (key, object) in objects[link.source] where !removed[link.source].contains(key) {
          guard let target = object[link.name] ?? nil, removed[link.target].contains(target) else { continue }
          removed[link.source].insert(key)
          isDone = false
        }
      }
    }
    for model in objects.indices {
      for key in removed[model] { objects[model][key] = nil }
    }
    for link in plan.links where link.rule == .nullify {
      for (key, object) in objects[link.source] {
        guard let target = object[link.name] ?? nil, removed[link.target].contains(target) else { continue }
        objects[link.source][key]?.updateValue(nil, forKey: link.name)
      }
    }
    return removed
  }
}
