/// A coder's position in a nested value, as a list that shares its beginning: one step costs one node and not a copy.
indirect enum CodingPath {
  case root
  case member(any CodingKey, of: CodingPath)
  case element(Int, of: CodingPath)

  /// The path as `Encoder` and `Decoder` show it.
  var keys: [any CodingKey] {
    var keys: [any CodingKey] = []
    var path = self
    while true {
      switch path {
      case .root: return keys.reversed()
      case .member(let key, let parent):
        keys.append(key)
        path = parent
      case .element(let index, let parent):
        keys.append(ValueCodingKey(index: index))
        path = parent
      }
    }
  }
}

/// A key for places that no type's own keys name: elements of arrays, and what a superclass writes.
struct ValueCodingKey: CodingKey {
  let stringValue: String
  let intValue: Int?

  static let `super` = ValueCodingKey(stringValue: "super")

  init(stringValue: String) {
    self.stringValue = stringValue
    self.intValue = nil
  }

  init(intValue: Int) {
    self.stringValue = String(intValue)
    self.intValue = intValue
  }

  init(index: Int) {
    self.stringValue = "Index \(index)"
    self.intValue = index
  }
}

/// The description of a place by the encoder and the decoder, for messages.
func describe(codingPath: [any CodingKey]) -> String {
  let text = place(codingPath)
  return text.isEmpty ? "the value itself" : text
}

/// A place as errors have it: `lines[2].city`. Empty for the value itself.
func place(_ codingPath: [any CodingKey]) -> String {
  var text = ""
  for key in codingPath {
    if let index = key.intValue, key.stringValue == "Index \(index)" {
      text += "[\(index)]"
    } else {
      text += text.isEmpty ? key.stringValue : ".\(key.stringValue)"
    }
  }
  return text
}

/// The maximum number of nested calls of coding. `NestedCoding.maximumDepth` limits the levels of the tree. A level can take
/// several calls (an optional, a wrapper that writes a single value), but endless recursion has to end before the stack does.
let maximumCodingCalls = 512
