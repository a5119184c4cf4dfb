extension EntityRuntime {
    /// The statements that insert rows of the entity.
    var insertion: RowInsertion {
        RowInsertion(
            sql: statements.insertion, severalSQL: statements.severalInsertion, numberOfSlots: numberOfSlots,
            mappedEntity: isOfExistingTable ? description : nil)
    }
}
