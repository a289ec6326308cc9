import QuarryBackend

extension HistorySet {
  /// The name by which a model travels between stores: a rename of the model does not change it.
  ///
  /// Whoever keeps change sets outside of the store names models and properties so.
  ///
  /// - Parameter model: The name that the model has now, as in ``models``.
  /// - Returns: The name; nil for a model that the store does not have any more.
  public func travelName(of model: String) -> String? { schemas.current.model(named: model)?.travelName }

  /// The name by which a property travels between stores: a rename of the property does not change it.
  ///
  /// - Parameters:
  ///   - property: The name that the property has now, as in the records of ``changes(in:)``.
  ///   - model: The name that the model has now.
  /// - Returns: The name; nil for a model or a property that the store does not have any more.
  public func travelName(of property: String, in model: String) -> String? {
    guard let schema = schemas.current.model(named: model), let slot = schema.slot(named: property) else { return nil }
    return schema.properties[slot].travelName
  }
}
