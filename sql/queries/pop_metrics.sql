-- Where the run is least efficient: the five hundredths with the lowest parallel efficiency, and which factor is to blame.
--
-- Needs: states.
SELECT
    type,
    slice_start,
    slice_end,
    parallel_efficiency,
    load_balance,
    communication_efficiency,
    CASE WHEN load_balance < communication_efficiency THEN 'load balance' ELSE 'communication' END AS blame
FROM pop_metrics
ORDER BY parallel_efficiency, slice, type
LIMIT 5
