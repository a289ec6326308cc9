extension RowView {
  /// The defects in the slots of the row, property by property; empty for a sound row.
  ///
  /// Unlike ``validate(_:)``, it continues after the first defect, and finds defects that reading would let pass. For example,
  /// bytes of another model's row can read as a row that was written before this model's last properties were added.
  ///
  /// - Parameters:
  ///   - layout: The layout of the model's rows.
  ///   - model: The model, whose names the defects show.
  public func defects(_ layout: RowLayout, _ model: ModelSchema) -> [String] {
    var defects: [String] = []
    if isAbsent(layout.slots[layout.primaryKey]) { defects.append("damaged row: it ends before its primary key") }
    if let defect = variablePartDefect(layout) { defects.append(defect) }
    for slot in layout.slots {
      // Bytes that rows still have of a dropped property are not read.
      guard !model.properties[Int(slot.index)].isDropped else { continue }
      guard !isAbsent(slot) else {
        if !slot.isOptional, layout.defaults[Int(slot.index)].isNull {
          defects.append(
            "\(model.properties[Int(slot.index)].name): damaged row: it ends before the slot, which has no default")
        }
        continue
      }
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
    if defects.isEmpty, let key = CompoundKeyRows(model, layout), (try? key.matches(self, KeyWriter())) != true {
      defects.append("\(model.keyProperty.name): the primary key does not have the members of the row")
    }
    return defects
  }

  /// Says so when the bytes of the variable slots are not those that the row has behind its null bits.
  private func variablePartDefect(_ layout: RowLayout) -> String? {
    var end = 0
    for slot in layout.slots where slot.variableIndex >= 0 && !isAbsent(slot) {
      let next = Int(UInt32(littleEndian: load(slot)))
      guard next >= end else { return "damaged row: slot \(slot.index) ends before it begins" }
      end = next
    }
    let count = byteCount - variable
    return end == count ? nil : "damaged row: it has \(count) bytes of variable slots, which end after \(end)"
  }
}
