// How texts for people name what a schema says of a property.

extension KeyGeneration {
  /// The way in words.
  package var words: String {
    switch self {
    case .sequence: "the next number"
    case .uuid: "a UUID of version 7"
    }
  }
}

extension PropertySchema.Search {
  /// The search in words.
  package var words: String {
    "searchable" + (language.map { " in \($0)" } ?? "") + (weight == 1 ? "" : " with the weight \(weight)")
  }
}
