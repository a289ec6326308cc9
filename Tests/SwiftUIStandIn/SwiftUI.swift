// The declarations of SwiftUI that QuarrySwiftUI names, with the isolation that they have there, and a host for one view. With
// them scripts/test-swiftui compiles and runs the module where SwiftUI does not exist. They are not SwiftUI: only a build on an
// Apple platform shows that the real declarations fit.

@MainActor @preconcurrency
public protocol View {
  associatedtype Body
  var body: Body { get }
}

public protocol DynamicProperty {
  mutating func update()
}

extension DynamicProperty {
  public mutating func update() {}
}

public protocol EnvironmentKey {
  associatedtype Value
  static var defaultValue: Value { get }
}

public struct EnvironmentValues {
  private var values: [ObjectIdentifier: Any] = [:]

  public init() {}

  public subscript<K: EnvironmentKey>(key: K.Type) -> K.Value {
    get { values[ObjectIdentifier(key)] as? K.Value ?? K.defaultValue }
    set { values[ObjectIdentifier(key)] = newValue }
  }
}

@propertyWrapper
public struct Environment<Value>: DynamicProperty {
  private let path: KeyPath<EnvironmentValues, Value>

  public init(_ path: KeyPath<EnvironmentValues, Value>) { self.path = path }

  public var wrappedValue: Value { surroundings[keyPath: path] }
}

extension Environment: @unchecked Sendable where Value: Sendable {}

@propertyWrapper
public struct State<Value>: DynamicProperty {
  private final class Box { var value: Value; init(_ value: Value) { self.value = value } }
  private let box: Box

  public init(wrappedValue: Value) { box = Box(wrappedValue) }

  public var wrappedValue: Value {
    get { box.value }
    nonmutating set { box.value = newValue }
  }
}

extension State: @unchecked Sendable where Value: Sendable {}

protocol KeepsState {
  func take(from older: Any)
}

extension State: KeepsState {
  func take(from older: Any) {
    if let older = older as? State<Value> { box.value = older.box.value }
  }
}

public struct Text: View {
  public let content: String

  public init(_ content: String) { self.content = content }

  public var body: [String] { [content] }
}

public struct List<Rows: RandomAccessCollection, Row: View>: View where Rows.Element: Identifiable {
  private let rows: Rows
  private let row: (Rows.Element) -> Row

  public init(_ rows: Rows, row: @escaping (Rows.Element) -> Row) {
    self.rows = rows
    self.row = row
  }

  public var body: [Row.Body] { rows.map { row($0).body } }
}

/// A view with a value that its environment has.
struct EnvironmentView<Content: View, Value>: View {
  let content: Content
  let path: WritableKeyPath<EnvironmentValues, Value>
  let value: Value

  var body: Content { content }
}

@MainActor
protocol Surrounded {
  func surround(_ values: inout EnvironmentValues) -> any View
}

extension EnvironmentView: Surrounded {
  func surround(_ values: inout EnvironmentValues) -> any View {
    values[keyPath: path] = value
    return content
  }
}

extension View {
  public func environment<V>(_ path: WritableKeyPath<EnvironmentValues, V>, _ value: V) -> some View {
    EnvironmentView(content: self, path: path, value: value)
  }
}

/// Shows views of one type in turn. Each view keeps the state of the one before, as when SwiftUI creates a view again.
@MainActor
public final class Host<Content: View> {
  private var shown: Content?

  public init() {}

  /// Updates the properties of the view, and returns its body. Nil for another type of view.
  public func show(_ view: some View) -> Content.Body? {
    var values = EnvironmentValues()
    var inner: any View = view
    while let outer = inner as? any Surrounded { inner = outer.surround(&values) }
    guard let content = inner as? Content else { return nil }
    surroundings = values
    if let shown { adopt(content, shown) }
    shown = content
    update(content)
    return content.body
  }

  private func adopt(_ new: Any, _ old: Any) {
    for (new, old) in zip(Mirror(reflecting: new).children, Mirror(reflecting: old).children) {
      if let state = new.value as? any KeepsState {
        state.take(from: old.value)
      } else if new.value is any DynamicProperty {
        adopt(new.value, old.value)
      }
    }
  }

  private func update(_ view: Any) {
    for child in Mirror(reflecting: view).children {
      guard var property = child.value as? any DynamicProperty else { continue }
      update(property)
      property.update()
    }
  }
}

/// What is around the view that is shown. Only the main thread uses it.
nonisolated(unsafe) private var surroundings = EnvironmentValues()
