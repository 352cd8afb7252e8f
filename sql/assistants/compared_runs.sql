-- The length of the runs $1 and $2.
SELECT
    trace,
    CASE WHEN trace = $1 THEN 'baseline' ELSE 'run' END AS role,
    end_time - start_time AS seconds
FROM all_traces.trace_info
WHERE trace IN ($1, $2)
ORDER BY role, trace
