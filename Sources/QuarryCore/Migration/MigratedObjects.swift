public import QuarryBackend

/// An object as it is stored before a migration.
///
/// A property that does not exist is nil, and the migration ends with `invalidQuery` and the nearest name.
public struct OldObject {
  /// All its properties.
  public let record: Record
  let model: ModelSchema
  let misuse: MigrationMisuse

  /// The value of a property; nil is ``Value/null``.
  public subscript(name: String) -> Value {
    if let value = record[name] { return value }
    misuse.noProperty(name, model)
    return .null
  }

  /// The value of a property as a type.
  ///
  /// - Parameters:
  ///   - name: The name of the property.
  ///   - type: The type of the value; an optional where it may be nil.
  /// - Throws: `invalidQuery` for a property that does not exist, `invalidValue` when the value does not belong to the type.
  public func get<T: Storable>(_ name: String, as type: T.Type = T.self) throws -> T {
    guard let value = record[name] else { throw MigrationMisuse.unknown(name, model) }
    do throws(StorageError) {
      return try T(storedValue: value)
    } catch {
      throw error.with(model: model.name, property: name)
    }
  }
}

/// Reads the old objects of one model.
struct OldObjects {
  private let model: ModelSchema
  private let misuse: MigrationMisuse
  private let layout: RowLayout
  private let slots: [Int]
  private let names: RecordNames

  /// - Parameters:
  ///   - source: The model as it is stored.
  ///   - named: The same, with the names that closures know.
  init(_ source: ModelSchema, named: ModelSchema, _ misuse: MigrationMisuse) {
    model = named
    self.misuse = misuse
    layout = RowLayout(source)
    slots = named.liveSlots
    names = RecordNames(slots.map { ByteString(named.properties[$0].name) })
  }

  func object(_ row: UnsafeRawBufferPointer) throws(StorageError) -> OldObject {
    let values = try ReadTransaction.values(row, slots, layout, model)
    return OldObject(record: Record(names: names, values: values), model: model, misuse: misuse)
  }
}

/// An object as a migration will store it. Set to nil, the object is not stored.
///
/// It starts with the old object's values, for properties that have the same name and a type that holds the values. The other
/// properties have their defaults, or nil.
public struct NewObject: ExpressibleByNilLiteral {
  private(set) var values: [Value]
  /// Whether the value of a slot is the program's: a required property without one is `missingValue`.
  private(set) var isSet: [Bool]
  private let shape: NewObjectShape?

  /// No object.
  public init(nilLiteral: ()) {
    values = []
    isSet = []
    shape = nil
  }

  init(_ shape: NewObjectShape, _ values: [Value], isSet: [Bool]) {
    self.shape = shape
    self.values = values
    self.isSet = isSet
  }

  var isDeleted: Bool { shape == nil }

  /// The value of a property; nil is ``Value/null``. A value is converted to the property's type when the object is
  /// stored, where that is exact.
  public subscript(name: String) -> Value {
    get {
      guard let shape else { return .null }
      if let place = shape.places[ByteString(name)] { return values[place] }
      shape.misuse.noProperty(name, shape.model)
      return .null
    }
    set {
      guard let shape else { return }
      if let place = shape.places[ByteString(name)] {
        values[place] = newValue
        isSet[place] = true
      } else {
        shape.misuse.noProperty(name, shape.model)
      }
    }
  }

  /// Sets a property to a value of a Swift type.
  ///
  /// - Parameters:
  ///   - name: The name of the property.
  ///   - value: The value, or nil.
  /// - Throws: `invalidQuery` for a property that does not exist, `invalidValue` for a value that cannot be stored.
  public mutating func set(_ name: String, _ value: (some Storable)?) throws {
    guard let shape else { return }
    guard let place = shape.places[ByteString(name)] else { throw MigrationMisuse.unknown(name, shape.model) }
    do throws(StorageError) {
      values[place] = try value?.storedValue() ?? .null
    } catch {
      throw error.with(model: shape.model.name, property: name)
    }
    isSet[place] = true
  }
}

/// The properties that the new objects of a model have.
final class NewObjectShape {
  let model: ModelSchema
  let places: [ByteString: Int]
  let misuse: MigrationMisuse

  init(_ model: ModelSchema, _ misuse: MigrationMisuse) {
    self.model = model
    self.misuse = misuse
    places = Dictionary(
      model.properties.enumerated().map { (ByteString($0.element.name), $0.offset) },
      uniquingKeysWith: { first, _ in first })
  }
}

/// The first name that a migration's closure used and that is not there: subscripts cannot throw.
final class MigrationMisuse {
  private(set) var error: StorageError?

  func noProperty(_ name: String, _ model: ModelSchema) {
    if error == nil { error = Self.unknown(name, model) }
  }

  static func unknown(_ name: String, _ model: ModelSchema) -> StorageError {
    .noProperty(name, in: model.name, among: model.liveSlots.map { model.properties[$0].name }).with(property: name)
  }
}
