public import QuarryBackend

/// A property of a model's definition.
public struct PropertyDefinition<M: Model>: Sendable {
  let name: String
  let property: PropertyKeyPath<M>
  let stored: StoredProperty

  /// - Parameters:
  ///   - name: The property's name in the store.
  ///   - keyPath: The property, stored in the struct itself. It need not be Sendable, because that of a struct in a
  ///     module that is isolated to the main actor is not.
  ///   - type: Its type.
  ///   - defaultValue: What objects have that were stored before the property was added, when it is a constant.
  ///   - originalName: The name that the property had in the store before it was renamed. Opening a store renames the
  ///     property where it is stored under this name, and none under the new one; its values and indexes stay.
  ///   - deleteRule: For a reference, what becomes of the object when the one that it refers to is removed. Nil for what
  ///     the other side says, and where it says nothing `nullify` for a reference that may be nil, else `deny`.
  public init<V: Storable>(
    _ name: String, _ keyPath: KeyPath<M, V>, _ type: V.Type, default defaultValue: V? = nil,
    originalName: String? = nil, deleteRule: PropertySchema.Reference.DeleteRule? = nil
  ) {
    self.name = name
    property = PropertyKeyPath(keyPath)
    stored = StoredProperty(
      name: name, originalName: originalName, type: V.storedType, form: .inside(type),
      reference: StoredReference(type, deleteRule)
    ) { () throws(StorageError) -> Value? in
      try defaultValue?.storedValue()
    }
  }
}
