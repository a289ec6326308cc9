import Foundation
import QuarryBackend
import QuarryQuery

/// Creates the rows of a model from the rows of another by the names of properties, with the conversions and closures of a
/// migration.
final class RowTranslation {
  /// The source of a new slot's value.
  private enum Source {
    /// A slot of the same type: its bytes are copied.
    case same(Int)
    /// A slot of another type, whose values are converted where that is exact.
    case other(Int)
    /// Nothing that is stored.
    case value(Value)
    /// The bytes of a compound key, which are computed from its members.
    case key
    /// No source: the program has to set it.
    case missing
  }

  private let source: ModelSchema
  private let target: ModelSchema
  private let sourceLayout: RowLayout
  private let targetLayout: RowLayout
  private let writer: RowWriter
  /// Sets the compound keys of new rows.
  private let keys: CompoundKeySetter?
  private var sources: [Source] = []
  /// The conversions of a new slot.
  private var conversions: [[(Value) throws -> Value]]
  private let closures: [(OldObject, inout NewObject) throws -> Void]
  private let old: OldObjects
  private let named: ModelSchema
  private let shape: NewObjectShape
  private let misuse: MigrationMisuse
  /// By the slots of the new model.
  private(set) var failures: [ObjectFailures]

  /// - Parameters:
  ///   - source: The model as it is stored.
  ///   - named: The same, with the names that closures know.
  ///   - target: The model of the new rows.
  init(
    _ source: ModelSchema, named: ModelSchema, _ target: ModelSchema, _ steps: [MigrationContext.Step],
    _ misuse: MigrationMisuse
  ) throws(StorageError) {
    self.source = source
    self.target = target
    self.named = named
    self.misuse = misuse
    sourceLayout = RowLayout(source)
    targetLayout = RowLayout(target)
    writer = RowWriter(targetLayout)
    keys = CompoundKeySetter(target)
    old = OldObjects(source, named: named, misuse)
    shape = NewObjectShape(target, misuse)
    failures = target.properties.map { ObjectFailures(model: target.name, property: $0.name) }
    conversions = Array(repeating: [], count: target.properties.count)
    var closures: [(OldObject, inout NewObject) throws -> Void] = []
    for step in steps {
      switch step {
      case .convert(let property, let body):
        guard let slot = target.slot(named: property) else { throw MigrationMisuse.unknown(property, target) }
        conversions[slot].append(body)
      case .enumerate(let body): closures.append(body)
      case .visit, .transform, .insert: break
      }
    }
    self.closures = closures
    for (slot, property) in target.properties.enumerated() {
      if target.isCompoundKey(slot) {
        sources.append(.key)
      } else if let old = source.slot(named: property.name) {
        let stored = source.properties[old]
        let isSame = stored.type == property.type && stored.elementType == property.elementType
        sources.append(isSame && conversions[slot].isEmpty ? .same(old) : .other(old))
      } else if let value = property.defaultValue {
        sources.append(.value(value))
      } else {
        sources.append(property.isOptional ? .value(.null) : .missing)
      }
    }
  }

  /// Whether so many objects have failed that later ones need not be checked.
  var hasFailed: Bool { failures.contains { $0.isFull } }

  /// The new row, valid until the next call. Nil where there is none: the program does not want it, or it has failed and is
  /// noted.
  func row(_ bytes: UnsafeRawBufferPointer) throws -> UnsafeRawBufferPointer? {
    let view: RowView
    do throws(StorageError) {
      view = try RowView(bytes, sourceLayout)
    } catch {
      throw error.with(model: named.name)
    }
    return closures.isEmpty ? try copied(view) : try made(view, bytes)
  }

  // MARK: Without closures

  private func copied(_ view: RowView) throws -> UnsafeRawBufferPointer? {
    writer.begin()
    var isWhole = true
    for (slot, place) in zip(targetLayout.slots, sources) {
      switch place {
      case .same(let old):
        do throws(StorageError) {
          try writer.copy(slot, from: view, at: sourceLayout.slots[old], sourceLayout)
        } catch {
          throw described(error, view, slot)
        }
        if !slot.isOptional, try isNull(view, old) { isWhole = fail(slot, .missingValue, view) }
      case .other(let old):
        if !(try set(slot, converted(try value(view, old, slot), slot, view), view)) { isWhole = false }
      case .value(let value):
        if !(try set(slot, value, view)) { isWhole = false }
      case .key: writer.set(slot, bytes: UnsafeRawBufferPointer(start: nil, count: 0))
      case .missing:
        isWhole = fail(slot, Self.unsaid, view)
      }
    }
    return isWhole ? try finish() : nil
  }

  private func finish() throws(StorageError) -> UnsafeRawBufferPointer {
    let row = try writer.finish()
    guard let keys else { return row }
    return try keys.row(row)
  }

  private func isNull(_ view: RowView, _ old: Int) throws(StorageError) -> Bool {
    let slot = sourceLayout.slots[old]
    return view.isAbsent(slot) ? sourceLayout.defaults[old].isNull : view.isNull(slot)
  }

  // MARK: With closures

  private func made(_ view: RowView, _ bytes: UnsafeRawBufferPointer) throws -> UnsafeRawBufferPointer? {
    let old = try old.object(bytes)
    var values: [Value] = []
    var isSet: [Bool] = []
    var pending: [StorageError?] = []
    for (slot, place) in zip(targetLayout.slots, sources) {
      var value = Value.null
      var problem: StorageError?
      switch place {
      case .same(let old): value = try self.value(view, old, slot)
      case .other(let old):
        do {
          value = try apply(slot, try self.value(view, old, slot))
        } catch {
          problem = Self.asStorageError(error)
        }
      case .value(let constant): value = constant
      case .key: value = .data(Data())
      case .missing: problem = Self.unsaid
      }
      values.append(value)
      isSet.append(problem == nil)
      pending.append(problem)
    }
    var new = NewObject(shape, values, isSet: isSet)
    for closure in closures {
      try closure(old, &new)
      if let error = misuse.error { throw error }
      if new.isDeleted { return nil }
    }
    writer.begin()
    var isWhole = true
    for (place, slot) in targetLayout.slots.enumerated() {
      if !new.isSet[place], let problem = pending[place] {
        isWhole = fail(slot, problem, view)
        continue
      }
      if !(try set(slot, new.values[place], view)) { isWhole = false }
    }
    return isWhole ? try finish() : nil
  }

  // MARK: Values

  private static let unsaid = StorageError(
    .missingValue, "the property is not stored, is not optional and has no default, and the migration gives it no value"
  )

  private func value(_ view: RowView, _ old: Int, _ slot: RowLayout.Slot) throws(StorageError) -> Value {
    do throws(StorageError) {
      return try view.value(sourceLayout.slots[old], sourceLayout)
    } catch {
      throw described(error, view, slot)
    }
  }

  private func described(_ error: StorageError, _ view: RowView, _ slot: RowLayout.Slot) -> StorageError {
    error.with(
      model: target.name, property: target.properties[Int(slot.index)].name, key: KeyText.text(of: view, sourceLayout))
  }

  /// The value after the conversions of a slot, as its type.
  private func apply(_ slot: RowLayout.Slot, _ value: Value) throws -> Value {
    var value = value
    for body in conversions[Int(slot.index)] { value = try body(value) }
    let property = target.properties[Int(slot.index)]
    return try property.converted(value)
  }

  /// As ``apply(_:_:)``; what cannot be converted is noted, and nil.
  private func converted(_ value: Value, _ slot: RowLayout.Slot, _ view: RowView) throws -> Value? {
    do {
      return try apply(slot, value)
    } catch {
      _ = fail(slot, Self.asStorageError(error), view)
      return nil
    }
  }

  /// Sets a slot of the new row; nil is a value that has failed already.
  ///
  /// - Returns: Whether the row can still be stored.
  private func set(_ slot: RowLayout.Slot, _ value: Value?, _ view: RowView) throws -> Bool {
    guard let value else { return false }
    do throws(StorageError) {
      let property = target.properties[Int(slot.index)]
      try writer.set(slot, value: property.converted(value))
      return true
    } catch {
      return fail(slot, error, view)
    }
  }

  private func fail(_ slot: RowLayout.Slot, _ error: StorageError, _ view: RowView) -> Bool {
    failures[Int(slot.index)].add(error, key: KeyText.text(of: view, sourceLayout))
    return false
  }

  private static func asStorageError(_ error: any Error) -> StorageError {
    error as? StorageError ?? StorageError(.invalidValue, "the conversion threw an error", cause: error)
  }
}
