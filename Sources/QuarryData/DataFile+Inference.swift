import QuarryBackend

extension DataFile {
  func inferCSV(_ findsKey: Bool, _ progress: Progress) throws(StorageError) -> Inference {
    let source = try source()
    let reader = try csvReader(source)
    let said = try saidTypes(reader.names)
    let nulls = NullTexts(nullTexts)
    var columns = reader.names.map { ColumnInference(name: $0) }
    let keys = KeyCandidates(findsKey ? columns.count : 0)
    var rows = 0
    var isEverythingQuoted = reader.isHeaderQuoted
    while try reader.next() {
      rows += 1
      columns.withUnsafeMutableBufferPointer { columns in
        for index in columns.indices {
          let cell = reader[index]
          if cell.isQuoted {
            columns[index].add(reader.bytes(index), isQuoted: true, line: reader.line(index))
          } else if cell.start == cell.end {
            columns[index].addNull(line: reader.line(index))
          } else if nulls.contain(reader.bytes(index)) {
            columns[index].addNamedNull(line: reader.line(index))
          } else {
            isEverythingQuoted = false
            columns[index].add(reader.bytes(index), isQuoted: false, line: reader.line(index))
          }
        }
      }
      if keys.hasAny { keys.add { reader[$0].isBlank ? nil : reader.bytes($0) } }
      if rows % Self.progressInterval == 0 { progress(fraction(source), rows) }
    }
    var result = Inference(properties: [], firstNulls: [], rows: rows)
    for (index, column) in columns.enumerated() {
      var property =
        column.property(quotesMeanText: !isEverythingQuoted, allowsText: true)
        ?? PropertySchema(name: column.name, type: .string, isOptional: column.hasNull)
      if let said = said[index] {
        property = PropertySchema(
          name: column.name, type: said.type, isOptional: said.isOptional || column.hasNull)
      } else if let reason = column.reason(property) {
        result.notes.append(reason)
      }
      var firstNull = column.hasNull ? column.firstNull : nil
      if emptyAsText && property.type == .string {
        firstNull = column.firstNamedNull > 0 ? column.firstNamedNull : nil
        property.isOptional = firstNull != nil || said[index]?.isOptional == true
      }
      result.properties.append(property)
      result.firstNulls.append(firstNull)
    }
    result.uniqueColumns = keys.unique(result)
    return result
  }

  /// The given type for each column.
  private func saidTypes(_ names: [String]) throws(StorageError) -> [ColumnType?] {
    var result = [ColumnType?](repeating: nil, count: names.count)
    for type in types {
      guard let place = names.firstIndex(where: { $0.utf8.elementsEqual(type.name.utf8) }) else {
        throw StorageError(
          .invalidQuery,
          "--type \(type.name): the data has no such column" + NearestName.suggestion(for: type.name, among: names),
          property: type.name)
      }
      result[place] = type
    }
    return result
  }

  func inferJSON(_ findsKey: Bool, _ progress: Progress) throws(StorageError) -> Inference {
    let source = try source()
    var reader = jsonReader(source)
    var columns: [ColumnInference] = []
    var names = MemberPlaces([])
    // The number of objects that had the member; fewer than the rows means that it is nil somewhere.
    var counts: [Int] = []
    var firstMissing: [Int] = []
    var rows = 0
    var firstLine = 0
    let keys = KeyCandidates(0)
    while try reader.next() {
      rows += 1
      if rows == 1 { firstLine = reader.line }
      for (index, member) in reader.members.enumerated() {
        let place: Int
        if let known = names.place(of: member.name, expected: index) {
          place = known
        } else {
          guard columns.count < Self.columnLimit else {
            throw .limitExceeded(
              "line \(reader.line): number of columns", limit: Self.columnLimit, actual: Self.columnLimit + 1)
          }
          guard !member.name.isEmpty else {
            throw StorageError(.invalidValue, "line \(reader.line): the object has an empty name")
          }
          place = names.add(member.name)
          columns.append(ColumnInference(name: member.name))
          // It was missing in the first row, if there was a row before this one.
          counts.append(0)
          firstMissing.append(rows > 1 ? firstLine : 0)
          if findsKey { keys.addColumn(isCandidate: rows == 1) }
        }
        counts[place] += 1
        try columns[place].add(member.value, line: reader.line)
        if keys.hasAny { keys.add(place, member.value) }
      }
      for place in columns.indices where counts[place] < rows && firstMissing[place] == 0 {
        firstMissing[place] = reader.line
      }
      if rows % Self.progressInterval == 0 { progress(fraction(source), rows) }
    }
    var result = Inference(properties: [], firstNulls: [], rows: rows)
    for (place, column) in columns.enumerated() {
      guard var property = column.property(quotesMeanText: false, allowsText: false) else {
        throw StorageError(
          .invalidValue,
          "column \(column.name.escapedForDisplay): no type holds all its numbers without loss; write them as strings",
          property: column.name)
      }
      if counts[place] < rows { property.isOptional = true }
      result.properties.append(property)
      let lines = [firstMissing[place], column.hasNull ? column.firstNull : 0].filter { $0 > 0 }
      result.firstNulls.append(lines.min())
    }
    result.uniqueColumns = keys.unique(result)
    return result
  }

  private func fraction(_ source: ByteSource) -> Double {
    source.size > 0 ? min(1, Double(source.bytesRead) / Double(source.size)) : 1
  }
}
