import Foundation
import QuarryBackend

extension QueryBinder {
  /// A condition with the range of the compound key that it implies: that of the first members which it says to be equal to
  /// constants. Engines find the range by the key, as they find any other.
  func withKeyRange(_ predicate: BoundPredicate, _ members: [Int]) -> BoundPredicate {
    var constants: [Int: Value] = [:]
    Self.collect(predicate, &constants)
    let key = KeyWriter()
    var count = 0
    for slot in members {
      guard let value = constants[slot], (try? key.append(member: value, model.properties[slot].type)) != nil else {
        break
      }
      count += 1
    }
    guard count > 0 else { return predicate }
    let first = Array(key.bytes)
    if count == members.count {
      return .allOf([predicate, .compare(slot: model.primaryKey, .equal, .data(Data(first)))])
    }
    var range: [BoundPredicate] = [predicate, .compare(slot: model.primaryKey, .greaterOrEqual, .data(Data(first)))]
    // The least bytes that do not begin with these.
    var end = first
    while end.last == 0xFF { end.removeLast() }
    if let last = end.popLast() {
      end.append(last + 1)
      range.append(.compare(slot: model.primaryKey, .less, .data(Data(end))))
    }
    return .allOf(range)
  }

  /// The constants that the condition says slots to be equal to.
  private static func collect(_ predicate: BoundPredicate, _ constants: inout [Int: Value]) {
    switch predicate {
    case .and(let parts): for part in parts { collect(part, &constants) }
    case .compare(let slot, .equal, let value): constants[slot] = constants[slot] ?? value
    default: break
    }
  }
}
