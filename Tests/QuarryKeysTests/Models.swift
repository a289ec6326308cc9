import Foundation
import Quarry
import QuarryEngines
import QuarryTestSupport

@Model
struct Ticket: Equatable {
  @Attribute(.generated) var id: Int = 0
  @Attribute(.unique) var code: String
  var price: Int = 0
}

@Model
struct Comment: Equatable {
  @Attribute(.generated) var id: Int32 = 0
  var text: String
  var ticket: Ref<Ticket>
}

@Model
struct Event: Equatable {
  @Attribute(.primaryKey, .generated) var key: UUID = .missing
  var name: String
}

/// A model whose sequence ends after 127 numbers.
@Model
struct Small: Equatable {
  @Attribute(.generated) let id: Int8
  var name: String
}

/// The model `Ticket` before its keys were generated.
enum Plain {
  @Model(name: "Ticket")
  struct Ticket: Equatable {
    var id: Int = 0
    @Attribute(.unique) var code: String
    var price: Int = 0
  }
}

/// A place on one engine, which is removed with the value.
struct Place {
  let engine: EngineDescription
  let folder: ScratchFolder

  init(_ engine: EngineDescription) throws {
    self.engine = engine
    folder = try ScratchFolder(in: ScratchFolder.memory)
  }

  func provider(_ name: String = "store") throws -> any BackendProvider {
    try engine.provider(at: engine.path(in: folder.path, name))
  }

  func open(_ models: any Model.Type...) throws -> Store { try Store(models: models, in: provider()) }

  static let engines = EngineDescription.all
  /// The engines whose stores outlive their closing.
  static let lasting = EngineDescription.all.filter { $0.name != "memory" }
}
