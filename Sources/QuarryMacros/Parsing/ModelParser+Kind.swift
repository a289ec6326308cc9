/// The words of messages and generated code for the two kinds.
extension ModelParser.Kind {
  /// The attribute of the struct.
  var attribute: String {
    switch self {
    case .model: "@Model"
    case .nested: "@Nested"
    }
  }

  /// The name of the struct in a sentence.
  var noun: String {
    switch self {
    case .model: "a model"
    case .nested: "a nested type"
    }
  }

  /// The protocol that it gets.
  var conformance: String {
    switch self {
    case .model: "Model"
    case .nested: "NestedModel"
    }
  }

  /// The names of the generated properties, in addition to the type `Columns`.
  var generatedMembers: Set<String> {
    switch self {
    case .model: ["modelDefinition", "primaryKeyValue", "Columns"]
    case .nested: ["nestedDefinition", "Columns"]
    }
  }

  var copied: String {
    switch self {
    case .model: "an object is a value that is copied in and out of the store"
    case .nested: "a nested value is copied in and out of the store with its object"
    }
  }

  var unique: String {
    switch self {
    case .model: "the store has one table for it"
    case .nested: "there is one list of its members"
    }
  }
}
