import QuarryQuery
public import QuarryText

extension Column where Value: OptionalRelation {
  /// Whether the searchable properties of the object that is referred to have the words of a text that a user typed.
  ///
  /// - Parameter text: The text as a user typed it. Every text is a search.
  public func search(_ text: String) -> Condition { .search(object: PropertyPath(name), typed: text) }

  /// Whether the searchable properties of the object that is referred to have the words of a query.
  ///
  /// - Parameter query: The words to search for.
  public func search(_ query: SearchQuery) -> Condition { .search(object: PropertyPath(name), query) }
}

extension Column where Value: OptionalReference {
  /// Whether the searchable properties of the object that is referred to have the words of a text that a user typed.
  ///
  /// Where there is none, it has no words.
  ///
  /// - Parameter text: The text as a user typed it.
  public func search(_ text: String) -> Condition { .search(object: PropertyPath(name), typed: text) }

  /// Whether the searchable properties of the object that is referred to have the words of a query.
  ///
  /// - Parameter query: The words to search for.
  public func search(_ query: SearchQuery) -> Condition { .search(object: PropertyPath(name), query) }
}
