public import QuarryBackend

/// A property of a model's definition.
public struct PropertyDefinition<M: Model>: Sendable {
  let name: String
  let property: PropertyKeyPath<M>
  let stored: StoredProperty

  /// Creates the definition of a property.
  ///
  /// - Parameters:
  ///   - name: The property's name in the store.
  ///   - keyPath: The property, stored in the struct itself. It need not be Sendable: the key path of a struct in a module that
  ///     is isolated to the main actor is not.
  ///   - type: Its type.
  ///   - defaultValue: The value for objects stored before the property was added, when it is a constant.
  ///   - originalName: The name that the property had in the store before it was renamed. Opening a store renames the
  ///     property where it is stored under this name, and none under the new one; its values and indexes stay.
  ///   - deleteRule: For a reference, the effect on the object when the object that it refers to is removed. When nil, the rule
  ///     of the other side applies. Without one, it is `nullify` for a reference that may be nil, else `deny`.
  ///   - syncName: The name by which the property travels between stores; when nil, the first name that it had in the store.
  ///   - search: How its texts are searched, by words; nil for a property that is not searched.
  ///   - merge: How its writes in two synced stores are joined; nil for ``MergeOption/lww``.
  public init<V: Storable>(
    _ name: String, _ keyPath: KeyPath<M, V>, _ type: V.Type, default defaultValue: V? = nil,
    originalName: String? = nil, deleteRule: PropertySchema.Reference.DeleteRule? = nil,
    search: PropertySchema.Search? = nil, syncName: String? = nil, merge: MergeOption? = nil
  ) {
    self.name = name
    property = PropertyKeyPath(keyPath)
    stored = StoredProperty(
      name: name, originalName: originalName, syncName: syncName, type: V.storedType, form: .inside(type),
      reference: StoredReference(type, deleteRule), search: search, merge: merge,
      keyMembers: { KeyMember.list(of: type) }
    ) { () throws(StorageError) -> Value? in
      try defaultValue?.storedValue()
    }
  }
}
