import QuarryBackend
import QuarryCore

/// A model that is referred to, whose side of it a case chooses. Its objects are written as records only.
struct Ruler: Model {
  var id = 0

  @TaskLocal static var definition = Ruler.make()
  static var modelDefinition: ModelDefinition<Ruler> { definition }

  static func make(_ relations: [RelationDefinition<Ruler>] = []) -> ModelDefinition<Ruler> {
    ModelDefinition(
      name: "Ruler", properties: [PropertyDefinition("id", \Ruler.id, Int.self)], primaryKey: "id",
      relations: relations)
  }

  struct Columns: ModelColumns {}

  var primaryKeyValue: Int { id }

  init(reading row: ModelReader) throws(StorageError) {
    throw StorageError(.unsupported, "objects of this model are not read")
  }

  func write(to row: ModelWriter) throws(StorageError) {
    throw StorageError(.unsupported, "objects of this model are not written")
  }
}

/// A model that refers to a ``Ruler``, in the way that a case chooses. Its objects are written as records only.
struct Ruled: Model {
  var id = 0
  var maybe: Ref<Ruler>?
  var sure = Ref<Ruler>(0)
  var other: Ref<Poet>?
  var number: Int?

  @TaskLocal static var definition = Ruled.make([])
  static var modelDefinition: ModelDefinition<Ruled> { definition }

  static func make(_ properties: [PropertyDefinition<Ruled>]) -> ModelDefinition<Ruled> {
    ModelDefinition(
      name: "Ruled", properties: [PropertyDefinition("id", \Ruled.id, Int.self)] + properties, primaryKey: "id")
  }

  /// A model with the reference `link`.
  static func make(_ rule: PropertySchema.Reference.DeleteRule?, isOptional: Bool) -> ModelDefinition<Ruled> {
    make([
      isOptional
        ? PropertyDefinition("link", \Ruled.maybe, Ref<Ruler>?.self, deleteRule: rule)
        : PropertyDefinition("link", \Ruled.sure, Ref<Ruler>.self, deleteRule: rule)
    ])
  }

  struct Columns: ModelColumns {}

  var primaryKeyValue: Int { id }

  init(reading row: ModelReader) throws(StorageError) {
    throw StorageError(.unsupported, "objects of this model are not read")
  }

  func write(to row: ModelWriter) throws(StorageError) {
    throw StorageError(.unsupported, "objects of this model are not written")
  }
}
