public import QuarryBackend

/// What becomes of an object when the one that it refers to is removed.
public typealias DeleteRule = PropertySchema.Reference.DeleteRule
