// Models and nested types inside other types and extensions, and among types that are named as Quarry's are.
public import Quarry

public enum Outer {
  @Nested
  public struct Part {
    public var one = 1
    public init() {}
  }

  @Model
  public struct Item {
    public let id: Int
    public var part = Part()
    var parts: [Part] = []
    var owner: Ref<Inner.Item>?

    public init(id: Int) { self.id = id }
  }

  struct Inner {
    @Model
    struct Item {
      let id: Int
      var part: Inner.Part?
    }

    @Nested
    struct Part {
      var item = 1
    }
  }
}

extension Outer {
  @Nested
  struct Late {
    var one = 1
  }

  @Model
  fileprivate struct LateItem {
    let id: Int
    var late = Late()
  }
}

public extension Outer {
  @Nested
  struct Extended {
    public var one = 1
    public init() {}
  }

  @Model
  struct ExtendedItem {
    public let id: Int
    public var part = Extended()

    public init(id: Int) { self.id = id }
  }
}

final class Holder {
  @Nested
  struct Part {
    var one = 1
  }

  @Model
  struct Item {
    let id: Int
    var part: Part
  }
}

actor Worker {
  @Nested
  struct Part {
    var one = 1
  }

  @Model
  struct Item {
    let id: Int
    var part: Part
  }
}

enum Crowded {
  struct Column {}
  struct StorageError {}
  struct ModelDefinition {}
  struct PropertyDefinition {}
  struct ModelReader {}
  struct NestedDefinition {}
  struct MemberDefinition {}
  struct MemberColumn {}
  struct NestedModel {}
  struct CompoundKey {}
  struct KeyMemberReader {}
  enum CodingKey {}

  @Nested
  struct Part {
    var one = 1
    @Transient var two = 2
  }

  @Model
  struct Item {
    let id: Int
    var name = "name"
    var part = Part()

    #Unique<Item>([\.name])
  }

  @Model
  struct Pair {
    let left: Int
    var right: Side
    var other: Ref<Pair>?

    enum Side: Int, Storable { case a, b }

    #PrimaryKey<Pair>([\.left, \.right])
  }
}

func usePlaces(_ tx: WriteTransaction) throws {
  _ = try tx.count(Outer.Item.where { $0.part.one > 1 && $0.owner.part.item == 3 })
  _ = try tx.count(Outer.LateItem.where { $0.late.one > 1 })
  _ = try tx.count(Outer.ExtendedItem.where { $0.part.one > 1 })
  _ = try tx.count(Holder.Item.where { $0.part.one > 1 })
  _ = try tx.count(Worker.Item.where { $0.part.one > 1 })
  _ = try tx.count(Crowded.Item.where { $0.part.one > 1 })
}
