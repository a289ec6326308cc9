public import QuarryBackend

/// A Codable struct that properties have and whose members queries can name: `$0.address.city == "Oslo"`.
///
/// `@Nested` from the module Quarry writes a conformance; by hand it looks like this:
///
/// ```swift
/// struct Address: NestedModel {
///   var city: String
///   var floor = 0
///
///   static let nestedDefinition = NestedDefinition<Address>(members: [
///     MemberDefinition("city", \.city, String.self),
///     MemberDefinition("floor", \.floor, Int.self, default: 0),
///   ])
///
///   struct Columns: NestedColumns {
///     var city: MemberColumn<String> { MemberColumn("city") }
///     var floor: MemberColumn<Int> { MemberColumn("floor") }
///     init() {}
///   }
/// }
/// ```
///
/// The names are the ones that Codable writes: the names of the struct's own `CodingKeys`, if it has them. Values are stored like
/// the values of every Codable type. A struct that is only `Codable` and `Storable` can be stored too. Its members are then named
/// in unchecked strings (`member(_:as:)`), and have no defaults.
public protocol NestedModel: Codable, Storable {
  /// The members that typed queries name.
  associatedtype Columns: NestedColumns

  /// The members: kept in a `static let`, so that they are created once.
  static var nestedDefinition: NestedDefinition<Self> { get }
}

/// The members of a nested type, one property each: `var city: MemberColumn<String> { MemberColumn("city") }`.
public protocol NestedColumns: Sendable {
  /// Creates the columns.
  init()
}

/// A member of a nested type, by the name that Codable writes.
public struct MemberColumn<Value: Storable>: Sendable {
  let name: String

  /// A member by the name that Codable writes.
  ///
  /// - Parameter name: The name of the member as it is encoded.
  public init(_ name: String) {
    self.name = name
  }
}

/// The definition of a nested type.
public final class NestedDefinition<N: NestedModel>: Sendable {
  let shape: NestedShape
  private let keyPaths: [(PropertyKeyPath<N>, String)]

  /// Creates the definition of a nested type.
  ///
  /// - Parameter members: The members that Codable writes. A member that is left out cannot be named in a query.
  public init(members: [MemberDefinition<N>]) {
    keyPaths = members.map { ($0.property, $0.name) }
    let name = "\(N.self)"
    var failure: StorageError?
    shape = NestedShape(
      name: name,
      members: members.map { member in
        do throws(StorageError) {
          return NestedShape.Member(member.name, member.form, defaultValue: try member.defaultValue.get())
        } catch {
          failure = failure ?? StorageError(error.code, "the default of \(name).\(member.name): \(error.message)")
          return NestedShape.Member(member.name, member.form)
        }
      }, failure: failure)
  }

  /// The name of the member with that key path, if it is one.
  ///
  /// - Parameter keyPath: A key path from the nested type: `\Address.city`.
  /// - Returns: The name; nil for a key path that leads to no member.
  /// - Complexity: O(n) in the number of members.
  public func name(of keyPath: PartialKeyPath<N>) -> String? {
    keyPaths.first { $0.0.matches(keyPath) }?.1
  }
}

/// A member of a nested type's definition.
public struct MemberDefinition<N: NestedModel>: Sendable {
  let name: String
  let property: PropertyKeyPath<N>
  let form: NestedForm
  let defaultValue: Result<Value?, StorageError>

  /// Creates the definition of a member.
  ///
  /// - Parameters:
  ///   - name: The name that Codable writes.
  ///   - keyPath: The property.
  ///   - type: Its type.
  ///   - defaultValue: The value for objects stored before the type had the member, when it is a constant. An optional that is
  ///     not there is nil, because Codable leaves nil out: it has no other default.
  public init<V: Storable>(_ name: String, _ keyPath: KeyPath<N, V>, _ type: V.Type, default defaultValue: V? = nil) {
    self.name = name
    property = PropertyKeyPath(keyPath)
    form = NestedForm(codedAs: type)
    self.defaultValue = Self.coded(defaultValue)
  }

  /// A member of a type that is Codable and nothing more, such as a dictionary. Its parts have any names.
  ///
  /// - Parameters:
  ///   - name: The name that Codable writes.
  ///   - keyPath: The property.
  ///   - defaultValue: The value for objects stored before the type had the member, when it is a constant.
  public init<V: Codable>(_ name: String, _ keyPath: KeyPath<N, V>, default defaultValue: V? = nil) {
    self.name = name
    property = PropertyKeyPath(keyPath)
    form = .unknown
    self.defaultValue = Self.coded(defaultValue)
  }

  /// The default as Codable writes it, whatever form its type has as a property; none of an optional.
  private static func coded<V>(_ value: V?) -> Result<Value?, StorageError> {
    guard !(V.self is any OptionalValue.Type), let value, let encodable = value as? any Encodable else {
      return .success(nil)
    }
    do throws(StorageError) {
      return .success(try ValueEncoder().encode(encodable))
    } catch {
      return .failure(error)
    }
  }
}

extension NestedModel {
  /// The value that was stored; a member that is missing has its default.
  ///
  /// - Parameter storedValue: The members with their values.
  /// - Throws: As ``ValueDecoder/decode(_:from:)``.
  public init(storedValue: Value) throws(StorageError) {
    self = try ValueDecoder().decode(Self.self, from: Self.nestedShape.completing(storedValue))
  }

  static var nestedShape: NestedShape { nestedDefinition.shape }

  /// The name of the member with that key path, if it is one of this type.
  static func memberName(of keyPath: AnyKeyPath) -> String? {
    (keyPath as? PartialKeyPath<Self>).flatMap { nestedDefinition.name(of: $0) }
  }
}
