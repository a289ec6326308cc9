import QuarryBackend

/// A model with searchable properties, and the model that keeps the index of their words.
struct SearchedModel {
  let schema: ModelSchema
  let layout: RowLayout
  /// The searched slots, ascending.
  let slots: [Int]
  /// The language of each searched property.
  let languages: [SearchLanguage?]
  /// How the index numbers the objects.
  let numbering: SearchNumbering
  /// Nil until the index is built.
  let index: ModelSchema?

  /// Nil for a model without searchable properties.
  init?(_ model: ModelSchema, in schema: Schema) {
    slots = model.searchedSlots
    guard !slots.isEmpty else { return nil }
    self.schema = model
    languages = slots.map { model.properties[$0].search?.language }
    layout = RowLayout(model)
    numbering = SearchNumbering(model.keyProperty.type)
    index = schema.searchIndex(of: model)
  }

  /// How much a word of each searched property counts.
  var weights: [Int] { slots.map { schema.properties[$0].search?.weight ?? 1 } }

  /// The texts of a row: those of each searched property in turn. A property that is nil has none.
  func texts(_ row: UnsafeRawBufferPointer) throws(StorageError) -> [[String]] {
    let view = try RowView(row, layout)
    var texts: [[String]] = []
    for slot in slots {
      switch try view.value(layout.slots[slot], layout) {
      case .string(let text): texts.append([text])
      case .array(let elements):
        texts.append(
          elements.compactMap { element in
            if case .string(let text) = element { text } else { nil }
          })
      default: texts.append([])
      }
    }
    return texts
  }

  /// The primary key of a row.
  func key(_ row: UnsafeRawBufferPointer) throws(StorageError) -> Key { try Key(of: row, layout) }
}

extension ModelSchema {
  /// The language of each searched slot: what an index of words depends on.
  var searches: [Int: SearchLanguage?] {
    Dictionary(uniqueKeysWithValues: searchedSlots.map { ($0, properties[$0].search?.language) })
  }
}
