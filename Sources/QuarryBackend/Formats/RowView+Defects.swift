extension RowView {
  /// What is wrong with the slots of the row, property by property; nothing for a sound row.
  ///
  /// Unlike ``validate(_:)`` it goes on after the first defect, and finds what reading would let pass.
  public func defects(_ layout: RowLayout, _ model: ModelSchema) -> [String] {
    var defects: [String] = []
    if isAbsent(layout.slots[layout.primaryKey]) { defects.append("damaged row: it ends before its primary key") }
    for slot in layout.slots where !isAbsent(slot) {
      // What rows still have of a dropped property nobody reads.
      guard !model.properties[Int(slot.index)].isDropped else { continue }
      let name = model.properties[Int(slot.index)].name
      do throws(StorageError) {
        _ = try value(slot, layout)
        if slot.type == .bool, !isNull(slot), load(slot, as: UInt8.self) > 1 {
          defects.append("\(name): damaged row: slot \(slot.index) is neither false nor true")
        }
      } catch {
        defects.append("\(name): \(error.message)")
      }
    }
    return defects
  }
}
