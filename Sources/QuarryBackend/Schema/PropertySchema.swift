/// A property as it is stored.
public struct PropertySchema: Sendable, Hashable, Codable {
  /// The name of the property.
  public var name: String
  /// The type of its values.
  public var type: PropertyType
  /// Whether it may be nil.
  public var isOptional: Bool
  /// The type of an array's elements, for ``PropertyType/array``.
  public var elementType: PropertyType?
  /// The value of rows that were written before the property was added.
  public var defaultValue: Value?
  /// A tombstone: the slot is not used again.
  public var isDropped: Bool
  /// The model that the property refers to; nil for a plain value. From format 3 of the schema on.
  public var reference: Reference?
  /// How texts of the property are searched; nil where the store keeps no index of its words. From format 5 of the schema on.
  public var search: Search?
  /// The types of the members, where the property has the bytes of a compound key: its own model's, or that of the model which
  /// it refers to.
  ///
  /// From format 7 of the schema on.
  public var keyMembers: [KeyMember]?
  /// The name by which the property travels between stores, where it is not its own: see ``travelName``. From format 9 of the
  /// schema on.
  public var syncName: String?

  /// Creates a property schema.
  ///
  /// - Parameters:
  ///   - name: The name of the property.
  ///   - type: The type of its values.
  ///   - isOptional: Whether it may be nil.
  ///   - elementType: The type of an array's elements; nil for other types.
  ///   - defaultValue: The value in rows that were written before the property was added; nil for none.
  ///   - isDropped: Whether the slot is the tombstone of a dropped property.
  ///   - reference: The model that its values refer to; nil for a plain value.
  ///   - search: How its texts are searched; nil for no search.
  ///   - keyMembers: The types of the members, for the bytes of a compound key.
  ///   - syncName: The name by which it travels between stores; nil for its own.
  public init(
    name: String, type: PropertyType, isOptional: Bool = false, elementType: PropertyType? = nil,
    defaultValue: Value? = nil, isDropped: Bool = false, reference: Reference? = nil, search: Search? = nil,
    keyMembers: [KeyMember]? = nil, syncName: String? = nil
  ) {
    self.name = name
    self.type = type
    self.isOptional = isOptional
    self.elementType = elementType
    self.defaultValue = defaultValue
    self.isDropped = isDropped
    self.reference = reference
    self.search = search
    self.keyMembers = keyMembers
    self.syncName = syncName
  }

  /// The text search over a property, of whose words the store keeps an index.
  public struct Search: Sendable, Hashable, Codable {
    /// The greatest weight.
    public static let maximumWeight = 1_000

    /// How much a word in this property counts in the order of hits, compared with a word in another one: 1 to
    /// ``maximumWeight``.
    public var weight: Int
    /// The language by whose stems words are compared; nil where they are compared as they are written. From format 8 of the
    /// schema on.
    public var language: SearchLanguage?

    /// The search over a property with that weight, in that language.
    ///
    /// - Parameters:
    ///   - weight: The weight of a word in the property, from 1 to ``maximumWeight``.
    ///   - language: The language by whose stems words are compared; nil where they are compared as they are written.
    public init(weight: Int = 1, language: SearchLanguage? = nil) {
      self.weight = weight
      self.language = language
    }
  }

  /// A reference that is checked.
  ///
  /// The property is an ordinary column of the type of the other model's primary key. It has a key that is stored there, or nil.
  public struct Reference: Sendable, Hashable, Codable {
    /// The effect on an object when the object that it refers to is removed.
    public enum DeleteRule: String, Sendable, Hashable, Codable {
      /// It is removed too.
      case cascade
      /// Its reference becomes nil, for which the property is optional.
      case nullify
      /// The other one cannot be removed.
      case deny
    }

    /// The name of the model that is referred to. It may be the model itself, and one that is made later in the same
    /// transaction.
    public var model: String
    /// The effect of removing the object that is referred to.
    public var deleteRule: DeleteRule

    /// A reference to a model, by its name.
    ///
    /// - Parameters:
    ///   - model: The name of the model.
    ///   - deleteRule: What happens to the referring object when the object is deleted.
    public init(to model: String, deleteRule: DeleteRule) {
      self.model = model
      self.deleteRule = deleteRule
    }
  }

  /// The type as people write it, `String?` for example.
  public var typeName: String {
    let base = elementType.map { "[\($0.name)]" } ?? keyMembers.map(KeyMember.name) ?? type.name
    return isOptional ? base + "?" : base
  }
}
