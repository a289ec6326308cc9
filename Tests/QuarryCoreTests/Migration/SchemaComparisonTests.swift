import QuarryBackend
import QuarryTestSupport
import Testing

@testable import QuarryCore

/// What opening makes of a program whose models differ from the stored ones.
struct SchemaComparisonTests {
  private let book = ModelSchema.book

  private func compare(_ change: (inout ModelSchema) -> Void) throws -> SchemaComparison {
    let stored = try Schema().applying(.createModel(book))
    var code = book
    change(&code)
    return SchemaComparison(stored: stored, code: [code])
  }

  @Test func sameModelInAnotherOrderIsTheSame() throws {
    let result = try compare { model in
      model.properties.reverse()
      model.primaryKey = 3
      model.indexes[0].columns = [.init(slot: 1, isDescending: true), .init(slot: 2)]
    }
    #expect(result.changes.isEmpty)
    #expect(result.losses.isEmpty && result.rebuilds.isEmpty)
  }

  @Test func missingModelIsCreatedAndUnknownOneLeftAlone() throws {
    let stored = try Schema().applying(.createModel(book))
    let other = ModelSchema(name: "Other", properties: [PropertySchema(name: "id", type: .int64)], primaryKey: 0)
    let result = SchemaComparison(stored: stored, code: [other])
    #expect(result.changes == [.createModel(other)])
    #expect(result.losses.isEmpty && result.rebuilds.isEmpty)
  }

  @Test func missingPropertyIsAddedWhenOptionalOrWithDefault() throws {
    let optional = PropertySchema(name: "a", type: .int64, isOptional: true)
    let defaulted = PropertySchema(name: "b", type: .int64, defaultValue: .int(3))
    let result = try compare { $0.properties += [optional, defaulted] }
    #expect(result.changes == [.addProperty(ModelID(1), optional), .addProperty(ModelID(1), defaulted)])
    #expect(result.losses.isEmpty && result.rebuilds.isEmpty)
  }

  @Test func droppedPropertyIsNotStored() throws {
    let stored = try Schema().applying(.createModel(book)).applying(.dropProperty(ModelID(1), slot: 3))
    let result = SchemaComparison(stored: stored, code: [book])
    #expect(result.losses.count == 1)
    #expect(result.losses[0].text.contains("Book.tags"))
  }

  @Test func otherIndexesAreMadeAnew() throws {
    let index = try #require(try Schema().applying(.createModel(book)).models.first?.indexes.first)
    let dropped = SchemaChange.dropIndex(ModelID(1), index: index.id)
    #expect(try compare { $0.indexes = [] }.changes == [dropped])
    for change: (inout IndexSchema) -> Void in [
      { $0.isUnique = true }, { $0.columns.removeLast() }, { $0.columns[0].isDescending.toggle() },
    ] {
      var changed = book.indexes[0]
      change(&changed)
      let result = try compare { $0.indexes[0] = changed }
      #expect(result.changes == [dropped, .createIndex(ModelID(1), changed)])
      #expect(result.losses.isEmpty && result.rebuilds.isEmpty)
    }
    let added = IndexSchema(name: "byTitle", columns: [.init(slot: 1)])
    #expect(try compare { $0.indexes.append(added) }.changes == [.createIndex(ModelID(1), added)])
  }

  @Test func columnsOfANewIndexAreTheStoresSlots() throws {
    let property = PropertySchema(name: "x", type: .int64, isOptional: true)
    // In the program the property is the first, in the store it becomes the last.
    let result = try compare { model in
      model.properties.insert(property, at: 0)
      model.primaryKey += 1
      for place in model.indexes[0].columns.indices { model.indexes[0].columns[place].slot += 1 }
      model.indexes.append(IndexSchema(name: "x_title", columns: [.init(slot: 0), .init(slot: 2)]))
    }
    let slot = book.properties.count
    let index = IndexSchema(name: "x_title", columns: [.init(slot: slot), .init(slot: 1)])
    #expect(result.changes == [.addProperty(ModelID(1), property), .createIndex(ModelID(1), index)])
  }

  struct Edit: Sendable, CustomTestStringConvertible {
    let name: String
    let change: @Sendable (inout ModelSchema) -> Void

    init(_ name: String, _ change: @escaping @Sendable (inout ModelSchema) -> Void) {
      self.name = name
      self.change = change
    }

    var testDescription: String { name }
  }

  @Test func renamedIndexIsRenamed() throws {
    let result = try compare { $0.indexes[0].name = "other" }
    let index = try #require(try Schema().applying(.createModel(book)).models.first?.indexes.first)
    #expect(result.changes == [.renameIndex(ModelID(1), index: index.id, to: "other")])
  }

  @Test func requiredMadeOptionalLosesNothing() throws {
    let result = try compare { $0.properties[1].isOptional = true }
    #expect(result.losses.isEmpty)
    #expect(!result.isEmpty)
  }

  @Test(arguments: [
    Edit("Book.x") { $0.properties.append(PropertySchema(name: "x", type: .int64)) },
    Edit("Book.title") { $0.properties[1].type = .int64 },
    Edit("Book.year") { $0.properties[2].isOptional = false },
    Edit("Book.tags") { $0.properties[3].elementType = .int64 },
    Edit("Book.tags") { $0.properties.removeLast() },
    Edit("primary key") { $0.primaryKey = 1 },
  ])
  func differenceNamesWhatDiffers(_ edit: Edit) throws {
    let result = try compare(edit.change)
    #expect(result.changes.isEmpty)
    #expect(result.losses.count == 1)
    #expect(result.losses.first?.text.contains(edit.name) == true)
  }
}
