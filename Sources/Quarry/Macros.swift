#if Macros
  /// Makes a struct a model that can be stored.
  ///
  /// ```swift
  /// @Model
  /// struct Book: Identifiable {
  ///   let id: UUID
  ///   @Attribute(.unique) var isbn: String
  ///   @Attribute(.indexed) var year: Int
  ///   var title: String
  ///   var tags: [String] = []
  ///   @Transient var isOpen = false
  ///
  ///   #Index<Book>([\.title, \.year])
  /// }
  /// ```
  ///
  /// Every stored property is stored, with a column of the same name in `Columns`, unless it is marked `@Transient`.
  /// Its type is ``QuarryCore/Storable``. The primary key is the property `id`, or the one that is marked
  /// `@Attribute(.primaryKey)`. ``PrimaryKey(_:)`` lists the properties of a compound key. The macro ignores static and computed
  /// properties, and keeps the memberwise init.
  ///
  /// A property's value in its declaration is also the value for objects stored before the property was added, if it is a
  /// constant: a literal, an array of constants, an enum case with a leading dot or its type. `UUID()` is none.
  ///
  /// The macro writes what ``QuarryCore/Model`` shows as a conformance by hand, with the access level of the struct.
  ///
  /// - Parameters:
  ///   - name: The name of the model in the store; by default the struct's own name.
  ///   - originalName: The name that the model had in the store before it was renamed. Opening a store renames the model where it
  ///     is stored under this name, and none under the new one; its objects and indexes stay.
  ///   - syncName: The name by which the model travels between stores. When nil, the first name that it had in the store.
  ///   - synced: Whether the objects travel between synced stores: `enableSync()` of QuarrySync syncs the model without its being
  ///     named there.
  ///   - init: The access level of a memberwise init, for a model that other modules make objects of. The compiler's own init, which
  ///     stays without it, is internal. It has a parameter for each stored property; a `@Transient` one has its value.
  @attached(
    member, conformances: Model, names: named(modelDefinition), named(Columns), named(Key), named(primaryKeyValue),
    named(write),
    named(init)
  )
  @attached(extension, conformances: Model, names: named(init))
  @attached(memberAttribute)
  public macro Model(
    name: String? = nil, originalName: String? = nil, syncName: String? = nil, synced: Bool = false,
    init: InitAccess? = nil
  ) =
    #externalMacro(module: "QuarryMacros", type: "ModelMacro")

  /// Makes a struct a value that properties of models have and whose members queries can name:
  /// `Book.where { $0.address.city == "Oslo" }`.
  ///
  /// ```swift
  /// @Nested
  /// struct Address {
  ///   var street: String
  ///   var city: String
  ///   var country = "NO"
  /// }
  /// ```
  ///
  /// The struct is Codable, and stored as Codable writes it; a `CodingKeys` of its own belongs into its braces. The
  /// type of each member is ``QuarryCore/Storable``, or a dictionary or a set, whose parts queries do not know. A
  /// member that is marked `@Transient`, or left out of `CodingKeys`, is not stored.
  ///
  /// A member's value in its declaration is also the value for nested values stored before the member was added, if it is a
  /// constant, as for properties of a model. An optional member is nil then.
  ///
  /// The macro writes what ``QuarryCore/NestedModel`` shows as a conformance by hand, with the access level of the
  /// struct.
  @attached(
    member, conformances: NestedModel, names: named(nestedDefinition), named(Columns), named(CodingKeys)
  )
  @attached(extension, conformances: NestedModel)
  public macro Nested() = #externalMacro(module: "QuarryMacros", type: "NestedMacro")

  /// Declares a property of a model as the primary key, unique or indexed.
  ///
  /// - Parameters:
  ///   - options: The property's role: the primary key, unique or indexed.
  ///   - originalName: The name that the property had in the store before it was renamed. Opening a store renames the
  ///     property where it is stored under this name, and none under the new one; its values and indexes stay.
  ///   - syncName: The name by which the property travels between stores. When nil, the first name that it had in the store.
  @attached(peer)
  public macro Attribute(_ options: AttributeOption..., originalName: String? = nil, syncName: String? = nil) =
    #externalMacro(module: "QuarryMacros", type: "AttributeMacro")

  /// Declares that a property leads to other objects, and which delete rule they have.
  ///
  /// A property of the type ``QuarryCore/Ref`` needs no attribute; this one gives it a delete rule:
  /// `@Relationship(deleteRule: .cascade) var author: Ref<Author>`.
  ///
  /// A property of the type ``QuarryCore/Many`` is the other side of a reference, and names it:
  /// `@Relationship(deleteRule: .cascade, inverse: \Book.author) var books: Many<Book>`. Nothing is stored for it: it is
  /// computed from the object's key, needs no value, and is not in the memberwise init. In a module that is isolated to
  /// the main actor write `nonisolated` before `var` where it is used elsewhere.
  ///
  /// A property of the type ``QuarryCore/Links`` is a list of objects that are linked with this one:
  /// `@Relationship(.allowsDuplicates) var tags: Links<Tag>`. It needs no attribute without an option or a rule, and is
  /// computed, too; the links are rows of a model of their own.
  ///
  /// - Parameters:
  ///   - options: The options of `Links`.
  ///   - deleteRule: The effect on a referring object when the object that it refers to is removed. When nil, the rule of the
  ///     other side applies. Without one, it is `nullify` for a reference that may be nil, else `deny`.
  ///   - inverse: For `Many` the property of the other model that refers to this one, with its type.
  ///   - originalName: For `Ref` the name that the property had in the store before it was renamed, as for
  ///     ``Attribute(_:originalName:syncName:)``.
  @attached(peer)
  public macro Relationship(
    _ options: RelationshipOption..., deleteRule: DeleteRule? = nil, inverse: AnyKeyPath? = nil,
    originalName: String? = nil
  ) = #externalMacro(module: "QuarryMacros", type: "RelationshipMacro")

  /// The getter of a property of the type ``QuarryCore/Many``, which ``Model(name:originalName:syncName:synced:init:)`` attaches.
  @attached(accessor, names: named(get))
  public macro _QuarryMany() = #externalMacro(module: "QuarryMacros", type: "ManyMacro")

  /// The getter of a property of the type ``QuarryCore/Links``.
  @attached(accessor, names: named(get))
  public macro _QuarryLinks() = #externalMacro(module: "QuarryMacros", type: "LinksMacro")

  /// Declares how writes of a property in two synced stores are joined when the stores meet.
  ///
  /// ```swift
  /// @Model(synced: true)
  /// struct Article {
  ///   let id: UUID
  ///   var title: String
  ///   @Merge(.counter) var views = 0
  ///   @Merge(.set) var tags: [String] = []
  ///   @Merge(.row("price")) var amount: Decimal
  ///   @Merge(.row("price")) var currency: String
  /// }
  /// ```
  ///
  /// - Parameter rule: The rule. Without the attribute it is `.lww`: the later write wins.
  @attached(peer)
  public macro Merge(_ rule: MergeOption) = #externalMacro(module: "QuarryMacros", type: "MergeMacro")

  /// Leaves a property out of the store. It needs a value in its declaration, which objects get when they are read.
  @attached(peer)
  public macro Transient() = #externalMacro(module: "QuarryMacros", type: "TransientMacro")

  /// Declares indexes of a model inside its struct, each a list of properties:
  /// `#Index<Book>([\.year], [\.title, \.year])`.
  @freestanding(declaration)
  public macro Index<M>(_ indexes: [PartialKeyPath<M>]...) =
    #externalMacro(module: "QuarryMacros", type: "IndexMacro")

  /// Declares indexes of a model with a direction for each property:
  /// `#Index<Book>([.reverse(\.year), .forward(\.title)])`.
  @freestanding(declaration)
  public macro Index<M>(_ indexes: [IndexColumn<M>]...) =
    #externalMacro(module: "QuarryMacros", type: "IndexMacro")

  /// Declares lists of properties whose values together are unique: `#Unique<Book>([\.title, \.year])`.
  ///
  /// Objects in which one of the values is nil are not compared.
  @freestanding(declaration)
  public macro Unique<M>(_ constraints: [PartialKeyPath<M>]...) =
    #externalMacro(module: "QuarryMacros", type: "UniqueMacro")

  /// Declares 2 to 16 properties of a model that are its primary key together: `#PrimaryKey<Loan>([\.reader, \.book])`.
  ///
  /// The type of the key is `Loan.Key`, a struct with these members. Keys are compared by their members in the order of the list.
  ///
  /// - Parameter members: The properties, none of which is optional.
  @freestanding(declaration)
  public macro PrimaryKey<M>(_ members: [PartialKeyPath<M>]) =
    #externalMacro(module: "QuarryMacros", type: "PrimaryKeyMacro")
#endif
