import Foundation
import Quarry

/// What all five programs keep.
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
