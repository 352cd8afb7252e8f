-- Efficiency
-- How much of the time of all containers is useful, and when it is least and most. :type is the type of states.
SELECT
    run.type,
    run.containers,
    run.run_seconds,
    run.parallel_efficiency,
    run.load_balance,
    run.communication_efficiency,
    min(slices.parallel_efficiency) AS least,
    first_value(slices.slice_start ORDER BY slices.parallel_efficiency, slices.slice) AS least_start,
    max(slices.parallel_efficiency) AS most,
    first_value(slices.slice_start ORDER BY slices.parallel_efficiency DESC, slices.slice) AS most_start
FROM pop_metrics_of_the_run AS run
JOIN pop_metrics AS slices
    ON slices.type = run.type
WHERE run.type = :type
    AND run.parallel_efficiency IS NOT NULL
GROUP BY
    run.type,
    run.containers,
    run.run_seconds,
    run.parallel_efficiency,
    run.load_balance,
    run.communication_efficiency
