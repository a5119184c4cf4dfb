import ObjectStorage
import Testing

@Suite struct ValidationRuleTests {
    private func save(
        _ value: StoredValue, within rule: ValidationRule, of type: AttributeType = .integer64
    ) throws {
        let entity = EntityDescription(
            name: "A", attributes: [AttributeDescription(name: "n", type: type, rules: [rule])])
        let model = try ManagedObjectModel(entities: [entity])
        let context = try PersistentContainer(inMemoryWith: model).newContext()
        try context.insert(entityNamed: "A")["n"] = value
        try context.save()
    }

    @Test func `integers that a real number cannot represent are compared exactly`() throws {
        let bound = ValidationRule.maximum(.real(0x1p53))
        try save(.integer(1 << 53), within: bound)
        #expect(throws: ObjectStorageError.self) { try save(.integer((1 << 53) + 1), within: bound) }
        #expect(throws: ObjectStorageError.self) { try save(.integer(.max), within: .maximum(.real(-0.5))) }
        try save(.integer(.max), within: .maximum(.real(0x1p63)))
    }

    @Test func `real numbers are compared with real and integer bounds`() throws {
        try save(.real(0.5), within: .minimum(.real(0.5)), of: .double)
        #expect(throws: ObjectStorageError.self) {
            try save(.real(0.5), within: .minimum(.integer(1)), of: .double)
        }
    }
}
