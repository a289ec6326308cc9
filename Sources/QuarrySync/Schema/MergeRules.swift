/// How columns are joined, also those that only other versions of the program have: SYNC-32.
package struct MergeRules: Sendable, Hashable {
  /// A column of a model.
  package struct Column: Sendable, Hashable, Comparable {
    package var model: SyncName
    package var column: SyncName

    package init(_ model: SyncName, _ column: SyncName) {
      self.model = model
      self.column = column
    }

    /// The bytes of its names, and what goes with them.
    fileprivate var bytes: Int { model.text.utf8.count + column.text.utf8.count + 8 }

    package static func < (left: Column, right: Column) -> Bool {
      left.model != right.model ? left.model < right.model : left.column < right.column
    }
  }

  package private(set) var rules: [Column: MergeRule] = [:]
  /// The models that the program of a hub resolves. Its clients note for it what their edits write over: SYNC-11.
  package var resolved: Set<SyncName> = []

  package init(_ rules: [Column: MergeRule] = [:], resolved: Set<SyncName> = []) {
    self.rules = rules
    self.resolved = resolved
  }

  package init(_ schema: SyncSchema) {
    for model in schema.models.values {
      for column in model.columns { rules[Column(model.name, column.name)] = column.rule }
    }
  }

  /// A column without a known rule is joined by stamps.
  func rule(_ model: SyncName, _ column: SyncName) -> MergeRule { rules[Column(model, column)] ?? .latest }

  /// Takes the rules of columns that have none here, in the order of their names while there is room: SYNC-39. Where two replicas
  /// disagree, each keeps its own. What a hub resolves is its own alone.
  package mutating func learn(_ others: MergeRules) {
    let new = others.rules.filter { rules[$0.key] == nil }
    guard !new.isEmpty else { return }
    var room = SyncLimits.ruleBytes - rules.keys.reduce(0) { $0 + $1.bytes }
    for (column, rule) in new.sorted(by: { $0.key < $1.key }) {
      room -= column.bytes
      guard room >= 0 else { return }
      rules[column] = rule
    }
  }
}
