extension Model {
  static var anyDefinition: AnyModelDefinition { modelDefinition.untyped }
}
