public import QuarryBackend

/// The effect on an object when the object that it refers to is removed.
public typealias DeleteRule = PropertySchema.Reference.DeleteRule
