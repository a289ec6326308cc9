import QuarryBackend
import QuarryData

/// The line of a dump that declares a model.
enum DumpSchema {
  /// Writes the line, without its end. Dropped properties are not in it, and indexes are in the order of their names.
  ///
  /// - Parameter last: The greatest number that was given as a key, where keys are of a sequence.
  static func append(_ model: ModelSchema, last: UInt64?, to bytes: inout [UInt8]) throws(StorageError) {
    let properties = model.shownSlots.map { model.properties[$0] }
    bytes.append(contentsOf: "{\"model\":".utf8)
    append(model.name, to: &bytes)
    append(syncName: model.syncName, to: &bytes)
    bytes.append(contentsOf: ",\"key\":".utf8)
    if model.keyMembers == nil {
      append(model.keyProperty.name, to: &bytes)
    } else {
      JSONSyntax.append(array: model.keyNames, to: &bytes) { name, bytes in append(name, to: &bytes) }
    }
    if let generation = model.keyGeneration {
      bytes.append(contentsOf: ",\"generated\":\"\(generation.rawValue)\"".utf8)
      if let last { bytes.append(contentsOf: ",\"last\":\(last)".utf8) }
    }
    bytes.append(contentsOf: ",\"properties\":".utf8)
    try JSONSyntax.append(array: properties, to: &bytes) { property, bytes throws(StorageError) in
      try append(property, to: &bytes)
    }
    bytes.append(contentsOf: ",\"indexes\":".utf8)
    let indexes = model.indexes.sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
    JSONSyntax.append(array: indexes, to: &bytes) { index, bytes in append(index, model, to: &bytes) }
    bytes.append(UInt8(ascii: "}"))
  }

  private static func append(_ property: PropertySchema, to bytes: inout [UInt8]) throws(StorageError) {
    bytes.append(contentsOf: "{\"name\":".utf8)
    append(property.name, to: &bytes)
    append(syncName: property.syncName, to: &bytes)
    bytes.append(contentsOf: ",\"type\":\"\(property.type.name)\"".utf8)
    if let element = property.elementType { bytes.append(contentsOf: ",\"element\":\"\(element.name)\"".utf8) }
    if property.isOptional { bytes.append(contentsOf: ",\"optional\":true".utf8) }
    if let value = property.defaultValue {
      bytes.append(contentsOf: ",\"default\":".utf8)
      try DumpValue.append(value, property.type, property.elementType, to: &bytes)
    }
    if let reference = property.reference {
      bytes.append(contentsOf: ",\"reference\":".utf8)
      append(reference.model, to: &bytes)
      bytes.append(contentsOf: ",\"deleteRule\":\"\(reference.deleteRule.rawValue)\"".utf8)
    }
    if let members = property.keyMembers {
      bytes.append(contentsOf: ",\"members\":".utf8)
      append(members, to: &bytes)
    }
    if let search = property.search {
      bytes.append(contentsOf: ",\"search\":\(search.weight)".utf8)
      if let language = search.language {
        bytes.append(contentsOf: ",\"language\":".utf8)
        append(language.name, to: &bytes)
      }
    }
    bytes.append(UInt8(ascii: "}"))
  }

  private static func append(syncName: String?, to bytes: inout [UInt8]) {
    guard let syncName else { return }
    bytes.append(contentsOf: ",\"syncName\":".utf8)
    append(syncName, to: &bytes)
  }

  /// Writes the types of the members of a compound key, those of a key inside it as an array of their own.
  private static func append(_ members: [KeyMember], to bytes: inout [UInt8]) {
    JSONSyntax.append(array: members, to: &bytes) { member, bytes in
      if let inner = member.members { append(inner, to: &bytes) } else { append(member.type.name, to: &bytes) }
    }
  }

  private static func append(_ index: IndexSchema, _ model: ModelSchema, to bytes: inout [UInt8]) {
    bytes.append(contentsOf: "{\"name\":".utf8)
    append(index.name, to: &bytes)
    bytes.append(contentsOf: ",\"columns\":".utf8)
    JSONSyntax.append(array: index.columns, to: &bytes) { column, bytes in
      bytes.append(contentsOf: "{\"name\":".utf8)
      append(model.properties[column.slot].name, to: &bytes)
      if column.isDescending { bytes.append(contentsOf: ",\"descending\":true".utf8) }
      bytes.append(UInt8(ascii: "}"))
    }
    if index.isUnique { bytes.append(contentsOf: ",\"unique\":true".utf8) }
    bytes.append(UInt8(ascii: "}"))
  }

  private static func append(_ text: String, to bytes: inout [UInt8]) {
    JSONSyntax.append(string: text, to: &bytes, .demanded)
  }

  // MARK: Reading

  /// The model that the members of such a line declare; nil where they declare none.
  static func model(_ members: DumpMembers) -> ModelSchema? {
    guard let name = members.text("model"), let listed = members.array("properties"),
      let indexed = members.array("indexes"),
      members.have(only: ["model", "syncName", "key", "generated", "last", "properties", "indexes"]),
      members["syncName"] == nil || members.text("syncName") != nil
    else { return nil }
    var properties: [PropertySchema] = []
    for json in listed {
      guard let property = property(json) else { return nil }
      properties.append(property)
    }
    var model = ModelSchema(
      name: name, properties: properties, primaryKey: 0, syncName: members.text("syncName"))
    guard set(members, on: &model) else { return nil }
    if members["generated"] != nil {
      guard let generation = members.text("generated").flatMap(KeyGeneration.init(rawValue:)) else { return nil }
      model.keyGeneration = generation
    }
    guard (members["last"] != nil) == (model.keyGeneration == .sequence) else { return nil }
    for json in indexed {
      guard let index = index(json, model) else { return nil }
      model.indexes.append(index)
    }
    return model
  }

  /// Sets the key that a line gives a model: a property, or the members of a compound key, whose bytes come last.
  ///
  /// - Returns: Whether it gives one.
  private static func set(_ members: DumpMembers, on model: inout ModelSchema) -> Bool {
    if let key = members.text("key") {
      guard let slot = model.slot(named: key) else { return false }
      model.primaryKey = slot
      return true
    }
    guard let names = members.array("key") else { return false }
    var slots: [Int] = []
    for case .string(let name) in names { if let slot = model.slot(named: name) { slots.append(slot) } }
    guard slots.count == names.count else { return false }
    let types = slots.map { KeyMember(model.properties[$0].type, members: model.properties[$0].keyMembers) }
    model.primaryKey = model.properties.count
    model.keyMembers = slots
    model.properties.append(PropertySchema(name: KeyMember.propertyName, type: .data, keyMembers: types))
    return true
  }

  private static func keyMembers(_ json: JSONValue) -> [KeyMember]? {
    guard case .array(let elements) = json else { return nil }
    var members: [KeyMember] = []
    for element in elements {
      switch element {
      case .string(let name):
        guard let type = PropertyType(name: name) else { return nil }
        members.append(KeyMember(type))
      case .array:
        guard let inner = keyMembers(element) else { return nil }
        members.append(KeyMember(.data, members: inner))
      default: return nil
      }
    }
    return members
  }

  /// The number that the sequence of such a line has reached; nil where it is no number.
  static func last(_ members: DumpMembers) -> UInt64? {
    guard case .number(let text) = members["last"] else { return nil }
    return UInt64(text)
  }

  private static func property(_ json: JSONValue) -> PropertySchema? {
    guard let members = DumpMembers(json), let name = members.text("name"),
      let type = members.text("type").flatMap(PropertyType.init(name:)), let isOptional = members.flag("optional"),
      members.have(only: [
        "name", "syncName", "type", "element", "optional", "default", "reference", "deleteRule", "members", "search",
        "language",
      ]), members["syncName"] == nil || members.text("syncName") != nil
    else { return nil }
    var property = PropertySchema(
      name: name, type: type, isOptional: isOptional, syncName: members.text("syncName"))
    if members["element"] != nil {
      guard let element = members.text("element").flatMap(PropertyType.init(name:)) else { return nil }
      property.elementType = element
    }
    if let json = members["default"] {
      guard let value = DumpValue.value(json, type, property.elementType) else { return nil }
      property.defaultValue = value
    }
    if members["reference"] != nil || members["deleteRule"] != nil {
      guard let model = members.text("reference"),
        let rule = members.text("deleteRule").flatMap(PropertySchema.Reference.DeleteRule.init(rawValue:))
      else { return nil }
      property.reference = PropertySchema.Reference(to: model, deleteRule: rule)
    }
    if let json = members["members"] {
      guard let types = keyMembers(json) else { return nil }
      property.keyMembers = types
    }
    if members["search"] != nil {
      guard let weight = members.number("search") else { return nil }
      property.search = PropertySchema.Search(weight: weight)
    }
    if members["language"] != nil {
      guard property.search != nil, let language = members.text("language").flatMap(SearchLanguage.init(name:)) else {
        return nil
      }
      property.search?.language = language
    }
    return property
  }

  private static func index(_ json: JSONValue, _ model: ModelSchema) -> IndexSchema? {
    guard let members = DumpMembers(json), let name = members.text("name"), let listed = members.array("columns"),
      let isUnique = members.flag("unique"), members.have(only: ["name", "columns", "unique"])
    else { return nil }
    var columns: [IndexSchema.Column] = []
    for json in listed {
      guard let members = DumpMembers(json), let slot = members.text("name").flatMap(model.slot(named:)),
        let isDescending = members.flag("descending"), members.have(only: ["name", "descending"])
      else { return nil }
      columns.append(IndexSchema.Column(slot: slot, isDescending: isDescending))
    }
    return IndexSchema(name: name, columns: columns, isUnique: isUnique)
  }
}

/// The members of an object in a dump.
struct DumpMembers {
  private let members: [JSONValue.Member]

  /// - Returns: nil for a value that is no object.
  init?(_ json: JSONValue) {
    guard case .object(let members) = json else { return nil }
    self.members = members
  }

  subscript(name: String) -> JSONValue? {
    members.first { $0.name.utf8.elementsEqual(name.utf8) }?.value
  }

  func text(_ name: String) -> String? {
    guard case .string(let text) = self[name] else { return nil }
    return text
  }

  func number(_ name: String) -> Int? {
    guard case .number(let text) = self[name] else { return nil }
    return Int(text)
  }

  func array(_ name: String) -> [JSONValue]? {
    guard case .array(let elements) = self[name] else { return nil }
    return elements
  }

  /// False where there is no such member; nil where it is no Bool.
  func flag(_ name: String) -> Bool? {
    switch self[name] {
    case nil: false
    case .bool(let value): value
    default: nil
    }
  }

  func have(only names: [String]) -> Bool {
    members.allSatisfy { member in names.contains { $0.utf8.elementsEqual(member.name.utf8) } }
  }
}
