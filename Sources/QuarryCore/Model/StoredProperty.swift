import QuarryBackend

/// A property without its Swift type.
struct StoredProperty: Sendable {
  let name: String
  let originalName: String?
  /// The name by which the property travels, where the program declares one.
  let syncName: String?
  let type: StoredType
  /// The form of the values inside the property.
  let form: NestedForm?
  let defaultValue: Result<Value?, StorageError>
  /// The target of the property's reference; nil for a plain value.
  let reference: StoredReference?
  /// How its texts are searched; nil for a property that is not searched.
  let search: PropertySchema.Search?
  /// How its writes in synced stores are joined; nil where nothing is declared.
  let merge: MergeOption?
  /// The members of a compound key that is the property's value. Asked late, because models refer to each other.
  let keyMembers: @Sendable () -> [KeyMember]?

  init(
    name: String, originalName: String?, syncName: String? = nil, type: StoredType, form: NestedForm?,
    reference: StoredReference? = nil, search: PropertySchema.Search? = nil, merge: MergeOption? = nil,
    keyMembers: @escaping @Sendable () -> [KeyMember]? = { nil },
    defaultValue: () throws(StorageError) -> Value?
  ) {
    self.reference = reference
    self.search = search
    self.merge = merge
    self.keyMembers = keyMembers
    self.name = name
    self.originalName = originalName
    self.syncName = syncName
    self.type = type
    self.form = form
    do throws(StorageError) {
      self.defaultValue = .success(try defaultValue())
    } catch {
      self.defaultValue = .failure(error)
    }
  }
}

/// The target of a reference, without its Swift type.
struct StoredReference: Sendable {
  /// The definition of the model that is referred to. Asked late, because models refer to each other.
  let target: @Sendable () -> AnyModelDefinition
  /// The rule of the property itself; nil where the other side or its optionality decides.
  let deleteRule: PropertySchema.Reference.DeleteRule?

  /// A reference to a model, with its rule.
  init(
    to target: @escaping @Sendable () -> AnyModelDefinition, _ deleteRule: PropertySchema.Reference.DeleteRule
  ) {
    self.target = target
    self.deleteRule = deleteRule
  }

  /// Nil for a type that is no reference.
  init?(_ type: any Storable.Type, _ deleteRule: PropertySchema.Reference.DeleteRule?) {
    guard let type = type as? any ReferenceType.Type else { return nil }
    target = { type.target }
    self.deleteRule = deleteRule
  }
}
