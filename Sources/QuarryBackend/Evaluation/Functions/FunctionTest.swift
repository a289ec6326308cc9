/// A call of a function on a slot.
final class FunctionTest: SlotTest {
  private let matcher: any FunctionMatcher
  private let layout: RowLayout

  init(_ slot: RowLayout.Slot, _ matcher: any FunctionMatcher, _ layout: RowLayout, _ defaults: DefaultRow) {
    self.matcher = matcher
    self.layout = layout
    super.init(slot, defaults)
  }

  override var cost: Int { matcher.cost }

  override func matches(_ row: RowView) throws(StorageError) -> Bool {
    let row = present(row)
    if row.isNull(slot) { return false }
    switch slot.type {
    case .string, .url: return try matcher.matches(text: try row.bytes(slot))
    default: return try matcher.matches(try row.value(slot, layout))
    }
  }
}

extension PredicateCompiler {
  /// The test of a call.
  ///
  /// - Throws: `invalidQuery` for a slot of a type that the function is not defined for, and for wrong arguments.
  func test(_ slot: RowLayout.Slot, _ call: BoundFunction) throws(StorageError) -> RowTest {
    guard call.function.isDefined(for: slot.type) else {
      throw StorageError(.invalidQuery, "\(call.function.name) is not defined for the type \(slot.type.name)")
    }
    let matcher = try call.function.matcher(call)
    // Compiled for its own matcher, so that searching texts costs no call through a protocol.
    if let matcher = matcher as? TextMatcher { return TextTest(slot, matcher, defaults) }
    return FunctionTest(slot, matcher, layout, defaults)
  }
}
