import QuarryBackend

extension NestedForm {
  /// Facts about the values that Codable writes for a type.
  init(codedAs type: Any.Type) {
    if let container = type as? any CodedContainer.Type {
      self = container.codedForm
    } else if let nested = type as? any NestedModel.Type {
      self = nested.codedForm
    } else if let raw = type as? any RawRepresentable.Type {
      self = raw.codedForm
    } else if let plain = type as? any DirectlyStorable.Type {
      self.init(plain.storedType.type)
    } else if let storable = type as? any Storable.Type, storable.storedType.type != .nested {
      self = .foreign("\(type)")
    } else {
      self = .unknown
    }
  }

  /// The form of the values inside a property; nil where the schema describes it completely.
  static func inside(_ type: Any.Type) -> NestedForm? {
    let form = NestedForm(codedAs: type)
    return form.reference == nil ? nil : form
  }
}

/// A type whose values are written as what they contain.
private protocol CodedContainer {
  static var codedForm: NestedForm { get }
}

extension Optional: CodedContainer {
  static var codedForm: NestedForm { NestedForm(codedAs: Wrapped.self) }
}

extension Array: CodedContainer {
  static var codedForm: NestedForm { .array(NestedForm(codedAs: Element.self)) }
}

extension RawRepresentable {
  fileprivate static var codedForm: NestedForm { NestedForm(codedAs: RawValue.self) }
}

extension NestedModel {
  fileprivate static var codedForm: NestedForm { .nested(NestedReference { nestedShape }) }
}
