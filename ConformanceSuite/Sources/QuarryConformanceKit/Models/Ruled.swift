package import QuarryBackend
package import QuarryCore

/// A model that is referred to, whose side of it a case chooses. Its objects are written as records only.
package struct Ruler: Model {
  var id = 0

  @TaskLocal package static var definition = Ruler.make()
  package static var modelDefinition: ModelDefinition<Ruler> { definition }

  package static func make(_ relations: [RelationDefinition<Ruler>] = []) -> ModelDefinition<Ruler> {
    ModelDefinition(
      name: "Ruler", properties: [PropertyDefinition("id", \Ruler.id, Int.self)], primaryKey: "id",
      relations: relations)
  }

  package struct Columns: ModelColumns {
    package init() {}
  }

  package var primaryKeyValue: Int { id }

  package init(reading row: ModelReader) throws(StorageError) {
    throw StorageError(.unsupported, "objects of this model are not read")
  }

  package func write(to row: ModelWriter) throws(StorageError) {
    throw StorageError(.unsupported, "objects of this model are not written")
  }
}

/// A model that refers to a ``Ruler``, in the way that a case chooses. Its objects are written as records only.
package struct Ruled: Model {
  var id = 0
  package var maybe: Ref<Ruler>?
  package var sure = Ref<Ruler>(0)
  package var other: Ref<Poet>?
  package var number: Int?

  @TaskLocal package static var definition = Ruled.make([])
  package static var modelDefinition: ModelDefinition<Ruled> { definition }

  package static func make(_ properties: [PropertyDefinition<Ruled>]) -> ModelDefinition<Ruled> {
    ModelDefinition(
      name: "Ruled", properties: [PropertyDefinition("id", \Ruled.id, Int.self)] + properties, primaryKey: "id")
  }

  /// A model with the reference `link`.
  package static func make(_ rule: PropertySchema.Reference.DeleteRule?, isOptional: Bool) -> ModelDefinition<Ruled> {
    make([
      isOptional
        ? PropertyDefinition("link", \Ruled.maybe, Ref<Ruler>?.self, deleteRule: rule)
        : PropertyDefinition("link", \Ruled.sure, Ref<Ruler>.self, deleteRule: rule)
    ])
  }

  package struct Columns: ModelColumns {
    package init() {}
  }

  package var primaryKeyValue: Int { id }

  package init(reading row: ModelReader) throws(StorageError) {
    throw StorageError(.unsupported, "objects of this model are not read")
  }

  package func write(to row: ModelWriter) throws(StorageError) {
    throw StorageError(.unsupported, "objects of this model are not written")
  }
}
