import Quarry

/// What a player has reached.
@Model
struct Score: Identifiable, Equatable {
  let id: Int
  var player: String
  var points: Int
}
