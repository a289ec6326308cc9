// What the macros and the compiler refuse. The text after each `error:` must be in an error on its line.
import Foundation
import Quarry

@Model
struct Base: Identifiable {
  let id: Int
  var name = ""
}

struct Plain: Codable {
  var one = 1
}

struct Neither {
  var one = 1
}

@Model
struct Holding {
  let id: Int
  var other: Base?  // error: refer to it with 'Ref<…>'
  var others: [Base] = []  // error: declare a list of objects as 'Links<…>'
  var plain: Plain  // error: mark the struct @Nested
  var plains: [Plain] = []  // error: mark the struct @Nested
  var neither: Neither  // error: does not conform to protocol 'Storable'
}

@Model(synced: true)
struct Joined {
  @Merge(.lww) let id: UUID  // error: is in the primary key
  @Merge(.counter) var text: String  // error: a counter is an 'Int' or 'Int64'
  @Merge(.set) var number: Int  // error: is for an array
  @Merge(.max) var list: [Int]  // error: an array has no order
  @Merge(.counter) var other: Ref<Base>  // error: a reference is merged as a whole
  @Merge(.row("alone")) var lonely: Int  // error: no other property is in the group 'alone'
}

@Nested
struct Part {
  enum Kind: String, Storable {
    case one
  }

  var kind = Kind.one  // error: declare its type 'Codable, Storable'
  var base: Base  // error: a relation must be a property of a model
}

func local() {
  @Model
  struct Inside {  // error: a model cannot be declared inside a function
    let id: Int
  }

  @Nested
  struct PartInside {  // error: a nested type cannot be declared inside a function
    var one = 1
  }
}

struct Generic<Value> {
  @Model
  struct Item {  // error: a model cannot be inside a generic type
    let id: Int
  }
}

@Model
class Reference {  // error: @Model is for structs
  let id = 1
}

func hints(_ store: Store, _ object: Base) throws {
  _ = Base.filter { $0.id == 1 }  // error: 'filter' has been renamed to 'where(_:)'
  _ = Base.all.filter("id == 1")  // error: 'filter' has been renamed to 'where(_:_:)'
  _ = Base.all.sorted(by: \.id, order: .descending)  // error: 'descending' has been renamed to 'reverse'
  _ = Base.all.sort(by: \.id)  // error: 'sort(by:order:)' has been renamed to 'sorted(by:order:)'
  _ = Base.sorted(by: \.id)  // error: write all.sorted(by: \.column)
  _ = store.objects(Base.self)  // error: write fetch(M.all)
  store.save(object)  // error: write upsert(object)
  store.save()  // error: a write transaction is saved when its body returns
  store.add(object)  // error: write insert(object)
  try store.write { tx in
    tx.add([object])  // error: write insert(contentsOf: objects)
  }
}
