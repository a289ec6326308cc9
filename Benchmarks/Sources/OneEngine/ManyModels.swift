import QuarryCore

/// A digit, as a type.
protocol Digit {
  static var value: Int { get }
}

enum D0: Digit { static let value = 0 }
enum D1: Digit { static let value = 1 }
enum D2: Digit { static let value = 2 }
enum D3: Digit { static let value = 3 }
enum D4: Digit { static let value = 4 }
enum D5: Digit { static let value = 5 }
enum D6: Digit { static let value = 6 }
enum D7: Digit { static let value = 7 }
enum D8: Digit { static let value = 8 }
enum D9: Digit { static let value = 9 }

/// One of a hundred models, which differ in their names alone.
struct Numbered<Ten: Digit, One: Digit>: Model {
  var id: Int64
  var name: String
  var age: Int

  // A generic type has no stored constants of its own.
  static var modelDefinition: ModelDefinition<Numbered> {
    ModelDefinition<Numbered>(
      name: "Numbered\(Ten.value)\(One.value)",
      properties: [
        PropertyDefinition("id", \Numbered.id, Int64.self), PropertyDefinition("name", \Numbered.name, String.self),
        PropertyDefinition("age", \Numbered.age, Int.self),
      ],
      primaryKey: "id", indexes: [IndexDefinition(["age"])])
  }

  struct Columns: ModelColumns {
    var id = Column<Int64>("id", 0)
    var name = Column<String>("name", 1)
    var age = Column<Int>("age", 2)
  }

  var primaryKeyValue: Int64 { id }

  init(reading row: ModelReader) throws(StorageError) {
    id = try row.get(0)
    name = try row.get(1)
    age = try row.get(2)
  }

  func write(to row: ModelWriter) throws(StorageError) {
    try row.set(0, id)
    try row.set(1, name)
    try row.set(2, age)
  }
}

func hundredModels() -> [any Model.Type] {
  let digits: [any Digit.Type] = [
    D0.self, D1.self, D2.self, D3.self, D4.self, D5.self, D6.self, D7.self, D8.self, D9.self,
  ]
  return digits.flatMap { ten in digits.map { one in numbered(ten, one) } }
}

private func numbered<Ten: Digit, One: Digit>(_ ten: Ten.Type, _ one: One.Type) -> any Model.Type {
  Numbered<Ten, One>.self
}
