import CheckSupport
import Foundation
import ModelReading
import ObjectStorage
import Testing

/// Apple's compiled models, compared with their XML sources and with Python's reader of property lists.
@Suite struct CompiledModelTests {
    @Test(arguments: [
        ("SampleModel", "SampleModel"), ("SampleModel", "SampleModel2"), ("SampleModel", "SampleModel3"),
        ("SampleModel3", "SampleModel3"), ("SampleModel3", "SampleModel3_v2"),
        ("SampleModel3", "SampleModel3_v3"),
    ])
    func `a compiled version equals the model of its source`(bundle: String, version: String) throws {
        let compiled = try DataModel(
            contentsOf: ModelSamples.coreDataPlus.appending(path: "\(bundle).momd"), version: version)
        let source = try DataModel(
            contentsOf: ModelSamples.coreDataPlus.appending(path: "\(bundle).xcdatamodeld"), version: version)
        #expect(lines(compiled.model) == lines(source.model))
        #expect(compiled.model.versionDigest == source.model.versionDigest)
        #expect(compiled.versionName == version && source.versionName == version)
        #expect(compiled.versionIdentifiers == source.versionIdentifiers)
        #expect(compiled.classNames == source.classNames && !compiled.classNames.isEmpty)
        // The compiler keeps the types of some values only.
        #expect(compiled.transformableTypeNames.allSatisfy { source.transformableTypeNames[$0] == $1 })
        #expect(parts(compiled) == parts(source))
    }

    @Test func `the versions of both kinds of bundles are listed, and the current one is read`() throws {
        for suffix in ["momd", "xcdatamodeld"] {
            let bundle = ModelSamples.coreDataPlus.appending(path: "SampleModel.\(suffix)")
            #expect(
                try DataModel.versionNames(in: bundle) == ["SampleModel", "SampleModel2", "SampleModel3"])
            #expect(try DataModel(contentsOf: bundle).versionName == "SampleModel")
            let third = try DataModel(contentsOf: bundle, version: "SampleModel3").model
            #expect(third.entity(named: "Maker") != nil)
            let error = ModelSamples.error { try DataModel(contentsOf: bundle, version: "../SampleModel") }
            #expect(error?.message.contains("SampleModel, SampleModel2, SampleModel3") == true)
        }
    }

    @Test(
        .enabled(if: Python.path != nil, "python3 is missing"),
        arguments: [
            "SampleModel.momd/SampleModel.mom", "SampleModel.momd/SampleModel3.mom",
            "SampleModel3.momd/SampleModel3_v3.mom", "SampleModel2.mom",
        ])
    func `the entities and properties equal those that Python reads`(path: String) throws {
        let url = ModelSamples.coreDataPlus.appending(path: path)
        let file = try DataModel(contentsOf: url)
        let missing = Set(
            file.unsupportedParts.filter(\.isPropertyMissing).map {
                "\($0.entityName ?? "").\($0.propertyName ?? "")"
            })
        let program = """
            import plistlib, sys
            from plistlib import UID
            objects = plistlib.load(open(sys.argv[1], 'rb'))['$objects']
            at = lambda v: objects[v.data] if isinstance(v, UID) else v
            types = {100: 'integer16', 200: 'integer32', 300: 'integer64', 400: 'decimal', 500: 'double',
                     600: 'float', 700: 'string', 800: 'boolean', 900: 'date', 1000: 'binaryData',
                     1100: 'uuid', 1200: 'uri', 1800: 'transformable'}
            def entries(u):
                d = at(u)
                if 'searchMapping' in d:
                    return zip(map(at, at(at(d['searchMapping'])['keys'])['NS.objects']), at(d['values'])['NS.objects'])
                return zip(map(at, d['NS.keys']), d['NS.objects'])
            for name, u in entries(at(objects[1]['NSEntities']) and objects[1]['NSEntities']):
                e = at(u)
                above = at(e.get('NSSuperentity', UID(0)))
                inherited = [n for n, _ in entries(above['NSProperties'])] if above != '$null' else []
                print('entity', name, bool(e.get('NSIsAbstract')), '' if above == '$null' else at(above['NSEntityName']))
                for p, q in entries(e['NSProperties']):
                    q = at(q)
                    kind = at(q['$class'])['$classname']
                    if p in inherited or kind == 'NSFetchedPropertyDescription': continue
                    if kind == 'NSRelationshipDescription':
                        print('relationship', name, p, at(at(q['NSDestinationEntity'])['NSEntityName']),
                              q['NSMaxCount'] != 1, q['NSDeleteRule'], bool(q.get('NSIsOrdered')))
                    else:
                        print('attribute', name, p, types.get(q['NSAttributeType'], '?'), bool(q.get('NSIsOptional')),
                              bool(q.get('NSIsTransient')))
            """
        let expected = try Python.lines(of: program, url.path)
        var found: [String] = []
        let rules: [RelationshipDescription.DeleteRule] = [.noAction, .nullify, .cascade, .deny]
        func word(_ flag: Bool) -> String { flag ? "True" : "False" }
        for entity in file.model.entities {
            found.append("entity \(entity.name) \(word(entity.isAbstract)) \(entity.parentName ?? "")")
            let parent = entity.parentName.flatMap(file.model.entity)
            for attribute in entity.attributes where parent?.attribute(named: attribute.name) == nil {
                found.append(
                    "attribute \(entity.name) \(attribute.name) \(attribute.type.rawValue) \(word(attribute.isOptional)) \(word(attribute.isTransient))"
                )
            }
            for relationship in entity.relationships
            where parent?.relationship(named: relationship.name) == nil {
                let rule = rules.firstIndex(of: relationship.deleteRule) ?? -1
                found.append(
                    "relationship \(entity.name) \(relationship.name) \(relationship.destinationEntityName) \(word(relationship.isToMany)) \(rule) \(word(relationship.isOrdered))"
                )
            }
        }
        let present = expected.filter { line in
            let words = line.split(separator: " ")
            return words[0] != "attribute" || !missing.contains("\(words[1]).\(words[2])")
        }
        #expect(found.sorted() == present.sorted())
        #expect(present.count > 2)
    }

    @Test func `a model made in code is read from the archive that Core Data keeps in a store`() throws {
        let url = ModelSamples.coreDataPlus.appending(path: "SampleModel2.mom")
        let file = try DataModel(contentsOf: url)
        let book = try #require(file.model.entity(named: "Book"))
        #expect(book.attribute(named: "price")?.type == .decimal)
        #expect(book.attribute(named: "title")?.rules == [.minimum(.integer(3)), .maximum(.integer(50))])
        #expect(file.model.entity(named: "GraphicNovel")?.parentName == "Book")
        #expect(file.model.entity(named: "Writer")?.isAbstract == true)
        let kinds = Set(file.unsupportedParts.map(\.kind))
        #expect(
            kinds.isSuperset(of: [.fetchedProperty, .configuration, .validationPredicate, .defaultValue]),
            "\(file.unsupportedParts)")
        let condition = file.unsupportedParts.first { $0.kind == .validationPredicate }
        #expect(condition?.description.contains("SELF CONTAINS \"title\"") == true)
        #expect(
            file.unsupportedParts.contains {
                $0.kind == .fetchedProperty && $0.entityName == "Author" && $0.propertyName == "feedbacks"
                    && $0.part.contains("authorAlias")
            })
    }

    @Test func `a file of another kind throws an error with a remedy`() throws {
        let bundle = ModelSamples.coreDataPlus.appending(path: "SampleModel.momd")
        let cases: [(URL, String)] = [
            (bundle.appending(path: "SampleModel.omo"), "Pass the .mom file"),
            (bundle.appending(path: "VersionInfo.plist"), "not a compiled Core Data model"),
            (bundle.appending(path: "None.mom"), "cannot be read"),
        ]
        for (url, words) in cases {
            let error = try #require(ModelSamples.error { try DataModel(contentsOf: url) })
            #expect(error.code == .invalidModel && error.message.contains(words), "\(error.message)")
            #expect(error.message.contains(url.lastPathComponent))
        }
    }

    /// Each entity, with its properties sorted: a compiled model has no order.
    private func lines(_ model: ManagedObjectModel) -> [String] {
        model.entities.flatMap { entity in
            [
                "\(entity.name): \(entity.parentName ?? "") \(entity.isAbstract) \(entity.renamingIdentifier ?? "")",
                "\(entity.name) unique \(entity.uniquenessConstraints.sorted { $0.description < $1.description })",
                "\(entity.name) indexed \(entity.indexes.sorted { $0.description < $1.description })",
            ] + entity.attributes.map { "\(entity.name).\($0)" }
                + entity.relationships.map { "\(entity.name).\($0)" }
        }.sorted()
    }

    private func parts(_ file: DataModel) -> [String] {
        file.unsupportedParts.map {
            "\($0.kind.rawValue) \($0.entityName ?? "") \($0.propertyName ?? "") \($0.part)"
        }.sorted()
    }
}
