import Synchronization

/// The form that the program knows for a value inside a nested value or an array, or for a nested value itself.
public indirect enum NestedForm: Sendable, Hashable {
  /// Nothing: it may be of any kind, with members of any names.
  case unknown
  /// A value of that type, which has no parts.
  case plain(PropertyType)
  /// An array of such values.
  case array(NestedForm)
  /// An object whose members are known.
  case nested(NestedReference)
  /// The Codable form of a type that is stored in another form as a property. The name is the type's name.
  case foreign(String)

  /// The form known for an array's elements, or for a value, by its stored type alone.
  package init(_ type: PropertyType?) {
    switch type {
    case nil, .nested: self = .unknown
    case .array: self = .array(.unknown)
    case .some(let type): self = .plain(type)
    }
  }

  /// The members of the value, or of the elements of the array.
  package var reference: NestedReference? {
    switch self {
    case .nested(let reference): reference
    case .array(let element): element.reference
    case .unknown, .plain, .foreign: nil
    }
  }
}

/// A reference to the members of a type.
///
/// Members are resolved when needed, because a type may be a part of itself.
public struct NestedReference: Sendable, Hashable {
  private let find: @Sendable () -> NestedShape

  /// Leads to the members that the closure finds.
  package init(_ find: @escaping @Sendable () -> NestedShape) {
    self.find = find
  }

  /// The members of the type.
  package var shape: NestedShape { find() }

  public static func == (left: NestedReference, right: NestedReference) -> Bool { left.shape === right.shape }

  public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(shape)) }
}

/// The form that the program knows for the members of a nested type; one object for each type.
public final class NestedShape: Sendable {
  /// A member.
  package struct Member: Sendable {
    /// The name that Codable writes.
    package let name: ByteString
    /// The form known for the values of the member.
    package let form: NestedForm
    /// The member's value in values that were stored before the type had the member; nil where there is none.
    package let defaultValue: Value?

    /// A member by its name, with what is known of its values.
    package init(_ name: String, _ form: NestedForm, defaultValue: Value? = nil) {
      self.name = ByteString(name)
      self.form = form
      self.defaultValue = defaultValue
    }
  }

  /// The name of the type, for messages.
  package let name: String
  /// The members in the order in which they are declared.
  package let members: [Member]
  /// Those that a stored value may lack, or may have with something lacking in them, in the order of stored members.
  let incomplete: [Member]
  /// Cached, whether there are defaults: 0 unknown, 1 no, 2 yes.
  private let answer = Atomic(0)
  private let failure: StorageError?

  /// - Parameter failure: Why a default cannot be stored.
  package init(name: String, members: [Member], failure: StorageError? = nil) {
    self.name = name
    self.members = members
    self.failure = failure
    incomplete = members.filter { $0.defaultValue != nil || $0.form.reference != nil }.sorted {
      $0.name.string.utf8.lexicographicallyPrecedes($1.name.string.utf8)
    }
  }

  package func member(_ name: ByteString) -> Member? { members.first { $0.name == name } }

  /// Whether a member, or a member of one, has a default.
  package var hasDefaults: Bool {
    switch answer.load(ordering: .relaxed) {
    case 1: return false
    case 2: return true
    default:
      let result = reachable.contains { $0.incomplete.contains { $0.defaultValue != nil } }
      answer.store(result ? 2 : 1, ordering: .relaxed)
      return result
    }
  }

  /// Throws the reason why a default of the type, or of one inside it, cannot be stored.
  package func check() throws(StorageError) {
    for shape in reachable {
      if let failure = shape.failure { throw failure }
    }
  }

  /// The type and the types inside it, each once.
  private var reachable: [NestedShape] {
    var found = [self]
    var next = 0
    while next < found.count {
      for shape in found[next].incomplete.compactMap({ $0.form.reference?.shape }) {
        if !found.contains(where: { $0 === shape }) { found.append(shape) }
      }
      next += 1
    }
    return found
  }
}
