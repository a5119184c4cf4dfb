/// The model of results that observes a controller, in the controller's isolation.
struct ResultsObserver {
    /// Called once for each change of the results, after the new ones took effect, and for a reset of the
    /// context.
    let resultsChanged: () -> Void
    /// Called when the controller's ``FetchedResultsController/trackingError`` may have changed, although the
    /// results are unchanged.
    let trackingErrorChanged: () -> Void
}
