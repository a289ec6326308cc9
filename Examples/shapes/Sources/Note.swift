import Foundation
import Quarry

/// What all these programs keep.
@Model
struct Note: Identifiable, Equatable {
  let id: UUID
  @Attribute(.indexed) var folder: String
  var title: String
  var body: String = ""
  var stars: Int = 0
  var changed: Date
  var isDone: Bool = false

  init(folder: String, title: String, changed: Date = Date()) {
    id = UUID()
    self.folder = folder
    self.title = title
    self.changed = changed
  }
}

/// A rule of the model: each call that writes a note checks it, and so does a form.
extension Note: Validated {
  struct TooManyStars: LocalizedError {
    var errorDescription: String? { "a note has 0 to 5 stars" }
  }

  func validate() throws {
    guard (0...5).contains(stars) else { throw TooManyStars() }
  }
}
