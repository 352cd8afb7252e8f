-- How efficient the run is: the POP metrics, one row per type of states.
SELECT
    type,
    useful,
    containers,
    run_seconds,
    mean_seconds,
    max_seconds,
    load_balance,
    communication_efficiency,
    parallel_efficiency
FROM pop_metrics_of_the_run
ORDER BY type
