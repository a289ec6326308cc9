/// Where each property of a model is in its rows. See `docs/formats/row.md` for the format.
public final class RowLayout: Sendable {
  /// Bytes before the fixed part.
  @usableFromInline static let headerBytes = 4
  /// The version of the row format that is written.
  @usableFromInline static let formatVersion: UInt8 = 1
  /// The flag of a row that ends with a CRC-32C of all bytes before it.
  @usableFromInline static let checksumFlag: UInt8 = 1

  /// Where one property is. A plain value without references, so that tables of it can be read without counting.
  @frozen
  public struct Slot: Sendable {
    /// The slot's number in the row.
    public var index: Int32
    /// The offset of the slot's fixed bytes from the row's beginning, the same in rows of every age.
    public var offset: Int32
    /// The offset of the place of the slot's variable predecessor, or -1 when there is none.
    @usableFromInline package var predecessor: Int32
    /// The slot's place among the variable slots, or -1.
    public var variableIndex: Int32
    /// The type of the property.
    public var type: PropertyType
    /// Whether the property may be nil.
    public var isOptional: Bool
    /// Whether the property is there: false for the tombstone of a dropped one.
    @usableFromInline package var isLive: Bool

    @inlinable
    init(
      index: Int32, offset: Int32, predecessor: Int32, variableIndex: Int32, type: PropertyType, isOptional: Bool,
      isLive: Bool
    ) {
      self.index = index
      self.offset = offset
      self.predecessor = predecessor
      self.variableIndex = variableIndex
      self.type = type
      self.isOptional = isOptional
      self.isLive = isLive
    }
  }

  /// The layout that plain rows of one slot count share.
  ///
  /// It is a plain value without references, as a slot is.
  @frozen
  public struct Shape: Sendable {
    @usableFromInline let header: UInt32
    @usableFromInline let slotCount: Int
    /// Where the null bits and the variable bytes begin.
    @usableFromInline let nulls: Int
    @usableFromInline let variable: Int
    /// Where the eight bytes begin that end with the null bits; -1 where these are more, or the row has fewer before its
    /// variable bytes.
    @usableFromInline let nullWord: Int
    /// Of that word the bits that must not be set.
    @usableFromInline let requiredNulls: UInt64

    fileprivate init(_ slots: [Slot], nulls: Int, required: [UInt8]) {
      header = UInt32(RowLayout.formatVersion) | UInt32(slots.count) << 16
      slotCount = slots.count
      self.nulls = nulls
      variable = nulls + required.count
      nullWord = required.count <= 8 && variable >= 8 ? variable - 8 : -1
      var bits: UInt64 = 0
      for byte in required.suffix(8).reversed() { bits = bits << 8 | UInt64(byte) }
      requiredNulls = bits << UInt64(8 * (8 - min(required.count, 8)))
    }
  }

  /// All slots, tombstones too.
  public let slots: [Slot]
  /// The values that a row holds in slots it was written without.
  public let defaults: [Value]
  /// `fixedEnds[n]`: the end of the fixed part of a row with n slots, which is where its null bits begin.
  package let fixedEnds: [Int]
  /// The number of variable slots.
  package let variableCount: Int
  /// The slot of the primary key.
  public let primaryKey: Int
  /// The types of the members of a compound key; nil where the key is one property.
  package let keyMembers: [KeyMember]?
  /// The types of the members of the compound keys in each slot; empty where no slot has one.
  package let compoundSlots: [[KeyMember]?]
  /// The slots whose bytes can be wrong for their type.
  let checkedSlots: [Slot]
  /// The offsets of the places of the checked slots, in their order, when all are strings or data; empty otherwise.
  ///
  /// Then ascending places and ASCII variable bytes make the row sound.
  let textOffsets: [Int]
  /// Of the null bits of a row of the current slot count, those that must not be set, byte by byte.
  let requiredNulls: [UInt8]
  /// The rows of the current slot count, so that they need no look-up.
  public let current: Shape

  /// The layout of the rows of a model.
  ///
  /// - Parameter model: The model, whose properties have the slots in their order: `docs/formats/row.md`.
  /// - Complexity: O(n) for n properties. Engines keep a layout as long as the schema holds.
  public init(_ model: ModelSchema) {
    var slots: [Slot] = []
    var ends = [Self.headerBytes]
    var offset = Self.headerBytes
    var predecessor = -1
    var variables = 0
    for (index, property) in model.properties.enumerated() {
      let isVariable = property.type.isVariable
      slots.append(
        Slot(
          index: Int32(index), offset: Int32(offset), predecessor: Int32(predecessor),
          variableIndex: isVariable ? Int32(variables) : -1, type: property.type,
          isOptional: property.isOptional || property.isDropped, isLive: !property.isDropped))
      if isVariable {
        predecessor = offset
        variables += 1
      }
      offset += property.type.fixedWidth
      ends.append(offset)
    }
    self.slots = slots
    defaults = model.properties.map { $0.defaultValue ?? .null }
    fixedEnds = ends
    variableCount = variables
    primaryKey = model.primaryKey
    compoundSlots = model.hasCompoundKeys ? model.properties.map(\.keyMembers) : []
    keyMembers = model.properties.indices.contains(model.primaryKey) ? model.keyProperty.keyMembers : nil
    let checked = slots.filter { $0.variableIndex >= 0 || $0.type == .decimal }
    checkedSlots = checked
    textOffsets = checked.allSatisfy { $0.type == .string || $0.type == .data } ? checked.map { Int($0.offset) } : []
    var required = [UInt8](repeating: 0, count: (slots.count + 7) / 8)
    for (index, slot) in slots.enumerated() where !slot.isOptional { required[index / 8] |= 1 << UInt8(index % 8) }
    requiredNulls = required
    current = Shape(slots, nulls: offset, required: required)
  }

  /// The number of slots of rows that are written now.
  @inlinable public var slotCount: Int { slots.count }
  /// The primary key's slot.
  @inlinable public var keySlot: Slot { slots[primaryKey] }
}
