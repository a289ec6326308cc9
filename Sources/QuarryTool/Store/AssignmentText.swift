import QuarryBackend
import QuarryData
import QuarryQuery

/// An assignment in the form of the command line.
///
/// `city=New York` takes the value literally, in the form of the property's type. A value in quotes, `nil`, and any text that is
/// no value of that type are read in the language of conditions: `note=nil`, `name='nil'`, `year = year + 1`, `pages += 2`.
enum AssignmentText {
  /// - Throws: `invalidQuery` where the text cannot be read.
  static func parse(_ text: String, _ model: ModelSchema) throws(StorageError) -> [AssignmentTree] {
    if let assignment = plain(text, model) { return [assignment] }
    do throws(StorageError) {
      return try AssignmentParser.parse(text)
    } catch {
      throw error.with(model: model.name)
    }
  }

  private static func plain(_ text: String, _ model: ModelSchema) -> AssignmentTree? {
    guard let equals = text.firstIndex(of: "=") else { return nil }
    let name = String(text[..<equals])
    guard let slot = model.slot(named: name) else { return nil }
    let value = text[text.index(after: equals)...]
    if let first = value.first(where: { $0 != " " }), first == "'" || first == "\"" { return nil }
    if value.utf8.elementsEqual("nil".utf8) { return AssignmentTree(name, .set, .null) }
    return TextConversion.value(value.utf8, as: model.properties[slot]).map { AssignmentTree(name, .set, $0) }
  }
}
