-- The POP metrics of the whole run; the condition in FILTER is where to say what is useful.
--
-- Needs: states.
WITH useful AS (
    SELECT
        container_id,
        coalesce(sum(exclusive_seconds) FILTER (WHERE value NOT LIKE 'MPI%'), 0) AS seconds
    FROM flat_profile
    GROUP BY container_id
)
SELECT
    avg(useful.seconds) / nullif(max(useful.seconds), 0) AS load_balance,
    max(useful.seconds) / max(trace_info.end_time - trace_info.start_time) AS communication_efficiency,
    avg(useful.seconds) / max(trace_info.end_time - trace_info.start_time) AS parallel_efficiency
FROM trace_info
CROSS JOIN useful
