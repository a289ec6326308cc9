extension Store {
  /// What the models that the store was opened for say of sync; none of models that only the store knows.
  package var syncDeclarations: [SyncDeclaration] {
    context.bindings.compactMap { $0?.syncDeclaration }
  }
}
