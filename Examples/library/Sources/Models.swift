import Quarry

/// Who writes books. Some had another author as their teacher.
@Model
struct Author: Identifiable, Equatable {
  let id: Int
  var name: String
  @Relationship(deleteRule: .nullify) var teacher: Ref<Author>?

  @Relationship(inverse: \Author.teacher) var pupils: Many<Author>
  @Relationship(deleteRule: .cascade, inverse: \Book.author) var books: Many<Book>
}

/// A book goes with its author, and stays as long as it is lent.
@Model
struct Book: Identifiable, Equatable {
  let id: Int
  var title: String
  var year: Int
  var author: Ref<Author>

  /// What it is about, the most important first.
  var tags: Links<Tag>
  @Relationship(inverse: \Loan.book) var loans: Many<Loan>

  #Index<Book>([\.author, \.year])
}

/// A book in somebody's hands.
@Model
struct Loan: Identifiable, Equatable {
  let id: Int
  @Relationship(deleteRule: .deny) var book: Ref<Book>
  var reader: String
}

/// What books are about. Many books have one, and a book has many.
@Model
struct Tag: Identifiable, Equatable {
  let id: String

  @Relationship(inverse: \Book.tags) var books: Many<Book>
}
