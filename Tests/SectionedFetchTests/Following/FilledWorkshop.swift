import SectionedFetch

/// The set-up of suites that follow two makers and their three items: see ``Workshop/fill(_:)``.
class FilledWorkshop {
    let workshop: Workshop
    let context: ManagedObjectContext
    let items: [Item]
    let makers: [Maker]

    init() throws {
        workshop = try Workshop()
        context = workshop.container.newContext()
        (items, makers) = try workshop.fill(context)
    }
}
