import QuarryBackend

/// The tree of a table or an index, with what its schema says of the length of its keys.
struct Tree: Sendable, Hashable {
  let id: TreeID
  /// Bytes of the longest key that the tree can have; nil where a string, a URL or data is a part of its keys.
  let maximumKeyBytes: Int?

  /// A tree whose keys may have any length.
  init(_ id: TreeID) {
    self.id = id
    maximumKeyBytes = nil
  }

  /// The tree of rows with such a primary key.
  init(rowsOf model: ModelSchema, _ layout: RowLayout) {
    id = model.id.rawValue
    maximumKeyBytes = layout.keySlot.maximumKeyBytes
  }

  /// The tree of an index.
  init(_ index: IndexSchema, _ layout: RowLayout) {
    id = index.id
    maximumKeyBytes = index.columns.reduce(layout.keySlot.maximumKeyBytes) { sum, column in
      guard let sum, let bytes = layout.slots[column.slot].maximumKeyBytes else { return nil }
      return sum + bytes
    }
  }
}

extension RowLayout.Slot {
  /// Bytes of the longest component of a key that the slot's values have.
  fileprivate var maximumKeyBytes: Int? {
    switch type {
    case .string, .url, .data, .nested, .array: nil
    // A sign, two bytes of exponent, twenty pairs of digits, an end, and room to spare.
    case .decimal: 32
    default: type.fixedWidth + 1
    }
  }
}
