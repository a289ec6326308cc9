import QuarryBackend
import QuarryCore
import QuarryInspect

/// The commits that can change what a page shows.
enum LiveScope {
  case everything
  /// Commits to a model, and to the models that references and links lead to from there: conditions follow both.
  case model(String)

  /// The names of the models; nil for all.
  func models(in store: Store) throws -> Set<String>? {
    guard case .model(let name) = self else { return nil }
    let models = try store.models()
    var found: Set = [name]
    var rest = [name]
    while let next = rest.popLast() {
      for model in models {
        for property in model.liveProperties {
          guard let target = property.reference?.model else { continue }
          for (from, to) in [(model.name, target), (target, model.name)] where from == next {
            if found.insert(to).inserted { rest.append(to) }
          }
        }
      }
    }
    return found
  }
}
