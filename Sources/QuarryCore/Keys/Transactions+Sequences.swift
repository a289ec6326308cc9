package import QuarryBackend

extension ReadTransaction {
  /// The greatest number that was given as a key of the model, 0 where none was; nil where its keys are not of a sequence.
  package func lastNumber(of model: ModelSchema) throws(StorageError) -> UInt64? {
    try check()
    guard model.keyGeneration == .sequence else { return nil }
    return try SequenceTable.last(of: model, in: backend)
  }
}

extension WriteTransaction {
  /// Lets the sequence of a model continue after a number, unless it is there already.
  package func continueSequence(of model: ModelID, after number: UInt64) throws(StorageError) {
    try checkWrite(model)
    try keys?.note(model, number)
  }
}
