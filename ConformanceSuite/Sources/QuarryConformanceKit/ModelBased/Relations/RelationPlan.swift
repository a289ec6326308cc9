import QuarryBackend

/// Which models refer to which in a random run.
package struct RelationPlan: CustomStringConvertible {
  static let models = ["A", "B", "C"]

  struct Link {
    var source: Int
    var target: Int
    var name: String
    var rule: PropertySchema.Reference.DeleteRule
    var isOptional: Bool
  }

  var links: [Link]

  func links(of source: Int) -> [Link] { links.filter { $0.source == source } }

  /// Each model has one to three references, to itself too.
  package static func make(_ random: inout some RandomNumberGenerator) -> RelationPlan {
    var links: [Link] = []
    for source in models.indices {
      for number in 0...Int.random(in: 0...2, using: &random) {
        let rule =
          [PropertySchema.Reference.DeleteRule.cascade, .nullify, .deny].randomElement(using: &random) ?? .deny
        let target = Int.random(in: 0..<models.count, using: &random)
        // A required reference leads to an earlier model or the own one, so that there are objects without others.
        let isOptional = rule == .nullify || target > source || Int.random(in: 0..<3, using: &random) > 0
        links.append(Link(source: source, target: target, name: "r\(number)", rule: rule, isOptional: isOptional))
      }
    }
    return RelationPlan(links: links)
  }

  var schemas: [ModelSchema] {
    Self.models.indices.map { source in
      var model = ModelSchema.linked(Self.models[source])
      for link in links(of: source) {
        model.indexes.append(IndexSchema(name: link.name, columns: [.init(slot: model.properties.count)]))
        model.properties.append(
          .reference(link.name, to: Self.models[link.target], link.rule, isOptional: link.isOptional))
      }
      return model
    }
  }

  package var description: String {
    links.map { link in
      "\(Self.models[link.source]).\(link.name)\(link.isOptional ? "?" : "") to \(Self.models[link.target]) \(link.rule)"
    }.joined(separator: ", ")
  }
}
