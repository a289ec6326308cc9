import QuarryBackend

/// Figures of the values that one property has.
struct PropertySummary {
  var property: PropertySchema
  var isKey: Bool
  /// The way in which objects get the key where they have none; nil for any other property.
  var generation: KeyGeneration?
  /// The number of objects.
  var rows = 0
  /// The number of values that are not nil.
  var values = 0
  var distinct = 0
  /// Whether there are more different values than `distinct`.
  var isDistinctBound = false
  var minimum: Value?
  var maximum: Value?
  var mean: Value?
  /// Nil for the primary key, all of whose values differ.
  var mostFrequent: [(value: Value, count: Int)]?
  /// A value that is not among the most frequent ones occurs at most this often.
  var unlistedBound = 0
  var histogram: Histogram?

  var nils: Int { rows - values }
}
