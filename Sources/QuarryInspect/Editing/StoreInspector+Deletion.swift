public import QuarryBackend
import QuarryCore
import QuarryQuery

extension StoreInspector {
  /// The number of removed objects whose referrers are followed.
  public static var mostPreviewed: Int { 100_000 }

  /// The effects that removing an object would have, without removing it; nil when there is no such object.
  ///
  /// - Parameters:
  ///   - model: The name of the model.
  ///   - key: The primary key of the object.
  ///   - deadline: The instant by which the effects are known: a request that would take longer is refused.
  /// - Throws: `invalidQuery` for an unknown model; `invalidValue` for a key of another type; `limitExceeded` past the deadline;
  ///   `corrupt`, `io`.
  /// - Complexity: O(number of objects that would be removed), with a query for each thousand of them and each property that
  ///   refers to their model.
  public func deletion(in model: String, key: Value, until deadline: Deadline = .never) throws -> DeletionPreview? {
    try store.read { tx in
      guard let object = try tx.records.get(in: model, key: key) else { return nil }
      let schema = try tx.model(named: model)
      let key = object[schema.keyProperty.name] ?? key
      var survey = DeletionSurvey(try tx.models())
      try survey.follow(from: schema.name, key, tx) { () throws(StorageError) in try deadline.requireTime() }
      return survey.preview
    }
  }
}

/// Follows the delete rules from one object.
private struct DeletionSurvey {
  private struct Place: Hashable {
    var model: ByteString
    var key: Value
  }

  private(set) var preview = DeletionPreview()
  private let references: [(source: ModelSchema, property: PropertySchema, reference: PropertySchema.Reference)]
  private var removed: Set<Place> = []
  /// Objects that a rule protects, which are in the way unless they are removed themselves.
  private var denying: [(effect: Int, place: Place)] = []

  private static let batch = 1_000

  init(_ models: [ModelSchema]) {
    references = models.flatMap { model in
      model.liveProperties.compactMap { property in property.reference.map { (model, property, $0) } }
    }
  }

  mutating func follow(
    from model: String, _ key: Value, _ tx: ReadTransaction, _ check: () throws(StorageError) -> Void
  ) throws {
    removed = [Place(model: ByteString(model), key: key)]
    var rest = [(model: model, keys: [key])]
    while let (model, keys) = rest.popLast() {
      for (source, property, reference) in references where reference.model.utf8.elementsEqual(model.utf8) {
        try check()
        let found = try self.found(source, property, reference, keys, tx)
        for start in stride(from: 0, to: found.count, by: Self.batch) {
          rest.append((source.name, Array(found[start..<min(start + Self.batch, found.count)])))
        }
      }
      guard removed.count <= StoreInspector.mostPreviewed else {
        preview.isComplete = false
        break
      }
    }
    preview.removed = removed.count
    settle()
  }

  /// Counts the referrers of removed objects.
  ///
  /// - Returns: The keys of those that are removed as well, and were not before.
  private mutating func found(
    _ source: ModelSchema, _ property: PropertySchema, _ reference: PropertySchema.Reference, _ keys: [Value],
    _ tx: ReadTransaction
  ) throws -> [Value] {
    let query = QueryTree.objects(of: source.name, where: property.name, is: keys)
    guard reference.deleteRule != .nullify else {
      try count(tx.records.count(query), source, property, reference)
      return []
    }
    let primary = source.keyProperty.name
    var found: [Value] = []
    try tx.records.forEach(query, columns: [primary]) { record in
      guard removed.count + denying.count <= StoreInspector.mostPreviewed else {
        preview.isComplete = false
        return
      }
      let place = Place(model: ByteString(source.name), key: record[primary] ?? .null)
      if reference.deleteRule == .deny {
        denying.append((effect(source, property, reference), place))
      } else if removed.insert(place).inserted {
        found.append(place.key)
      }
    }
    try count(found.count, source, property, reference)
    return found
  }

  private mutating func count(
    _ count: Int, _ source: ModelSchema, _ property: PropertySchema, _ reference: PropertySchema.Reference
  ) throws {
    guard count > 0 else { return }
    preview.effects[effect(source, property, reference)].count += count
  }

  private mutating func effect(
    _ source: ModelSchema, _ property: PropertySchema, _ reference: PropertySchema.Reference
  ) -> Int {
    if let place = preview.effects.firstIndex(where: { $0.model == source.name && $0.property == property.name }) {
      return place
    }
    preview.effects.append(
      DeletionPreview.Effect(model: source.name, property: property.name, rule: reference.deleteRule, count: 0))
    return preview.effects.count - 1
  }

  /// What is removed itself is not in the way.
  private mutating func settle() {
    for (effect, place) in denying where !removed.contains(place) { preview.effects[effect].count += 1 }
    preview.effects.removeAll { $0.count == 0 }
  }
}
