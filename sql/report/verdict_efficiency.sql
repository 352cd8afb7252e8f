-- Efficiency
-- Per type of states, that with most useful time first: how much of the time of all containers is useful, and when it is least and most.
WITH slices AS (
    SELECT
        type,
        slice_start,
        containers,
        mean_seconds,
        slice_end - slice_start AS slice_seconds,
        parallel_efficiency
    FROM pop_metrics
)
SELECT
    type,
    max(containers) AS containers,
    sum(slice_seconds) AS run_seconds,
    sum(mean_seconds) / sum(slice_seconds) AS parallel_efficiency,
    min(parallel_efficiency) AS least,
    first_value(slice_start ORDER BY parallel_efficiency, slice_start) AS least_start,
    max(parallel_efficiency) AS most,
    first_value(slice_start ORDER BY parallel_efficiency DESC, slice_start) AS most_start
FROM slices
WHERE parallel_efficiency IS NOT NULL
GROUP BY type
ORDER BY parallel_efficiency * run_seconds * containers DESC, type
