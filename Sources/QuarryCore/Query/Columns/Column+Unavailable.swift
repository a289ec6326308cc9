// Swift or Foundation expressions that a query writes differently. None can be called: their messages name the replacement.

@available(*, unavailable, message: "a property that is not optional is never nil")
@_disfavoredOverload
public func == <V: Storable>(column: Column<V>, value: _OptionalNilComparisonType) -> Condition { .constant(false) }

@available(*, unavailable, message: "a property that is not optional is never nil")
@_disfavoredOverload
public func != <V: Storable>(column: Column<V>, value: _OptionalNilComparisonType) -> Condition { .constant(true) }

@available(
  *, unavailable, message: "write what nil means as a condition of its own: $0.rank >= 3 || $0.rank == nil"
)
@_disfavoredOverload
public func ?? <V: Storable>(column: Column<V?>, value: V) -> Column<V> { Column("", 0) }

extension Column where Value: TextStorable {
  @available(*, unavailable, renamed: "hasPrefix(_:)")
  public func starts(with text: String) -> Condition { .constant(false) }
}
