import QuarryBackend
import QuarryData

/// A stored model as `quarry schema` prints it: its properties with their types and what they refer to, then its indexes.
enum SchemaText {
  static func lines(_ model: ModelSchema) -> [String] {
    let slots = model.shownSlots
    let names = slots.map { model.properties[$0].name.escapedForDisplay }
    let types = slots.map { model.properties[$0].typeName }
    let nameWidth = names.map(DisplayWidth.of).max() ?? 0
    let typeWidth = types.map(\.count).max() ?? 0
    var lines = ["model " + model.name.escapedForDisplay]
    for (index, slot) in slots.enumerated() {
      var line = "  " + names[index] + String(repeating: " ", count: nameWidth - DisplayWidth.of(names[index]) + 2)
      line += types[index]
      var notes: [String] = []
      if slot == model.primaryKey { notes.append("primary key") }
      if let keyMembers = model.keyMembers, let place = keyMembers.firstIndex(of: slot) {
        notes.append("primary key (\(place + 1) of \(keyMembers.count))")
      }
      if slot == model.primaryKey, let generation = model.keyGeneration {
        notes.append("generated: \(generation.words)")
      }
      if let value = model.properties[slot].defaultValue {
        notes.append("default " + (value.isNull ? "nil" : ExactText.text(value).escapedForDisplay))
      }
      if let reference = model.properties[slot].reference {
        notes.append("refers to \(reference.model.escapedForDisplay), \(reference.deleteRule.rawValue)")
      }
      if let search = model.properties[slot].search { notes.append(search.words) }
      if !notes.isEmpty {
        line += String(repeating: " ", count: typeWidth - types[index].count + 2) + notes.joined(separator: ", ")
      }
      lines.append(line)
    }
    for index in model.indexes {
      let columns = index.columns.map {
        ($0.isDescending ? "-" : "") + model.properties[$0.slot].name.escapedForDisplay
      }
      lines.append(
        "  \(index.isUnique ? "unique " : "")index \(index.name.escapedForDisplay) (\(columns.joined(separator: ", ")))"
      )
    }
    return lines
  }
}
