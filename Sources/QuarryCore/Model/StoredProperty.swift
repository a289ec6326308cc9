import QuarryBackend

/// A property without its Swift type.
struct StoredProperty: Sendable {
  let name: String
  let originalName: String?
  let type: StoredType
  /// What is known of the values inside the property.
  let form: NestedForm?
  let defaultValue: Result<Value?, StorageError>

  init(
    name: String, originalName: String?, type: StoredType, form: NestedForm?,
    defaultValue: () throws(StorageError) -> Value?
  ) {
    self.name = name
    self.originalName = originalName
    self.type = type
    self.form = form
    do throws(StorageError) {
      self.defaultValue = .success(try defaultValue())
    } catch {
      self.defaultValue = .failure(error)
    }
  }
}
