// Every access level, of the struct and of its members.
import Foundation
public import Quarry

@Nested
public struct PublicPart {
  public var one = 1
  package var two = 2
  var three = 3
  fileprivate var four = 4
  private var five = 5

  public init() {}
}

@Model
public struct PublicModel: Identifiable {
  public let id: Int
  public var part = PublicPart()
  public internal(set) var limited = 1
  public private(set) var own = 1
  package var packaged = PackagePart()
  var inner = InternalPart()
  fileprivate var file = FilePart()
  private var hidden = 5
  public var other: Ref<PublicModel>?
  @Relationship(inverse: \PublicModel.other) public var others: Many<PublicModel>
  public var list: Links<PublicModel>
  package var packagedList: Links<PackageModel>
  var innerList: Links<InternalModel>

  public init(id: Int) { self.id = id }
}

@Model
public struct PublicPair {
  public let one: Int
  let two: InternalKind
  private let three: String
  public var text: String

  public init() {
    (one, two, three, text) = (1, .a, "", "")
  }

  #PrimaryKey<PublicPair>([\.one, \.three])
}

enum InternalKind: String, Storable { case a }

@Nested
package struct PackagePart {
  package var one = 1
  var two = 2
  private var three = 3

  package init() {}
}

@Model
package struct PackageModel {
  package let id: Int
  package var part = PackagePart()
  private var hidden = InternalPart()

  package init(id: Int) { self.id = id }
}

@Nested
struct InternalPart {
  var one = 1
  private var two = 2

  init() {}
}

@Model
struct InternalModel {
  let id: Int
  var part = InternalPart()

  init(id: Int) { self.id = id }
}

@Nested
fileprivate struct FilePart {
  var one = 1
}

@Model
fileprivate struct FileModel {
  let id: Int
  var part = FilePart()
}

@Nested
private struct PrivatePart {
  private enum State: Int, Codable, Storable { case on }
  private var state: State = .on
  var one = 1
}

@Model
private struct PrivateModel {
  private enum State: Int, Storable { case on }
  let id: Int
  private var state: State = .on
  var part: PrivatePart
}

func useLevels(_ tx: WriteTransaction) throws {
  _ = try tx.count(FileModel.where { $0.part.one > 1 })
  _ = try tx.count(PrivateModel.where { $0.part.one > 1 })
  _ = try tx.count(PublicModel.where { $0.part.one > 1 && $0.packaged.one > 1 && $0.inner.one > 1 })
}

@Model(init: .public)
public struct MadeElsewhere: Identifiable {
  public let id: Int
  public var name = ""
  public var note: String?
  @Transient public var isOpen = false
}

@Model(init: .package)
struct MadeInPackage {
  @Attribute(.primaryKey) let number: Int
  var `default`: String = "none"
}

func madeElsewhere() -> [MadeElsewhere] { [MadeElsewhere(id: 1), MadeElsewhere(id: 2, name: "x", note: "y")] }
