import CheckSupport
import Foundation
import ObjectStorage
import Testing

/// Archives that no archiver writes, because their objects share parts.
@Suite struct ForgedArchiveTests {
    private func description(_ data: Data) -> String? {
        do {
            _ = try SecureUnarchiveTransformer.value(from: data)
            return nil
        } catch {
            return (error as? TransformationError)?.description ?? "another error: \(error)"
        }
    }

    /// Returns an archive of a root array with all arrays of a chain, each of which has the next one.
    ///
    /// - Parameter isInnermostFirst: Whether the root has the innermost array first, so that each array of
    ///   the chain is checked before the one that has it.
    private func chain(_ count: Int, isInnermostFirst: Bool) -> Data {
        var archive = ForgedArchive()
        let arrayClass = archive.archive(className: "NSArray")
        var numbers: [Int] = []
        for _ in 0..<count {
            numbers.append(Self.add(numbers.suffix(1), ofClass: arrayClass, to: &archive))
        }
        let all = isInnermostFirst ? numbers : numbers.reversed()
        let root = Self.add(all[...], ofClass: arrayClass, to: &archive)
        return archive.data(root: root)
    }

    /// Adds an array of archived objects.
    private static func add(
        _ numbers: ArraySlice<Int>, ofClass number: Int, to archive: inout ForgedArchive
    ) -> Int {
        var references: [Int] = []
        for number in numbers { references.append(archive.reference(number)) }
        let elements = archive.array(references)
        return add(elements, ofClass: number, to: &archive)
    }

    /// Adds an array with elements that are an array of the property list.
    private static func add(_ elements: Int, ofClass number: Int, to archive: inout ForgedArchive) -> Int {
        let reference = archive.reference(number)
        let object = archive.dictionary([("$class", reference), ("NS.objects", elements)])
        return archive.archive(object)
    }

    @Test(arguments: [true, false])
    func `objects nested too deeply are an error in any order`(isInnermostFirst: Bool) throws {
        // The root is a level as well.
        #expect(description(chain(50, isInnermostFirst: isInnermostFirst)) == nil)
        for count in [51, 60, 20_000] {
            let error = try #require(description(chain(count, isInnermostFirst: isInnermostFirst)))
            #expect(error.contains("nested deeper than 50"), "\(error)")
        }
    }

    @Test func `an array of the list that many objects share is an error`() throws {
        var archive = ForgedArchive()
        let arrayClass = archive.archive(className: "NSArray")
        let text = archive.text("a")
        let member = archive.archive(text)
        let element = archive.reference(member)
        let shared = archive.array(Array(repeating: element, count: 20_000))
        var numbers: [Int] = []
        for _ in 0..<20_000 { numbers.append(Self.add(shared, ofClass: arrayClass, to: &archive)) }
        let root = Self.add(numbers[...], ofClass: arrayClass, to: &archive)
        let error = try #require(description(archive.data(root: root)))
        #expect(error.contains("containers that are shared"), "\(error)")
    }

    @Test func `a text of the list that many objects share is an error`() throws {
        var archive = ForgedArchive()
        let arrayClass = archive.archive(className: "NSArray")
        let stringClass = archive.archive(className: "NSMutableString")
        let text = archive.text(String(repeating: "a", count: 1 << 20))
        var numbers: [Int] = []
        for _ in 0..<65 {
            let reference = archive.reference(stringClass)
            let object = archive.dictionary([("$class", reference), ("NS.string", text)])
            numbers.append(archive.archive(object))
        }
        let root = Self.add(numbers[...], ofClass: arrayClass, to: &archive)
        let error = try #require(description(archive.data(root: root)))
        #expect(error.contains("shared texts or data"), "\(error)")
    }
}
